-- SPDX-License-Identifier: ISC
-- Analytics: what is counted, and how it is shown.

-- A case was resolved.
create or replace function assay.analytics_case()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	values ('case.' || new.outcome, 1);
	return null;
end
$$;
create or replace trigger analytics after update of status
on assay.review_case for each row
when (old.status <> 'resolved' and new.status = 'resolved')
execute function assay.analytics_case();

-- A label came, or another one counts from now on.  One that is removed with
-- its window was given all the same.
create or replace function assay.analytics_label()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	select 'label.' || w.name, sum(w.n)
	from (values (new.outcome, 1), (old.outcome, -1),
	    ('analyst', num_nonnulls(new.analyst) - num_nonnulls(old.analyst)),
	    ('chargeback',
		num_nonnulls(new.chargeback) - num_nonnulls(old.chargeback)))
	    as w(name, n)
	where w.name is not null
	group by w.name having sum(w.n) <> 0;
	return null;
end
$$;
create or replace trigger analytics
after insert or update of analyst, chargeback
on assay.label for each row execute function assay.analytics_label();

-- Count the next of the log, up to so many transactions of it, and of the
-- changes of cases and labels.  The cursor moves in the same transaction, so
-- that each is counted once, wherever this is killed; it stops before the
-- oldest transaction that still runs, so that none is left out that commits
-- late.  How many decisions were counted, and whether there is more.  One at a
-- time counts: who comes meanwhile has nothing to do.
create or replace function assay.analytics_project(most bigint,
    out counted bigint, out more boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	first bigint;
	beyond bigint;
	horizon bigint;
	changes bigint;
begin
	counted := 0;
	more := false;
	select c.next into first from assay.analytics_cursor c
	for update skip locked;
	if not found then
		return;
	end if;

	with taken as (
		delete from assay.analytics_change c
		where c.number in (select w.number from assay.analytics_change w
		    order by w.number limit most)
		returning c.name, c.n
	), added as (
		insert into assay.analytics_outcome as o (name, n)
		select t.name, sum(t.n) from taken t group by t.name
		order by t.name
		on conflict (name) do update set n = o.n + excluded.n
	)
	select count(*) into changes from taken;

	-- Read before the rows are: what is older has ended by then.
	horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
	beyond := least(horizon, first + most);
	with v as materialized (
		select (l.decided_at at time zone 'UTC')::date as day,
			l.verdict, l.score, l.reasons
		from assay.verdict_log l
		where l.xid::text::bigint >= first
			and l.xid::text::bigint < beyond
	), days as (
		insert into assay.analytics_day as d (day, verdict, n)
		select v.day, v.verdict, count(*) from v group by 1, 2
		on conflict (day, verdict) do update set n = d.n + excluded.n
	), scores as (
		insert into assay.analytics_score as s (bucket, n)
		select v.score / 10, count(*) from v where v.score >= 0
		group by 1
		on conflict (bucket) do update set n = s.n + excluded.n
	), tags as (
		insert into assay.analytics_tag as t (tag, n)
		select r.tag, count(*)
		from v, json_to_recordset(v.reasons::json) as r(tag text)
		group by 1
		on conflict (tag) do update set n = t.n + excluded.n
	)
	select count(*) into counted from v;

	-- Others use up transactions too: do not creep through a gap.
	if counted = 0 and beyond < horizon then
		select coalesce(min(l.xid::text::bigint), horizon) into beyond
		from assay.verdict_log l
		where l.xid::text::bigint >= beyond
			and l.xid::text::bigint < horizon;
	end if;
	update assay.analytics_cursor c set next = beyond
	where c.next <> beyond;
	more := beyond < horizon or changes = most;
end
$$;

-- Everything that is counted.  It reads days, not decisions.
create or replace function assay.analytics_summary()
returns text language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	with days as (
		-- A last row without a day is their sum.
		select d.day, coalesce(sum(d.n), 0) as total,
			coalesce(sum(d.n) filter (where d.verdict = 'allow'), 0)
			    as allow,
			coalesce(sum(d.n) filter (where d.verdict = 'challenge'), 0)
			    as challenge,
			coalesce(sum(d.n) filter (where d.verdict = 'review'), 0)
			    as review,
			coalesce(sum(d.n) filter (where d.verdict = 'deny'), 0)
			    as deny
		from assay.analytics_day d
		group by grouping sets ((d.day), ())
	), known as (
		select o.name, o.n::bigint as n from assay.analytics_outcome o
		union all
		select w.name, 0 from unnest(array['case.fraud', 'case.legit',
		    'case.inconclusive', 'label.fraud', 'label.legit',
		    'label.analyst', 'label.chargeback']) as w(name)
	), outcomes as (
		select json_object_agg(k.name, k.n) as n
		from (select name, sum(n) as n from known group by name) k
	), cases as (
		select (n ->> 'case.fraud')::bigint as fraud,
			(n ->> 'case.legit')::bigint as legit,
			(n ->> 'case.inconclusive')::bigint as inconclusive
		from outcomes
	)
	select json_build_object(
	    'totals', (select json_build_object(
		    'decisions', d.total,
		    'byVerdict', json_build_object(
			'allow', d.allow,
			'challenge', d.challenge,
			'review', d.review,
			'deny', d.deny))
		from days d where d.day is null),
	    'scoreBuckets', (select json_agg(coalesce(s.n, 0) order by b)
		from generate_series(0, 10) b
		    left join assay.analytics_score s on s.bucket = b),
	    'topTags', (select coalesce(json_object_agg(t.tag, t.n
		    order by t.n desc, t.tag), '{}')
		from (select a.tag, a.n from assay.analytics_tag a
		    order by a.n desc, a.tag limit 20) t),
	    'byDay', (select coalesce(json_object_agg(d.day, json_build_object(
		    'total', d.total,
		    'allow', d.allow,
		    'challenge', d.challenge,
		    'review', d.review,
		    'deny', d.deny) order by d.day), '{}')
		from days d
		where d.day > (now() at time zone 'UTC')::date - 400),
	    'cases', json_build_object(
		'resolved', c.fraud + c.legit + c.inconclusive,
		'fraud', c.fraud,
		'legit', c.legit,
		'inconclusive', c.inconclusive),
	    'labels', json_build_object(
		'fraud', (o.n ->> 'label.fraud')::bigint,
		'legit', (o.n ->> 'label.legit')::bigint,
		'analyst', (o.n ->> 'label.analyst')::bigint,
		'chargeback', (o.n ->> 'label.chargeback')::bigint),
	    'falsePositiveRate', coalesce(
		c.legit::float8 / nullif(c.fraud + c.legit, 0), 0))::text
	from cases c, outcomes o;
end;
