#!/bin/sh
# SPDX-License-Identifier: ISC
# The risk counts when companions, a backend and the server are killed: each
# event and each label is counted once.
. "$(dirname "$0")/lib.sh"
use lock past days erase risk

start_with_key
add_months 4

# Two companions are killed again and again, then a backend and the server.
killed=0
(make_traffic 1; make_traffic 2; make_traffic 3) >/dev/null &
working=$!
while kill -0 "$working" 2>/dev/null; do
	start_cron "project --for 10m"
	first=$stack_cron_pid
	start_cron "project --for 10m"
	sleep "0.$((killed % 5 + 2))"
	kill -s KILL "$first" "$stack_cron_pid"
	wait "$first" "$stack_cron_pid" 2>/dev/null
	killed=$((killed + 1))
done
check "companions were killed twice or more" [ "$killed" -gt 1 ]
start_cron "project --for 10m"
first=$stack_cron_pid
start_cron "project --for 10m"
make_traffic 4 >/dev/null
backend=$(pgrep -P "$stack_pg_pid" -f 'postgres: assay_companion' | head -n 1)
check "a backend of the companion was killed" kill -s KILL "$backend"
stack_until 30 "$stack_pg_pid" sql "select 1"
wait_ready
make_traffic 5 >/dev/null
stack_until 40 0 days_agree
is "every event and every label is counted once" \
    "$(days_counted)" "$(days_recounted)"
check "more than 200 events and labels were counted" \
    [ "$(days_counted | awk -F '|' '
    { n += $3; l += $4 } END { print n + l }')" -gt 200 ]

# A companion is killed between the cursor and the counts.
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"

hold_lock "lock table assay.entity_risk in share mode"
decide_order y-1 u-1 '"deviceId":"d-held","ip":"196.188.7.9"'
start_cron "project --for 10m"
stack_until 20 0 lock_waits "relation = 'assay.entity_risk'::regclass"
decide_order y-2 u-1 '"deviceId":"d-held","ip":"196.188.7.9"'
is "a decision does not wait for the companion's counts" \
    "$STATUS $(json '.score >= 0')" \
    "200 true"
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
release_lock
cron project
is "the next run counts what the killed one did not" "$(days_counted)" \
    "$(days_recounted)"
finish
