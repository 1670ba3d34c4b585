#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion's retention: a sweep when one is due, over all hosts one at a
# time, that may be ended and killed anywhere, the database under it, too.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"
# shellcheck source=t/http/past.sh
. "$(dirname "$0")/past.sh"

# did: what the last run of the companion says that it removed and made.
did() {
	sed -n 's/.*run=done seconds=[0-9.]* //p' "$scratch/log/cron.log" |
	    tail -n 1 | sed 's/[a-z_]*=//g'
}

# The past as it was, with sweeps as they may come.
again() {
	sql "truncate assay.verdict_log, assay.detail, assay.idempotency,
	    assay.dead_letter, assay.label, assay.retention_mark;
	    update assay.retention_sweep set began_at = '-infinity',
		done_at = '-infinity'"
	history
}

# waits LIKE: somebody's statement like that waits for a lock.
# shellcheck disable=SC2317 # called by name
waits() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event_type = 'Lock' and query like '%$1%'")" -ge 1 ]
}

# killed_at LIKE: start a run, which is killed while it waits there.
killed_at() {
	start_cron retain
	stack_until 10 "$stack_cron_pid" waits "$1" || not_ok "waits at $1"
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	stack_until 10 0 has_left
	release
}

# The server notices that a client was killed.
# shellcheck disable=SC2317 # called by name
has_left() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where application_name = 'assay cron'")" = 0 ]
}

# shellcheck disable=SC2317 # called by name
swept() {
	[ "$(sql "select done_at > began_at from assay.retention_sweep")" = t ]
}

# shellcheck disable=SC2317 # called by name
sleeps() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event = 'PgSleep' and query like '%retention_batch%'")" = 1 ]
}

# shellcheck disable=SC2317 # called by name
# metric_is NAME VALUE: it may take a while until it is shown.
metric_is() {
	[ "$(metric "$1")" = "$2" ]
}

want="4380|1080|864|1080|84|30|365"

start_stack
admin_token
api_key
history
check "the first sweep is due" cron retain
is "what is older than the windows is gone" "$(left)" "$want"
is "and was counted" "$(did)" "620 3920 3136 4916 30 0"
check "also by the metrics" stack_until 15 0 metric_is \
    'engine_retention_pruned_total{collection="idempotency"}' 4916
http PUT /v1/config/retention '{"activity":30}'
cron retain
is "the next one is not due" "$(did) $(left)" "0 0 0 0 0 0 $want"
sql "update assay.retention_sweep set began_at = began_at - interval '61 min'"
cron retain
is "in an hour it is, by the windows of then" "$(did)" "0 720 0 0 0 0"
http PUT /v1/config/retention '{"activity":20}'
http POST /v1/config/retention/run
is_json "an operator's run" .pruned.activity 120
http PUT /v1/config/retention '{"activity":10}'
cron retain
is "counts too" "$(did)" "0 0 0 0 0 0"
cron retain RETENTION_SWEEP_MINUTES=1
is "and so it does with another interval" "$(did)" "0 0 0 0 0 0"
sql "update assay.retention_sweep set done_at = null"
cron retain
is "what was cut short is due" "$(did)" "0 120 0 0 0 0"
sql "update assay.retention_sweep set began_at = now() + interval '1 year'"
http PUT /v1/config/retention '{"activity":5}'
cron retain
is "so is it when the clock was set back" "$(did)" "0 60 0 0 0 0"
http PUT /v1/config/retention '{"activity":null}'

# One at a time.
hold "select pg_advisory_xact_lock(hashtextextended('assay.retain', 0))"
sql "update assay.retention_sweep set done_at = null"
check "while another host sweeps there is nothing to do" cron retain
http POST /v1/config/retention/run
is_error "and nothing to order" 503 UNAVAILABLE
release
start_cron "retain --for 2s"
first=$stack_cron_pid
cron "retain --for 2s"
wait "$first"
is "of two companions one swept" "$(grep -c sweep=done \
    "$scratch/log/cron.log")" 5

# Months ahead.
sql "do \$\$ begin
	execute 'drop table ' || (select string_agg(oid::regclass::text, ',')
	    from pg_class where relname in (
		to_char(now() + '24 months', '\"verdict_log_\"YYYYMM'),
		to_char(now() + '23 months', '\"detail_\"YYYYMM'),
		to_char(now() + '24 months', '\"detail_\"YYYYMM')));
    end \$\$"
check "how many months are left is a metric" stack_until 15 0 metric_is \
    engine_partition_months_ahead 22
cron retain
is "months are made ahead" "$(did) $(sql "select assay.partitions_left()")" \
    "0 0 0 0 0 3 24"

# What is killed in the middle is taken up where it was.
again
hold "select from assay.idempotency where key = 'old-4000' for update"
killed_at retention_batch
hold "select from assay.detail order by decided_at limit 1"
killed_at retention_month
hold "select from assay.detail where verdict_id = 'vd_1081' for update"
start_cron "retain --for 10m" 7>&-
stack_until 20 "$stack_cron_pid" waits retention_batch
stack_end "$stack_pg_pid" QUIT
release 2>/dev/null
start_database
check "so is it when the database is" stack_until 30 "$stack_cron_pid" swept
stop_cron
is "all is as if nobody had been killed" "$(left)" "$want"

# Who is lost in the middle, without a word, does not stop the others.
again
hold "select from assay.idempotency where key = 'old-4000' for update"
start_cron "retain --for 10m" 7>&-
lost=$stack_cron_pid
stack_until 10 "$lost" waits retention_batch
kill -s STOP "$lost"
release
start_cron "retain --for 10m"
check "another host sweeps" stack_until 30 "$stack_cron_pid" swept
is "all of it" "$(left)" "$want"
kill -s CONT "$lost"
stop_cron
stack_end "$lost" TERM

# What must end, ends; a statement that takes long is cancelled.
sql "update assay.retention_sweep set done_at = null;
    insert into assay.idempotency values ('old-x', 'v', 'e',
	now() - interval '8 days');
    delete from assay.retention_mark where collection = 'idempotency';
    create function public.slowly() returns trigger language plpgsql as
	'begin perform pg_sleep(60); return old; end';
    create trigger slowly before delete on assay.idempotency for each row
	when (old.key = 'old-x') execute function public.slowly()"
start_cron "retain --for 10m"
stack_until 10 "$stack_cron_pid" sleeps
kill -s TERM "$stack_cron_pid"
check "TERM ends a sweep in the middle of a batch" \
    stack_until 10 0 stack_gone "$stack_cron_pid"
ended=0
wait "$stack_cron_pid" || ended=$?
is "well, and nothing is counted that was not done" "$ended $(did)" \
    "0 0 0 0 0 0 0"
later run /v1/config/retention/run '' -H "Authorization: Bearer $TOKEN"
stack_until 10 0 sleeps
stop_pool
now run
is "a pool that is stopped ends an operator's" \
    "$STATUS $(json '.pruned.idempotency')" "200 0"
start_pool
wait_ready
is "which is in the trail" "$(sql "select status from assay.audit
    where action like '%retention/run' order by at desc limit 1")" 200
sql "drop trigger slowly on assay.idempotency"
cron retain
is "the next sweep goes on" "$(did)" "0 0 0 1 0 0"

# shellcheck disable=SC2317 # called by name
vacuumed() {
	[ "$(sql "select string_agg(distinct
		regexp_replace(relname, '_[0-9]+', ''), ' ')
	    from pg_stat_user_tables where autovacuum_count > 0
		and relname ~ '^(detail|idempotency|verdict_log)'")" = \
	    "detail idempotency verdict_log" ]
}

# Vacuum, by the server.
again
size=$(sql "select pg_relation_size('assay.idempotency')")
sql "select pg_stat_reset()" >/dev/null
sql "alter system set autovacuum_naptime = 1"
sql "select pg_reload_conf()" >/dev/null
check "with vacuum" cron retain RETENTION_VACUUM=true
check "months and keys that lost rows are vacuumed" \
    stack_until 60 "$stack_pg_pid" vacuumed
is "the keys take less room" "$(sql "select
    pg_relation_size('assay.idempotency') < $size / 2")" t
sql "alter system set autovacuum = off"
sql "select pg_reload_conf()" >/dev/null
sql "update assay.retention_sweep set done_at = null"
cron retain RETENTION_VACUUM=true
check "without an autovacuum the log says so" grep -q \
    'vacuum=off why="RETENTION_VACUUM' "$scratch/log/cron.log"
is "all is done" "$(left)" "$want"
finish
