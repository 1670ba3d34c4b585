#!/bin/sh
# SPDX-License-Identifier: ISC
# Events that are to be decided later: stored before the answer, once.
# shellcheck source=t/http/lib.sh
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
is "an event is accepted" "$STATUS $BODY" \
    '202 {"accepted":true,"id":"o-1","correlationId":"order 1"}'
is "within the budget" \
    "$(header x-ratelimit-limit) $(header x-ratelimit-remaining)" "60 59"
is "it is stored, normalized and whole" "$(sql "select event_id, user_id,
    correlation_id, event from assay.async_queue")" \
    'o-1|u-1|order 1|{"id":"o-1","type":"payment.authorize","amount":12.50,"currency":"ETB","subject":{"userId":"u-1","ip":"196.188.1.2","phone":"251911234544"},"attributes":{"n":1E2}}'
http GET /v1/decisions/o-1
is_error "while it waits it is unknown" 404 NOT_FOUND
http POST /v1/decisions/async "$event" -H 'X-Correlation-Id: again'
is "the same again is accepted" "$STATUS $(json .correlationId)" "202 again"
is "and not stored twice" "$(sql "select count(*), min(correlation_id)
    from assay.async_queue")" "1|order 1"

# Decided meanwhile, or before.
http POST /v1/decisions "$event"
is "a synchronous call decides it" "$STATUS" 200
http GET /v1/decisions/o-1
is "once" "$STATUS $(sql "select count(*) from assay.verdict_log")" "200 1"
sql 'delete from assay.async_queue'
http POST /v1/decisions/async "$event"
is "what was decided is accepted" "$STATUS" 202
is "and not stored" "$(sql "select count(*) from assay.async_queue")" 0
http POST /v1/decisions/async \
    '{"id":"o-2","type":"account.login","subject":{"userId":"u-1"}}' \
    -H 'Idempotency-Key: o-1'
is "a key in the header does not count" \
    "$STATUS $(sql "select event_id from assay.async_queue")" "202 o-2"

# Refusals.
http POST /v1/decisions/async \
    '{"type":"account.login","subject":{"userId":"u-1"}}'
is_error "an event without an id" 400 INGEST_INVALID
is_json "as the message says" .message "id is required"
http POST /v1/decisions/async '{"id":"o-3","type":"account.login"}'
is_error "one without a user" 400 INGEST_INVALID
http POST /v1/decisions/async \
    '{"id":"","type":"account.login","subject":{"userId":"u-1"}}'
is_error "one with an empty id" 400 INGEST_INVALID
http POST /v1/decisions/async '{"id":"o-3","subject":{"userId":"u-1"}}'
is_error "one without a type" 400 INGEST_UNKNOWN_TYPE
http POST /v1/decisions/async '{"id":"o-3","type":"account.login",
    "subject":{"userId":"u-1","channel":"4111 1111 1111 1111"}}'
is_error "one with a card number" 400 INGEST_PAN_REJECTED
http POST /v1/decisions/async '[]'
is_error "no object" 400 INGEST_INVALID
http POST /v1/decisions/async '{"id":'
is_error "no JSON" 400 INVALID_JSON
http POST /v1/decisions/async "{\"id\":\"o-3\",\"x\":\"$(printf '%032768d' 0)\"}"
is_error "too much" 413 PAYLOAD_TOO_LARGE
KEY=$labels
http POST /v1/decisions/async "$event"
is_error "a key of another scope" 403 INSUFFICIENT_SCOPE
KEY=ak_live_000000000000000000000000000000000000000000000000
http POST /v1/decisions/async "$event"
is_error "an unknown key" 401 INVALID_API_KEY
KEY=$decisions
is "none of these was stored" \
    "$(sql "select event_id from assay.async_queue")" o-2
sql "update assay.service_key set revoked_at = now()"
http POST /v1/decisions/async '{"id":"o-4","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_error "a key that was revoked" 401 INVALID_API_KEY
sql "update assay.service_key set revoked_at = null"
http POST /v1/decisions/async '{"id":"o-4","type":"account.login",
    "subject":{"userId":"u-1"}}'
is "one that was not" "$STATUS" 202

# Nothing is accepted that is not stored.
sql 'alter table assay.async_queue add constraint never check (false) not valid'
http POST /v1/decisions/async '{"id":"o-5","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_error "what cannot be stored" 503 UNAVAILABLE
is "may be sent again" "$(header retry-after)" 1
sql 'alter table assay.async_queue drop constraint never'
stop_database
http POST /v1/decisions/async '{"id":"o-5","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_error "without a database" 503 UNAVAILABLE
start_database
wait_ready
is "neither was stored" "$(sql "select string_agg(event_id, ' '
    order by number) from assay.async_queue")" "o-2 o-4"

# Twenty at once under one id are one.
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
is "twenty at once are accepted" \
    "$(sort "$scratch"/at-once.* | uniq -c | tr -s ' ')" " 20 202"
is "and one is stored" "$(sql "select count(*) from assay.async_queue
    where event_id = 'o-6'")" 1
finish
