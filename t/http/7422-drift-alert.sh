#!/bin/sh
# SPDX-License-Identifier: ISC
# alert.drift.v1: one alert a day and event type, with its event in the outbox,
# even with several companions, some of them killed.
. "$(dirname "$0")/lib.sh"
use past drift away deliver

start_stack ALLOW_PRIVATE_TARGETS=true
admin_token
start_receiver
http POST /v1/notifications "{\"type\":\"webhook\",
    \"url\":\"http://127.0.0.1:$PORT/200/drift\",
    \"events\":[\"alert.drift.v1\"]}"
is "a notification channel may subscribe to drift alerts" "$STATUS" 201
http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/200/hook\",
    \"events\":[\"alert.drift.v1\"]}"
is "a webhook may not subscribe to drift alerts" "$STATUS" 400

add_months 2
log_scores order.place 35 8 50 "r % 50" "'[]'"
log_scores order.place 7 1 50 "r % 50 + 40" "'[]'"
log_scores card.authorize 35 1 50 "r" "'[]'"
log_scores card.refund 35 8 50 "0" "'[]'"
log_scores card.refund 7 1 20 "90" "'[]'"

# drift_alerts: print the event types and the day of the alerts.
drift_alerts() {
	sql "select data::json ->> 'eventType', data::json -> 'window' ->> 'to'
	    from assay.outbox where event = 'alert.drift.v1' order by number"
}
yesterday=$(sql "select (now() at time zone 'UTC')::date - 1")

# A check that is rolled back leaves no alert.
sql "begin; select assay.drift_record('$yesterday', '{order.place}', '{1}',
    '{\"{}\"}', 'c'); rollback" >/dev/null
is "a check that is rolled back leaves nothing" \
    "$(sql "select count(*) from assay.drift")$(drift_alerts)" 0

# Four companions at once, one of them killed; they check when all is counted.
pids=
for minutes in 10 11 12 13; do
	start_cron "project --for ${minutes}m"
	pids="$pids $stack_cron_pid"
done
sleep 0.3
kill -s KILL "$stack_cron_pid"
# shellcheck disable=SC2317 # stack_until calls it
types_checked() {
	[ "$(sql "select count(*) from assay.drift where day = '$yesterday'")" = 7 ]
}
check "each event type is checked" stack_until 30 0 types_checked
for pid in $pids; do
	stack_end "$pid" TERM
done
is "one alert is written for the type that drifted" \
    "$(drift_alerts)" "order.place|$yesterday"
is "the index is that of the log" \
    "$(sql "select event_type, round(psi::numeric, 4)
    from assay.drift where psi is not null order by 1")" "card.authorize|0.0000
order.place|$(recount order.place 7 28 | jq '.[0]')"
is "the alert has only numbers and no user" \
    "$(sql "select data::jsonb - 'psi' = jsonb_build_object(
	'eventType', 'order.place', 'threshold', 0.25,
	'window', jsonb_build_object('from', date '$yesterday' - 6, 'to',
	    date '$yesterday', 'decisions', 350),
	'reference', jsonb_build_object('from', date '$yesterday' - 34, 'to',
	    date '$yesterday' - 7, 'decisions', 1400)),
    user_id is null, correlation_id ~ '^cor_' from assay.outbox")" "t|t|t"
check "a second run on the same day exits 0" cron "project"
is "a second run on the same day writes no alert" \
    "$(drift_alerts)" "order.place|$yesterday"

# Delivery of the alert.
check "the companion delivers the alert" \
    cron "deliver --once" ALLOW_PRIVATE_TARGETS=true
is "the channel gets one request" "$(received_by drift | wc -l | tr -d ' ')" 1
is "the request has the alert as a sentence" \
    "$(cat "$mail"/body.*.1 | jq -r '.type, .text' |
    sed 's/PSI [0-9.]*/PSI N/')" "alert.drift.v1
drift: the scores of order.place have changed, PSI N, threshold 0.25"

# The next days, with other thresholds.
# check_next_day NAME=VALUE: move the last check to the day before, and check again
# with this setting.
check_next_day() {
	sql "update assay.drift set day = day - 1"
	cron "project" "$@"
}
check_next_day DRIFT_ALERT_PSI=0
is "a threshold of 0 writes no alert" \
    "$(drift_alerts)$(types_checked && echo checked)" "checked"
check_next_day DRIFT_ALERT_PSI=999.5
is "a threshold that is not reached writes no alert" "$(drift_alerts)" ""
check_next_day DRIFT_ALERT_PSI=0.25
is "the next day writes another alert" \
    "$(drift_alerts)" "order.place|$yesterday"
for value in x -1 nan 0x1 1001 1e9; do
	ended=0
	cron "-n project" DRIFT_ALERT_PSI="$value" 2>/dev/null || ended=$?
	is "the threshold $value is refused" "$ended" 78
done

# Metrics.
psi=$(sql "select psi from assay.drift where event_type = 'order.place'")
# shellcheck disable=SC2317 # stack_until calls it
index_shown() {
	[ "$(metric 'engine_drift_psi{type="order.place"}' | cut -c 1-6)" = \
	    "$(printf %.6s "$psi")" ]
}
check "a metric shows the index" stack_until 30 "$stack_pool_pid" index_shown
is "a metric shows -1 where there is no index" \
    "$(metric 'engine_drift_psi{type="card.refund"}')" -1
finish
