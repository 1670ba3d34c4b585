#!/bin/sh
# SPDX-License-Identifier: ISC
# Two servers in one connection string: if the first is silent, gone or read-only,
# the programs soon continue with the other.
. "$(dirname "$0")/lib.sh"
use away standby

# Many sessions: a connection to the silent server waits and is not refused.
start_servers standby -c max_connections=500

order='{"type":"order.place","subject":{"userId":"u-1"}}'
# standby_sessions APPLICATION: how many of its sessions the second server has.
standby_sessions() {
	standby_sql "select count(*) from pg_stat_activity
	    where application_name = '$1'"
}
# shellcheck disable=SC2317 # stack_until calls it
companion_on_standby() {
	[ "$(standby_sessions 'assay cron')" -gt 0 ]
}
# shellcheck disable=SC2317 # stack_until calls it
standby_follows() {
	[ "$(sql "select count(*) from pg_stat_replication
	    where state = 'streaming' and replay_lsn >=
		pg_current_wal_flush_lsn()")" = 1 ]
}

with_urls servers_url start_pool
start_nginx
wait_ready
with_urls servers_url start_cron "work --for 10m"
admin_token
api_key
ask_decision "$order"
is "the first server has the first decision" \
    "$(json .score) $(standby_sessions 'assay decide')" "0 0"
workers=$(pgrep -P "$stack_pool_pid" | sort)
check "the standby has everything of the first server" \
    stack_until 20 "$standby_pid" standby_follows

# The first server falls silent, as if its machine had lost power or network.
signal_processes "$primary_pid" STOP
ask_decision "$order"
is "while the other server is a standby decisions are degraded" \
    "$(brief_answer)" \
    "200 allow -1 engine.degraded"
standby_sql "select pg_promote()" >/dev/null
check "when the first server is silent decisions go to the second" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
is "the same workers use the second server" \
    "$(pgrep -P "$stack_pool_pid" | sort)" "$workers"
check "the second server has the sessions of the workers" \
    test "$(standby_sessions 'assay decide')" -gt 0
check "the pool is ready on the second server" \
    stack_until 20 "$stack_pool_pid" is_ready
http GET "/v1/verdicts?limit=1"
is "operators are answered from the second server" "$STATUS" 200
check "the companion continues on the second server" \
    stack_until 30 "$stack_cron_pid" companion_on_standby
check "the log names the server that is silent" grep -q \
    "level=error .*event=database_connect_failed host=$scratch/run port=5432 dbname=assay user=assay_decide kind=timeout " \
    "$scratch/log/pool.log"
wait_drained

# The first server comes back with its old data; the workers stay where they are.
before=$(standby_sql "select count(*) from assay.verdict_log")
signal_processes "$primary_pid" CONT
ask_decision "$order"
ask_decision "$order"
ask_decision "$order"
is "decisions stay on the second server when the first returns" \
    "$(standby_sql "select count(*) from assay.verdict_log")" $((before + 3))

# The first server is down when the pool starts.
stop_cron
stop_pool
stop_database
: >"$scratch/log/pool.log"
with_urls servers_url start_pool
wait_ready
ask_decision "$order"
is "when the first server refuses decisions go to the second" \
    "$(json '.score >= 0')" true
check "the log says that the first server refuses" grep -q \
    "event=database_connect_failed host=$scratch/run .*kind=refused " \
    "$scratch/log/pool.log"

# The first server is read-only, as a standby is.
stop_pool
start_database -c default_transaction_read_only=on
primary_pid=$stack_pg_pid
with_urls servers_url start_pool
wait_ready
ask_decision "$order"
is "when the first server is read-only decisions go to the second" \
    "$(json '.score >= 0') $(sql "select count(*) from pg_stat_activity
	where application_name = 'assay decide'")" "true 0"
check "a server that may be a standby is no error" \
    sh -c "! grep -q kind=readonly '$scratch/log/pool.log'"

# The servers change roles while sessions are open.  The first server has been
# promoted too: else it would be a former primary.
stop_database
touch "$scratch/pg/standby.signal"
start_database
primary_pid=$stack_pg_pid
sql "select pg_promote()" >/dev/null
standby_sql "alter system set default_transaction_read_only = on"
standby_sql "select pg_reload_conf()" >/dev/null
# shellcheck disable=SC2317 # called by name
standby_is_readonly() {
	[ "$(standby_sql "show default_transaction_read_only")" = on ]
}
stack_until 20 "$stack_pool_pid" standby_is_readonly
check "when the second server turns read-only decisions go to the first" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
check "the first server has the sessions of the workers" \
    test "$(sql "select count(*)
    from pg_stat_activity where application_name = 'assay decide'")" -gt 0
finish
