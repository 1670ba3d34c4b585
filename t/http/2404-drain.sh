#!/bin/sh
# SPDX-License-Identifier: ISC
# Who drains the spool is killed: in the middle of a commit, after it, and
# between what it did; each record is in the log once.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

start_stack
admin_token
api_key
TOKEN=
login='{"type":"account.login","subject":{"userId":"u-1"}}'
ask "$login"

# The first drainer's server goes on with what it was sent, slowly.  The row of the
# file is there already, or who comes next would wait to insert it.
cluster_psql postgres assay <<'END'
create sequence assay.naps;
grant usage on sequence assay.naps to assay_decide;
create function assay.slow() returns trigger language plpgsql as $$
begin
	if nextval('assay.naps') = 1 then
		perform pg_sleep(1.3);
	end if;
	return new;
end $$;
grant execute on function assay.slow() to assay_decide;
create trigger slow before update on assay.spool_file
    for each row execute function assay.slow();
insert into assay.spool_file (name) values ('one');
END
stop_database
ask "$login"
ask "$login"
ask "$login"
mv "$scratch/spool/active" "$scratch/spool/one.drain"
start_database
# shellcheck disable=SC2317 # called by stack_until
sleeping() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event = 'PgSleep'")" -gt 0 ]
}
check "the spool is being drained" stack_until 10 "$stack_pool_pid" sleeping
shoot_pool
check "and its server goes on without it" sleeping
start_pool
stack_until 10 "$stack_pool_pid" is_drained
wait_drained
logged_once "who comes next waits for it, and logs nothing twice"
wait_ready
ask "$login"

# As a drainer leaves it that is killed after its first transaction, and one
# that is killed after its last.
stop_database
ask "$login"
ask "$login"
ask "$login"
shoot_pool
mv "$scratch/spool/active" "$scratch/spool/half.drain"
head -n 1 "$scratch/spool/half.drain" >"$scratch/spool/whole.drain"
stack_own "$scratch/spool"
start_database
sql "insert into assay.spool_file (name, done) values
    ('half', $(head -n 1 "$scratch/spool/half.drain" | wc -c)),
    ('whole', $(wc -c <"$scratch/spool/whole.drain"))" >/dev/null
jq -c 'select(.score < 0)' <"$scratch/answers" | sed '4d' >"$scratch/kept"
mv "$scratch/kept" "$scratch/answers"
start_pool
wait_drained
logged_once "a drained part is not drained again"
is "drained files are gone" "$(cd "$scratch/spool" && echo ./*)" \
    "./drain.lock ./write.lock"
is "and what was noted of them" "$(sql 'select count(*)
    from assay.spool_file')" 0
finish
