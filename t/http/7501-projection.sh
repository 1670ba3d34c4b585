#!/bin/sh
# SPDX-License-Identifier: ISC
# The job project counts each decision, case and label once and credits each
# label once, even if companions are killed and transactions commit late.
. "$(dirname "$0")/lib.sh"
use tally away

# Kill -9 may tear a page; full_page_writes repairs it.
start_database -c full_page_writes=on
start_signed_in
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'user', 'watched', 'me')"
sql "update assay.epoch set lists = lists + 1"
sql "update assay.list_subject set changed = 2 where subject = 'user'"

# make_traffic ROUND: send decisions, resolve cases and send labels, some of them
# before their decision.  A request that fails stores and counts nothing.
make_traffic() {
	for i in 1 2 3 4; do
		events=
		for j in 1 2 3 4 5 6; do
			events="$events{\"id\":\"e-$1-$i-$j\",\"type\":\"order.place\",
			    \"amount\":$((j * 1000)),\"currency\":\"EUR\",
			    \"subject\":{\"userId\":\"watched\"}},"
		done
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-1\"}"
		http POST /v1/decisions/batch "{\"events\":[${events%,}]}"
		http GET '/v1/cases?status=open&limit=2'
		for id in $(json '.[].id' 2>/dev/null); do
			http POST "/v1/cases/$id/resolve" '{"outcome":"legit"}'
		done
	done
}

# open_late NAME: leave a transaction with verdicts and a label open.
open_late() {
	mkfifo "$scratch/$1"
	cluster_psql postgres assay -q <"$scratch/$1" >/dev/null 2>&1 &
	exec 8>"$scratch/$1"
	echo "begin;
	    insert into assay.verdict_log (decided_at, id, event_id, event_type,
		verdict, score, reasons, policy_id, policy_version,
		correlation_id)
	    select now() - interval '1 minute' * n, 'vd_$1_' || n, '$1-' || n,
		'order.place', 'deny', 77, '[{\"tag\":\"$1\",\"points\":77}]',
		'p', 'v', 'c' from generate_series(1, 5) n;
	    insert into assay.label (event_id, chargeback)
	    values ('$1-1', 'fraud');" >&8
	stack_until 10 0 open_transaction
}

# One transaction stays open, another is rolled back; all others commit earlier.
open_late kept
start_cron "project --for 10m"
first=$stack_cron_pid
start_cron "project --for 10m"
make_traffic 0
is "nothing is counted beyond an open transaction" \
    "$(sql "select count(*) from assay.analytics_total where kind = 'verdict'")" 0
echo "commit;" >&8
exec 8>&-
stack_until 20 0 counted
is "two companions count everything once it commits" "$(miscounted)" ""
is "the late transaction is counted completely" \
    "$(sql "select n from assay.analytics_total
    where kind = 'tag' and name = 'kept'")" 5
open_late dropped
make_traffic 1
echo "rollback;" >&8
exec 8>&-
stack_until 20 0 counted
is "the counts agree with the log after a rollback" "$(miscounted)" ""
is "nothing of the rolled back transaction is counted" \
    "$(sql "select count(*) from assay.analytics_total
    where name = 'dropped'")" 0
kill -s KILL "$first" "$stack_cron_pid"

# Companions are killed again and again while there is work: at least three.
killed_three() { [ -e "$scratch/three" ]; }
(
	make_traffic 2
	make_traffic 3
	for more in 1 2 3 4 5 6 7 8 9; do
		killed_three || make_traffic "3-$more"
	done
) >/dev/null &
working=$!
killed=0
while kill -0 "$working" 2>/dev/null; do
	start_cron "project --for 10m"
	sleep "0.$((killed % 5 + 1))"
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	killed=$((killed + 1))
	[ "$killed" -lt 3 ] || touch "$scratch/three"
done
check "more than two companions were killed" [ "$killed" -gt 2 ]

# A killed backend restarts the server; open transactions are lost.
start_cron "project --for 10m"
(make_traffic 4; make_traffic 5) >/dev/null &
working=$!
killed=0
for n in 1 2 3; do
	sleep "0.$((n * 2))"
	backend=$(pgrep -P "$stack_pg_pid" -f 'postgres: assay_companion') &&
	    kill -s KILL "$backend" && killed=$((killed + 1))
	stack_until 30 "$stack_pg_pid" sql "select 1"
done
wait "$working"
check "at least one backend was killed" [ "$killed" -gt 0 ]
stack_until 30 "$stack_pool_pid" is_drained
stack_until 30 0 counted
is "each decision, case and label is counted once" "$(miscounted)" ""
# shellcheck disable=SC2317 # stack_until calls it
labels_credited() {
	[ "$(sql "select count(*) from assay.label l where credited_outcome is null
	    and exists (select from assay.verdict_log v
		where v.event_id = l.event_id and v.score >= 0)")" = 0 ]
}
check "the label of each scored decision is credited" stack_until 30 0 labels_credited
is "each label is credited once to its tags" "$(sql "select tag, fraud, legit
    from assay.tag_count order by 1")" "$(sql "select tag, count(*)
    filter (where credited_outcome = 'fraud'), count(*) filter (where
    credited_outcome = 'legit') from assay.label, unnest(tags) as tag
    group by 1 order by 1")"
check "more than 80 decisions were counted" [ "$(sql "select sum(n)
    from assay.analytics_total where kind = 'verdict'")" -gt 80 ]
finish
