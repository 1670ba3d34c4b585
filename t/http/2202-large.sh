#!/bin/sh
# SPDX-License-Identifier: ISC
# The largest allowed bodies are decided like any other.
. "$(dirname "$0")/lib.sh"

start_with_key

# decide_batch EVENTS ATTRIBUTES BYTES CHARACTER: a batch of that many events,
# each with so many attributes of BYTES times the character.  Prints how many
# were decided, and error codes.
decide_batch() {
	perl -e 'my ($n, $attrs, $bytes, $c) = @ARGV;
	print "{\"events\":[", join(",", map {
	    my $i = $_;
	    "{\"id\":\"e$bytes-$i\",\"type\":\"account.login\",\"subject\":{" .
	    "\"userId\":\"e$bytes-$i\",\"deviceId\":\"d-$i\",\"ip\":\"198.18.4.$i\"," .
	    "\"phone\":\"251911223$i\",\"fingerprint\":\"f-$i\"}," .
	    "\"attributes\":{" . join(",", map {
		"\"a$_\":\"" . $c x $bytes . "\"" } 1..$attrs) . "}}"
	} 100..99 + $n), "]}"' "$@" >"$scratch/events"
	http POST /v1/decisions/batch "@$scratch/events"
	json '[.results[] | if .ok then .decision.score >= 0 else .error.code end
	    ] | group_by(.) | map("\(length) \(.[0])") | join(" ")'
}

is "a batch of a hundred events of 10 KiB is decided" \
    "$(decide_batch 100 10 1001 x)" "100 true"
is "a batch of characters that JSON escapes is decided" \
    "$(decide_batch 63 16 1000 "$(printf '\177')")" "63 true"
is "the large events are stored whole" \
    "$(sql "select count(*), min(length(sample)) > 90000
    from assay.decision_detail where user_id like 'e1000-%'")" "63|t"
finish
