#!/bin/sh
# SPDX-License-Identifier: ISC
# A used key with another event: the original answer is marked and counted.
. "$(dirname "$0")/lib.sh"
use idempotency

start_with_key

event='{"id":"order-1","type":"card.authorize","amount":12.50,"currency":"EUR",
    "subject":{"userId":"nice","ip":"203.0.113.7","phone":"+251911234544"},
    "instrument":{"kind":"card","threeDS":true},
    "attributes":{"b":"x","a":10}}'
http POST /v1/decisions "$event"
first=$BODY
is "the first decision of a key is not a mismatch" \
    "$STATUS $(is_mismatch)" "200 "
http POST /v1/decisions "$event"
is "the same event again is not a mismatch" \
    "$(is_replay) $(is_mismatch)" "true "
http POST /v1/decisions '{"attributes":{"a":1e1,"b":"x"},"ignored":1,
    "instrument":{"threeDS":true,"kind":"card"},"currency":"eur",
    "subject":{"phone":"00251 911-23-45-44","ip":"::ffff:203.0.113.7",
    "userId":"nice"},"amount":1.25e1,"type":"card.authorize","id":"order-1"}'
is "the same event in another form is not a mismatch" \
    "$(is_replay) $(is_mismatch)" "true "
is "the same event in another form gets the same answer" "$BODY" "$first"

# A change of any part makes another event.
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
	is "a changed event ($change) gets the original, marked as mismatch" \
	    "$STATUS $(is_replay) $(is_mismatch) $BODY" "200 true true $first"
done
is "each mismatch is counted" "$(mismatch_count)" 18
http POST /v1/decisions "$event" -H 'Idempotency-Key: k-1'
http POST /v1/decisions "$(printf '%s' "$event" | sed s/order-1/order-2/)" \
    -H 'Idempotency-Key: k-1'
is "with a key in the header the id is a part of the event" \
    "$(is_mismatch)" true
is "only a number of 64 bits is stored of the event" \
    "$(sql "select string_agg(column_name || ' ' || data_type, ', '
	order by ordinal_position) from information_schema.columns
	where table_schema = 'assay' and table_name = 'idempotency'")" \
    "key text, verdict_id text, event_id text, decided_at timestamp with time zone, digest bigint"
sql "update assay.idempotency set digest = null where key = 'order-1'" \
    >/dev/null
http POST /v1/decisions "$(printf '%s' "$event" | sed s/nice/mallory/)"
is "a stored key without a digest gives no mismatch" \
    "$(is_replay) $(is_mismatch)" "true "
sql "update assay.idempotency set digest = (digest | 255) # 1
    where key = 'k-1'" >/dev/null
http POST /v1/decisions "$(printf '%s' "$event" | sed s/nice/mallory/)" \
    -H 'Idempotency-Key: k-1'
is "a stored digest of another version gives no mismatch" \
    "$(is_replay) $(is_mismatch)" "true "

login='"type":"account.login","subject"'
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-1\",$login:{\"userId\":\"u-1\"}},
    {\"id\":\"b-1\",$login:{\"userId\":\"u-1\"}}]}"
is "a batch that repeats an event has no mismatch" \
    "$STATUS $(is_mismatch)" "200 "
http POST /v1/decisions/batch "{\"events\":[
    {\"id\":\"b-1\",$login:{\"userId\":\"u-2\"}},
    {\"id\":\"b-2\",$login:{\"userId\":\"u-1\"}},
    {\"id\":\"b-2\",$login:{\"userId\":\"u-2\"}}]}"
is "a batch that repeats ids with other events has a mismatch" \
    "$STATUS $(is_mismatch) $(json '[.results[].ok] | all')" "200 true true"
is_json "a batch answers a repeated id with the original" \
    '.results[1].decision.id == .results[2].decision.id' true
http POST /v1/decisions "{\"id\":\"order-1\",$login:{\"userId\":\"u-3\"}}" \
    -H 'X-Engine-Mode: shadow'
is "a dry run does not use the key" "$STATUS $(is_mismatch)" "200 "

before=$(mismatch_count)
http POST /v1/decisions/async "{\"id\":\"b-1\",$login:{\"userId\":\"u-1\"}}"
is "async: a decided event is accepted again without a mismatch" \
    "$STATUS $(is_mismatch)" "202 "
http POST /v1/decisions/async "{\"id\":\"b-1\",$login:{\"userId\":\"u-9\"}}"
is "async: another event under a used id is accepted with a mismatch" \
    "$STATUS $(is_mismatch)" "202 true"
http POST /v1/decisions/async "{\"id\":\"q-1\",$login:{\"userId\":\"u-1\"}}"
http POST /v1/decisions/async "{\"id\":\"q-1\",$login:{\"userId\":\"u-2\"}}"
is "async: another event under a waiting id is a mismatch" \
    "$STATUS $(is_mismatch)" "202 true"
is "async: the first event of an id stays in the queue" \
    "$(sql "select string_agg(user_id, ',')
    from assay.async_queue where event_id = 'q-1'")" u-1
is "async: both mismatches are counted" "$(mismatch_count)" $((before + 2))

# A synchronous decision overtakes a waiting event.
http POST /v1/decisions "{\"id\":\"q-1\",$login:{\"userId\":\"u-2\"}}"
is "a waiting event does not use its key" "$STATUS $(is_replay)" "200 "
cron "decide --once"
is "async: the companion drops the overtaken event" \
    "$(sql "select count(*) from assay.async_queue")" 0
is "async: the companion counts the mismatch" \
    "$(sql "select n from assay.counter
    where metric = 'engine_idempotency_mismatches_total'")" 1
is "async: the companion logs the mismatch" \
    "$(grep -c 'event=queued_event_dropped mismatch=yes' "$scratch/log/cron.log")" 1
finish
