#!/bin/sh
# SPDX-License-Identifier: ISC
# The generator of the sample makes the shipped file, byte for byte.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
status=0

if "$builddir/sample/generate" | cmp - "$srcdir/sample/transactions.csv"; then
	echo "ok 1 - the generator makes sample/transactions.csv byte for byte"
else
	echo "not ok 1 - the generator makes sample/transactions.csv byte for byte"
	echo "#   make sample writes it again"
	status=1
fi
if [ "$("$builddir/sample/generate" --seed 2 --events 1000 --fraud 2 |
    grep -c ',1,[a-z_]*$')" -ge 20 ]; then
	echo "ok 2 - a sample of another seed and size has its share of fraud"
else
	echo "not ok 2 - a sample of another seed and size has its share of fraud"
	status=1
fi
echo "1..2"
exit $status
