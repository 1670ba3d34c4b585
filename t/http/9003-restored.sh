#!/bin/sh
# SPDX-License-Identifier: ISC
# A dump restored into a new cluster, whose transaction ids start again: nothing
# is decided before `assayctl restored`, and every event is published once.
. "$(dirname "$0")/lib.sh"
use deliver

decide_orders() {
	for n in $(seq "$2"); do
		http POST /v1/decisions "{\"id\":\"$1-$n\",
		    \"type\":\"order.place\",\"subject\":{\"userId\":\"u-$n\"}}"
		[ "$STATUS" = 200 ] || not_ok "$1-$n is decided: $STATUS"
	done
}

# spend_xids N: run N transactions that do nothing.
spend_xids() {
	sql "do \$\$ begin
		for n in 1 .. $1 loop
			perform pg_current_xact_id();
			commit;
		end loop;
	    end \$\$"
}

# delivered_count: print how many events the receiver got.
delivered_count() {
	received_by v | wc -l | tr -d ' '
}

counted_verdicts() {
	sql "select coalesce(sum(n), 0) from assay.analytics_total
	    where kind = 'verdict'"
}

# shellcheck disable=SC2317 # called by name
all_delivered() {
	[ "$(sql "select count(*) from assay.delivery")" = 0 ] &&
	    [ "$(delivered_count)" -ge "$1" ]
}

# shellcheck disable=SC2317 # called by name
run_restored() {
	DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" restored --sql "$srcdir/sql" >"$scratch/did"
}

# shellcheck disable=SC2317 # called by name
ready_says() {
	http GET /readyz
	[ "$STATUS $(json "$1")" = "$2" ]
}

start_receiver
start_signed_in ALLOW_PRIVATE_TARGETS=true
http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/200/v\",
    \"events\":[\"verdict.reached.v1\"]}"
echo "v $(json .secret)" >>"$mail/secrets"
spend_xids 50000
decide_orders early 5
cron "deliver --for 3s" ALLOW_PRIVATE_TARGETS=true
cron project
is "the first five decisions are counted" "$(counted_verdicts)" 5
is "the first five decisions are published" "$(delivered_count)" 5
decide_orders late 4
stop_pool

# shellcheck disable=SC2317 # called by name
metric_shows() {
	http GET /metrics
	printf "%s\n" "$BODY" | grep -q "^$1\$"
}

# A dump, and a new cluster.
"$(stack_pg_bin)/pg_dumpall" -h "$scratch/run" -U postgres -g >"$scratch/roles"
"$(stack_pg_bin)/pg_dump" -h "$scratch/run" -U postgres -Fc assay \
    >"$scratch/dump"
old=$(sql "select pg_current_xact_id()")
stop_database
stack_pg_init "$scratch/pg2"
stack_pg_start "$scratch/pg2" "$scratch/run" "$scratch/log/postgres2.log" \
    -c fsync=off -c max_connections=60 -c "log_line_prefix=%m [%p] "
cluster_psql postgres postgres -c 'create database assay'
cluster_psql postgres postgres -v ON_ERROR_STOP=0 -f "$scratch/roles" \
    >/dev/null 2>&1
"$(stack_pg_bin)/pg_restore" -h "$scratch/run" -U postgres -d assay \
    "$scratch/dump" >"$scratch/log/restore.log" 2>&1
is "the new cluster has a lower transaction id" "$(sql "select
    pg_current_xact_id()::text::bigint < $old")" t

# Nothing is decided before `assayctl restored`.
start_pool ALLOW_PRIVATE_TARGETS=true
check "a pool with a restored database is not ready" \
    stack_until 10 "$stack_pool_pid" ready_says .checks.store "503 restored"
check "the log names assayctl restored" grep -q \
    'event=pool_not_ready why=.*restored from a dump; run assayctl restored' \
    "$scratch/log/pool.log"
check "a metric shows that the database is restored" \
    stack_until 15 0 metric_shows \
    'engine_database_restored 1'
http POST /v1/decisions \
    '{"id":"none-1","type":"order.place","subject":{"userId":"u-1"}}'
is "no decision is stored in a restored database" \
    "$STATUS $(sql "select count(*)
    from assay.verdict_log")" "503 9"
for job in decide project deliver; do
	cron "$job" ALLOW_PRIVATE_TARGETS=true || :
done
is "no job runs on a restored database" \
    "$(grep -c 'event=job_database_lost why=.*restored from a dump' \
    "$scratch/log/cron.log")" 3

check "assayctl restored exits 0" run_restored
check "assayctl restored prints what it did" \
    grep -q 'restored from a dump' "$scratch/did"
is "assayctl restored is in the audit trail" \
    "$(sql "select count(*) from assay.audit
    where action like '%restored'")" 1
is "assayctl restored sets what the server logs" "$(sql "select count(*)
    from pg_db_role_setting, unnest(setconfig) s
    where s = 'log_parameter_max_length=0'")" 1
check "the pool is ready without a restart" \
    stack_until 20 "$stack_pool_pid" ready_says .status "200 ready"
decide_orders after 6
cron "deliver --for 10s" ALLOW_PRIVATE_TARGETS=true &
deliver=$!
check "decisions before and after the restore are published" \
    stack_until 20 0 all_delivered 15
wait "$deliver"
cron project
is "all fifteen decisions are counted once" "$(counted_verdicts)" 15
is "all fifteen decisions are published once" "$(delivered_count)" 15
check "a second assayctl restored exits 0" run_restored
is "a second assayctl restored changes nothing" \
    "$(grep -c 'restored from a dump' "$scratch/did")" 0

# Transaction ids of the new cluster reach those of the old one.
spend_xids 60000
decide_orders again 3
cron "deliver --for 3s" ALLOW_PRIVATE_TARGETS=true
cron project
is "later decisions are counted once" "$(counted_verdicts)" 18
is "later decisions are published once" "$(delivered_count)" 18
http GET /readyz
is "the pool stays ready" "$STATUS" 200
finish
