#!/bin/sh
# SPDX-License-Identifier: ISC
# Analytics: every decision, case and label is counted once, even if
# transactions commit late or are rolled back.
. "$(dirname "$0")/lib.sh"
use lock tally past

start_stack DECIDE_WORKERS=4
add_months 1
start_cron "work project --for 10m"
admin_token
api_key
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'watch', 'user', 'watched', 'me'),
	('lst_2', 'block', 'user', 'blocked', 'me')"
sql "update assay.epoch set lists = lists + 1"
sql "update assay.list_subject set changed = 2 where subject = 'user'"

http GET /v1/analytics/summary
is "the summary of an empty log has only zeros" \
    "$STATUS $(json 'tojson')" '200 {"totals":{"decisions":0,"byVerdict":{"allow":0,"challenge":0,"review":0,"deny":0}},"scoreBuckets":[0,0,0,0,0,0,0,0,0,0,0],"topTags":{},"byDay":{},"cases":{"resolved":0,"fraud":0,"legit":0,"inconclusive":0},"labels":{"fraud":0,"legit":0,"analyst":0,"chargeback":0},"falsePositiveRate":0,"handling":{"resolved":0,"medianSeconds":null,"p90Seconds":null},"analysts":[]}'

for i in 1 2 3 4; do
	decide_amount "w-$i" watched
done
decide_amount b-1 blocked 5000
decide_amount a-1 u-1
decide_amount a-2 u-1 5000
decide_amount a-2 u-1 5000
await_summary "decisions are counted by verdict, a replay is not" \
    '.totals | tojson' \
    '{"decisions":7,"byVerdict":{"allow":2,"challenge":0,"review":4,"deny":1}}'
is_json "scores are counted in tens, a list's decision apart" \
    '.scoreBuckets | tojson' \
    "[5,1,0,0,0,0,0,0,0,0,0]"
is_json "the most frequent tags come first" '.topTags | tojson' \
    '{"list.watch":4,"amount":1,"list.block":1}'
is_json "decisions are counted by day" \
    '.byDay | tojson' "{\"$(date -u +%F)\":{\"total\":7,\"allow\":2,\"challenge\":0,\"review\":4,\"deny\":1}}"

# Cases and labels.
case_id() {
	sql "select id from assay.review_case where event_id = '$1'"
}
resolve_case() {
	http POST "/v1/cases/$(case_id "$1")/resolve" "{\"outcome\":\"$2\"}"
}
resolve_case w-1 fraud
resolve_case w-2 legit
resolve_case w-3 inconclusive
resolve_case w-3 legit
http POST "/v1/cases/$(case_id w-4)/assign"
http POST /v1/labels/chargeback '{"eventId":"never-seen"}'
http POST /v1/labels/chargeback '{"eventId":"w-2"}'
http POST /v1/labels/chargeback '{"eventId":"w-2"}'
await_summary "resolved cases are counted once" '.cases | tojson' \
    '{"resolved":3,"fraud":1,"legit":1,"inconclusive":1}'
await_summary "labels are counted once by outcome and by source" \
    '.labels | tojson' \
    '{"fraud":3,"legit":0,"analyst":2,"chargeback":2}'
is_json "the false positive rate is that of cases" .falsePositiveRate 0.5

# One transaction commits late and many overtake it.
hold_lock "insert into assay.verdict_log (decided_at, id, event_id, event_type,
	verdict, score, reasons, policy_id, policy_version, correlation_id)
    values (now() - interval '1 hour', 'vd_late', 'late', 'order.place',
	'challenge', 100, '[{\"tag\":\"late\",\"points\":100}]', 'p', 'v', 'c')"
for i in 1 2 3; do
	decide_amount "l-$i" u-2
done
# The projection stops before the open transaction.
sql "select * from assay.analytics_project(1000)" >/dev/null
http GET /v1/analytics/summary
is_json "nothing is counted beyond an open transaction" .totals.decisions 7
release_lock
await_summary "everything is counted once that transaction commits" \
    '[.totals.decisions, .totals.byVerdict.challenge,
    .scoreBuckets[10], .topTags.late] | tojson' '[11,1,1,1]'

# Two projections at a time, some rolled back, others of one transaction a step.
(
	for i in $(seq 15); do
		sql "select assay.analytics_project(1), pg_sleep(0.02)" >/dev/null
	done
) &
steps=$!
for i in $(seq 30); do
	decide_amount "m-$i" "u-$((i % 7))"
	[ $((i % 5)) -ne 0 ] ||
	    sql "begin; select assay.analytics_project(1000); rollback" >/dev/null
done
wait "$steps"
await_summary "concurrent projections count each decision once" \
    .totals.decisions 41
is "all counts agree with the log" "$(miscounted)" ""

# The summary reads few rows although there are many days and tags.
sql "insert into assay.analytics_count (kind, day, name, n)
    select 'verdict', '2020-01-01', 'deny', 1000
    union all
    select 'tag', date '2024-01-01' + d, 't-' || t, t
    from generate_series(1, 400) d, generate_series(100, 200) t;
    insert into assay.analytics_total
    select 'tag', 't-' || t, 400 * t from generate_series(100, 200) t;
    update assay.analytics_total set n = n + 1000
    where kind = 'verdict' and name = 'deny';
    analyze assay.analytics_count, assay.analytics_total"
is "the counts of today still agree with the log" \
    "$(miscounted_since "$(date -u +%F)")" ""
is "the summary reads only tables of counts" \
    "$(sql "select distinct d.refobjid::regclass
    from pg_depend d
    where d.objid in ('assay.analytics_stretch(date, date, text)'::regprocedure,
	    'assay.analytics_counts(date, date, text)'::regprocedure,
	    'assay.analytics_outcome_totals()'::regprocedure)
	and d.refclassid = 'pg_class'::regclass order by 1")" \
    "assay.analytics_count
assay.analytics_total"
is "the summary does not read the tags of each day" "$(sql "begin;
    select from assay.analytics_summary();
    select sum(seq_tup_read + idx_tup_fetch) < 500
    from pg_stat_xact_user_tables where relname like 'analytics%';
    commit" | grep .)" t
http GET /v1/analytics/summary
is_json "days older than a year are in the totals only" \
    '[.totals.decisions, (.byDay | has("2020-01-01"))] | tojson' '[1041,false]'
is_json "the summary has at most twenty tags" \
    '.topTags | [length, keys_unsorted[0]] | tojson' \
    '[20,"t-200"]'

sql "update assay.operator set role = 'analyst'"
http GET /v1/analytics/summary
is "an analyst may read the summary" "$STATUS" 200
http POST /v1/analytics/summary
is_error "POST on the summary answers 405" 405 METHOD_NOT_ALLOWED
TOKEN=
http GET /v1/analytics/summary
is_error "the summary answers 401 with a service key" 401 UNAUTHENTICATED
finish
