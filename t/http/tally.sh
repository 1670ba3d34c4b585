# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The counts of analytics against the stored rows.  Sourced after lib.sh.
# shellcheck disable=SC2317 # called by name

# decide_amount EVENT USER [AMOUNT]: an order.
decide_amount() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${3:-20},\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"$2\"}}"
}

# await_summary WHAT FILTER WANT: within some seconds the summary says so.
await_summary() {
	stack_until 20 0 summary_is "$2" "$3" || :
	is_json "$1" "$2" "$3"
}

summary_is() {
	http GET /v1/analytics/summary
	[ "$(json "$1")" = "$2" ]
}

# open_transaction: one session has written and not committed.
open_transaction() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where state = 'idle in transaction' and backend_xid is not null")" = 1 ]
}

# miscounted: prints nothing if they agree.
miscounted() {
	miscounted_since -infinity
}

# miscounted_since DAY: the same from that UTC day on, and in all sums.
miscounted_since() {
	sql "with fact as (
		select 'verdict' as kind, decided_at, event_type, verdict as name
		from assay.verdict_log
		union all
		select 'score', decided_at, event_type, score::text
		from assay.verdict_log where score >= 0
		union all
		select 'tag', decided_at, event_type, r.tag
		from assay.verdict_log,
		    json_to_recordset(reasons::json) as r(tag text)
	), want as (
		select kind, (decided_at at time zone 'UTC')::date as day,
		    event_type, name, count(*) as n from fact group by 1, 2, 3, 4
	), outcome as (
		select 'case' as kind, outcome as name, count(*) as n
		from assay.review_case where status = 'resolved' group by 2
		union all
		select 'label', w.name, count(*) from assay.label,
		    lateral (values (outcome),
			(case when analyst is not null then 'analyst' end),
			(case when chargeback is not null then 'chargeback' end)) as w(name)
		where w.name is not null group by 2
		union all
		select 'label', name, n from assay.analytics_total
		where kind = 'removed'
	)
	select 'day', kind, day, name, want.n, c.n
	from want full join assay.analytics_count c
	    using (kind, day, event_type, name)
	where day >= date '$1' and want.n is distinct from c.n
	union all
	select 'sum', kind, null, name, s.n, t.n
	from (select kind, case kind when 'score' then (name::int / 10)::text
		else name end as name, sum(n) as n from assay.analytics_count
	    group by 1, 2
	    union all
	    select kind, name, sum(n) from outcome group by 1, 2) s
	full join (select * from assay.analytics_total where kind <> 'removed') t
	using (kind, name)
	where coalesce(s.n, 0) <> coalesce(t.n, 0)
	union all
	select 'change', null, null, name, number, n from assay.analytics_change
	limit 9"
}

# counted: everything that is committed is counted.
counted() {
	[ -z "$(miscounted)" ]
}
