#!/bin/sh
# SPDX-License-Identifier: ISC
# The database goes away and comes back: every answer is an envelope, no worker
# dies and nothing is lost.
. "$(dirname "$0")/lib.sh"
use away lock

start_with_key
wait_loaded
event='{"type":"account.login","subject":{"userId":"u-1"}}'

http POST /v1/decisions "$event"
is "a decision with a database answers 200" "$STATUS" 200
workers=$(pgrep -P "$stack_pool_pid" | sort | tr '\n' ' ')

stop_database
http POST /v1/decisions "$event"
is "a decision without a database is degraded" "$STATUS $(json \
    '"\(.verdict) \(.score) \(.reasons[0].tag)"')" "200 allow -1 engine.degraded"
http POST /v1/decisions/batch "{\"events\":[$event,$event]}"
is "a batch without a database is degraded" \
    "$STATUS $(json '[.results[].decision.score] |
    add')" "200 -2"
http GET /v1/decisions/x
is_error "a read without a database answers 503" 503 UNAVAILABLE
http GET /readyz
is "readyz without a database answers 503" \
    "$STATUS $(json .status)" "503 not_ready"
http GET /health
is "health without a database answers 200" "$STATUS" 200
http GET /metrics
is "metrics without a database answer 200" "$STATUS" 200

start_database
wait_ready
http POST /v1/decisions "$event"
is "the same workers decide when the database is back" "$(json .score) $(pgrep \
    -P "$stack_pool_pid" | sort | tr '\n' ' ')" "0 $workers"

# Sessions that an administrator ends are replaced, and no decision fails.
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where usename = 'assay_decide'" >/dev/null
for i in 1 2 3 4; do
	http POST /v1/decisions "{\"id\":\"t-$i\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-1\"}}"
	is "an ended session costs no decision ($i)" \
	    "$STATUS $(json .score)" "200 0"
done

# A lock that is held too long degrades the decision.
hold_lock "lock table assay.user_state"
http POST /v1/decisions '{"id":"slow","type":"account.login",
    "subject":{"userId":"u-8"}}'
is "a decision behind a held lock is degraded" \
    "$(json '"\(.verdict) \(.score) \(.reasons[0].tag)"')" \
    "allow -1 engine.degraded"
http POST /v1/decisions '{"id":"slow-2","type":"wallet.withdraw","amount":5,
    "currency":"EUR","subject":{"userId":"u-1"}}'
is "a degraded decision with fail_closed is denied" \
    "$(json '"\(.verdict) \(.score)"')" "deny -1"
release_lock
wait_drained # a busy machine has no time to log them in the database
is "degraded decisions have no sample and no idempotency key" "$(sql "
    select count(*), sum((d.sample is null)::int),
    (select count(*) from assay.idempotency where key like 'slow%')
    from assay.verdict_log v join assay.decision_detail d on d.verdict_id = v.id
    where v.event_id like 'slow%' and v.score = -1")" "2|2|0"
http POST /v1/decisions '{"id":"slow","type":"account.login",
    "subject":{"userId":"u-8"}}'
is "the same event is decided when the lock is free" "$(json .score)" 0
http GET /v1/decisions/slow
is "GET answers with the decision that has a score" "$(json .score)" 0
finish
