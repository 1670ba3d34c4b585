#!/bin/sh
# SPDX-License-Identifier: ISC
# The largest bodies that are allowed are decided like any other.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key
TOKEN=

# batch EVENTS ATTRIBUTES BYTES CHARACTER: of events with so many attributes
# of that character; how many were decided, and error codes.
batch() {
	perl -e 'my ($n, $attrs, $bytes, $c) = @ARGV;
	print "{\"events\":[", join(",", map {
	    my $i = $_;
	    "{\"id\":\"e$bytes-$i\",\"type\":\"account.login\",\"subject\":{" .
	    "\"userId\":\"e$bytes-$i\",\"deviceId\":\"d-$i\",\"ip\":\"10.4.0.$i\"," .
	    "\"phone\":\"251911223$i\",\"fingerprint\":\"f-$i\"}," .
	    "\"attributes\":{" . join(",", map {
		"\"a$_\":\"" . $c x $bytes . "\"" } 1..$attrs) . "}}"
	} 100..99 + $n), "]}"' "$@" >"$scratch/events"
	http POST /v1/decisions/batch "@$scratch/events"
	json '[.results[] | if .ok then .decision.score >= 0 else .error.code end
	    ] | group_by(.) | map("\(length) \(.[0])") | join(" ")'
}

is "a hundred events of 10 KiB" "$(batch 100 10 1001 x)" "100 true"
is "what is escaped when it is written" \
    "$(batch 63 16 1000 "$(printf '\177')")" "63 true"
is "all of it is stored" "$(sql "select count(*), min(length(replay)) > 90000
    from assay.detail where user_id like 'e1000-%'")" "63|t"
finish
