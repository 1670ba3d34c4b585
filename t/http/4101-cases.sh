#!/bin/sh
# SPDX-License-Identifier: ISC
# Review cases: who may see and change them, what is kept of a change, and
# that of many analysts one resolves.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack OPERATOR_WORKERS=4
admin_token
api_key
sql "insert into assay.webhook_endpoint (id, url, events, secret, created_by)
    values ('whk_1', 'https://example.com',
	array['case.resolved.v1', 'label.recorded.v1'], 's', 'me')"
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'user', 'watched', 'me')"
sql "update assay.epoch set lists = lists + 1"
sql "update assay.list_subject set changed = 2 where subject = 'user'"

# review EVENT [TYPE]: an event that opens a case, whose id is in CASE.
review() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"${2:-order.place}\",
	    \"amount\":5000,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"watched\"}}"
	CASE=$(sql "select id from assay.review_case where event_id = '$1'")
}
# trail: who did what to the last body's case.
trail() {
	json '.audit | map("\(.action) \(.actor)\(
	    if .detail then " (\(.detail))" else "" end)") | join(", ")'
}
me=admin@example.com

http GET /v1/cases
is "no cases yet" "$STATUS $BODY" "200 []"
review e-1
verdict=$(json .id)
http GET "/v1/cases/$CASE"
is "a case of a review" "$STATUS $(json 'del(.openedAt, .audit) | tojson')" \
    "200 {\"id\":\"$CASE\",\"eventId\":\"e-1\",\"verdictId\":\"$verdict\",\
\"queue\":\"risk-ops\",\"verdict\":\"review\",\"score\":14,\"status\":\"open\",\
\"assignedTo\":null,\"resolution\":null}"
is "whose trail begins with the engine" "$(trail)" "opened engine"
is_json "then" '.audit[0].at == .openedAt and (.openedAt |
    test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$"))' true
one=$BODY
http GET /v1/cases
is "the queue has it whole" "$(json '.[0] | tojson')" \
    "$(printf '%s' "$one" | jq -c .)"

http GET '/v1/cases?eventId=e-1'
is_json "it is found by its event" 'map(.eventId) | join(" ")' e-1
http GET '/v1/cases?userId=watched'
is_json "and by its user" 'map(.eventId) | join(" ")' e-1
http GET '/v1/cases?userId=watched&queue=none'
is "in its queue" "$BODY" "[]"
http GET '/v1/cases?userId=watched&status=resolved'
is "and status" "$BODY" "[]"
http GET '/v1/cases?eventId=e-0'
is "an event without one has none" "$STATUS $BODY" "200 []"
http GET '/v1/cases?userId=nobody'
is "nor has a user without events" "$STATUS $BODY" "200 []"
http GET '/v1/cases?userId=watched&eventId=e-1'
is_error "event and user together are refused" 400 INVALID_REQUEST
for query in state=open eventid=e-1 limit=1\&x=; do
	http GET "/v1/cases?$query"
	is_error "a query with $query is refused, not ignored" \
	    400 INVALID_REQUEST
done
http GET '/v1/apikeys?revoked=true'
is_error "on a route without parameters too" 400 INVALID_REQUEST
http GET '/v1/cases?before=cse_none'
is_error "pages begin after a case that there is" 404 CASE_NOT_FOUND

http POST "/v1/cases/$CASE/assign"
is "assigned to the caller" "$STATUS $(json tojson)" \
    "200 {\"id\":\"$CASE\",\"status\":\"assigned\",\"assignedTo\":\"$me\"}"
http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud","note":"card stolen"}' \
    -H 'X-Correlation-Id: cor-mine'
is "resolved" "$STATUS $(json 'del(.resolution.at) | tojson')" "200 {\"id\":\"\
$CASE\",\"status\":\"resolved\",\"resolution\":{\"outcome\":\"fraud\",\
\"analyst\":\"$me\",\"note\":\"card stolen\"}}"
at=$(json .resolution.at)
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
is_error "once" 409 CASE_RESOLVED
http POST "/v1/cases/$CASE/assign"
is_error "and nobody's any more" 409 CASE_RESOLVED
http GET "/v1/cases/$CASE"
is_json "it keeps who had it and how it ended" \
    '"\(.status) \(.assignedTo) \(.resolution.outcome) \(.resolution.at)"' \
    "resolved $me fraud $at"
is "and its trail" "$(trail)" \
    "opened engine, assigned $me, resolved $me (fraud)"
is "the label stands" "$(sql "select event_id, outcome, tags, credited
    from assay.label")" 'e-1|fraud|{amount}|fraud'
is "both events are told, as the caller correlates them" "$(sql "select event,
    correlation_id, data::jsonb from assay.outbox order by number")" \
    "case.resolved.v1|cor-mine|{\"note\": \"card stolen\", \"caseId\": \"$CASE\
\", \"analyst\": \"$me\", \"eventId\": \"e-1\", \"outcome\": \"fraud\", \
\"verdictId\": \"$verdict\"}
label.recorded.v1|cor-mine|{\"source\": \"analyst\", \"eventId\": \"e-1\", \
\"outcome\": \"fraud\"}"
http GET /v1/model
is_json "and the model has learned" '.weights | tojson' '[{"tag":"amount",'\
'"fraud":1,"legit":0,"weight":34,"trusted":false}]'

# Straight from open; without a note; without an answer.
review e-2
http POST "/v1/cases/$CASE/resolve" '{"outcome":"inconclusive","note":""}'
is_json "resolved while open, without a note" \
    '.resolution | keys | join(" ")' "analyst at outcome"
http GET "/v1/cases/$CASE"
is "assigned in the same step" "$(json .assignedTo) $(trail)" \
    "$me opened engine, assigned $me, resolved $me (inconclusive)"
is "which labels nothing" "$(sql 'select count(*) from assay.label')" 1
is "and is told alone" "$(sql 'select event from assay.outbox
    order by number desc limit 1')" case.resolved.v1

# Who acts is whose token it is.
review e-3
http POST "/v1/cases/$CASE/assign"
sql "insert into assay.operator (email, role, password)
    select 'ana@example.com', 'analyst', password from assay.operator"
admin=$TOKEN
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http POST "/v1/cases/$CASE/assign" "{\"analyst\":\"$me\"}"
is_json "an analyst takes a case over, whatever the body says" .assignedTo \
    ana@example.com
http POST "/v1/cases/$CASE/assign"
is "and may say so twice" "$STATUS" 200
TOKEN=$admin
http POST "/v1/cases/$CASE/resolve" "{\"outcome\":\"legit\",\"analyst\":\"x\"}"
is_error "no analyst in the body" 400 INVALID_REQUEST
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
http GET "/v1/cases/$CASE"
is_json "another may resolve it" '"\(.assignedTo) \(.resolution.analyst)"' \
    "ana@example.com $me"
is "and the trail has every hand" "$(trail)" "opened engine, assigned $me, \
assigned ana@example.com (from $me), assigned ana@example.com \
(from ana@example.com), resolved $me (legit)"

# What is refused.
review e-4
for body in '{}' '{"outcome":"Fraud"}' '{"outcome":""}' '{"outcome":null}' \
    '{"outcome":1}' '{"outcome":"fraud","note":null}' \
    '{"outcome":"fraud","note":["x"]}' '{"outcome":"fraud","reason":"x"}' \
    '["fraud"]' "{\"outcome\":\"fraud\",\"note\":\"$(printf '%04001d' 0)\"}"; do
	http POST "/v1/cases/$CASE/resolve" "$body"
	is_error "$(printf %.50s "$body")" 400 INVALID_REQUEST
done
http POST "/v1/cases/$CASE/resolve" '{"outcome":'
is_error "half a body" 400 INVALID_JSON
http POST "/v1/cases/$CASE/resolve"
is_error "no body" 400 INVALID_JSON
for id in cse_0 "$verdict" '%E2%82%AC' "${CASE}x"; do
	http GET "/v1/cases/$id"
	is_error "no case $id" 404 CASE_NOT_FOUND
	http POST "/v1/cases/$id/assign"
	is_error "to be assigned" 404 CASE_NOT_FOUND
	http POST "/v1/cases/$id/resolve" '{"outcome":"fraud"}'
	is_error "or resolved" 404 CASE_NOT_FOUND
done
http POST /v1/cases '{}'
is_error "nobody opens cases by hand" 405 METHOD_NOT_ALLOWED
http DELETE "/v1/cases/$CASE"
is_error "or drops them" 405 METHOD_NOT_ALLOWED
http GET "/v1/cases/$CASE/assign"
is_error "or assigns them by looking" 405 METHOD_NOT_ALLOWED
TOKEN=
for request in "GET /v1/cases" "GET /v1/cases/$CASE" \
    "POST /v1/cases/$CASE/assign" "POST /v1/cases/$CASE/resolve" \
    "GET /v1/model"; do
	# shellcheck disable=SC2086 # method and path
	http $request
	is_error "a service may not ${request%%/*}" 401 UNAUTHENTICATED
done
TOKEN=$admin
is "nothing of that had an effect" "$(sql "select status, (select count(*)
    from assay.case_trail where case_id = id) from assay.review_case
    where id = '$CASE'")" 'open|1'
is "but changes and attempts are in the audit trail" "$(sql "select status,
    count(*) from assay.audit where action like '%/cases/%'
    group by 1 order by 1")" "200|7
400|13
404|8
409|2"

# Pages.
http GET '/v1/cases?limit=2'
is_json "the newest first" 'map(.eventId) | join(" ")' "e-4 e-3"
http GET '/v1/cases?limit=2&offset=1'
is_json "further" 'map(.eventId) | join(" ")' "e-3 e-2"
http GET '/v1/cases?status=resolved'
is_json "of one status" 'map(.eventId) | join(" ")' "e-3 e-2 e-1"
http GET '/v1/cases?status=open&queue=risk-ops'
is_json "of another" 'map(.eventId) | join(" ")' e-4
http GET '/v1/cases?status=assigned'
is "of none" "$STATUS $BODY" "200 []"
http GET '/v1/cases?offset=4'
is "beyond the last" "$STATUS $BODY" "200 []"
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    opened_at) select 'cse_' || lpad(n::text, 26, '0'), 'x-' || n, 'vd_0', 'big', 50,
    now() from generate_series(1, 600) n"
http GET '/v1/cases?queue=big'
is_json "100 at first, of another queue" '"\(length) \(.[0].eventId)"' \
    "100 x-600"
last=$(json '.[-1].id')
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    opened_at) values ('cse_vvvv', 'x-z', 'vd_0', 'big', 50, now()),
    ('cse_vvvu', 'x-y', 'vd_1', 'a first one', 50, now())"
http GET "/v1/cases?queue=big&before=$last"
is_json "the page after a case is the same when another one opens" \
    'map(.id) | index("'"$last"'") == null and length > 0' true
next=$(json '.[0].id')
http GET "/v1/cases?queue=*&before=$last"
is_json "in all queues as well" 'map(.id) | index("'"$next"'") != null' true
http GET '/v1/cases?queue=*&limit=2'
is_json "all queues are more than one" 'map(.queue) | join(", ")' \
    "big, a first one"
http GET '/v1/cases?queue=*&limit=500'
is_json "newest first" 'map(.openedAt) == (map(.openedAt) | sort | reverse)' true
sql "delete from assay.review_case where id in ('cse_vvvv', 'cse_vvvu')"
http GET '/v1/cases?queue=big&limit=500&offset=100'
is_json "and 500 at most" '"\(length) \(.[0].eventId) \(.[499].eventId)"' \
    "500 x-500 x-1"
http GET '/v1/cases?queue=none'
is "no such queue" "$STATUS $BODY" "200 []"
for query in limit=0 limit=501 limit=x limit= offset=-1 offset=2147483648 \
    status=closed status= status=OPEN; do
	http GET "/v1/cases?$query"
	is_error "$query" 400 INVALID_REQUEST
done

# Of many one resolves, on whichever host.
start_host 2 OPERATOR_WORKERS=4
for event in r-1 r-2 r-3; do
	review $event
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
	is "of twelve at once one resolves" "$(cat "$scratch"/race.* | sort |
	    uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" "1 200,11 409"
	http GET "/v1/cases/$CASE"
	is "once" "$(trail)" \
	    "opened engine, assigned $me, resolved $me (fraud)"
done
is "and each is one label" "$(sql "select fraud from assay.tag_count
    where tag = 'amount'")" 4

# A resolution that cannot be told is none.
review e-5
sql 'alter table assay.audit add constraint never check (status <> 200)
    not valid'
http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud"}'
is_error "without an audit entry" 500 INTERNAL
is "nothing is resolved, labelled or told" "$(sql "select status,
    (select count(*) from assay.label where event_id = 'e-5'),
    (select count(*) from assay.outbox where data like '%e-5%')
    from assay.review_case where event_id = 'e-5'")" 'open|0|0'
sql 'alter table assay.audit drop constraint never'
finish
