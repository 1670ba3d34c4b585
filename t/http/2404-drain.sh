#!/bin/sh
# SPDX-License-Identifier: ISC
# The worker that drains the spool is killed during a commit, after it, or between
# two of its steps: each record is in the log once.
. "$(dirname "$0")/lib.sh"
use away

start_with_key
login='{"type":"account.login","subject":{"userId":"u-1"}}'
ask_decision "$login"

# The session of the first drain sleeps until the worker is killed, and a while longer,
# even when its statement has timed out.  The file's row exists already, or the next
# drain would wait to insert it.
cluster_psql postgres assay <<'END'
create sequence assay.naps;
grant usage on sequence assay.naps to assay_decide;
create table assay.killed (at timestamptz);
grant select on assay.killed to assay_decide;
create function assay.slow() returns trigger language plpgsql as $$
begin
	if nextval('assay.naps') = 1 then
		loop
			begin
				exit when exists (select from assay.killed);
				perform pg_sleep(0.1);
			exception when query_canceled then
				null;
			end;
		end loop;
		perform pg_sleep(0.5);
	end if;
	return new;
end $$;
grant execute on function assay.slow() to assay_decide;
create trigger slow before update on assay.spool_file
    for each row execute function assay.slow();
insert into assay.spool_file (name) values ('one');
END
stop_database
ask_decision "$login"
ask_decision "$login"
ask_decision "$login"
mv "$scratch/spool/active" "$scratch/spool/one.drain"
start_database
# shellcheck disable=SC2317 # called by stack_until
session_sleeps() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event = 'PgSleep'")" -gt 0 ]
}
check "a worker drains the spool" \
    stack_until 10 "$stack_pool_pid" session_sleeps
kill_pool
check "the killed worker's session continues" session_sleeps
sql "insert into assay.killed values (now())"
start_pool
stack_until 10 "$stack_pool_pid" is_drained
wait_drained
answers_logged_once "the next drain logs no record twice"
wait_ready
wait_loaded
ask_decision "$login"

# One file as a drain killed after its first transaction leaves it, and one as a
# drain killed after its last.
stop_database
ask_decision "$login"
ask_decision "$login"
ask_decision "$login"
kill_pool
mv "$scratch/spool/active" "$scratch/spool/half.drain"
head -n 1 "$scratch/spool/half.drain" >"$scratch/spool/whole.drain"
stack_own "$scratch/spool"
start_database
sql "insert into assay.spool_file (name, drained) values
    ('half', $(head -n 1 "$scratch/spool/half.drain" | wc -c)),
    ('whole', $(wc -c <"$scratch/spool/whole.drain"))" >/dev/null
jq -c 'select(.score < 0)' <"$scratch/answers" | sed '4d' >"$scratch/kept"
mv "$scratch/kept" "$scratch/answers"
start_pool
wait_drained
answers_logged_once "a drained part of a file is not drained again"
is "drained files are removed" "$(cd "$scratch/spool" && echo ./*)" \
    "./drain.lock ./write.lock"
is "the rows about drained files are removed" "$(sql 'select count(*)
    from assay.spool_file')" 0
finish
