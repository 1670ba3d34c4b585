#!/bin/sh
# SPDX-License-Identifier: ISC
# The golden files of t/rules, and the rulesets of the seed.
set -eu

srcdir=${srcdir:-$(dirname "$0")/..}
set --
for rule in "$srcdir"/t/rules/*.rule; do
	set -- "$@" "$rule" "${rule%.rule}.want"
done
for rule in "$srcdir"/sql/seed/rules/*.rule; do
	set -- "$@" "$rule" \
	    "$srcdir/t/rules/seed-$(basename "$rule" .rule).want"
done
exec t/golden "$@" "$srcdir"/t/rules/*.bad
