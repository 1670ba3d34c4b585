#!/bin/sh
# SPDX-License-Identifier: ISC
# Events for later: stored before the answer, and stored once.
. "$(dirname "$0")/lib.sh"

start_stack RATE_LIMIT_DECISIONS_PER_MIN=60
admin_token
api_key '["labels"]'
labels=$KEY
api_key '["decisions"]'
decisions=$KEY
TOKEN=

event='{"id":"o-1","type":"payment.authorize","amount":12.50,
    "currency":"etb","subject":{"userId":"u-1","ip":"::ffff:196.188.1.2",
    "phone":"+251 911 234 544"},"attributes":{"n":1E2},"more":true}'
http POST /v1/decisions/async "$event" -H 'X-Correlation-Id: order 1'
is "an event for later is accepted" "$STATUS $BODY" \
    '202 {"accepted":true,"id":"o-1","correlationId":"order 1"}'
is "an event for later has a part of the budget of decisions" \
    "$(header x-ratelimit-limit) $(header x-ratelimit-remaining)" "60 59"
is "the queue has the whole event in its normal form" \
    "$(sql "select event_id, user_id,
    correlation_id, event from assay.async_queue")" \
    'o-1|u-1|order 1|{"id":"o-1","type":"payment.authorize","amount":12.50,"currency":"ETB","subject":{"userId":"u-1","ip":"196.188.1.2","phone":"251911234544"},"attributes":{"n":1E2}}'
http GET /v1/decisions/o-1
is_error "a queued event has no decision" 404 NOT_FOUND
http POST /v1/decisions/async "$event" -H 'X-Correlation-Id: again'
is "the same event is accepted again" \
    "$STATUS $(json .correlationId)" "202 again"
is "the same event is queued once" "$(sql "select count(*), min(correlation_id)
    from assay.async_queue")" "1|order 1"

# Events that a synchronous request decides.
http POST /v1/decisions "$event"
is "a synchronous request decides a queued event" "$STATUS" 200
http GET /v1/decisions/o-1
is "a queued event is decided once" \
    "$STATUS $(sql "select count(*) from assay.verdict_log")" "200 1"
sql 'delete from assay.async_queue'
http POST /v1/decisions/async "$event"
is "a decided event is accepted for later" "$STATUS" 202
is "a decided event is not queued" \
    "$(sql "select count(*) from assay.async_queue")" 0
http POST /v1/decisions/async \
    '{"id":"o-2","type":"account.login","subject":{"userId":"u-1"}}' \
    -H 'Idempotency-Key: o-1'
is "an Idempotency-Key does not replace the id of the event" \
    "$STATUS $(sql "select event_id from assay.async_queue")" "202 o-2"

# Rejected events.
http POST /v1/decisions/async \
    '{"type":"account.login","subject":{"userId":"u-1"}}'
is_error "an event for later without an id answers 400" 400 INGEST_INVALID
is_json "the message says that the id is required" .message "id is required"
http POST /v1/decisions/async '{"id":"o-3","type":"account.login"}'
is_error "an event for later without a user answers 400" 400 INGEST_INVALID
http POST /v1/decisions/async \
    '{"id":"","type":"account.login","subject":{"userId":"u-1"}}'
is_error "an event for later with an empty id answers 400" 400 INGEST_INVALID
http POST /v1/decisions/async '{"id":"o-3","subject":{"userId":"u-1"}}'
is_error "an event for later without a type answers 400" 400 INGEST_UNKNOWN_TYPE
http POST /v1/decisions/async '{"id":"o-3","type":"account.login",
    "subject":{"userId":"u-1","channel":"4111 1111 1111 1111"}}'
is_error "an event for later with a card number answers 400" \
    400 INGEST_PAN_REJECTED
http POST /v1/decisions/async '[]'
is_error "an event for later that is an array answers 400" 400 INGEST_INVALID
http POST /v1/decisions/async '{"id":'
is_error "half a JSON body answers 400" 400 INVALID_JSON
http POST /v1/decisions/async "{\"id\":\"o-3\",\"x\":\"$(printf '%032768d' 0)\"}"
is_error "an event for later of more than 32 KiB answers 413" \
    413 PAYLOAD_TOO_LARGE
KEY=$labels
http POST /v1/decisions/async "$event"
is_error "a key for labels answers 403" 403 INSUFFICIENT_SCOPE
KEY=ak_live_000000000000000000000000000000000000000000000000
http POST /v1/decisions/async "$event"
is_error "an unknown key answers 401" 401 INVALID_API_KEY
KEY=$decisions
is "a rejected event is not queued" \
    "$(sql "select event_id from assay.async_queue")" o-2
sql "update assay.service_key set revoked_at = now()"
http POST /v1/decisions/async '{"id":"o-4","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_error "a revoked key answers 401" 401 INVALID_API_KEY
sql "update assay.service_key set revoked_at = null"
http POST /v1/decisions/async '{"id":"o-4","type":"account.login",
    "subject":{"userId":"u-1"}}'
is "a key that is not revoked is accepted" "$STATUS" 202

# An event is accepted only if it is stored.
sql 'alter table assay.async_queue add constraint never check (false) not valid'
http POST /v1/decisions/async '{"id":"o-5","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_error "an event that cannot be queued answers 503" 503 UNAVAILABLE
is "an event that was not queued can be sent again after a second" \
    "$(header retry-after)" 1
sql 'alter table assay.async_queue drop constraint never'
stop_database
http POST /v1/decisions/async '{"id":"o-5","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_error "an event for later without a database answers 503" 503 UNAVAILABLE
start_database
wait_ready
is "an event that was answered with 503 is not queued" \
    "$(sql "select string_agg(event_id, ' '
    order by number) from assay.async_queue")" "o-2 o-4"

# Twenty concurrent requests for one event.
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	curl -s -o /dev/null --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d \
	    "{\"id\":\"o-6\",\"type\":\"account.login\",\"subject\":{\"userId\":\"u-$n\"}}" \
	    -w '%{http_code}\n' "$BASE/v1/decisions/async" \
	    >"$scratch/at-once.$n" &
	curls="${curls-} $!"
done
for pid in $curls; do
	wait "$pid"
done
is "each of twenty concurrent requests for one event is accepted" \
    "$(sort "$scratch"/at-once.* | uniq -c | tr -s ' ')" " 20 202"
is "twenty concurrent requests for one event queue it once" \
    "$(sql "select count(*) from assay.async_queue
    where event_id = 'o-6'")" 1
finish
