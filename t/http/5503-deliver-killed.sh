#!/bin/sh
# SPDX-License-Identifier: ISC
# Companions and PostgreSQL are killed: each delivery arrives under one id; two
# companions do not take the same delivery; an endpoint that hangs delays no
# other.
. "$(dirname "$0")/lib.sh"
use deliver

ENDPOINTS=50
EACH=200

start_deliveries
add_endpoint hang hang
hang=$HOOK
for n in $(seq $ENDPOINTS); do
	add_endpoint 200 "fine$n"
	echo "$HOOK" >>"$scratch/hooks"
done

# fill_queue FROM: queue deliveries for each endpoint that answers.
fill_queue() {
	sql "insert into assay.delivery (id, subscriber_id, event, data,
	    correlation_id, occurred_at)
	    select 'whd_' || to_char($1 + n, 'FM000000'), w.id,
		'case.resolved.v1', '{}', 'c', now()
	    from (select id, row_number() over (order by id) as k
		from assay.webhook_endpoint where id <> '$hang') w
		join generate_series(1, $ENDPOINTS * $EACH) n
		    on n % $ENDPOINTS = w.k - 1"
}
# shellcheck disable=SC2317 # called by name
# deliveries_left: the deliveries to endpoints that answer.
deliveries_left() {
	sql "select count(*) from assay.delivery where subscriber_id <> '$hang'"
}
# shellcheck disable=SC2317 # called by name
is_drained() { [ "$(deliveries_left)" -eq 0 ]; }
# arrived_from FROM: the ids that arrived at endpoints that answer, sorted.
arrived_from() {
	grep '^fine' "$mail/received" | cut -d ' ' -f 2 |
	    awk -v from="whd_$1" '$1 >= from' | sort
}
all=$((ENDPOINTS * EACH))

# Two companions, and an endpoint that hangs with as many deliveries.
queue_deliveries "$hang" 900001 $((900000 + all))
fill_queue 0
started_at=$(date +%s%N)
start_cron "deliver --for 10m" "$settings"
start_cron "deliver --for 10m" "$settings"
check "two companions deliver $all deliveries while an endpoint hangs" \
    stack_until 120 "$stack_cron_pid" is_drained
finished_at=$(date +%s%N)
awk -v n="$all" -v ns=$((finished_at - started_at)) 'BEGIN {
	printf "# %d deliveries a second by two companions\n", n / ns * 1e9 }'
is "each of the deliveries arrives" \
    "$(arrived_from 000000 | uniq | wc -l)" "$all"
is "every delivery has two good signatures" "$(grep '^fine' "$mail/received" |
    grep -vc ' good good Assay')" 0
check "an endpoint that hangs has at most 32 deliveries in progress" \
    [ "$(received_by hang | wc -l)" -le 32 ]
stop_companions() {
	for pid in $cron_pids; do
		stack_end "$pid" TERM
	done
	cron_pids=
}
stop_companions

# A receiver that is too slow on a loaded machine gets a delivery twice; the
# companion counts the first attempt as failed.
again=$(sed -n 's/.*event=run_ended .* failed=\([0-9]*\).*/\1/p' \
    "$scratch/log/cron.log" | awk '{ n += $1 } END { print n + 0 }')
check "two companions do not take the same delivery" test \
    "$(($(arrived_from 000000 | wc -l) - all))" -le "$again"
is "no delivery stays claimed after TERM" \
    "$(sql "select count(*) from assay.delivery
    where claimed_until is not null")" 0
sql "delete from assay.delivery"

# Companions are killed inside their work.  Their claims end after minutes; here
# they end at once.
EACH=40
all=$((ENDPOINTS * EACH))
fill_queue 100000
for _ in 1 2 3 4 5; do
	start_cron "deliver --for 10m" "$settings"
	before=$(wc -l <"$mail/received")
	# shellcheck disable=SC2317 # called by name
	more_arrived() { [ "$(wc -l <"$mail/received")" -gt $((before + 20)) ]; }
	stack_until 20 "$stack_cron_pid" more_arrived
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	sql "update assay.delivery set claimed_until = clock_timestamp()
	    where claimed_until is not null"
done
# PostgreSQL is killed as well.
start_cron "deliver --for 10m" "$settings"
before=$(wc -l <"$mail/received")
stack_until 20 "$stack_cron_pid" more_arrived
kill_database
start_database
sql "update assay.delivery set claimed_until = clock_timestamp()
    where claimed_until is not null"
check "the deliveries end after five killed companions and a crash" \
    stack_until 60 "$stack_cron_pid" is_drained
is "every delivery arrives under its id after the kills" \
    "$(arrived_from 100001 | uniq | wc -l)" "$all"
echo "# $(arrived_from 100001 | uniq -d | wc -l) arrived more than once"
is "no delivery is dead after the kills" \
    "$(sql "select count(*) from assay.dead_letter")" 0
finish
