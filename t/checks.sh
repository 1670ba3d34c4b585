# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# How checks of the tree report.  The test that sources this has a directory
# $tmp; a check writes one line for each fault to $tmp/faults.
# shellcheck disable=SC2154 # tmp is the test's

n=0
failed=0

# verdict WHAT: ok if $tmp/faults is empty.
verdict() {
	n=$((n + 1))
	if [ -s "$tmp/faults" ]; then
		failed=$((failed + 1))
		echo "not ok $n - $1"
		sed 's/^/#   /' "$tmp/faults"
	else
		echo "ok $n - $1"
	fi
	: >"$tmp/faults"
}

# skip WHAT WHY
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # skip $2"
}

# lacks WHAT WHY: a skip, in CI a failure.
lacks() {
	if [ "${CI:-}" = true ]; then
		echo "$2" >"$tmp/faults"
		verdict "$1"
	else
		skip "$1" "$2"
	fi
}

# have TOOL WHAT: whether the tool is installed; if not, WHAT is skipped.
have() {
	command -v "$1" >/dev/null && return 0
	lacks "$2" "$1 is missing"
	return 1
}
