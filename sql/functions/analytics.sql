-- SPDX-License-Identifier: ISC
-- Analytics: what is counted, and how it is shown.

-- A case was resolved.
create or replace function assay.analytics_on_case()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	values ('case.' || new.outcome, 1);
	return null;
end
$$;
select assay.trigger_make('assay.review_case', 'analytics',
    'after update of status on assay.review_case for each row
    when (old.status <> ''resolved'' and new.status = ''resolved'')
    execute function assay.analytics_on_case()');

-- A label came, or another one counts from now on.
create or replace function assay.analytics_on_label()
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
select assay.trigger_make('assay.label', 'analytics',
    'after insert or update of analyst, chargeback
    on assay.label for each row execute function assay.analytics_on_label()');

-- A label that goes with its window was given all the same: it stays counted,
-- and that it is gone is counted beside, for who counts the labels anew.
create or replace function assay.analytics_on_label_removed()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	select 'removed.' || w.name, 1
	from (values (old.outcome),
	    (case when old.analyst is not null then 'analyst' end),
	    (case when old.chargeback is not null then 'chargeback' end))
	    as w(name)
	where w.name is not null;
	return null;
end
$$;
select assay.trigger_make('assay.label', 'analytics_gone',
    'after delete
    on assay.label for each row execute function assay.analytics_on_label_removed()');

-- The name that a day's count has in the sums of all times: of scores their
-- ten.  No search path is set, so that a statement takes it in instead of
-- calling it.
create or replace function assay.analytics_sum_name(kind text, name text)
returns text language sql immutable
return case kind when 'score' then (name::int / 10)::text else name end;

-- One at a time counts, here and below, until its transaction ends.
create or replace function assay.analytics_try_lock()
returns boolean language sql volatile
set search_path = pg_catalog, pg_temp
return pg_try_advisory_xact_lock(hashtextextended('assay analytics', 0));

-- The same, and waits for who does.
create or replace function assay.analytics_lock()
returns void language sql volatile
set search_path = pg_catalog, pg_temp
return pg_advisory_xact_lock(hashtextextended('assay analytics', 0));

-- Days that nobody looks at any more, those before the last 400, become one:
-- what is kept of each event type and score is bounded so.
create or replace function assay.analytics_compact()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	first constant date := (now() at time zone 'UTC')::date - 400;
begin
	update assay.analytics_cursor set compacted_before = first
	where compacted_before < first;
	if not found then
		return;
	end if;
	with gone as (
		delete from assay.analytics_count c
		where c.kind in ('verdict', 'score', 'tag')
			and c.day < first
			and (c.day > '-infinity' or c.event_type <> '')
		returning c.kind, c.name, c.n
	)
	insert into assay.analytics_count as c (kind, day, name, n)
	select g.kind, '-infinity', case g.kind
		when 'score' then (g.name::int / 10 * 10)::text
		else g.name end, sum(g.n)
	from gone g group by 1, 3
	on conflict (kind, day, event_type, name) do update
	set n = c.n + excluded.n;
	delete from assay.calibration c where c.day < first;
end
$$;

-- Count the next of the log, at most so many, and of the changes of cases and
-- labels.  The cursor moves in the same transaction, so that each is counted
-- once, wherever this is killed; it stops before the oldest transaction that
-- still runs, so that none is left out that commits late.  Where there is
-- nothing to count nothing is written.
--
-- How many decisions were counted; whether there is more; whether the log is
-- being counted anew; whether somebody else was at it, and nothing was done;
-- and if any were counted, where the cursor stood and where it stands.
create or replace function assay.analytics_project(most bigint,
    out counted bigint, out more boolean, out rebuilding boolean,
    out busy boolean, out from_xid bigint, out from_id text,
    out to_xid bigint, out to_id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	c assay.analytics_cursor;
	horizon bigint;
	beyond bigint;
	width bigint := most;
	changes bigint;
begin
	counted := 0;
	more := false;
	busy := not assay.analytics_try_lock();
	rebuilding := exists (select from assay.analytics_rebuild);
	if busy then
		return;
	end if;

	-- Read before the rows are: what is older has ended by then.
	horizon := assay.log_watermark();
	select * into strict c from assay.analytics_cursor;
	from_xid := c.next_xid;
	from_id := c.last_id;
	perform assay.analytics_compact();

	with taken as (
		delete from assay.analytics_change g
		where g.number in (select w.number from assay.analytics_change w
		    order by w.number limit most)
		returning split_part(g.name, '.', 1) as kind,
			split_part(g.name, '.', 2) as name, g.n
	), added as (
		insert into assay.analytics_total as t (kind, name, n)
		select a.kind, a.name, sum(a.n) from taken a group by 1, 2
		on conflict (kind, name) do update set n = t.n + excluded.n
	)
	select count(*) into changes from taken;

	-- Others use up transactions too: do not creep through a gap.
	loop
		beyond := least(horizon, c.next_xid + width);
		exit when beyond = horizon or exists (select
		    from assay.verdict_log l
		    where l.xid::text::bigint >= c.next_xid
			and l.xid::text::bigint < beyond
			and (l.xid::text::bigint > c.next_xid or l.id > c.last_id));
		width := width * 2;
	end loop;
	more := beyond < horizon or changes = most;

	-- One transaction may have logged more than is to be counted in one.
	to_xid := beyond;
	to_id := '';
	select count(*) into counted
	from assay.verdict_log l
	where l.xid::text::bigint >= c.next_xid
		and l.xid::text::bigint < beyond
		and (l.xid::text::bigint > c.next_xid or l.id > c.last_id);
	if counted > most then
		select l.xid::text::bigint, l.id into to_xid, to_id
		from assay.verdict_log l
		where l.xid::text::bigint >= c.next_xid
			and l.xid::text::bigint < beyond
			and (l.xid::text::bigint > c.next_xid or l.id > c.last_id)
		order by 1, 2 offset most - 1 limit 1;
		more := true;
	elsif counted = 0 then
		if beyond > c.next_xid + most then
			update assay.analytics_cursor
			set next_xid = beyond, last_id = '';
		end if;
		return;
	end if;

	with facts as materialized (
		select f.day, f.kind, f.event_type, f.name, count(*) as n
		from assay.analytics_fact f
		where f.xid >= c.next_xid and f.xid < beyond
			and (f.xid > c.next_xid or f.id > c.last_id)
			and (f.xid < to_xid or f.xid = to_xid and f.id <= to_id)
		group by 1, 2, 3, 4
	), days as (
		insert into assay.analytics_count as d
		    (kind, day, event_type, name, n)
		select f.kind, f.day, f.event_type, f.name, f.n from facts f
		on conflict (kind, day, event_type, name) do update
		set n = d.n + excluded.n
	), totals as (
		insert into assay.analytics_total as t (kind, name, n)
		select f.kind, assay.analytics_sum_name(f.kind, f.name),
			sum(f.n)
		from facts f group by 1, 2
		on conflict (kind, name) do update set n = t.n + excluded.n
	), anew as (
		insert into assay.analytics_rebuild_count as a
		    (kind, event_type, name, n)
		select f.kind, f.event_type, f.name, f.n
		from facts f join assay.analytics_rebuild r on r.day = f.day
		on conflict (kind, event_type, name) do update
		set n = a.n + excluded.n
	)
	select coalesce(sum(f.n), 0) into counted
	from facts f where f.kind = 'verdict';

	perform assay.shadow_project(c.next_xid, c.last_id, to_xid, to_id);
	update assay.analytics_cursor set next_xid = to_xid, last_id = to_id;
end
$$;

-- The first UTC day of which the log still has everything: none in a month
-- that was dropped, none that retention has begun to empty, and none of those
-- that have become one.
create or replace function assay.analytics_first_complete_day()
returns date language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	select greatest((select c.compacted_before from assay.analytics_cursor c),
	    (select ((max(m.until) at time zone 'UTC')
		    + interval '1 day - 1 microsecond')::date
		from assay.retention_watermark m
		where m.collection in ('verdicts', 'verdicts announced')),
	    (select min(to_date(right(p.relname, 6), 'YYYYMM'))
		from pg_inherits h join pg_class p on p.oid = h.inhrelid
		where h.inhparent = 'assay.verdict_log'::regclass
			and not h.inhdetachpending));
end;

-- Begin to count a day anew, as far as the cursor is now.
create or replace function assay.analytics_rebuild_day(day date)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	delete from assay.analytics_rebuild_count;
	update assay.analytics_rebuild r
	set day = analytics_rebuild_day.day, cursor_xid = c.next_xid, cursor_id = c.last_id,
		counted_until = analytics_rebuild_day.day::timestamp at time zone 'UTC',
		counted_id = '', step = interval '1 day'
	from assay.analytics_cursor c;
end;

-- Begin to count the log anew, or go on with what somebody began: which days
-- are left, first and last; none when somebody counts at this moment.
create or replace function assay.analytics_rebuild_begin()
returns table (first text, last text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	if not assay.analytics_try_lock() then
		return;
	end if;
	if not exists (select from assay.analytics_rebuild) then
		insert into assay.analytics_rebuild
		    (day, last_day, cursor_xid, cursor_id,
		    counted_until, counted_id, step)
		select w.day, greatest(w.day, (now() at time zone 'UTC')::date,
			(select max(n.day) from assay.analytics_count n
			where n.kind = 'verdict')), 0, '', now(), '', '0'
		from assay.analytics_first_complete_day() as w(day);
		perform assay.analytics_rebuild_day(r.day)
		from assay.analytics_rebuild r;
	end if;
	return query select r.day::text, r.last_day::text
	from assay.analytics_rebuild r;
end
$$;

-- Count on anew, at most so many decisions.  A day that is done takes the place
-- of what was counted of it, unless retention began to empty it meanwhile; the
-- last one ends it all, with sums made anew as well.  How many decisions were
-- counted, and whether a day is done.
create or replace function assay.analytics_rebuild(most bigint,
    out counted bigint, out done boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	r assay.analytics_rebuild;
	ends timestamptz;
	beyond timestamptz;
	to_at timestamptz;
	to_id text;
begin
	counted := 0;
	done := false;
	if not assay.analytics_try_lock() then
		return;
	end if;
	select * into r from assay.analytics_rebuild;
	if not found then
		return;
	end if;

	ends := (r.day + 1)::timestamp at time zone 'UTC';
	beyond := least(ends, r.counted_until + r.step);
	select l.decided_at, l.id into to_at, to_id
	from assay.verdict_log l
	where l.decided_at >= r.counted_until and l.decided_at < beyond
		and (l.decided_at > r.counted_until or l.id > r.counted_id)
	order by 1, 2 offset most - 1 limit 1;
	if found then
		r.step := greatest(r.step / 2, interval '1 microsecond');
	else
		r.step := least(r.step * 2, interval '1 day');
		to_at := beyond;
		to_id := '';
	end if;

	with facts as materialized (
		select f.kind, f.event_type, f.name, count(*) as n
		from assay.analytics_fact f
		where f.decided_at >= r.counted_until and f.decided_at < beyond
			and (f.decided_at > r.counted_until or f.id > r.counted_id)
			and (f.decided_at < to_at
			    or f.decided_at = to_at and f.id <= to_id)
			and (f.xid < r.cursor_xid or f.xid = r.cursor_xid and f.id <= r.cursor_id)
		group by 1, 2, 3
	), anew as (
		insert into assay.analytics_rebuild_count as a
		    (kind, event_type, name, n)
		select f.kind, f.event_type, f.name, f.n from facts f
		on conflict (kind, event_type, name) do update
		set n = a.n + excluded.n
	)
	select coalesce(sum(f.n), 0) into counted
	from facts f where f.kind = 'verdict';

	done := to_at = ends;
	if not done then
		update assay.analytics_rebuild
		set counted_until = to_at, counted_id = to_id, step = r.step;
		return;
	end if;
	if r.day >= assay.analytics_first_complete_day() then
		perform assay.analytics_replace(r.day);
	end if;
	if r.day < r.last_day then
		perform assay.analytics_rebuild_day(r.day + 1);
	else
		perform assay.analytics_sum();
		perform assay.analytics_outcomes();
		delete from assay.analytics_rebuild_count;
		delete from assay.analytics_rebuild;
	end if;
end
$$;

-- What was counted anew takes the place of what was counted of a day.
create or replace function assay.analytics_replace(of_day date)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.analytics_total as t (kind, name, n)
	select d.kind, assay.analytics_sum_name(d.kind, d.name), sum(d.n)
	from (select a.kind, a.name, a.n from assay.analytics_rebuild_count a
	    union all
	    select c.kind, c.name, -c.n from assay.analytics_count c
	    where c.kind in ('verdict', 'score', 'tag') and c.day = of_day) d
	group by 1, 2 having sum(d.n) <> 0
	on conflict (kind, name) do update set n = t.n + excluded.n;
	delete from assay.analytics_count c
	where c.kind in ('verdict', 'score', 'tag') and c.day = of_day;
	insert into assay.analytics_count (kind, day, event_type, name, n)
	select a.kind, of_day, a.event_type, a.name, a.n
	from assay.analytics_rebuild_count a;
end;

-- Make the sums of the days anew.
create or replace function assay.analytics_sum()
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.analytics_total as t (kind, name, n)
	select d.kind, d.name, sum(d.n)
	from (select c.kind,
		assay.analytics_sum_name(c.kind, c.name) as name, c.n
	    from assay.analytics_count c
	    union all
	    select z.kind, z.name, 0 from assay.analytics_total z
	    where z.kind in ('verdict', 'score', 'tag')) d
	group by 1, 2
	on conflict (kind, name) do update set n = excluded.n
	where t.n <> excluded.n;
end;

-- Count cases and labels anew, in one snapshot: what is, and what is gone, but
-- for the changes that are still to be added.
create or replace function assay.analytics_outcomes()
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	with pending as (
		select split_part(g.name, '.', 1) as kind,
			split_part(g.name, '.', 2) as name, g.n
		from assay.analytics_change g
	)
	insert into assay.analytics_total as t (kind, name, n)
	select o.kind, o.name, sum(o.n)
	from (select 'case' as kind, c.outcome as name, count(*) as n
	    from assay.review_case c where c.status = 'resolved'
	    group by c.outcome
	    union all
	    select 'label', w.name, count(*)
	    from assay.label l, lateral (values (l.outcome),
		(case when l.analyst is not null then 'analyst' end),
		(case when l.chargeback is not null then 'chargeback' end))
		as w(name)
	    where w.name is not null group by w.name
	    union all
	    select 'label', z.name, z.n from assay.analytics_total z
	    where z.kind = 'removed'
	    union all
	    select 'label', p.name, p.n from pending p where p.kind = 'removed'
	    union all
	    select p.kind, p.name, -p.n from pending p where p.kind <> 'removed'
	    union all
	    select z.kind, z.name, 0 from assay.analytics_total z
	    where z.kind in ('case', 'label')) o
	group by 1, 2
	on conflict (kind, name) do update set n = excluded.n
	where t.n <> excluded.n;
end;

-- Everything that is counted.  It reads sums, and of days the last 400.
create or replace function assay.analytics_summary()
returns text language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	with days as (
		-- That without a day is of all times.
		select d.day, sum(d.n) as total,
			coalesce(sum(d.n) filter (where d.name = 'allow'), 0)
			    as allow,
			coalesce(sum(d.n) filter (where d.name = 'challenge'), 0)
			    as challenge,
			coalesce(sum(d.n) filter (where d.name = 'review'), 0)
			    as review,
			coalesce(sum(d.n) filter (where d.name = 'deny'), 0)
			    as deny
		from (select null::date as day, '' as name, 0::bigint as n
		    union all
		    select null, t.name, t.n from assay.analytics_total t
		    where t.kind = 'verdict'
		    union all
		    select c.day, c.name, c.n from assay.analytics_count c
		    where c.kind = 'verdict'
			and c.day > (now() at time zone 'UTC')::date - 400) d
		group by d.day
	), known as (
		select t.kind || '.' || t.name as name, t.n
		from assay.analytics_total t where t.kind in ('case', 'label')
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
		    left join assay.analytics_total s
			on s.kind = 'score' and s.name = b::text),
	    'topTags', (select coalesce(json_object_agg(t.tag, t.n
		    order by t.n desc, t.tag), '{}')
		from (select a.name as tag, a.n from assay.analytics_total a
		    where a.kind = 'tag' and a.n > 0
		    order by a.n desc, a.name limit 20) t),
	    'byDay', (select coalesce(json_object_agg(d.day, json_build_object(
		    'total', d.total,
		    'allow', d.allow,
		    'challenge', d.challenge,
		    'review', d.review,
		    'deny', d.deny) order by d.day), '{}')
		from days d where d.day is not null),
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
