#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion beside sessions that hold a queued event or a user: another
# session deletes an event, locks a user, erases a user.
. "$(dirname "$0")/lib.sh"
use async lock

start_async

# Another session holds the lock of the row or of the user.
decide_later o-5 u-5
decide_later o-6 u-6
lock_until_waited "delete from assay.async_queue where event_id = 'o-5'"
cron decide
wait "$lock_pid"
is "a row that another session deletes is not decided" \
    "$(queued_events) $(sql "select string_agg(
    event_id, ' ') from assay.verdict_log where event_id in ('o-5', 'o-6')")" \
    " o-6"
is "a row that another session deletes is not a failure" \
    "$(last_count failed)" 0

decide_later o-7 u-7
decide_later o-8 u-8
hold_lock "select pg_advisory_xact_lock($(user_lock u-7))"
cron decide
is "a locked user waits and the events of others are decided" \
    "$(queued_events) $(
    decision_of o-8) $(last_count failed)" "o-7 200 o-8 allow 0 0"
release_lock
cron decide
is "a locked user's event is decided after the lock" \
    "$(decision_of o-7)" "200 o-7 allow 0"

# A user is erased before the companion decides, and while it does.
decide_later o-9 u-gone
hold_lock "select assay.erase_identity($(user_lock u-gone), 'u-gone', 1000)"
cron decide
release_lock
cron decide
is "an event of an erased user is not decided" \
    "$(queued_events) $(decision_of o-9)" \
    " 404 NOT_FOUND - -"
cluster_psql postgres assay <<'END'
-- The decision takes until another session waits for its locks.
create function assay.slow() returns trigger language plpgsql security definer
as $$
begin
	for i in 1 .. 200 loop
		perform pg_sleep(0.05), pg_stat_clear_snapshot();
		exit when exists (select from pg_stat_activity
		    where pg_backend_pid() = any(pg_blocking_pids(pid)));
	end loop;
	return new;
end $$;
grant execute on function assay.slow() to assay_companion;
create trigger slow before insert on assay.decision_detail
    for each row when (new.event_id = 'o-10') execute function assay.slow();
END
decide_later o-10 u-going
decide_later o-11 u-going
# The erasure waits at its guard until the decision has begun.  From then on only
# sessions of the server wait for each other, so no statement times out.
hold_lock_until "select pg_advisory_xact_lock_shared(assay.erasure_guard())" \
    "application_name = 'assay cron' and wait_event = 'PgSleep'"
{
	stack_until 20 "$lock_pid" lock_waits "locktype = 'advisory'"
	cron decide
} &
decide_pid=$!
TOKEN=$admin
http POST /v1/privacy/erase '{"userId":"u-going"}'
TOKEN=
wait "$decide_pid" "$lock_pid"
is "an erasure waits for the decision and removes what it stored" \
    "$STATUS $(json \
    '"\(.replaySamplesRemoved) \(.baseline)"') $(queued_events)" "200 1 true "
is "an erasure removes the queued events of the user" \
    "$(sql "select string_agg(event_id, ' ')
    from assay.verdict_log where event_id in ('o-10', 'o-11')") $(sql "select
    count(*) from assay.user_state where user_id = 'u-going'")" "o-10 0"
finish
