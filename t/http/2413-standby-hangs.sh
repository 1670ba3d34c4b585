#!/bin/sh
# SPDX-License-Identifier: ISC
# A synchronous standby hangs: commits wait for it in the server, whoever gave
# them up.  The sessions stay within DATABASE_POOL_MAX, and all goes on by itself
# when the standby does.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

mkdir "$scratch/run-b"
stack_own "$scratch/run-b"
cp -a "$scratch/pg" "$scratch/pg-b"
cat >>"$scratch/pg-b/postgresql.conf" <<END
primary_conninfo = 'host=$scratch/run user=postgres application_name=other'
END
touch "$scratch/pg-b/standby.signal"
stack_own "$scratch/pg-b"
start_database
first=$stack_pg_pid
stack_pg_start "$scratch/pg-b" "$scratch/run-b" "$scratch/log/postgres-b.log"
second=$stack_pg_pid
stack_pg_pid=$first
more_pids="$second $more_pids"
standby() {
	# shellcheck disable=SC2046 # several
	kill -s "$1" "$second" $(pgrep -P "$second")
}

# Two sessions may be lost beside 4 workers, retention and who asks.
start_pool DATABASE_POOL_MAX=8
start_nginx
wait_ready
admin_token
api_key
TOKEN=
order='{"type":"order.place","subject":{"userId":"u-1"}}'
ask "$order"
is "decided while the standby follows" "$(json .score)" 0

# waiting: how many commits wait for the standby.  sessions: all of the pool.
waiting() {
	sql "select count(*) from pg_stat_activity
	    where application_name like 'assay %' and wait_event = 'SyncRep'"
}
sessions() {
	sql "select count(*) from pg_stat_activity
	    where application_name like 'assay %'"
}
sql "alter system set synchronous_standby_names = 'other'"
sql "select pg_reload_conf()" >/dev/null
# shellcheck disable=SC2317 # stack_until calls it
is_synchronous() {
	[ "$(sql "select sync_state from pg_stat_replication")" = sync ]
}
check "the standby is waited for" stack_until 20 "$second" is_synchronous

standby STOP
most=0
n=0
full='level=error .*database=full why='
until [ "$n" -ge 400 ] || { [ "$n" -ge 40 ] &&
    grep -q "$full" "$scratch/log/pool.log"; }; do
	n=$((n + 1))
	ask "{\"type\":\"order.place\",\"subject\":{\"userId\":\"u-$n\"}}"
	[ "$STATUS" = 200 ] || not_ok "answer $n: $STATUS $BODY"
	now=$(sessions)
	[ "$now" -le "$most" ] || most=$now
done
check "while the standby hangs commits are given up, and wait in the server" \
    test "$(waiting)" -ge 3
check "sessions stay within DATABASE_POOL_MAX: $most" test "$most" -le 8
is "every decision is answered" "$(jq -r 'select(.score == -1) | .verdict' \
    <"$scratch/answers" | sort | uniq -c | tr -s ' \n' ' ')" " $n allow "
check "the log says why no more sessions are opened" grep -q "$full" \
    "$scratch/log/pool.log"
is "others reach the server" "$(sql "select 1")" 1

standby CONT
# shellcheck disable=SC2317 # stack_until calls it
decided() {
	ask "$order"
	[ "$(json '.score >= 0')" = true ]
}
check "the standby goes on: decisions are made again" \
    stack_until 20 "$stack_pool_pid" decided
wait_drained
wait_ready
# shellcheck disable=SC2317 # stack_until calls it
few() {
	[ "$(waiting)" = 0 ] && [ "$(sessions)" -le 5 ]
}
check "only the sessions of the workers are left" stack_until 20 "$stack_pool_pid" few
finish
