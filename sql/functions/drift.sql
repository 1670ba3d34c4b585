-- SPDX-License-Identifier: ISC
-- The watch for drift: what analytics have counted of two windows of days, and
-- how right scores were.  core/analyse/drift.c makes of it what is judged.

-- The probability that a model gave a decision, in millionths; null if none
-- did, and where the sample is gone.
create or replace function assay.drift_probability(verdict text, at timestamptz)
returns int language sql stable
set search_path = pg_catalog, pg_temp
return (select round((d.sample::json ->> 'p')::float8 * 1e6)::int
    from assay.decision_detail d
    where d.decided_at = at and d.verdict_id = verdict
	and d.sample::json ->> 'scorer' = 'ml');

-- Count at most so many labels with the days of their decisions, or move what
-- is counted there to what they say by now.  What is counted, and with which
-- decision, stands in the label, so that each is counted once wherever this is
-- killed, also after the sample has gone.  How many; none while somebody else
-- counts.
create or replace function assay.drift_labels(most bigint)
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
		order by l.event_id limit most for update skip locked
	), marked as (
		update assay.label l
		set calibrated_outcome = d.outcome, calibrated_p = d.p
		from due d where l.event_id = d.event_id
	), said as (
		select (v.decided_at at time zone 'UTC')::date as day,
			v.event_type, w.measure, least(w.bin, 9) as bin, w.value,
			d.calibrated_outcome is null as first,
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
			count(*) filter (where s.first), sum(s.fraud),
			coalesce(sum(s.value) filter (where s.first), 0)
		from said s
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

-- A step of the watch: count labels, and say which day is the last of a window
-- that is to be judged, if one is: the last that is over, once.  A clock that
-- was set back is no reason to wait until it has caught up.
create or replace function assay.drift_step(most bigint,
    out labels bigint, out due text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	last constant date := (now() at time zone 'UTC')::date - 1;
begin
	labels := assay.drift_labels(most);
	if not exists (select from assay.drift d
	    where d.day between last and last + 1) then
		due := to_char(last, 'YYYY-MM-DD');
	end if;
end
$$;

-- What was counted of a kind, 'score' or 'tag', by event type and name, in the
-- window of so many days that ends with a day, and in the reference before it:
-- of scored decisions, so without the tags of what skipped scoring.
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

-- Likewise what labels say of the decisions of these days.
create or replace function assay.drift_calibration(until date, days bigint,
    reference_days bigint)
returns table (event_type text, measure text, bin int, labels bigint,
    fraud bigint, total bigint, reference_labels bigint,
    reference_fraud bigint, reference_total bigint)
language sql stable
set search_path = pg_catalog, pg_temp
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
	group by 1, 2, 3 order by 1, 2, 3;
end;

-- Note what was judged of the windows that end with a day, of every event
-- type, and tell of those that have an alert, with its note or not at all: of
-- several companions the first one does, of each event type and day.
create or replace function assay.drift_record(of_day date, types text[],
    psis text[], alerts text[], correlation text)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	alert text;
	told bigint := 0;
begin
	for alert in
		with noted as (
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
			join noted n on n.event_type = w.event_type
		where w.alert is not null
	loop
		perform assay.publish('alert.drift.v1'::text, alert::json,
		    correlation, null::text);
		told := told + 1;
	end loop;
	return told;
end
$$;
