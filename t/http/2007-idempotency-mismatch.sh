#!/bin/sh
# SPDX-License-Identifier: ISC
# A replay of another event under a used key: said, counted, or refused.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

mismatch() {
	header x-engine-idempotent-mismatch
}

replay() {
	header x-engine-idempotent-replay
}

# How many the hosts of this machine have counted.
mismatches() {
	http GET /metrics
	printf '%s\n' "$BODY" |
	    awk '/^engine_idempotency_mismatches_total/ { print $2 }'
}

start_stack
admin_token
api_key
TOKEN=

event='{"id":"order-1","type":"card.authorize","amount":12.50,"currency":"EUR",
    "subject":{"userId":"nice","ip":"203.0.113.7","phone":"+251911234544"},
    "instrument":{"kind":"card","threeDS":true},
    "attributes":{"b":"x","a":10}}'
http POST /v1/decisions "$event"
first=$BODY
is "the first decision of a key is no mismatch" "$STATUS $(mismatch)" "200 "
http POST /v1/decisions "$event"
is "the same text again is no mismatch" "$(replay) $(mismatch)" "true "
http POST /v1/decisions '{"attributes":{"a":1e1,"b":"x"},"ignored":1,
    "instrument":{"threeDS":true,"kind":"card"},"currency":"eur",
    "subject":{"phone":"00251 911-23-45-44","ip":"::ffff:203.0.113.7",
    "userId":"nice"},"amount":1.25e1,"type":"card.authorize","id":"order-1"}'
is "the same event spelled otherwise is no mismatch" \
    "$(replay) $(mismatch)" "true "
is "it answers the same" "$BODY" "$first"

# Each part of an event makes another one of it.
for change in \
    's/12.50/12.51/' \
    's/EUR/USD/' \
    's/"nice"/"mallory"/' \
    's/"nice"/"nice","deviceId":"d"/' \
    's/"nice"/"nice","fingerprint":"f"/' \
    's/"nice"/"nice","channel":"web"/' \
    's/113.7/113.8/' \
    's/234544/234545/' \
    's/"kind":"card"/"kind":"bank"/' \
    's/"kind"/"bin":"411111","kind"/' \
    's/"kind"/"issuerCountry":"DE","kind"/' \
    's/true/false/' \
    's/,"threeDS":true//' \
    's/card.authorize/payment.authorize/' \
    's/"x"/"y"/' \
    's/10/"10"/' \
    's/,"a":10//' \
    's/"b"/"c"/'
do
	http POST /v1/decisions "$(printf '%s' "$event" | sed "$change")"
	is "another event ($change) gets the original, and is told" \
	    "$STATUS $(replay) $(mismatch) $BODY" "200 true true $first"
done
is "each of these is counted" "$(mismatches)" 18
http POST /v1/decisions "$event" -H 'Idempotency-Key: k-1'
http POST /v1/decisions "$(printf '%s' "$event" | sed s/order-1/order-2/)" \
    -H 'Idempotency-Key: k-1'
is "under a header the id is a part of the event" "$(mismatch)" true
is "nothing but a number of 64 bits is kept of the event" \
    "$(sql "select string_agg(column_name || ' ' || data_type, ', '
	order by ordinal_position) from information_schema.columns
	where table_schema = 'assay' and table_name = 'idempotency'")" \
    "key text, verdict_id text, event_id text, decided_at timestamp with time zone, digest bigint"
sql "update assay.idempotency set digest = null where key = 'order-1'" \
    >/dev/null
http POST /v1/decisions "$(printf '%s' "$event" | sed s/nice/mallory/)"
is "of a row from before no mismatch is said" "$(replay) $(mismatch)" "true "
sql "update assay.idempotency set digest = (digest | 255) # 1
    where key = 'k-1'" >/dev/null
http POST /v1/decisions "$(printf '%s' "$event" | sed s/nice/mallory/)" \
    -H 'Idempotency-Key: k-1'
is "nor of a digest of another normal form" "$(replay) $(mismatch)" "true "

login='"type":"account.login","subject"'
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-1\",$login:{\"userId\":\"u-1\"}},
    {\"id\":\"b-1\",$login:{\"userId\":\"u-1\"}}]}"
is "a batch that repeats an event says nothing" "$STATUS $(mismatch)" "200 "
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-1\",$login:{\"userId\":\"u-2\"}},
    {\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}},
    {\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}]}"
is "a batch that repeats ids with other events says so" \
    "$STATUS $(mismatch) $(json '[.results[].ok] | all')" "200 true true"
is_json "and answers with the originals" \
    '.results[1].decision.id == .results[2].decision.id' true
http POST /v1/decisions "{\"id\":\"order-1\",$login:{\"userId\":\"u-3\"}}" \
    -H 'X-Engine-Mode: shadow'
is "a shadow request repeats no key" "$STATUS $(mismatch)" "200 "

before=$(mismatches)
http POST /v1/decisions/async "{\"id\":\"b-1\",$login:{\"userId\":\"u-1\"}}"
is "async: an event that was decided is accepted again" \
    "$STATUS $(mismatch)" "202 "
http POST /v1/decisions/async "{\"id\":\"b-1\",$login:{\"userId\":\"u-9\"}}"
is "async: another event under its id is accepted, and told" \
    "$STATUS $(mismatch)" "202 true"
http POST /v1/decisions/async "{\"id\":\"q-1\",$login:{\"userId\":\"u-1\"}}"
http POST /v1/decisions/async "{\"id\":\"q-1\",$login:{\"userId\":\"u-2\"}}"
is "async: also while the first is waiting" "$STATUS $(mismatch)" "202 true"
is "async: the first is what waits" "$(sql "select string_agg(user_id, ',')
    from assay.async_queue where event_id = 'q-1'")" u-1
is "async: both are counted" "$(mismatches)" $((before + 2))

# A synchronous decision overtakes what waits; the companion finds it.
http POST /v1/decisions "{\"id\":\"q-1\",$login:{\"userId\":\"u-2\"}}"
is "a waiting event claims no key" "$STATUS $(replay)" "200 "
cron "decide --once"
is "async: the waiting event is dropped" \
    "$(sql "select count(*) from assay.async_queue")" 0
is "async: the companion counts it" "$(sql "select n from assay.counter
    where metric = 'engine_idempotency_mismatches_total'")" 1
is "async: and names it in its log" \
    "$(grep -c 'decision=async known=yes mismatch=yes' "$scratch/log/cron.log")" 1

# The key is read once and is the same for all hosts.
start_host 2
on 2 POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}}"
is "another host knows the same event" "$(replay) $(mismatch)" "true "
on 2 POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}"
is "and another one" "$(replay) $(mismatch)" "true true"

stop_pool
start_pool IDEMPOTENCY_MISMATCH=refuse \
    AUTH_SECRET=0a1b2c3d4e5f60718293a4b5c6d7e8f901234567
wait_ready
before=$(mismatches)
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}}"
is "refuse: the same event gets the original, also after a new AUTH_SECRET" \
    "$STATUS $(replay) $(mismatch)" "200 true "
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}"
is_error "refuse: another event is refused" 422 IDEMPOTENCY_MISMATCH
is "refuse: it gets nothing of the original" "$(replay)$(mismatch)" ""
key=$KEY
KEY=ak_live_000000000000000000000000000000000000000000000000
http POST /v1/decisions "{\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}"
is_error "refuse: an unknown API key learns nothing of it" 401 INVALID_API_KEY
KEY=$key
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}},
    {\"id\":\"b-3\",$login:{\"userId\":\"u-1\"}},
    {\"id\":\"b-3\",$login:{\"userId\":\"u-2\"}},
    {\"id\":\"b-3\",$login:{\"userId\":\"u-1\"}}]}"
is "refuse: in a batch only those entries fail" \
    "$STATUS $(json '[.results[] | .ok, .error.code // "-"] | join(" ")')" \
    "200 false IDEMPOTENCY_MISMATCH true - false IDEMPOTENCY_MISMATCH true -"
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}]}"
is "refuse: also when there is no other entry" \
    "$STATUS $(json '.results[0].error.code')" "200 IDEMPOTENCY_MISMATCH"
http POST /v1/decisions/async "{\"id\":\"b-3\",$login:{\"userId\":\"u-9\"}}"
is_error "refuse: async refuses another event at once" 422 \
    IDEMPOTENCY_MISMATCH
http POST /v1/decisions/async "{\"id\":\"b-3\",$login:{\"userId\":\"u-1\"}}"
is "refuse: async accepts the same one" "$STATUS $(mismatch)" "202 "
is "refuse: each is counted" "$(mismatches)" $((before + 5))
finish
