#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion counts each decision, case and label once, and gives each
# label's credit once, whoever is killed meanwhile and however late a
# transaction commits.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/tally.sh
. "$(dirname "$0")/tally.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

# Torn pages are what full_page_writes mends, and kill -9 may tear one.
start_database -c full_page_writes=on
start_pool
start_nginx
wait_ready
admin_token
api_key
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'user', 'watched', 'me')"
sql "update assay.epoch set lists = lists + 1"
sql "update assay.list_subject set changed = 2 where subject = 'user'"

# traffic ROUND: decisions, cases that are resolved, and labels, some of them
# before their decision.  What fails is not stored, and not counted.
traffic() {
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

# late NAME: a transaction that has logged and labelled, and waits.
late() {
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
# shellcheck disable=SC2317 # stack_until calls it
open_transaction() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where state = 'idle in transaction' and backend_xid is not null")" = 1 ]
}

# One transaction is open all along, one is rolled back, all others overtake.
late kept
start_cron "project --for 10m"
first=$stack_cron_pid
start_cron "project --for 10m"
traffic 0
is "nothing is counted beyond what may still come" \
    "$(sql "select count(*) from assay.analytics_total where kind = 'verdict'")" 0
echo "commit;" >&8
exec 8>&-
stack_until 20 0 counted
is "then everything is, by two companions at once" "$(miscounted)" ""
is "also what came late" "$(sql "select n from assay.analytics_total
    where kind = 'tag' and name = 'kept'")" 5
late dropped
traffic 1
echo "rollback;" >&8
exec 8>&-
stack_until 20 0 counted
is "what was rolled back is not" "$(miscounted)" ""
is "none of it" "$(sql "select count(*) from assay.analytics_total
    where name = 'dropped'")" 0
kill -s KILL "$first" "$stack_cron_pid"

# Companions that are killed, again and again, while there is more.
(traffic 2; traffic 3) >/dev/null &
working=$!
killed=0
while kill -0 "$working" 2>/dev/null; do
	start_cron "project --for 10m"
	sleep "0.$((killed % 5 + 1))"
	kill -s KILL "$stack_cron_pid"
	wait "$stack_cron_pid" 2>/dev/null
	killed=$((killed + 1))
done
check "companions were killed" [ "$killed" -gt 2 ]

# The server dies of one killed backend, with all that was not committed.
start_cron "project --for 10m"
(traffic 4; traffic 5) >/dev/null &
working=$!
killed=0
for n in 1 2 3; do
	sleep "0.$((n * 2))"
	backend=$(pgrep -P "$stack_pg_pid" -f 'postgres: assay_companion') &&
	    kill -s KILL "$backend" && killed=$((killed + 1))
	stack_until 30 "$stack_pg_pid" sql "select 1"
done
wait "$working"
check "backends were killed" [ "$killed" -gt 0 ]
stack_until 30 "$stack_pool_pid" is_drained
stack_until 30 0 counted
is "each decision, case and label is counted once" "$(miscounted)" ""
# shellcheck disable=SC2317 # stack_until calls it
credited() {
	[ "$(sql "select count(*) from assay.label l where credited is null
	    and exists (select from assay.verdict_log v
		where v.event_id = l.event_id)")" = 0 ]
}
stack_until 30 0 credited
is "and each label credited once" "$(sql "select tag, fraud, legit
    from assay.tag_count order by 1")" "$(sql "select tag, count(*)
    filter (where credited = 'fraud'), count(*) filter (where
    credited = 'legit') from assay.label, unnest(tags) as tag
    group by 1 order by 1")"
check "there was something to count" [ "$(sql "select sum(n)
    from assay.analytics_total where kind = 'verdict'")" -gt 80 ]
finish
