#!/bin/sh
# SPDX-License-Identifier: ISC
# Each event is queued once for each subscriber when transactions commit late,
# when the companion and its session are killed, and beside a second companion.
. "$(dirname "$0")/lib.sh"
use publish

start_publish
subscribe_webhook verdict.reached.v1
all=$ID
subscribe_webhook case.resolved.v1 label.recorded.v1
rest=$ID

# A transaction that begins early and commits late, and one that rolls back.
mkfifo "$scratch/late" "$scratch/gone"
cluster_psql postgres assay -q <"$scratch/late" &
late=$!
cluster_psql postgres assay -q <"$scratch/gone" &
gone=$!
exec 8>"$scratch/late" 7>"$scratch/gone"
for event in late gone; do
	echo "begin; insert into assay.verdict_log (decided_at, id, event_id,
	    event_type, verdict, score, reasons, policy_id, policy_version,
	    correlation_id)
	values (clock_timestamp(), 'vd_$event', '$event', 'order.place', 'deny', 100,
	    '[]', 'p', 'v', 'c');
	insert into assay.outbox (event, data, correlation_id)
	values ('case.resolved.v1', '{\"eventId\":\"$event\"}', 'c');" \
	    >"$scratch/$event.sql"
done
cat "$scratch/late.sql" >&8
cat "$scratch/gone.sql" >&7
# shellcheck disable=SC2317 # stack_until calls it
both_open() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where state = 'idle in transaction' and backend_xid is not null")" = 2 ]
}
stack_until 20 "$late" both_open
decide_order e-5
sql "insert into assay.outbox (event, data, correlation_id)
    values ('case.resolved.v1', '{\"eventId\":\"case\"}', 'c')"
check "the companion publishes beside two open transactions" publish_once
is "a verdict after an open transaction waits" "$(queued_for "$all")" ""
is "an event of the outbox does not wait for open transactions" \
    "$(queued_for "$rest")" "case"
echo "rollback;" >&7
echo "commit;" >&8
exec 8>&- 7>&-
wait "$late" "$gone"
check "the companion publishes when both transactions have ended" publish_once
is "each committed verdict is queued and the rolled back one is not" \
    "$(queued_for "$all")" "e-5 late"
is "a late event of the outbox is queued" "$(queued_for "$rest")" "case late"

# A companion and its session are killed inside a transaction.
sql "create function assay.wait() returns trigger language plpgsql
    as 'begin perform pg_sleep(30); return null; end'"
# shellcheck disable=SC2317 # stack_until calls it
is_publishing() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where query like '%publish_next%' and wait_event = 'PgSleep'")" = 1 ]
}
kill_sleepers() {
	sql "select count(pg_terminate_backend(pid)) from pg_stat_activity
	    where wait_event = 'PgSleep'" >/dev/null
}
for i in 6 7 8; do
	decide_order "e-$i"
done
sql "insert into assay.outbox (event, data, correlation_id)
    values ('case.resolved.v1', '{\"eventId\":\"case-2\"}', 'c');
    create trigger wait after insert on assay.delivery
    for each row execute function assay.wait()"
start_cron "deliver --for 10m"
victim=$stack_cron_pid
check "a companion waits inside its transaction" \
    stack_until 20 "$stack_cron_pid" is_publishing
check "a second companion ends well beside the first" publish_once
is "a second companion queues nothing beside the first" \
    "$(queued_for "$all")" "e-5 late"
kill -s KILL "$victim"
kill_sleepers
start_cron "deliver --for 10m"
check "another companion publishes after the kill" \
    stack_until 20 "$stack_cron_pid" is_publishing
sql "drop trigger wait on assay.delivery" &
kill_sleepers
wait $!
# shellcheck disable=SC2317 # stack_until calls it
all_queued() {
	[ "$(queued_for "$all")" = "e-5 e-6 e-7 e-8 late" ]
}
stack_until 20 "$stack_cron_pid" all_queued || :
is "after two kills each event is queued once" \
    "$(queued_for "$all") $(queued_for "$rest")" \
    "e-5 e-6 e-7 e-8 late case case-2 late"

# Two companions beside many decisions, with a subscriber that is revoked.
start_cron "deliver --for 10m"
subscribe_webhook verdict.reached.v1
second=$ID
for i in $(seq 100 139); do
	decide_order "m-$i" "u-$((i % 5))"
	[ "$i" -ne 119 ] || http POST "/v1/webhooks/$second/revoke"
done
want=$(seq 100 139 | sed 's/^/m-/' | paste -sd ' ')
# shellcheck disable=SC2317 # stack_until calls it
all_queued() {
	[ "$(queued_for "$all")" = "e-5 e-6 e-7 e-8 late $want" ]
}
stack_until 20 "$stack_cron_pid" all_queued || :
is "two companions queue each verdict once" \
    "$(queued_for "$all")" "e-5 e-6 e-7 e-8 late $want"
check "a revoked webhook gets no later verdict" sh -c \
    "! printf '%s' '$(queued_for "$second")' | grep -q 'm-12[1-9]\\|m-13'"

finish
