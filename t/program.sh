# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# How tests of a program say what they found.  Who sources this has a directory
# $scratch, and runs the program so that it writes to out and err there.
# shellcheck disable=SC2154 # scratch is its user's

n=0
failed=0

# check WHAT COMMAND ...: the command holds.
check() {
	n=$((n + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/#   /' "$scratch/out" "$scratch/err"
	fi
}

# says TEXT: it was printed.
says() { grep -qF -e "$1" "$scratch/out" "$scratch/err"; }

# is_narrow FILE: it fits a terminal.
is_narrow() { ! grep -E '^.{81}' "$1"; }

# conclude: the last line, and whether all held.
conclude() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
}
