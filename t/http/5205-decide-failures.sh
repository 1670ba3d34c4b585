#!/bin/sh
# SPDX-License-Identifier: ISC
# Events that the companion cannot decide: it retries them, then degrades them as
# the policy says; without a database it waits.
. "$(dirname "$0")/lib.sh"
use async metrics

start_async
TOKEN=$admin
review_payments
TOKEN=

# A failed event is tried again later; the later events of its user wait.
cluster_psql postgres assay <<'END'
create function assay.poison() returns trigger language plpgsql as $$
begin
	if new.user_id = 'u-poison' then
		raise exception 'poison' using errcode = '22012';
	end if;
	return new;
end $$;
grant execute on function assay.poison() to assay_companion;
create trigger poison before insert or update on assay.user_state
    for each row execute function assay.poison();
create function assay.slow() returns trigger language plpgsql as $$
begin
	perform pg_sleep(9);
	return new;
end $$;
grant execute on function assay.slow() to assay_companion;
create trigger slow before insert on assay.decision_detail
    for each row when (new.event_id = 'o-slow') execute function assay.slow();
-- A pause ends when this test says so, however slow the machine is.
create function assay.pause() returns trigger language plpgsql as $$
begin
	new.not_before := new.not_before + interval '1 hour';
	return new;
end $$;
grant execute on function assay.pause() to assay_companion;
create trigger pause before update on assay.async_queue for each row
    when (new.not_before > clock_timestamp()) execute function assay.pause();
END
# end_pauses: make every queued event due.
end_pauses() {
	sql "update assay.async_queue set not_before = now()"
}
decide_later p-1 u-poison
decide_later p-2 u-poison
decide_later o-12 u-12
decide_later o-slow u-slow
cron decide
is "a failed event stays in the queue and others are decided" \
    "$(queued_events) $(
    decision_of o-12) $(last_count failed)" "p-1 p-2 o-slow 200 o-12 review 0 2"
is "a failed event is tried again later" \
    "$(sql "select attempts, not_before > now()
    from assay.async_queue where event_id = 'p-1'")" "1|t"
cron decide
is "a failed event is not tried before its time" "$(last_count failed)" 0
check "the log has the reason of the failure" \
    grep -q 'level=warn .*req=cor-p-1 event=queued_event_failed tries=1 code=INTERNAL why="database error 22012' "$log"
sql "delete from assay.async_queue where event_id = 'o-slow'"
for _ in 2 3 4 5 6 7; do
	end_pauses
	cron decide
done
is "an event that fails seven times has no decision" \
    "$(sql "select attempts from assay.async_queue
    where event_id = 'p-1'") $(decision_of p-1)" "7 404 NOT_FOUND - -"
end_pauses
cron decide
is "an event that fails eight times gets the verdict of onError" \
    "$(decision_of p-1) $(sql "select
    reasons from assay.verdict_log where event_id = 'p-1'")" \
    '200 p-1 deny -1 [{"tag":"engine.degraded","points":0}]'
is "the next event of the user is tried then" \
    "$(queued_events) $(sql "select attempts
    from assay.async_queue")" "p-2 1"
check "the log has the degraded decision and its reason" \
    grep -q 'level=error .*req=cor-p-1 event=decision_degraded log=database code=INTERNAL why="database error 22012' "$log"
metric_becomes "a degraded decision of the queue has a metric of its own" \
    'engine_async_decisions_total{verdict="deny"}' 1
is "a degraded decision of the queue degrades no host" \
    "$(metric engine_degraded_total) $(metric \
    'engine_decisions_total{verdict="deny",cached="false"}')" "0 0"
sql "drop trigger poison on assay.user_state"
end_pauses
cron decide
is "an event is decided when the failure ends" \
    "$(decision_of p-2)" "200 p-2 review 0"

# Rows that this version cannot parse.
for row in "m-1 {" 'm-2 {"id":"m-2","type":"order.place"}' \
    'm-3 {"id":"o-1","type":"order.place","subject":{"userId":"u-m-3"}}' \
    'm-4 {"id":"m-4","type":"order.place","subject":{"userId":"u-1"}}'; do
	sql "insert into assay.async_queue (event_id, user_id, event,
	    correlation_id) values ('${row%% *}', 'u-${row%% *}', '${row#* }',
	    'cor-m')"
done
decide_later m-5 u-m-2
cron decide
is "a row that cannot be parsed waits and delays its user" \
    "$(last_count failed) $(decision_of m-5)" "4 404 NOT_FOUND - -"
sql "update assay.async_queue set attempts = 7, not_before = now()
    where event_id <> 'm-5'"
cron decide
is "a row that cannot be parsed is removed without a decision" \
    "$(queued_events) $(last_count unreadable) $(
    decision_of m-1) $(decision_of m-5)" " 4 404 NOT_FOUND - - 200 m-5 review 0"
check "the log has the row that could not be parsed" \
    grep -q 'level=error .*req=cor-m event=queued_event_removed number=[0-9]* where=subject why="is required"' "$log"

# Without a database no event is degraded and no attempt counted.
decide_later o-13 u-13
start_cron "decide --for 10m"
stop_database
check "the companion waits for the database" stack_until 10 "$stack_cron_pid" \
    grep -q 'job=decide .*event=job_database_lost' "$log"
start_database
check "the companion decides when the database is back" \
    stack_until 20 "$stack_cron_pid" \
    grep -q 'req=cor-o-13 event=queued_event_decided' "$log"
stop_cron
wait_ready
is "an event that waited for the database is decided undegraded" \
    "$(decision_of o-13)" "200 o-13 review 0"
finish
