#!/bin/sh
# SPDX-License-Identifier: ISC
# assay-cron project --rebuild counts the log again while others count, even if
# it is killed, and keeps the counts of what retention removed.
. "$(dirname "$0")/lib.sh"
use tally

start_signed_in
month=$(sql "select date_trunc('month', now() at time zone 'UTC')::date
    + interval '1 month'" | cut -c 1-10)

# log_days NAME DAYS ROWS: store ROWS decisions per day for DAYS days from the first
# of next month, a tenth of them at one moment, in one transaction.
log_days() {
	sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
		verdict, score, reasons, policy_id, policy_version,
		correlation_id)
	    select (timestamp '$month' + interval '1 day' * d
		    + interval '1 second' * greatest(r, $3 / 10)) at time zone 'UTC',
		'vd_$1_' || d || '_' || r, '$1-' || r, 'order.place',
		(array['allow', 'challenge', 'review', 'deny'])[1 + r % 4],
		r % 102 - 1, '[{\"tag\":\"t-' || r % 5 || '\",\"points\":3}]',
		'p', 'v', 'c'
	    from generate_series(0, $2 - 1) d, generate_series(1, $3) r"
}

log_days first 3 7000
sql "insert into assay.label (event_id, chargeback)
    select 'first-' || n, 'fraud' from generate_series(1, 30) n;
    insert into assay.label (event_id, analyst)
    select 'never-' || n, 'legit' from generate_series(1, 4) n;
    insert into assay.review_case (id, event_id, verdict_id, queue, score,
	opened_at) select 'cse_' || n, 'first-' || n, 'v', 'q', 50, now()
    from generate_series(1, 9) n;
    update assay.review_case set status = 'resolved', outcome = 'fraud'"
check "a transaction of 21000 decisions is counted" cron "project"
is "the counts agree with the log" "$(miscounted)" ""
check "the run logs 21000 decisions" \
    grep -q 'event=run_ended .*decisions=21000 ' "$scratch/log/cron.log"
is "a projection of 100 rows stops there" "$(sql "update assay.analytics_cursor
    set next_xid = 0, last_id = ''; begin;
    select counted, more from assay.analytics_project(100); rollback;
    update assay.analytics_cursor set next_xid = pg_current_xact_id()::text::bigint" |
    grep .)" "100|t"

# spoil_counts: make the counts wrong.
spoil_counts() {
	sql "update assay.analytics_count set n = n + 7 where day = '$month';
	    delete from assay.analytics_count where day = date '$month' + 1;
	    insert into assay.analytics_count (kind, day, name, n)
	    values ('tag', date '$month' + 1, 'nonsense', 9);
	    update assay.analytics_total set n = n * 2 where kind <> 'removed'"
}
spoil_counts
check "the recount finds the wrong counts" test -n "$(miscounted)"
check "a rebuild exits 0" cron "project --rebuild"
is "the counts agree with the log after a rebuild" "$(miscounted)" ""
check "the run logs 21000 rebuilt decisions" \
    grep -q 'event=run_ended .*rebuilt=21000 ' "$scratch/log/cron.log"
http GET /v1/analytics/summary
is_json "the summary is right after a rebuild" \
    '[.totals.decisions, .topTags."t-0", .cases.fraud,
    .labels.chargeback, (.topTags | has("nonsense"))] | tojson' \
    '[21000,4200,9,30,false]'

# Killed in the middle of a day: other projections count new decisions, and the
# next run finishes the rebuild.
spoil_counts
sql "select from assay.analytics_rebuild_begin();
    select from assay.analytics_rebuild(1000)"
sql "update assay.analytics_rebuild set day = '$month',
	counted_until = timestamp '$month' at time zone 'UTC'"
sql "select from assay.analytics_rebuild(1000)"
is "an incomplete rebuild has counted a part of a day" "$(sql "select sum(n) > 0
    from assay.analytics_rebuild_count where kind = 'verdict'")" t
log_days second 3 500
sql "select from assay.analytics_project(100000)"
sql "begin; select from assay.analytics_rebuild(10000); rollback"
check "the next run continues the rebuild without the option" cron "project"
is "the counts agree when the rebuild is finished" "$(miscounted)" ""
is "a finished rebuild leaves no rows behind" "$(sql "select (select count(*)
    from assay.analytics_rebuild), (select count(*) from assay.analytics_rebuild_count)")" \
    "0|0"
n=0
spoil_counts
while [ "$n" -lt 6 ]; do
	start_cron "project --rebuild"
	sleep "0.$((n % 3 + 1))"
	kill -s KILL "$stack_cron_pid" 2>/dev/null
	wait "$stack_cron_pid" 2>/dev/null
	log_days "k$n" 2 300
	n=$((n + 1))
done

# Two rebuilds at once, and a companion that counts.
start_cron "project --for 10m"
counting=$stack_cron_pid
start_cron "project --rebuild"
one=$stack_cron_pid
start_cron "project --rebuild"
two=$stack_cron_pid
log_days during 2 900
ended=0
wait "$one" || ended=$?
wait "$two" || ended=$((ended + $?))
is "two rebuilds at once both exit 0" "$ended" 0
stack_until 20 0 counted
is "the counts agree after two rebuilds at once" "$(miscounted)" ""
kill -s TERM "$counting"
wait "$counting"

# A rebuild keeps the counts of rows that retention has removed: of a month, of a
# part of a day, and of labels.
before=$(sql "select kind, name, n from assay.analytics_total
    where kind in ('verdict', 'score', 'label') order by 1, 2")
cut="(timestamp '$month' + interval '30 hours') at time zone 'UTC'"
run_retain() {
	cluster_psql assay_retain assay -At -c "$1"
}
while [ -n "$(run_retain "select verdicts
    from assay.retention_month($cut, 'epoch', 'epoch')")" ]; do
	:
done
n=0
while [ "$(sql "select count(*) from assay.verdict_log
    where decided_at < $cut")" -gt 0 ] && [ "$n" -lt 100 ]; do
	run_retain "select b.rows_gone
	    from assay.retention_batches('verdicts', $cut, 1000, 60) p,
		assay.retention_batch('verdicts', p.part, p.page_range, $cut, $cut) b" >/dev/null
	n=$((n + 1))
done
sql "delete from assay.label where event_id like 'never-%'"
is "retention removed the decisions of two days" "$(sql "select count(*)
    from assay.verdict_log where decided_at < $cut")" 0
check "a rebuild after retention exits 0" cron "project --rebuild"
is "the totals keep what retention removed" "$(sql "select kind, name, n
    from assay.analytics_total
    where kind in ('verdict', 'score', 'label') order by 1, 2")" "$before"
is "the counts agree with the rest of the log" \
    "$(miscounted_since "$(sql "select date '$month' + 2")" | grep -v '^sum|label')" ""
finish
