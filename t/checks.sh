# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# How checks of the tree say what they found.  Who sources this has a directory
# $tmp; what is wrong goes into $tmp/faults, a line each.  The counts are in n
# and failed.
# shellcheck disable=SC2154 # tmp is its user's

n=0
failed=0

# verdict WHAT: ok if nothing was written to $tmp/faults.
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

# lacks WHAT WHY: a skip here, a failure in CI.
lacks() {
	if [ "${CI:-}" = true ]; then
		echo "$2" >"$tmp/faults"
		verdict "$1"
	else
		skip "$1" "$2"
	fi
}

# have TOOL WHAT: is it there?
have() {
	command -v "$1" >/dev/null && return 0
	lacks "$2" "$1 is missing"
	return 1
}
