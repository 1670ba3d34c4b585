#!/bin/sh
# SPDX-License-Identifier: ISC
# Anomalies: the transaction of a decision stores an event for each, if a
# channel subscribes to them, from the threshold on.
. "$(dirname "$0")/lib.sh"
use list

start_signed_in ALLOW_PRIVATE_TARGETS=true

# decide_event EVENT USER AMOUNT [TYPE]: decide an order, or an event of this
# type.
decide_event() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"${4:-order.place}\",
	    \"amount\":$3,\"currency\":\"eur\",\"subject\":{\"userId\":\"$2\",
	    \"ip\":\"196.188.7.8\",\"phone\":\"+251911234599\"}}" \
	    -H "X-Correlation-Id: cor-$1"
}

# outbox_events: the events in the outbox.
outbox_events() {
	sql "select string_agg(data::json ->> 'eventId', ' ' order by number)
	    from assay.outbox"
}

# spend_usually USER: spend four amounts, which make the usual one.
spend_usually() {
	for i in 1 2 3 4; do
		decide_event "$1-$i" "$1" "2$i.5"
	done
}

for user in u-1 u-2 u-3; do
	spend_usually "$user"
done
decide_event quiet u-1 900
is "without a subscriber an anomaly stores no event" \
    "$STATUS $(outbox_events)" "200 "
is "without a subscriber an anomaly uses no event number" \
    "$(sql "select is_called
    from assay.outbox_number_seq")" f

http POST /v1/notifications '{"type":"slack","url":"http://127.0.0.1:1/s",
    "events":["alert.anomaly.v1"]}'
channel=$(json .id)
decide_event a-1 u-2 900.50
is "with a subscriber an anomaly stores an event" "$(outbox_events)" a-1
http GET /v1/decisions/a-1
is "the event of an anomaly has ids and amounts and nothing else" \
    "$(sql "select o.data::jsonb =
    jsonb_build_object('userId', 'u-2', 'eventId', 'a-1', 'eventType',
	'order.place', 'amountZScore',
	signals(d.sample)::jsonb -> 'anomaly.amountZScore',
	'amount', 900.50, 'currency', 'EUR', 'verdict', '$(json .verdict)'),
    o.data like '%\"amount\":900.50,%', o.event, o.user_id, o.correlation_id,
    o.occurred_at = d.decided_at
    from assay.outbox o join assay.decision_detail d on d.event_id = 'a-1'")" \
    "t|t|alert.anomaly.v1|u-2|cor-a-1|t"
decide_event a-1 u-2 900.50
is "a replay of an anomaly stores no second event" \
    "$(header x-engine-idempotent-replay) $(outbox_events)" "true a-1"
decide_event a-2 u-3 24
decide_event a-3 u-new 100000
is "a usual amount and a user's first amount are not anomalies" \
    "$(outbox_events)" a-1
list_user allow u-1
decide_event a-4 u-1 90000
is "a decision by a list is not an anomaly" "$(outbox_events)" a-1
http POST /v1/decisions/batch '{"events":[
    {"id":"b-1","type":"order.place","amount":999,"currency":"EUR",
	"subject":{"userId":"u-3"}},
    {"id":"b-2","type":"order.place","amount":20,"currency":"EUR",
	"subject":{"userId":"u-3"}},
    {"id":"b-3","type":"order.place","amount":99999,"currency":"EUR",
	"subject":{"userId":"u-3"}}]}'
is "each anomaly of a batch stores an event" "$(outbox_events)" "a-1 b-1 b-3"

http POST /v1/decisions/async '{"id":"c-1","type":"order.place",
    "amount":999999,"currency":"EUR","subject":{"userId":"u-3"}}'
check "the companion decides an anomalous event for later" cron "decide --once"
is "an anomaly that the companion decides stores an event" \
    "$STATUS $(outbox_events)" "202 a-1 b-1 b-3 c-1"

# Every host follows the threshold.
http PUT /v1/config/alerts '{"anomalyZScore":0.5}'
n=0
# shellcheck disable=SC2317 # stack_until calls it
is_lower() {
	n=$((n + 1))
	spend_usually "v-$n"
	decide_event "t-$n" "v-$n" 24
	outbox_events | grep -qw "t-$n"
}
check "with a lower threshold a usual amount is an anomaly" \
    stack_until 20 "$stack_pool_pid" is_lower
http PUT /v1/config/alerts '{"anomalyZScore":1000}'
# shellcheck disable=SC2317 # stack_until calls it
is_higher() {
	n=$((n + 1))
	spend_usually "v-$n"
	decide_event "t-$n" "v-$n" 900
	! outbox_events | grep -qw "t-$n"
}
check "with a higher threshold a large amount is not an anomaly" \
    stack_until 20 "$stack_pool_pid" is_higher
http PUT /v1/config/alerts '{"anomalyZScore":null}'

# Anomalies on their way to the channel, and users who are erased then.
sql "delete from assay.outbox where data::json ->> 'eventId' not in ('a-1', 'b-1')"
check "the companion publishes the anomalies" cron "deliver --once"
is "the anomalies are queued for the channel" \
    "$(sql "select subscriber_id, user_id,
    data::json ->> 'eventId' from assay.delivery order by 3")" "$channel|u-2|a-1
$channel|u-3|b-1"
spend_usually u-4
decide_event a-5 u-4 900
http POST /v1/privacy/erase '{"userId":"u-4"}'
http POST /v1/privacy/erase '{"userId":"u-3"}'
check "the companion publishes after two erasures" cron "deliver --once"
is "the anomalies of erased users are removed" \
    "$(outbox_events) $(sql "select user_id
    from assay.delivery")" " u-2"

# The channel is revoked.
http POST "/v1/notifications/$channel/revoke"
spend_usually u-5
decide_event a-6 u-5 900
is "after its channel is revoked an anomaly stores no event" \
    "$STATUS $(outbox_events)" "200 "
finish
