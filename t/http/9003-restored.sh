#!/bin/sh
# SPDX-License-Identifier: ISC
# A dump restored into a new cluster, whose transactions count from the start:
# nothing is decided before assayctl restored, and after it what was decided
# before, in between and later is published, and counted once.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/deliver.sh
. "$(dirname "$0")/deliver.sh"

# decide NAME N: so many events of this name.
decide() {
	for n in $(seq "$2"); do
		http POST /v1/decisions "{\"id\":\"$1-$n\",
		    \"type\":\"order.place\",\"subject\":{\"userId\":\"u-$n\"}}"
		[ "$STATUS" = 200 ] || not_ok "$1-$n is decided: $STATUS"
	done
}

# spend N: so many transactions that do nothing.
spend() {
	sql "do \$\$ begin
		for n in 1 .. $1 loop
			perform pg_current_xact_id();
			commit;
		end loop;
	    end \$\$"
}

# delivered: how many events the receiver got.
delivered() {
	received_by v | wc -l | tr -d ' '
}

counted() {
	sql "select coalesce(sum(n), 0) from assay.analytics_total
	    where kind = 'verdict'"
}

# shellcheck disable=SC2317 # called by name
all_published() {
	[ "$(sql "select count(*) from assay.delivery")" = 0 ] &&
	    [ "$(delivered)" -ge "$1" ]
}

# shellcheck disable=SC2317 # called by name
ctl_restored() {
	DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" restored --sql "$srcdir/sql" >"$scratch/did"
}

# shellcheck disable=SC2317 # called by name
says() {
	http GET /readyz
	[ "$STATUS $(json "$1")" = "$2" ]
}

start_receiver
start_stack ALLOW_PRIVATE_TARGETS=true
admin_token
api_key
http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/200/v\",
    \"events\":[\"verdict.reached.v1\"]}"
echo "v $(json .secret)" >>"$mail/secrets"
spend 50000
decide early 5
cron "deliver --for 3s" ALLOW_PRIVATE_TARGETS=true
cron project
is "what was decided early is counted" "$(counted)" 5
is "and published" "$(delivered)" 5
decide late 4
stop_pool

# shellcheck disable=SC2317 # called by name
grep_metric() {
	http GET /metrics
	printf "%s\n" "$BODY" | grep -q "^$1\$"
}

# The dump, and a new cluster.
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
is "the new cluster has made fewer transactions" "$(sql "select
    pg_current_xact_id()::text::bigint < $old")" t

# Nothing is decided yet.
start_pool ALLOW_PRIVATE_TARGETS=true
check "a database that was restored is not ready" \
    stack_until 10 "$stack_pool_pid" says .checks.store "503 restored"
check "and the log says what to do" grep -q \
    'readyz=not_ready why=.*restored from a dump; run assayctl restored' \
    "$scratch/log/pool.log"
check "a metric says so" stack_until 15 0 grep_metric \
    'engine_database_restored 1'
http POST /v1/decisions \
    '{"id":"none-1","type":"order.place","subject":{"userId":"u-1"}}'
is "no decision is stored" "$STATUS $(sql "select count(*)
    from assay.verdict_log")" "503 9"
for job in decide project deliver; do
	cron "$job" ALLOW_PRIVATE_TARGETS=true || :
done
is "no job touches it" "$(grep -c 'step=.* why=.*restored from a dump' \
    "$scratch/log/cron.log")" 3

# Made ready.
check "assayctl restored" ctl_restored
check "says what it did" grep -q 'restored from a dump' "$scratch/did"
is "and leaves it in the trail" "$(sql "select count(*) from assay.audit
    where action like '%restored'")" 1
is "what the server logs is set, which no dump has" "$(sql "select count(*)
    from pg_db_role_setting, unnest(setconfig) s
    where s = 'log_parameter_max_length=0'")" 1
check "then it is ready, without a restart" \
    stack_until 20 "$stack_pool_pid" says .status "200 ready"
decide after 6
cron "deliver --for 10s" ALLOW_PRIVATE_TARGETS=true &
deliver=$!
check "what was decided before and after is published" \
    stack_until 20 0 all_published 15
wait "$deliver"
cron project
is "and counted, each once" "$(counted)" 15
is "and published, each once" "$(delivered)" 15
check "a second time there is nothing to move" ctl_restored
is "it says so" "$(grep -c 'restored from a dump' "$scratch/did")" 0

# When the new cluster's numbers come round to those of the old one, nothing
# of then comes again.
spend 60000
decide again 3
cron "deliver --for 3s" ALLOW_PRIVATE_TARGETS=true
cron project
is "later nothing comes twice: counted" "$(counted)" 18
is "later nothing comes twice: published" "$(delivered)" 18
http GET /readyz
is "and it stays ready" "$STATUS" 200
finish
