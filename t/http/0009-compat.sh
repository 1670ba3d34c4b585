#!/bin/sh
# SPDX-License-Identifier: ISC
# Each release of t/compat/: the calls that its clients make, and what they rely on
# in the answers.  To record the answers of a release, make its folder with its
# calls, and run this with RECORD=VERSION.
# shellcheck disable=SC2016 # these are variables of jq
. "$(dirname "$0")/lib.sh"
use second_factor

# gojq starts faster, but does not keep the order of members, which a recording has.
compat() {
	if [ -n "${RECORD:-}" ]; then
		command jq -L "$srcdir/t/compat" "$@"
	else
		gojq -L "$srcdir/t/compat" "$@"
	fi
}

# call LINE: make a recorded call.  $scratch/now then has it, the answer, and the
# values that later calls use.
call() {
	printf '%s' "$1" | compat -r --slurpfile now "$scratch/now" \
	    'include "compat"; request($now[0].kept)' >"$scratch/call"
	{
		read -r credential
		read -r method
		read -r path
		read -r body
		read -r header
	} <"$scratch/call"
	case $credential in
	ak_*) KEY=$credential TOKEN='' ;;
	*) KEY='' TOKEN=$credential ;;
	esac
	set -- "$1"
	case $body in
	\"*)
		printf '%s' "$body" | jq -j . >"$scratch/rows.csv"
		set -- "$1" --data-binary @"$scratch/rows.csv" \
		    -H 'Content-Type: text/csv'
		body=
		;;
	*TOTP*) body="{\"code\":\"$(code_of "$(jq -r .kept.secret "$scratch/now")")\"}" ;;
	esac
	[ -z "$header" ] || set -- "$@" -H "$header"
	line=$1
	shift
	http "$method" "$path" "$body" "$@"
	printf '%s' "$BODY" | compat -Rsc --argjson call "$line" \
	    --arg status "$STATUS" --arg head "$HEADERS" \
	    --slurpfile now "$scratch/now" 'include "compat";
	    answer($status; $head) as $got |
	    { call: $call, $got, kept: ($now[0].kept + ($got | kept($call))) }' >"$scratch/next"
	mv "$scratch/next" "$scratch/now"
}

# replay FILE: make its calls; $scratch/calls has them with today's answers.
replay() {
	jq -n '{ kept: { tomorrow: (now + 86400 | todate) } }' >"$scratch/now"
	while IFS= read -r line <&3; do
		case $line in
		'{"run":"'*)
			job=${line#*:\"}
			cron "${job%\"*}" ALLOW_PRIVATE_TARGETS=true
			echo "{\"call\":$line}"
			;;
		*)
			call "$line"
			cat "$scratch/now"
			;;
		esac
	done 3<"$1" >"$scratch/calls"
}

for release in "$srcdir"/t/compat/${RECORD:-[0-9]*}; do
	start_stack ALLOW_PRIVATE_TARGETS=true OPERATOR_WORKERS=4
	replay "$release/recording.txt"
	stop_stack
	mv "$scratch/sent/answers" \
	    "$builddir/t/http/$scenario-${release##*/}.answers"
	rm -rf "$scratch/pg"
	cluster_copy
	if [ -n "${RECORD:-}" ]; then
		compat -c 'include "compat"; recorded' "$scratch/calls" \
		    >"$release/recording.txt"
		compat -c 'include "compat"; without_texts' \
		    "$srcdir/docs/openapi.json" >"$release/openapi.json"
		sed -n 's/^SIGNAL([A-Z0-9_]*, "\([^"]*\)".*/\1/p' \
		    "$srcdir/core/signal/signals.tbl" >"$release/signals.txt"
	else
		is "the calls of ${release##*/} get what they got then" \
		    "$(compat -r 'include "compat"; broken' "$scratch/calls")" ""
	fi
done
finish
