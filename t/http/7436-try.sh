#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /v1/decisions/{id}/try: a decided event with other signals, by the active
# rules, without effect.
. "$(dirname "$0")/lib.sh"
use ctl explain

start_explain
http POST /v1/decisions '{"id":"a/b c","type":"order.place","amount":100,
    "currency":"EUR","subject":{"userId":"u-1"},"attributes":{"who":"a"}}'
http POST /v1/decisions '{"id":"try","type":"order.place",
    "subject":{"userId":"u-2"}}'

# tries SET WANT LABEL: verdict, score and tags with these signals.
tries() {
	http POST /v1/decisions/a%2Fb%20c/try "{\"set\":$1}"
	is "$3" "$STATUS $(json '"\(.verdict) \(.score) \(.reasons |
	    map(.tag) | join(" "))"')" "200 $2"
}

http GET /v1/decisions/a%2Fb%20c/explain
recorded=$(json '"\(.verdict) \(.score)"')
# What a change would give is what explain says.
stricter=$(json '.changes.stricter | {((if .signal == "who" or .signal == "both"
    then "attr." else "" end) + .signal): .to} | tojson')
want=$(json '.changes.stricter | "\(.verdict) \(.score)"')
tries '{}' "$recorded " "an unchanged event gets its decision again"
is_json "the answer has the recorded decision" \
    '.recorded | "\(.verdict) \(.score)"' "$recorded"
is_json "the answer has the versions" \
    '"\(.policyId) \(.policyVersion) \(.rulesetVersion)"' \
    "pol_order_place v0.4.0 v1"
http POST /v1/decisions/a%2Fb%20c/try "{\"set\":$stricter}"
is_json "the change that explain found gives its verdict" \
    '"\(.verdict) \(.score)"' "$want"
tries '{"event.amount":3000.01}' "allow 14 amount" "a changed number counts"
tries '{"event.amount":3000.01,"attr.both":true}' \
    "review 54 both amount" "several changes count together"
tries '{"attr.both":true,"attr.odd \"key\"":2}' "allow 40 both" \
    "an attribute with blanks and quotes is added"
tries '{"event.amount":null}' "$recorded " "null makes a signal unknown"

before=$(sql "select (select count(*) from assay.verdict_log),
    (select count(*) from assay.decision_detail),
    (select count(*) from assay.audit),
    (select count(*) from assay.review_case),
    (select md5(string_agg(u::text, '' order by user_id))
	from assay.user_state u)")
tries '{"event.amount":9999,"attr.both":true}' "review 54 both amount" \
    "a tried review is answered"
is "trying changes nothing" "$(sql "select
    (select count(*) from assay.verdict_log),
    (select count(*) from assay.decision_detail),
    (select count(*) from assay.audit),
    (select count(*) from assay.review_case),
    (select md5(string_agg(u::text, '' order by user_id))
	from assay.user_state u)")" "$before"

ctl try "a/b c" '{"event.amount":3000.01}'
check "assayctl try prints the verdict and the tags" \
    prints 'verdict  *allow|score  *14|.*amount  *14'
ctl try "a/b c" 'event.amount=1'
check "assayctl try refuses signals that are not JSON" \
    prints 'SIGNALS must be a JSON object'

# The active rules decide, also after a publication.
publish_stricter
http POST /v1/decisions/a%2Fb%20c/try '{"set":{}}'
is_json "the active versions decide" \
    '"\(.verdict) \(.policyVersion) \(.rulesetVersion) \(.recorded.verdict)"' \
    "deny p2 v2 allow"
roll_back_stricter

http POST /v1/decisions/try/try '{"set":{"event.amount":5000}}'
is_json "an event with the id try can be tried" .score 14
KEY=$both
token=$TOKEN
TOKEN=
http GET /v1/decisions/try
is_json "an event with the id try can be read" .eventId try
http POST /v1/decisions/try/try '{"set":{}}'
is_error "trying answers 401 with a service key" 401 UNAUTHENTICATED
TOKEN=$token
KEY=
sql "update assay.operator set role = 'analyst'"
tries '{}' "$recorded " "an analyst may try"

for set in '{"event.amount":"5"}' '{"event.amount":-1}' '{"event.amount":1e300}' \
    '{"event.type":"card.authorize"}' '{"geo.planet":"FR"}' '{"":1}' \
    '{"attr.x":[1]}' '{"attr.x":{"y":1}}' '{"velocity.attemptsLast2m":1.5}' \
    '{"velocity.attemptsLast2m":null}' '[]' '1' null \
    "{$(seq -f '"attr.%g":1' 65 | paste -sd ,)}"; do
	http POST /v1/decisions/try/try "{\"set\":$set}"
	is_error "trying the set $(printf %.30s "$set") answers 400" \
	    400 INVALID_REQUEST
done
http POST /v1/decisions/try/try '{}'
is_error "trying nothing answers 400" 400 INVALID_REQUEST
http POST /v1/decisions/none/try '{"set":{}}'
is_error "an unknown event answers 404" 404 NOT_FOUND
sql "update assay.decision_detail set sample = null where event_id = 'try'"
http POST /v1/decisions/try/try '{"set":{}}'
is_error "an event without a sample answers 404" 404 NOT_FOUND
http GET /v1/decisions/try/try
is_error "GET on a try answers 405" 405 METHOD_NOT_ALLOWED
finish
