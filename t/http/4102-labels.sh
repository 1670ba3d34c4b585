#!/bin/sh
# SPDX-License-Identifier: ISC
# Labels: chargebacks, which label counts, whose tags have the credit, and
# labels that come before their event.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack DECIDE_WORKERS=4
start_cron "work project --for 10m"
admin_token
api_key
sql "insert into assay.webhook_endpoint (id, url, events, secret, created_by)
    values ('whk_1', 'https://example.com', array['label.recorded.v1'], 's',
	'me')"
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'user', 'watched', 'me'),
	('lst_2', 'block', 'user', 'blocked', 'me')"
sql "update assay.epoch set lists = lists + 1"
sql "update assay.list_subject set changed = 2 where subject = 'user'"

# decide EVENT [USER [AMOUNT]]
decide() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${3:-5000},\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"${2:-u}\"}}"
}
chargeback() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"}"
}
# model: each tag with its counts and weight.
model() {
	http GET /v1/model
	json '.weights | map("\(.tag) \(.fraud)/\(.legit) \(.weight)\(
	    if .trusted then "!" else "" end)") | join(", ")'
}
told() {
	sql "select count(*) from assay.outbox where data::json->>'eventId' = '$1'"
}
# settled EVENT: its label has been matched.
# shellcheck disable=SC2317 # called by check
settled() {
	[ "$(sql "select count(*) from assay.label where event_id = '$1'
	    and credited = outcome")" = 1 ]
}
# hold QUERY: somebody else has what it locks, until release.
hold() {
	PGAPPNAME=holder cluster_psql postgres assay -c "begin; $1;
	    select pg_sleep(600)" >/dev/null 2>&1 &
	stack_until 20 0 holding
}
# shellcheck disable=SC2317 # called by hold
holding() {
	[ "$(sql "select wait_event from pg_stat_activity
	    where application_name = 'holder'")" = PgSleep ]
}
# many EVENT: more chargebacks at once than there are workers.
many() {
	for n in 1 2 3 4 5 6; do
		curl -s -o /dev/null --unix-socket "$scratch/run/http.sock" \
		    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
		    -d "{\"eventId\":\"$1\"}" \
		    "$BASE/v1/labels/chargeback" &
	done
}
release() {
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where application_name = 'holder'" >/dev/null
}

http GET /v1/model
is "nothing is learned yet" "$STATUS $(json tojson)" \
    '200 {"active":"weighted","weights":[]}'
decide e-1
chargeback e-1
is "a chargeback" "$STATUS $BODY" '202 {"recorded":true}'
is "teaches" "$(model)" "amount 1/0 34"
http GET /v1/model
is_json "in numbers and words" '.weights[0] | tojson' \
    '{"tag":"amount","fraud":1,"legit":0,"weight":34,"trusted":false}'
chargeback e-1
is "once" "$STATUS $(model) $(told e-1)" "202 amount 1/0 34 1"
decide e-2
chargeback e-2
decide e-3
chargeback e-3
is "three are trusted" "$(model)" "amount 3/0 39!"

# An analyst says legit; the bank knows better.
decide e-4 watched
http POST "/v1/cases/$(sql "select id from assay.review_case")/resolve" \
    '{"outcome":"legit"}'
is "an analyst's label counts" "$STATUS $(model)" "200 amount 3/1 32!"
http POST /v1/labels/chargeback '{"eventId":"e-4"}' -H 'X-Correlation-Id: cor-4'
is "until there is a chargeback" "$(model) $(told e-4)" "amount 4/0 41! 2"
is "told as the caller correlates it" "$(sql "select data::jsonb from
    assay.outbox where correlation_id = 'cor-4'")" \
    '{"source": "chargeback", "eventId": "e-4", "outcome": "fraud"}'

# The other way round the analyst comes too late.
decide e-5 watched
chargeback e-5
http POST "/v1/cases/$(sql "select id from assay.review_case
    where event_id = 'e-5'")/resolve" '{"outcome":"legit"}'
is "a chargeback stays" "$(model) $(told e-5)" "amount 5/0 41! 2"
is "what counts is one column" "$(sql "select analyst, chargeback, outcome
    from assay.label where event_id = 'e-5'")" 'legit|fraud|fraud'

# Before the event; an event that was not scored; one that fired nothing.
chargeback early
is "a label before its event" "$STATUS $BODY $(told early)" \
    '202 {"recorded":true} 1'
chargeback listed
chargeback quiet
decide quiet u 5
decide listed blocked
decide early
check "finds it" stack_until 20 0 settled early
check "also one without tags" stack_until 20 0 settled quiet
is "with credit to the one that has some" "$(model)" "amount 6/0 42!"
is "but not one that was not scored" "$(sql "select tags from assay.label
    where event_id = 'listed'")" ""
is "and tells nothing twice" "$(told early)" 1

# Any id that an event can have, and no other.
http POST /v1/labels/chargeback "$(printf '{"eventId":"%0128d"}' 0)"
is "128 bytes" "$STATUS" 202
http POST /v1/labels/chargeback '{"eventId":"é/\"%"}'
is "of any kind" "$STATUS $(sql "select count(*) from assay.label
    where event_id = 'é/\"%'")" "202 1"
for body in '{}' '[]' '{"eventId":""}' '{"eventId":null}' '{"eventId":7}' \
    "$(printf '{"eventId":"%0129d"}' 0)" '{"eventId":"a\u0001"}' \
    '{"eventId":"a\u0085"}' '{"eventId":"e","outcome":"fraud"}'; do
	http POST /v1/labels/chargeback "$body"
	is_error "$(printf %.40s "$body")" 400 INVALID_REQUEST
done
http POST /v1/labels/chargeback '{"eventId":"a","eventId":"b"}'
is_error "two at once" 400 INVALID_JSON
http POST /v1/labels/chargeback
is_error "no body" 400 INVALID_JSON
http POST /v1/labels/chargeback "" -H 'Content-Type: text/csv' -d 'e-1'
is_error "another type" 415 UNSUPPORTED_MEDIA_TYPE
http GET /v1/labels/chargeback
is_error "to look" 405 METHOD_NOT_ALLOWED
http POST /v1/labels/analyst '{"eventId":"e-1"}'
is_error "analysts resolve cases" 404 NOT_FOUND

# Whose key it is.
both=$KEY
KEY=
chargeback x-1
is_error "an operator is no service" 401 INVALID_API_KEY
api_key '["decisions"]'
chargeback x-1
is_error "a key for decisions" 403 INSUFFICIENT_SCOPE
http POST /v1/labels/chargeback '{}'
is_error "is refused first" 403 INSUFFICIENT_SCOPE
KEY=ak_live_000000000000000000000000000000000000000000000000
chargeback x-1
is_error "no key of ours" 401 INVALID_API_KEY
api_key '["labels"]'
chargeback x-2
is "a key for labels will do" "$STATUS" 202
decide x-3
is_error "and for no more" 403 INSUFFICIENT_SCOPE
KEY=$both
is "nobody else's was recorded" "$(sql "select event_id from assay.label
    where event_id like 'x-%'")" x-2

# Many at once, of the same events and tags, in the rules' order and others.
for n in 1 2 3 4 5 6 7 8; do
	decide "m-$n" watched
done
http GET '/v1/cases?limit=8'
cases=$(json '.[] | select(.eventId | startswith("m-")) | .id')
pids=
for n in 1 2 3 4 5 6 7 8; do
	for again in 1 2; do
		curl -s -o /dev/null -w '%{http_code}\n' \
		    --unix-socket "$scratch/run/http.sock" -H "X-API-Key: $KEY" \
		    -H 'Content-Type: application/json' \
		    -d "{\"eventId\":\"m-$n\"}" "$BASE/v1/labels/chargeback" \
		    >"$scratch/many.$n.$again" &
		pids="$pids $!"
	done
done
for id in $cases; do
	curl -s -o /dev/null -w '%{http_code}\n' \
	    --unix-socket "$scratch/run/http.sock" -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' -d '{"outcome":"legit"}' \
	    "$BASE/v1/cases/$id/resolve" >"$scratch/many.$id" &
	pids="$pids $!"
done
# shellcheck disable=SC2086 # several
wait $pids
is "24 labels at once, of 8 events" "$(cat "$scratch"/many.* | sort | uniq -c |
    awk '{ print $1, $2 }' | paste -sd ,)" "8 200,16 202"
is "are eight of fraud" "$(model)" \
    "amount 14/0 44!, velocity 5/0 41!"
is "told once a source" "$(sql "select count(*), count(distinct data)
    from assay.outbox where data like '%\"m-%'")" '16|16'
is "the counts are the sum of the labels" "$(sql "select tag, fraud, legit
    from assay.tag_count order by 1")" "$(sql "select tag, count(*)
    filter (where credited = 'fraud'), count(*) filter (where
    credited = 'legit') from assay.label, unnest(tags) as tag
    group by 1 order by 1")"

# Whoever holds the counts of a tag, or the label of an event, holds up neither
# chargebacks nor, behind them, decisions: the credit comes when they are free.
decide held-1
decide held-2 watched
http POST "/v1/cases/$(sql "select id from assay.review_case
    where event_id = 'held-2'")/resolve" '{"outcome":"legit"}'
before=$(model)
hold 'select from assay.tag_count for update'
chargeback held-1
is "a chargeback while its tag is held" "$STATUS $BODY" \
    '202 {"recorded":true}'
chargeback held-2
is "and one whose credit moves" "$STATUS" 202
many held-1
decide held-3
is "decisions go on" "$STATUS" 200
is "nothing is credited yet" "$(model)" "$before"
release
check "the credit comes" stack_until 20 0 settled held-1
check "and moves" stack_until 20 0 settled held-2
is "to where it belongs" "$(model)" "amount 16/0 44!, velocity 7/0 42!"
hold "select from assay.label where event_id = 'held-1' for update"
chargeback held-1
is_error "a label that is held" 503 UNAVAILABLE
many held-1
decide held-4
is "holds up no decision either" "$STATUS" 200
release

# Without a database nothing is recorded, and nobody is told that it was.
stop_database
chargeback gone
is_error "while the database is away" 503 UNAVAILABLE
start_database
wait_ready
chargeback gone
is "and when it is back" "$STATUS" 202
decide gone
check "labels find their events as before" stack_until 30 0 settled gone
finish
