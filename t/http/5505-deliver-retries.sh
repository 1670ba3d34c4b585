#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries and alerts that fail are tried again, are dead after the last
# attempt, and can be redriven.
. "$(dirname "$0")/lib.sh"
use deliver

start_deliveries

add_endpoint 500 500
queue_deliveries "$HOOK" 11 11
add_endpoint once once
queue_deliveries "$HOOK" 26 26
cron deliver "$settings"

# The eighth failure is the last; each pause is longer than the last.
http POST /v1/notifications "{\"type\":\"webhook\",
    \"url\":\"http://127.0.0.1:$PORT/500/alert\",
    \"events\":[\"alert.dead_letter.v1\"]}"
channel=$(json .id)
: >"$scratch/waits"
for _ in 2 3 4 5 6 7; do
	make_due
	cron deliver "$settings"
	sql "select extract(epoch from next_attempt_at - clock_timestamp())
	    from assay.delivery where id = 'whd_000011'" >>"$scratch/waits"
done
is "each pause before an attempt is longer than the last" \
    "$(sort -n "$scratch/waits" | cmp - "$scratch/waits")$(
    awk 'NR == 6 { print ($1 > 1700 && $1 < 2113) }' "$scratch/waits")" 1
make_due
cron deliver "$settings"
is "a delivery is attempted eight times" \
    "$(received_by 500 | wc -l) $(pending_state whd_000011)" "8 "
is "each attempt has the same body" \
    "$(cat "$mail"/body.whd_000011.* | sha256sum)" \
    "$(for _ in 1 2 3 4 5 6 7 8; do
	cat "$mail/body.whd_000011.1"
    done | sha256sum)"
is "a delivery is dead after the eighth failure" \
    "$(sql "select id, attempts, last_error
    from assay.dead_letter")" "whd_000011|8|status 500: ok"
is "a dead delivery is an event for alerts" \
    "$(sql "select event, data, correlation_id
    from assay.delivery where id like 'ntd%'")" 'alert.dead_letter.v1|{"source" : "webhook", "ref" : "whd_000011", "name" : "case.resolved.v1", "attempts" : 8}|cor_x'
is "a delivery that arrives at its second attempt has one id" \
    "$(received_by once | cut -d ' ' -f 1,2 | uniq -c | tr -s ' ')" \
    " 2 once whd_000026"

# An alert about a dead letter makes no alert when it becomes one itself.
sql "delete from assay.delivery where id like 'ntd%'"
queue_deliveries "$channel" 70 70 alert.dead_letter.v1 \
    '{"source":"webhook","ref":"whd_1","name":"case.resolved.v1","attempts":8}'
queue_deliveries "$channel" 71 71 alert.anomaly.v1 '{"eventId":"e","verdict":"review"}'
for _ in 1 2 3 4 5 6 7 8; do
	make_due
	cron deliver "$settings"
done
is "an alert is dead after eight failures" "$(sql "select id, attempts
    from assay.dead_letter where id like 'ntd%' order by 1" | tr '\n' ' ')" \
    "ntd_000070|8 ntd_000071|8 "
is "a dead alert is an event unless it is about a dead letter" "$(sql "
    select data::json ->> 'ref', data::json ->> 'source'
    from assay.delivery where id like 'ntd%'")" "ntd_000071|alert"
http GET /v1/notifications
is_json "a channel counts the failures of its alerts" '.channels[0].failures' 18

# Dead deliveries are redriven.
sql "update assay.webhook_endpoint set url = replace(url, '/500/', '/200/');
    update assay.alert_channel set url = replace(url, '/500/', '/200/')"
http POST /v1/webhooks/deliveries/redrive
is_json "a redrive requeues the dead delivery" .requeued 1
http POST /v1/notifications/deliveries/redrive
is_json "a redrive requeues the dead alerts" .requeued 2
make_due
cron deliver "$settings"
is "redriven deliveries and alerts arrive" \
    "$(received_by 500 | wc -l) $(received_by alert | wc -l) $(sql \
    "select count(*) from assay.delivery")" "9 21 0"
http GET /v1/webhooks
is_json "the endpoint of a redriven delivery shows no failure" '.endpoints[] |
    select(.url | endswith("/200/500")) | "\(.lastStatus) \(.failures)"' \
    "delivered 0"

finish
