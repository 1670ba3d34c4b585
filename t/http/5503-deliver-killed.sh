#!/bin/sh
# SPDX-License-Identifier: ISC
# Companions are killed and the server under them: each delivery arrives, under
# one id; two companions take no row twice; and one endpoint that hangs holds
# up nobody.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/deliver.sh
. "$(dirname "$0")/deliver.sh"
settings=ALLOW_PRIVATE_TARGETS=true
ENDPOINTS=50
EACH=200

start_stack $settings
start_receiver
admin_token
hook hang hang
hang=$HOOK
for n in $(seq $ENDPOINTS); do
	hook 200 "fine$n"
	echo "$HOOK" >>"$scratch/hooks"
done

# fill FROM: so many deliveries for each endpoint that is fine.
fill() {
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
# waiting: deliveries that are still to be made to those that are fine.
waiting() {
	sql "select count(*) from assay.delivery where subscriber_id <> '$hang'"
}
# shellcheck disable=SC2317 # called by name
drained() { [ "$(waiting)" -eq 0 ]; }
# arrived FROM: the ids of what came to those that are fine, sorted.
arrived() {
	grep '^fine' "$mail/received" | cut -d ' ' -f 2 |
	    awk -v from="whd_$1" '$1 >= from' | sort
}
all=$((ENDPOINTS * EACH))

# Two companions, and an endpoint with as much that hangs.
queue "$hang" 900001 $((900000 + all))
fill 0
began=$(date +%s%N)
start_cron "deliver --for 10m" $settings
start_cron "deliver --for 10m" $settings
check "$all deliveries to $ENDPOINTS endpoints while one hangs" \
    stack_until 120 "$stack_cron_pid" drained
ended=$(date +%s%N)
awk -v n="$all" -v ns=$((ended - began)) 'BEGIN {
	printf "# %d deliveries a second by two companions\n", n / ns * 1e9 }'
is "each delivery arrived" "$(arrived 000000 | uniq | wc -l)" "$all"
is "well signed" "$(grep '^fine' "$mail/received" |
    grep -vc ' good good Assay')" 0
check "the one that hangs had its share alone" \
    [ "$(got hang | wc -l)" -le 32 ]
stop_stack_crons() {
	for pid in $cron_pids; do
		stack_end "$pid" TERM
	done
	cron_pids=
}
stop_stack_crons

# A receiver that is too slow on a loaded machine gets a delivery twice; the
# companion counts the first attempt as failed.
again=$(sed -n 's/.*run=done .* failed=\([0-9]*\).*/\1/p' \
    "$scratch/log/cron.log" | awk '{ n += $1 } END { print n + 0 }')
check "two companions take no row twice" test \
    "$(($(arrived 000000 | wc -l) - all))" -le "$again"
is "and nothing stays claimed" "$(sql "select count(*) from assay.delivery
    where claimed_until is not null")" 0
sql "delete from assay.delivery"

# Killed, in the middle and again and again.  What it had in hands is due when
# the claims are over, which is now.
EACH=40
all=$((ENDPOINTS * EACH))
fill 100000
for _ in 1 2 3 4 5; do
	start_cron "deliver --for 10m" $settings
	before=$(wc -l <"$mail/received")
	# shellcheck disable=SC2317 # called by name
	more_came() { [ "$(wc -l <"$mail/received")" -gt $((before + 20)) ]; }
	stack_until 20 "$stack_cron_pid" more_came
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	sql "update assay.delivery set claimed_until = clock_timestamp()
	    where claimed_until is not null"
done
# The server as well.
start_cron "deliver --for 10m" $settings
before=$(wc -l <"$mail/received")
stack_until 20 "$stack_cron_pid" more_came
stack_end "$stack_pg_pid" KILL
stack_pg_pid=
start_database
sql "update assay.delivery set claimed_until = clock_timestamp()
    where claimed_until is not null"
check "after five companions and a server that died" \
    stack_until 60 "$stack_cron_pid" drained
is "all has come, under its id" "$(arrived 100001 | uniq | wc -l)" "$all"
echo "# $(arrived 100001 | uniq -d | wc -l) came more than once"
is "and nothing is dead" "$(sql "select count(*) from assay.dead_letter")" 0
finish
