#!/bin/sh
# SPDX-License-Identifier: ISC
# alert.drift.v1: told once a day and event type, with the note that it was,
# by however many companions and whoever is killed.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/past.sh
. "$(dirname "$0")/past.sh"
# shellcheck source=t/http/drift.sh
. "$(dirname "$0")/drift.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"
# shellcheck source=t/http/deliver.sh
. "$(dirname "$0")/deliver.sh"

start_stack ALLOW_PRIVATE_TARGETS=true
admin_token
start_receiver
http POST /v1/notifications "{\"type\":\"webhook\",
    \"url\":\"http://127.0.0.1:$PORT/200/drift\",
    \"events\":[\"alert.drift.v1\"]}"
is "a channel may want it" "$STATUS" 201
http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/200/hook\",
    \"events\":[\"alert.drift.v1\"]}"
is "a webhook may not" "$STATUS" 400

months 2
logged order.place 35 8 50 "r % 50" "'[]'"
logged order.place 7 1 50 "r % 50 + 40" "'[]'"
logged card.authorize 35 1 50 "r" "'[]'"
logged card.refund 35 8 50 "0" "'[]'"
logged card.refund 7 1 20 "90" "'[]'"

# told: of which event types, and the day.
told() {
	sql "select data::json ->> 'eventType', data::json -> 'window' ->> 'to'
	    from assay.outbox where event = 'alert.drift.v1' order by number"
}
yesterday=$(sql "select (now() at time zone 'UTC')::date - 1")

# Who is killed has judged nothing.
sql "begin; select assay.drift_note('$yesterday', '{order.place}', '{1}',
    '{\"{}\"}', 'c'); rollback" >/dev/null
is "who is killed has told nothing" "$(sql "select count(*) from assay.drift")$(told)" 0

# Many companions at once, one of which is killed; none judges before all is
# counted.
pids=
for minutes in 10 11 12 13; do
	start_cron "project --for ${minutes}m"
	pids="$pids $stack_cron_pid"
done
sleep 0.3
kill -s KILL "$stack_cron_pid"
# shellcheck disable=SC2317 # stack_until calls it
judged() {
	[ "$(sql "select count(*) from assay.drift where day = '$yesterday'")" = 7 ]
}
check "every event type is judged" stack_until 30 0 judged
for pid in $pids; do
	stack_end "$pid" TERM
done
is "what has drifted is told of, once" "$(told)" "order.place|$yesterday"
is "by the index of the log" "$(sql "select event_type, round(psi::numeric, 4)
    from assay.drift where psi is not null order by 1")" "card.authorize|0.0000
order.place|$(recount order.place 7 28 | jq '.[0]')"
is "with nothing but numbers" "$(sql "select data::jsonb - 'psi' = jsonb_build_object(
	'eventType', 'order.place', 'threshold', 0.25,
	'window', jsonb_build_object('from', date '$yesterday' - 6, 'to',
	    date '$yesterday', 'decisions', 350),
	'reference', jsonb_build_object('from', date '$yesterday' - 34, 'to',
	    date '$yesterday' - 7, 'decisions', 1400)),
    user_id is null, correlation_id ~ '^cor_' from assay.outbox")" "t|t|t"
check "the same day is not judged again" cron "project"
is "nor told of" "$(told)" "order.place|$yesterday"

# On its way.
check "it is delivered" cron "deliver --once" ALLOW_PRIVATE_TARGETS=true
is "to the channel" "$(got drift | wc -l | tr -d ' ')" 1
is "in words" "$(cat "$mail"/body.*.1 | jq -r '.type, .text' |
    sed 's/PSI [0-9.]*/PSI N/')" "alert.drift.v1
drift: the scores of order.place are not what they were, PSI N, threshold 0.25"

# The next day, and other thresholds.
# a_day_later NAME=VALUE: as if the last day had been judged before it was over.
a_day_later() {
	sql "update assay.drift set day = day - 1"
	cron "project" "$@"
}
a_day_later DRIFT_ALERT_PSI=0
is "0 tells of none" "$(told)$(judged && echo judged)" "judged"
a_day_later DRIFT_ALERT_PSI=999.5
is "nor does a threshold that is not reached" "$(told)" ""
a_day_later DRIFT_ALERT_PSI=0.25
is "each day it is told of anew" "$(told)" "order.place|$yesterday"
for value in x -1 nan 0x1 1001 1e9; do
	ended=0
	cron "-n project" DRIFT_ALERT_PSI="$value" 2>/dev/null || ended=$?
	is "no threshold: $value" "$ended" 78
done

# Metrics.
psi=$(sql "select psi from assay.drift where event_type = 'order.place'")
# shellcheck disable=SC2317 # stack_until calls it
measured() {
	[ "$(metric 'engine_drift_psi{type="order.place"}' | cut -c 1-6)" = \
	    "$(printf %.6s "$psi")" ]
}
check "what was judged is among the metrics" stack_until 30 "$stack_pool_pid" \
    measured
is "where it is not known, too" "$(metric 'engine_drift_psi{type="card.refund"}')" -1
finish
