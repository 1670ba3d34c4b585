-- SPDX-License-Identifier: ISC
-- Drift: the counts of two windows of days, and how well scores predict labels.
-- core/analyse/drift.c judges them.

-- The probability, in millionths, with which a model scored a decision; null if
-- no model scored it or its sample is no longer stored.
create or replace function assay.drift_probability(verdict text,
    at timestamptz)
returns int language sql stable
return (select round((d.sample::json ->> 'p')::float8 * 1e6)::int
    from assay.decision_detail d
    where d.decided_at = at and d.verdict_id = verdict
	and d.sample::json ->> 'scorer' = 'ml');

-- Count at most max_labels labels in the calibration of their decisions' days,
-- and move the count of a label whose outcome has changed.  The label records
-- what is counted and for which decision, so that each label is counted once,
-- even if the companion is killed or the sample is no longer stored.  Returns
-- how many labels were counted; 0 while another transaction counts.
create or replace function assay.drift_labels(max_labels bigint)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
	moved bigint := 0;
begin
	if not assay.analytics_try_lock() then
		return 0;
	end if;
	with due as materialized (
		select l.event_id, l.risk_outcome as outcome, l.risk_verdict_id as id,
			l.risk_decided_at as at, l.calibrated_outcome,
			case when l.calibrated_outcome is null
			    then assay.drift_probability(l.risk_verdict_id, l.risk_decided_at)
			    else l.calibrated_p end as p
		from assay.label l
		where l.risk_outcome is not null
			and (l.calibrated_outcome is null or l.calibrated_outcome <> l.risk_outcome)
		order by l.event_id limit max_labels for update skip locked
	), marked as (
		update assay.label l
		set calibrated_outcome = d.outcome, calibrated_p = d.p
		from due d where l.event_id = d.event_id
	), predicted as (
		select (v.decided_at at time zone 'UTC')::date as day,
			v.event_type, w.measure, least(w.bin, 9) as bin, w.value,
			(d.outcome <> 'none')::int
			    - coalesce(d.calibrated_outcome <> 'none', false)::int
			    as labels,
			(d.outcome = 'fraud')::int
			    - coalesce(d.calibrated_outcome = 'fraud', false)::int
			    as fraud
		from due d join assay.verdict_log v on v.event_id = d.event_id
			and v.id = d.id and v.decided_at = d.at,
			lateral (select 'score', v.score / 10, v.score
			where d.p is null
			union all
			select 'p', d.p / 100000, d.p where d.p is not null)
			as w(measure, bin, value)
	), counted as (
		insert into assay.calibration as c
		    (day, event_type, measure, bin, labels, fraud, total)
		select s.day, s.event_type, s.measure, s.bin,
			sum(s.labels), sum(s.fraud), sum(s.value * s.labels)
		from predicted s
		where s.day >= (select k.compacted_before from assay.analytics_cursor k)
		group by 1, 2, 3, 4
		on conflict (day, event_type, measure, bin) do update
		set labels = c.labels + excluded.labels,
			fraud = c.fraud + excluded.fraud,
			total = c.total + excluded.total
	)
	select count(*) into moved from due;
	return moved;
end
$$;

-- Count labels, and return as due the last day of a window to judge: yesterday,
-- once.  A check in the future, left by a clock that was set back, is ignored.
create or replace function assay.drift_step(max_labels bigint,
    out labels bigint, out due text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	last constant date := (now() at time zone 'UTC')::date - 1;
begin
	labels := assay.drift_labels(max_labels);
	if not exists (select from assay.drift d
	    where d.day between last and last + 1) then
		due := to_char(last, 'YYYY-MM-DD');
	end if;
end
$$;

-- The counts of a kind, 'score' or 'tag', by event type and name: in the window
-- of days that ends with the day until, and in the reference window before it.
-- Tags of decisions that skip scoring are left out.
create or replace function assay.drift_counts(of_kind text, until date,
    days bigint, reference_days bigint)
returns table (event_type text, name text, recent bigint, reference bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select c.event_type, c.name,
		coalesce(sum(c.n) filter (where c.day > until - days::int),
		    0)::bigint,
		coalesce(sum(c.n) filter (where c.day <= until - days::int),
		    0)::bigint
	from assay.analytics_count c
	where c.kind = of_kind and c.day <= until
		and c.day > until - (days + reference_days)::int
		and c.event_type <> ''
		and c.name not in ('list.block', 'list.allow',
		    'engine.degraded')
	group by 1, 2 order by 1, 2;
end;

-- The calibration of the decisions of the same windows.
create or replace function assay.drift_calibration(until date, days bigint,
    reference_days bigint)
returns table (event_type text, measure text, bin int, labels bigint,
    fraud bigint, total bigint, reference_labels bigint,
    reference_fraud bigint, reference_total bigint)
language sql stable
begin atomic
	with windows as (
		select c.*, (c.day > until - days::int)::int as recent,
			(c.day <= until - days::int)::int as reference
		from assay.calibration c
		where c.day <= until
			and c.day > until - (days + reference_days)::int
	)
	select w.event_type, w.measure, w.bin, sum(w.labels * w.recent)::bigint,
		sum(w.fraud * w.recent)::bigint,
		sum(w.total * w.recent)::bigint,
		sum(w.labels * w.reference)::bigint,
		sum(w.fraud * w.reference)::bigint,
		sum(w.total * w.reference)::bigint
	from windows w
	group by 1, 2, 3 having sum(w.labels) > 0 order by 1, 2, 3;
end;

-- Record the drift of windows that end with a day, by event type, and publish
-- the alert of each type that has one.  For each event type and day only the
-- first companion records and publishes.  Returns the number of alerts.
create or replace function assay.drift_record(of_day date, types text[],
    psis text[], alerts text[], correlation text)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	alert text;
	alerts_sent bigint := 0;
begin
	for alert in
		with recorded as (
			insert into assay.drift as d (event_type, day, psi)
			select w.event_type, of_day, w.psi::float8
			from unnest(types, psis) as w(event_type, psi)
			order by 1
			on conflict (event_type) do update
			set day = excluded.day, psi = excluded.psi
			where d.day < excluded.day
				or d.day > (now() at time zone 'UTC')::date
			returning d.event_type
		)
		select w.alert
		from unnest(types, alerts) as w(event_type, alert)
			join recorded n on n.event_type = w.event_type
		where w.alert is not null
	loop
		perform assay.publish('alert.drift.v1'::text, alert::json,
		    correlation, null::text);
		alerts_sent := alerts_sent + 1;
	end loop;
	return alerts_sent;
end
$$;
