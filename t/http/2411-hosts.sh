#!/bin/sh
# SPDX-License-Identifier: ISC
# Two servers in one connection string: one that is silent, gone or read-only
# costs no decision for long, and the programs go on with the other.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

# The second server, a standby that streams from the first.
mkdir "$scratch/run-b"
stack_own "$scratch/run-b"
cp -a "$scratch/pg" "$scratch/pg-b"
cat >>"$scratch/pg-b/postgresql.conf" <<END
primary_conninfo = 'host=$scratch/run user=postgres'
END
touch "$scratch/pg-b/standby.signal"
stack_own "$scratch/pg-b"
# A long queue: what dials a silent server is to wait, and not be refused.
start_database -c max_connections=500
first=$stack_pg_pid
start_second() {
	stack_pg_start "$scratch/pg-b" "$scratch/run-b" \
	    "$scratch/log/postgres-b.log" -c max_connections=500
	second=$stack_pg_pid
	stack_pg_pid=$first
}
start_second
more_pids="$second $more_pids"

# on_second QUERY: as sql does on the first.
on_second() {
	"$(stack_pg_bin)/psql" -X -q -At -v ON_ERROR_STOP=1 \
	    -h "$scratch/run-b" -U postgres -d assay -c "$1"
}

# url ROLE
url() {
	echo "host=$scratch/run,$scratch/run-b dbname=assay user=$1"
}

# with_hosts COMMAND [ARGUMENT]: the pool or the companion, with both servers.
with_hosts() {
	"$@" DATABASE_URL="$(url assay_decide)" \
	    OPERATOR_DATABASE_URL="$(url assay_operator)" \
	    COMPANION_DATABASE_URL="$(url assay_companion)" \
	    RETAIN_DATABASE_URL="$(url assay_retain)"
}

# first_server SIGNAL
first_server() {
	# shellcheck disable=SC2046 # several
	kill -s "$1" "$first" $(pgrep -P "$first")
}

order='{"type":"order.place","subject":{"userId":"u-1"}}'
# shellcheck disable=SC2317 # stack_until calls it
decided() {
	ask "$order"
	[ "$(json '.score >= 0')" = true ]
}
# sessions NAME: how many of this application the second server has.
sessions() {
	on_second "select count(*) from pg_stat_activity
	    where application_name = '$1'"
}
# shellcheck disable=SC2317 # stack_until calls it
companion_there() {
	[ "$(sessions 'assay cron')" -gt 0 ]
}
# shellcheck disable=SC2317 # stack_until calls it
streams() {
	[ "$(sql "select count(*) from pg_stat_replication
	    where state = 'streaming' and replay_lsn >=
		pg_current_wal_flush_lsn()")" = 1 ]
}

with_hosts start_pool
start_nginx
wait_ready
with_hosts start_cron "work --for 10m"
admin_token
api_key
ask "$order"
is "decided by the first server" "$(json .score) $(sessions 'assay decide')" "0 0"
workers=$(pgrep -P "$stack_pool_pid" | sort)
check "the standby has all" stack_until 20 "$second" streams

# The first falls silent, as if its machine had lost power or network.
first_server STOP
ask "$order"
is "while the other is a standby, decisions are degraded" "$(brief)" \
    "200 allow -1 engine.degraded"
on_second "select pg_promote()" >/dev/null
check "the first server is silent: decisions go to the second" \
    stack_until 20 "$stack_pool_pid" decided
is "by the same workers" "$(pgrep -P "$stack_pool_pid" | sort)" "$workers"
check "it is the second that has them" test "$(sessions 'assay decide')" -gt 0
check "the pool is ready" stack_until 20 "$stack_pool_pid" is_ready
http GET "/v1/verdicts?limit=1"
is "operators are answered" "$STATUS" 200
check "the companion goes on there" stack_until 30 "$stack_cron_pid" \
    companion_there
check "the log says which server is silent" grep -q \
    "level=error .*database=away host=$scratch/run port=5432 dbname=assay user=assay_decide kind=timeout " \
    "$scratch/log/pool.log"
wait_drained

# It comes back, with what it had: nobody returns to it.
before=$(on_second "select count(*) from assay.verdict_log")
first_server CONT
ask "$order"
ask "$order"
ask "$order"
is "the first server speaks again: decisions stay where they are" \
    "$(on_second "select count(*) from assay.verdict_log")" $((before + 3))

# It refuses, from the very beginning of a pool.
stop_cron
stop_pool
stop_database
: >"$scratch/log/pool.log"
with_hosts start_pool
wait_ready
ask "$order"
is "nothing listens at the first: decisions go to the second" \
    "$(json '.score >= 0')" true
check "the log says what is wrong with the first" grep -q \
    "database=away host=$scratch/run .*kind=refused " \
    "$scratch/log/pool.log"

# It is read-only, as a standby is.
stop_pool
start_database -c default_transaction_read_only=on
first=$stack_pg_pid
with_hosts start_pool
wait_ready
ask "$order"
is "the first is read-only: decisions go to the second" \
    "$(json '.score >= 0') $(sql "select count(*) from pg_stat_activity
	where application_name = 'assay decide'")" "true 0"
check "the log says so" grep -q \
    "database=away host=$scratch/run .*kind=readonly " "$scratch/log/pool.log"

# They change places under sessions that are open.
stop_database
start_database
first=$stack_pg_pid
on_second "alter system set default_transaction_read_only = on"
on_second "select pg_reload_conf()" >/dev/null
check "the second turns read-only: decisions go to the first" \
    stack_until 20 "$stack_pool_pid" decided
check "it is the first that has them" test "$(sql "select count(*)
    from pg_stat_activity where application_name = 'assay decide'")" -gt 0
finish
