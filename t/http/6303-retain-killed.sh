#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion's sweep when it is killed, stopped, ended or loses its database;
# the next sweep finishes.  Then vacuum.
. "$(dirname "$0")/lib.sh"
use load past retain

# statement_waits LIKE: a statement like that waits for a lock.
# shellcheck disable=SC2317 # called by name
statement_waits() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event_type = 'Lock' and query like '%$1%'")" -ge 1 ]
}

# kill_at LIKE: start a sweep and kill it while a statement like that waits.
kill_at() {
	start_cron retain
	stack_until 10 "$stack_cron_pid" statement_waits "$1" ||
	    not_ok "a sweep waits at $1"
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	stack_until 10 0 companion_gone
	release_lock
}

# The server has ended the sessions of the killed companion.
# shellcheck disable=SC2317 # called by name
companion_gone() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where application_name = 'assay cron'")" = 0 ]
}

# shellcheck disable=SC2317 # called by name
sweep_done() {
	[ "$(sql "select finished_at > started_at from assay.retention_sweep")" = t ]
}

# shellcheck disable=SC2317 # called by name
batch_sleeps() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event = 'PgSleep' and query like '%retention_batch%'")" = 1 ]
}

start_signed_in
# A sweep gives a lock up after 0.1 to 0.5 seconds, before this test has seen that it waits.
sql "alter function assay.retention_batch set lock_timeout = '5s';
    alter function assay.retention_month set lock_timeout = '5s'" >/dev/null

make_past
hold_lock "select from assay.idempotency where key = 'old-4000' for update"
kill_at retention_batch
hold_lock "select from assay.decision_detail order by decided_at limit 1"
kill_at retention_month
hold_lock "select from assay.decision_detail where verdict_id = 'vd_1081' for update"
start_cron "retain --for 10m" 8>&-
stack_until 20 "$stack_cron_pid" statement_waits retention_batch
stack_end "$stack_pg_pid" QUIT
exec 8>&-
wait "$lock_pid"
start_database
check "a sweep finishes after the server was killed" \
    stack_until 30 "$stack_cron_pid" sweep_done
stop_cron
is "nothing is lost or left after all kills" "$(rows_left)" "$want"

# A stopped companion does not block the other hosts.
make_past
hold_lock "select from assay.idempotency where key = 'old-4000' for update"
start_cron "retain --for 10m" 8>&-
lost=$stack_cron_pid
stack_until 10 "$lost" statement_waits retention_batch
kill -s STOP "$lost"
release_lock
start_cron "retain --for 10m"
check "another host sweeps while one hangs" \
    stack_until 30 "$stack_cron_pid" sweep_done
is "the other host removes everything that is due" "$(rows_left)" "$want"
kill -s CONT "$lost"
stop_cron
stack_end "$lost" TERM

# TERM ends a sweep; the server cancels its statement.
sql "update assay.retention_sweep set finished_at = null;
    insert into assay.idempotency values ('old-x', 'v', 'e',
	now() - interval '8 days');
    delete from assay.retention_watermark where collection = 'idempotency';
    create function public.slowly() returns trigger language plpgsql as
	'begin perform pg_sleep(60); return old; end';
    create trigger slowly before delete on assay.idempotency for each row
	when (old.key = 'old-x') execute function public.slowly()"
start_cron "retain --for 10m"
stack_until 10 "$stack_cron_pid" batch_sleeps
kill -s TERM "$stack_cron_pid"
check "TERM ends a sweep in the middle of a batch" \
    stack_until 10 0 stack_gone "$stack_cron_pid"
ended=0
wait "$stack_cron_pid" || ended=$?
is "the ended sweep exits 0 and counts only committed rows" \
    "$ended $(sweep_counts)" \
    "0 0 0 0 0 0 0"
post_later run /v1/config/retention/run '' -H "Authorization: Bearer $TOKEN"
stack_until 10 0 batch_sleeps
stop_pool
await_answer run
is "stopping the pool ends an operator's sweep" \
    "$STATUS $(json '.pruned.idempotency')" "200 0"
start_pool
wait_ready
is "the ended sweep of the operator is in the audit trail" \
    "$(sql "select status from assay.audit
    where action like '%retention/run' order by at desc limit 1")" 200
sql "drop trigger slowly on assay.idempotency"
cron retain
is "the next sweep removes what the ended ones left" \
    "$(sweep_counts)" "0 0 0 1 0 0"

# Which months lost a part of their rows that autovacuum sees depends on the hour; the
# keys always do.
# shellcheck disable=SC2317 # called by name
tables_vacuumed() {
	[ "$(sql "select bool_and(autovacuum_count > 0),
	    bool_or(relname = 'idempotency')
	    from pg_stat_user_tables
	    where n_tup_del > current_setting('autovacuum_vacuum_threshold')::bigint
		and relname ~ '^(decision_detail|idempotency|verdict_log)'")" = "t|t" ]
}

# RETENTION_VACUUM lets autovacuum see the removed rows.
make_past
size=$(sql "select pg_relation_size('assay.idempotency')")
sql "select pg_stat_reset()" >/dev/null
change_setting autovacuum_naptime 1s
check "a sweep with RETENTION_VACUUM exits 0" cron retain RETENTION_VACUUM=true
check "autovacuum vacuums the months and the keys that lost rows" \
    stack_until 60 "$stack_pg_pid" tables_vacuumed
is "the table of idempotency keys shrinks" "$(sql "select
    pg_relation_size('assay.idempotency') < $size / 2")" t
change_setting autovacuum off
sql "update assay.retention_sweep set finished_at = null"
cron retain RETENTION_VACUUM=true
check "the log warns when autovacuum is off" grep -q \
    'event=vacuum_skipped why="RETENTION_VACUUM' "$scratch/log/cron.log"
is "the sweep without autovacuum removes everything that is due" \
    "$(rows_left)" "$want"
finish
