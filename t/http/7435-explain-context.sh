#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/decisions/{id}/explain: the request, the case and the label.
. "$(dirname "$0")/lib.sh"
use ctl

start_signed_in
login admin@example.com 'correct horse'
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'user', 'watched', 'me');
    update assay.epoch set lists = lists + 1;
    update assay.list_subject set changed = 2 where subject = 'user'"

# decide_order EVENT USER: decide an order.
decide_order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"subject\":{\"userId\":\"$2\",\"ip\":\"196.188.7.9\"}}"
}

# explains EVENT WANT LABEL: the case and the label of an explanation.
explains() {
	http GET "/v1/decisions/$1/explain"
	is_json "$3" '"\(.caseId) \(.label | if . then .outcome + " " + .source
	    else . end)"' "$2"
}

decide_order plain u-1
explains plain "null null" \
    "a decision without review has no case and no label"
is_json "an explanation has the masked request" '.request | tojson' \
    '{"id":"plain","type":"order.place","subject":{"userId":"u-1","ip":"196.188.•.•"}}'
decide_order seen watched
case=$(sql "select id from assay.review_case where event_id = 'seen'")
explains seen "$case null" \
    "a decision with review has its case"
http POST "/v1/cases/$case/resolve" '{"outcome":"legit"}'
explains seen "$case legit analyst" \
    "a resolved case stays, with the label of the analyst"
at=$(json .label.at)
is_json "a label has a time" '.label.at | test("^20.*Z$")' true
http POST /v1/labels/chargeback '{"eventId":"seen"}'
explains seen "$case fraud chargeback" "a chargeback overrules the analyst"
is_json "a label has the time of its last change" ".label.at > \"$at\"" true
ctl explain seen
check "assayctl explain prints the case and the label" \
    prints "case  *$case|label  *fraud"

decide_order again watched
decide_order odd watched
case=$(sql "select id from assay.review_case where event_id = 'odd'")
http POST "/v1/cases/$case/resolve" '{"outcome":"inconclusive"}'
explains odd "$case null" \
    "an inconclusive case gives no label"
explains again "$(sql "select id from assay.review_case
    where event_id = 'again'") null" "each decision has its own case"
sql "update assay.decision_detail set request = null where event_id = 'odd'"
explains odd "$case null" "without its request a decision keeps its case"
is_json "an erased request is null" .request null
sql "delete from assay.decision_detail where event_id = 'odd'"
explains odd "$case null" "an erased decision keeps its case"
is_json "an erased decision has no sample" .why.word sample_gone
TOKEN=
http GET /v1/decisions/seen/explain
is_error "an explanation answers 401 with a service key" 401 UNAUTHENTICATED
finish
