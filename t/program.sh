# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# How tests of a program report, in the words of t/http/lib.sh.  The test that
# sources this has a directory $scratch and runs the program with its output in
# the files out and err there.
# shellcheck disable=SC2154 # scratch is the test's

tap_count=0
tap_failed=0

# check WHAT COMMAND ...: the command succeeds.
check() {
	tap_count=$((tap_count + 1))
	tap_what=$1
	shift
	if "$@"; then
		echo "ok $tap_count - $tap_what"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_what"
		sed 's/^/#   /' "$scratch/out" "$scratch/err"
	fi
}

# is WHAT GOT WANT: equal strings.
is() {
	check "$1" [ "$2" = "$3" ]
}

# prints TEXT: the program printed it.
prints() { grep -qF -e "$1" "$scratch/out" "$scratch/err"; }

# needs WHAT COMMAND ...: skip the test, in CI fail it, unless the command succeeds.
needs() {
	needs_what=$1
	shift
	! "$@" >/dev/null 2>&1 || return 0
	echo "# skipped: needs $needs_what"
	[ "${CI:-}" != true ] || exit 1
	exit 77
}

# is_narrow FILE: no line is longer than 80 bytes.
is_narrow() { ! grep -E '^.{81}' "$1"; }

# conclude: print the plan; return whether all tests succeeded.
conclude() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
