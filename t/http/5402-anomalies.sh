#!/bin/sh
# SPDX-License-Identifier: ISC
# Anomalies: told of by the transaction of their decision, if anybody wants
# them and from the threshold on.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack ALLOW_PRIVATE_TARGETS=true
admin_token
api_key

# decide EVENT USER AMOUNT [TYPE]
decide() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"${4:-order.place}\",
	    \"amount\":$3,\"currency\":\"eur\",\"subject\":{\"userId\":\"$2\",
	    \"ip\":\"196.188.7.8\",\"phone\":\"+251911234599\"}}" \
	    -H "X-Correlation-Id: cor-$1"
}

# told: which events are in the outbox.
told() {
	sql "select string_agg(data::json ->> 'eventId', ' ' order by number)
	    from assay.outbox"
}

# spends USER: some amounts, so that there is a usual one.
spends() {
	for i in 1 2 3 4; do
		decide "$1-$i" "$1" "2$i.5"
	done
}

for user in u-1 u-2 u-3; do
	spends "$user"
done
decide quiet u-1 900
is "nobody wants them" "$STATUS $(told)" "200 "
is "and no row was ever begun for them" "$(sql "select is_called
    from assay.outbox_number_seq")" f

http POST /v1/notifications '{"type":"slack","url":"http://127.0.0.1:1/s",
    "events":["alert.anomaly.v1"]}'
channel=$(json .id)
decide a-1 u-2 900.50
is "from then on an anomaly is told of" "$(told)" a-1
http GET /v1/decisions/a-1
is "ids and amounts, and nothing else" "$(sql "select o.data::jsonb =
    jsonb_build_object('userId', 'u-2', 'eventId', 'a-1', 'eventType',
	'order.place', 'amountZScore',
	d.replay::jsonb -> 'signals' -> 'anomaly.amountZScore',
	'amount', 900.50, 'currency', 'EUR', 'verdict', '$(json .verdict)'),
    o.data like '%\"amount\":900.50,%', o.event, o.user_id, o.correlation_id,
    o.occurred_at = d.decided_at
    from assay.outbox o join assay.detail d on d.event_id = 'a-1'")" \
    "t|t|alert.anomaly.v1|u-2|cor-a-1|t"
decide a-1 u-2 900.50
is "a replay tells nothing" \
    "$(header x-engine-idempotent-replay) $(told)" "true a-1"
decide a-2 u-3 24
decide a-3 u-new 100000
is "nor what is usual, nor what has no usual" "$(told)" a-1
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'allow', 'user', 'u-1', 'me');
    update assay.epoch set lists = lists + 1;
    update assay.list_subject set changed = 2 where subject = 'user'"
decide a-4 u-1 90000
is "nor what a list decides" "$(told)" a-1
http POST /v1/decisions/batch '{"events":[
    {"id":"b-1","type":"order.place","amount":999,"currency":"EUR",
	"subject":{"userId":"u-3"}},
    {"id":"b-2","type":"order.place","amount":20,"currency":"EUR",
	"subject":{"userId":"u-3"}},
    {"id":"b-3","type":"order.place","amount":99999,"currency":"EUR",
	"subject":{"userId":"u-3"}}]}'
is "in a batch, each that is one" "$(told)" "a-1 b-1 b-3"

http POST /v1/decisions/async '{"id":"c-1","type":"order.place",
    "amount":999999,"currency":"EUR","subject":{"userId":"u-3"}}'
check "one that is decided later" cron "decide --once"
is "too" "$STATUS $(told)" "202 a-1 b-1 b-3 c-1"

# The threshold, which hosts follow.
http PUT /v1/config/alerts '{"anomalyZScore":0.5}'
n=0
# shellcheck disable=SC2317 # stack_until calls it
tells() {
	n=$((n + 1))
	spends "v-$n"
	decide "t-$n" "v-$n" 24
	told | grep -qw "t-$n"
}
check "a lower threshold tells of more" stack_until 20 "$stack_pool_pid" tells
http PUT /v1/config/alerts '{"anomalyZScore":1000}'
# shellcheck disable=SC2317 # stack_until calls it
is_silent() {
	n=$((n + 1))
	spends "v-$n"
	decide "t-$n" "v-$n" 900
	! told | grep -qw "t-$n"
}
check "a higher one of less" stack_until 20 "$stack_pool_pid" is_silent
http PUT /v1/config/alerts '{"anomalyZScore":null}'

# On to the channel; and what is erased on its way.
sql "delete from assay.outbox where data::json ->> 'eventId' not in ('a-1', 'b-1')"
check "they are queued" cron "deliver --once"
is "for the channel" "$(sql "select subscriber_id, user_id,
    data::json ->> 'eventId' from assay.delivery order by 3")" "$channel|u-2|a-1
$channel|u-3|b-1"
spends u-4
decide a-5 u-4 900
http POST /v1/privacy/erase '{"userId":"u-4"}'
http POST /v1/privacy/erase '{"userId":"u-3"}'
check "once more" cron "deliver --once"
is "of who is erased nothing is told" "$(told) $(sql "select user_id
    from assay.delivery")" " u-2"

# Nobody wants them any more.
http POST "/v1/notifications/$channel/revoke"
spends u-5
decide a-6 u-5 900
is "nothing is written again" "$STATUS $(told)" "200 "
finish
