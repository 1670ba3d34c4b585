# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Run a check for each row of the route table, in $scratch/rows with the columns
# method, path, access, scope, trail, body and type.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# expect_answer WHAT WANT: print a line unless the last answer is WANT.
expect_answer() {
	got="$STATUS $(json .code)"
	[ "$got" = "$2" ] || echo "$method $path $1: $got, not $2"
}

# send_route [TOKEN [KEY]]: send the route, with a body if it takes one.
send_route() {
	TOKEN=${1-}
	KEY=${2-}
	if [ "$type" = csv ]; then
		http "$method" "$path" "" -H 'Content-Type: text/csv' -d kind
	elif [ "$body" -gt 0 ]; then
		http "$method" "$path" '{}'
	else
		http "$method" "$path"
	fi
}

# every_route LABEL FUNCTION: run it for each row; it prints what is wrong.
every_route() {
	while read -r method path access scope _ body type; do
		"$2" </dev/null
	done <"$scratch/rows" >"$scratch/wrong"
	is "$1" "$(cat "$scratch/wrong")" ""
}
