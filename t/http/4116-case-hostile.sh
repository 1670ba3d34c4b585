#!/bin/sh
# SPDX-License-Identifier: ISC
# Hostile and wrong requests for the work on cases change nothing; two analysts
# who act at once get one result.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases
card='4111 1111 1111 1111'
open_case e-1
# refuses PATH CODE BODY: POST /v1/cases/PATH answers 400 with the code.
refuses() {
	http POST "/v1/cases/$1" "$3"
	is_error "400 to $(printf %.70s "${1#"$CASE/"} $3")" 400 "$2"
}
long=$(printf '%04001d' 0)
for body in '{}' '{"to":""}' '{"to":null}' '{"to":["a"]}' '[]' \
    '{"to":"a@example.com","status":"open"}' "{\"to\":\"$long\"}"; do
	refuses "$CASE/hand-over" INVALID_REQUEST "$body"
done
for body in '{}' '{"until":""}' '{"until":"tomorrow"}' '{"until":1}' \
    '{"until":"2020-01-01T00:00:00Z"}' \
    "{\"until\":\"$(date -u -d '+31 days' +%Y-%m-%dT%H:%M:%SZ)\"}" \
    '{"until":"infinity"}' '{"until":"9999-12-31T23:59:59Z"}'; do
	refuses "$CASE/snooze" INVALID_REQUEST "$body"
done
for body in '{}' '{"text":""}' '{"text":"  "}' '{"text":null}' '{"text":{}}' \
    "{\"text\":\"$long\"}" '{"text":"x","author":"ben@example.com"}'; do
	refuses "$CASE/notes" INVALID_REQUEST "$body"
done
refuses "$CASE/notes" INGEST_PAN_REJECTED "{\"text\":\"card $card\"}"
refuses "$CASE/notes" INVALID_JSON '{"text":"a\u0000b"}'
refuses "$CASE/reopen" INVALID_REQUEST '{"note":1}'
refuses "$CASE/reopen" INGEST_PAN_REJECTED "{\"note\":\"$card\"}"
for body in '{}' '{"ids":[],"outcome":"fraud"}' '{"ids":["a"]}' \
    '{"ids":[1],"outcome":"fraud"}' '{"ids":"a","outcome":"fraud"}' \
    '{"ids":[["a"]],"outcome":"fraud"}' '{"ids":["a"],"outcome":"bad"}' \
    "{\"ids\":[\"$(printf '%0129d' 0)\"],\"outcome\":\"fraud\"}" \
    "{\"ids\":[$(seq -s, 101 | sed 's/[0-9]*/"&"/g')],\"outcome\":\"fraud\"}"
do
	refuses resolve INVALID_REQUEST "$body"
done
refuses resolve INGEST_PAN_REJECTED \
    "{\"ids\":[\"$CASE\"],\"outcome\":\"fraud\",\"note\":\"$card\"}"
# unknown ACT [BODY]: the act needs a case, and POST.
unknown() {
	http POST "/v1/cases/cse_none/$1" "${2-}"
	is_error "an unknown case answers 404 to $1" 404 CASE_NOT_FOUND
	http GET "/v1/cases/$CASE/$1"
	is_error "GET of $1 answers 405" 405 METHOD_NOT_ALLOWED
}
unknown hand-over '{"to":"admin@example.com"}'
unknown release
unknown snooze '{"until":null}'
unknown notes '{"text":"x"}'
unknown reopen '{}'
is "no refused request changes the case" "$(sql "select status, snoozed_until,
    assigned_to, (select count(*) from assay.case_trail t where t.case_id = c.id),
    (select count(*) from assay.case_note) from assay.review_case c")" "open|||1|0"

# Texts are kept as they are, and are not run.
text="'); drop table assay.case_note; -- <img onerror=alert(1)> \$1 %s"
http POST "/v1/cases/$CASE/notes" "{\"text\":\"$text\\u202e\\u2028\"}"
is_json "a hostile note is kept as it is" '.text[:-2]' "$text"
http GET "/v1/cases?tag=%27%29%3B--"
is_error "a hostile tag answers 400" 400 INVALID_REQUEST
for query in "queue=%27%20or%201%3D1" "assignee=%27%20or%201%3D1"; do
	http GET "/v1/cases?$query"
	is "a hostile filter finds nothing: $query" "$STATUS $BODY" "200 []"
done
sql "insert into assay.case_note select 'csn_' || n, '$CASE', now(), 'a', 'b'
    from generate_series(1, 98) n"
http POST "/v1/cases/$CASE/notes" '{"text":"the hundredth"}'
is "a case takes a hundredth note" "$STATUS" 201
http POST "/v1/cases/$CASE/notes" '{"text":"one more"}'
is_error "a case takes no further note" 409 NOTES_FULL

# at_once N PATH BODY: so many requests at once; how often each status came.
at_once() {
	pids=
	for n in $(seq "$1"); do
		curl -s -o "$scratch/at.$n.body" -w '%{http_code}\n' \
		    --unix-socket "$scratch/run/http.sock" \
		    -H "Authorization: Bearer $TOKEN" \
		    -H 'Content-Type: application/json' \
		    -d "$3" "$BASE/v1/cases/$2" >"$scratch/at.$n" &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086 # several
	wait $pids
	cat "$scratch"/at.*[0-9] | sort | uniq -c | awk '{ print $1, $2 }' |
	    paste -sd ,
}
http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud"}'
is "of six requests to open a case again one succeeds" \
    "$(at_once 6 "$CASE/reopen" '{}')" "1 200,5 409"
is "the trail has one reopening" "$(sql "select count(*) from assay.case_trail
    where action = 'reopened'")" 1
ids=
for event in m-1 m-2 m-3 m-4 m-5 m-6; do
	open_case $event
	ids="\"$CASE\"${ids:+,$ids}"
done
is "six requests that resolve the same cases all answer" \
    "$(at_once 6 resolve "{\"ids\":[$ids,$ids],\"outcome\":\"fraud\"}")" "6 200"
is "each case is resolved once, by one of them" "$(cat "$scratch"/at.*.body |
    jq -s '[.[].results[]] | "\(map(select(.ok)) | length) \(
	map(select(.error.code == "CASE_RESOLVED")) | length)"')" '"6 66"'
is "each resolution counts as one label" \
    "$(sql "select fraud from assay.tag_count where tag = 'amount'")" 7
finish
