# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Decisions of two windows of days, and their drift.  Sourced after lib.sh.

# log_scores TYPE FIRST LAST A-DAY SCORE REASONS [VERDICT]: decisions of the days
# from FIRST days ago to LAST days ago; SCORE may use n, the number of the
# decision, and r, its number in its day.
log_scores() {
	sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
		verdict, score, reasons, policy_id, policy_version,
		correlation_id)
	    select (date_trunc('day', now() at time zone 'UTC')
		    - d * interval '1 day' + r * interval '1 minute')
		    at time zone 'UTC',
		'vd_$1_' || d || '_' || r || '_${7:-allow}',
		'$1-' || d || '-' || r, '$1', '${7:-allow}', $5, $6, 'p', 'v', 'c'
	    from generate_series($3, $2) d, generate_series(1, $4) r,
		lateral (select d * $4 + r) w(n)"
}

# recount TYPE DAYS REFERENCE: by the formula of the manual, in SQL: the index,
# decisions of both windows, quantiles and the mean.
recount() {
	sql "with scored as (
		select score, decided_at >= date_trunc('day', now() at time zone
			'UTC') at time zone 'UTC' - interval '$2 days' as recent
		from assay.verdict_log where event_type = '$1' and score >= 0
			and decided_at < date_trunc('day', now() at time zone
			'UTC') at time zone 'UTC'
			and decided_at >= date_trunc('day', now() at time zone
			'UTC') at time zone 'UTC' - interval '$2 days'
			- interval '$3 days'
	), bin as (
		select b, count(score) filter (where recent) as a,
			count(score) filter (where not recent) as e
		from generate_series(0, 9) b left join scored s
			on b = least(s.score / 10, 9)
		group by b
	), small as (
		select 0.5 / least(sum(a), sum(e)) as s from bin
	), share as (
		select (a / sum(a) over () + s) / (1 + 10 * s) as a,
			(e / sum(e) over () + s) / (1 + 10 * s) as e
		from bin, small
	)
	select json_build_array((select round(sum((a - e) * ln(a / e)), 4)
	    from share), count(*) filter (where recent),
	    count(*) filter (where not recent),
	    percentile_disc(array[0.1, 0.5, 0.9, 0.99]) within group (order by
		score) filter (where recent),
	    round(avg(score) filter (where not recent), 4))
	from scored" | jq -c 'flatten | map(. + 0)'
}
