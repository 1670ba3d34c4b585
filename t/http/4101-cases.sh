#!/bin/sh
# SPDX-License-Identifier: ISC
# Review cases: opened by a review, assigned and resolved by operators, with a
# trail of each change; of many operators one resolves a case.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases

http GET /v1/cases
is "there are no cases at first" "$STATUS $BODY" "200 []"
open_case e-1
verdict=$(json .id)
http GET "/v1/cases/$CASE"
is "a review opens a case with the event, verdict, queue and score" \
    "$STATUS $(json 'del(.openedAt, .audit) | tojson')" \
    "200 {\"id\":\"$CASE\",\"eventId\":\"e-1\",\"verdictId\":\"$verdict\",\
\"queue\":\"risk-ops\",\"verdict\":\"review\",\"score\":14,\
\"eventType\":\"order.place\",\"amount\":5000,\"currency\":\"EUR\",\
\"tags\":[\"amount\",\"list.watch\"],\"status\":\"open\",\"assignedTo\":null,\
\"claimExpiresAt\":null,\"snoozedUntil\":null,\"dueAt\":null,\
\"resolution\":null,\"notes\":[]}"
is "the trail of a new case begins with the engine" \
    "$(case_trail)" "opened engine"
is_json "the first entry of the trail has the time of the case" \
    '.audit[0].at == .openedAt and (.openedAt |
    test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$"))' true
one=$BODY
http GET /v1/cases
is "GET /v1/cases has the same case as GET /v1/cases/{id}" \
    "$(json '.[0] | tojson')" "$(printf '%s' "$one" | jq -c .)"

http POST "/v1/cases/$CASE/assign"
is "a case is assigned to the operator of the token" "$STATUS $(json tojson)" \
    "200 {\"id\":\"$CASE\",\"status\":\"assigned\",\"assignedTo\":\"$me\"}"
http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud","note":"card stolen"}' \
    -H 'X-Correlation-Id: cor-mine'
is "an assigned case is resolved" \
    "$STATUS $(json 'del(.resolution.at) | tojson')" "200 {\"id\":\"\
$CASE\",\"status\":\"resolved\",\"resolution\":{\"outcome\":\"fraud\",\
\"analyst\":\"$me\",\"note\":\"card stolen\"}}"
at=$(json .resolution.at)
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
is_error "resolving a resolved case answers 409" 409 CASE_RESOLVED
http POST "/v1/cases/$CASE/assign"
is_error "assigning a resolved case answers 409" 409 CASE_RESOLVED
http GET "/v1/cases/$CASE"
is_json "a resolved case has its analyst, outcome and time" \
    '"\(.status) \(.assignedTo) \(.resolution.outcome) \(.resolution.at)"' \
    "resolved $me fraud $at"
is "the trail has assignment and resolution" "$(case_trail)" \
    "opened engine, assigned $me, resolved $me (fraud)"
is "a resolution stores a label with the tags of the event" \
    "$(sql "select event_id, outcome, tags, credited_outcome
    from assay.label")" 'e-1|fraud|{amount}|fraud'
is "resolution and label are events with the caller's correlation id" \
    "$(sql "select event,
    correlation_id, data::jsonb from assay.outbox order by number")" \
    "case.resolved.v1|cor-mine|{\"note\": \"card stolen\", \"caseId\": \"$CASE\
\", \"analyst\": \"$me\", \"eventId\": \"e-1\", \"outcome\": \"fraud\", \
\"verdictId\": \"$verdict\"}
label.recorded.v1|cor-mine|{\"source\": \"analyst\", \"eventId\": \"e-1\", \
\"outcome\": \"fraud\"}"
http GET /v1/model
is_json "the label changes the tag weights" \
    '.weights | tojson' '[{"tag":"amount",'\
'"fraud":1,"legit":0,"weight":34,"trusted":false}]'

# An open case; no note; no outcome.
open_case e-2
http POST "/v1/cases/$CASE/resolve" '{"outcome":"inconclusive","note":""}'
is_json "a resolution of an open case with an empty note has none" \
    '.resolution | keys | join(" ")' "analyst at outcome"
http GET "/v1/cases/$CASE"
is "resolving an open case assigns it first" \
    "$(json .assignedTo) $(case_trail)" \
    "$me opened engine, assigned $me, resolved $me (inconclusive)"
is "an inconclusive resolution stores no label" \
    "$(sql 'select count(*) from assay.label')" 1
is "an inconclusive resolution is the only event" \
    "$(sql 'select event from assay.outbox
    order by number desc limit 1')" case.resolved.v1

# The token, not the body, says which operator acts.
open_case e-3
http POST "/v1/cases/$CASE/assign"
sql "insert into assay.operator (email, role, password)
    select 'ana@example.com', 'analyst', password from assay.operator"
admin=$TOKEN
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http POST "/v1/cases/$CASE/assign" "{\"analyst\":\"$me\"}"
is_json "a case is assigned to the analyst of the token, not of the body" \
    .assignedTo ana@example.com
http POST "/v1/cases/$CASE/assign"
is "an analyst can be assigned the same case again" "$STATUS" 200
TOKEN=$admin
http POST "/v1/cases/$CASE/resolve" "{\"outcome\":\"legit\",\"analyst\":\"x\"}"
is_error "a resolution with an analyst in the body answers 400" \
    400 INVALID_REQUEST
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
http GET "/v1/cases/$CASE"
is_json "an operator resolves a case of another operator" \
    '"\(.assignedTo) \(.resolution.analyst)"' "ana@example.com $me"
is "the trail has every assignment and the resolution" \
    "$(case_trail)" "opened engine, assigned $me, \
assigned ana@example.com (from $me), assigned ana@example.com \
(from ana@example.com), resolved $me (legit)"
is "the audit trail has every change of a case" "$(sql "select status,
    count(*) from assay.audit where action like '%/cases/%'
    group by 1 order by 1")" "200|7
400|1
409|2"

# Of many operators, on two hosts, one resolves a case.
start_host 2 OPERATOR_WORKERS=4
for event in r-1 r-2 r-3; do
	open_case $event
	pids=
	for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
		curl -s -o /dev/null -w '%{http_code}\n' \
		    --unix-socket "$scratch/run$([ $((n % 2)) = 0 ] || echo 2)/http.sock" \
		    -H "Authorization: Bearer $TOKEN" \
		    -H 'Content-Type: application/json' \
		    -d '{"outcome":"fraud"}' "$BASE/v1/cases/$CASE/resolve" \
		    >"$scratch/race.$n" &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086 # several
	wait $pids
	is "of twelve resolutions of $event one succeeds" \
	    "$(cat "$scratch"/race.* | sort |
	    uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" "1 200,11 409"
	http GET "/v1/cases/$CASE"
	is "the trail of $event has one resolution" "$(case_trail)" \
	    "opened engine, assigned $me, resolved $me (fraud)"
done
is "each of four resolutions counts as one label" \
    "$(sql "select fraud from assay.tag_count
    where tag = 'amount'")" 4
finish
