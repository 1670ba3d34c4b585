-- SPDX-License-Identifier: ISC
-- Analytics: how decisions, cases and labels are counted and shown.

-- Count a resolved case.
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

-- Take back the count of a case that is open again.
create or replace function assay.analytics_on_case_reopened()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	values ('case.' || old.outcome, -1);
	return null;
end
$$;
select assay.trigger_make('assay.review_case', 'analytics_reopened',
    'after update of status on assay.review_case for each row
    when (old.status = ''resolved'' and new.status <> ''resolved'')
    execute function assay.analytics_on_case_reopened()');

-- Count a new label, or a label whose outcome has changed.
create or replace function assay.analytics_on_label()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	select 'label.' || w.name, sum(w.n)
	from (values (nullif(new.outcome, 'none'), 1),
	    (nullif(old.outcome, 'none'), -1),
	    ('analyst', num_nonnulls(nullif(new.analyst, 'none'))
		- num_nonnulls(nullif(old.analyst, 'none'))),
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

-- Count a label that retention deletes: it stays in the totals, and a rebuild
-- adds the deleted labels to those that it finds.
create or replace function assay.analytics_on_label_removed()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.analytics_change (name, n)
	select 'removed.' || w.name, 1
	from (values (nullif(old.outcome, 'none')),
	    (case when old.analyst <> 'none' then 'analyst' end),
	    (case when old.chargeback is not null then 'chargeback' end))
	    as w(name)
	where w.name is not null;
	return null;
end
$$;
select assay.trigger_make('assay.label', 'analytics_gone',
    'after delete
    on assay.label for each row
    execute function assay.analytics_on_label_removed()');

-- The name under which a day's count enters the totals: a score by its ten.
create or replace function assay.analytics_sum_name(kind text, name text)
returns text language sql immutable
return case kind when 'score' then (name::int / 10)::text else name end;

-- Let one transaction at a time count: false if another one does.
create or replace function assay.analytics_try_lock()
returns boolean language sql volatile
return pg_try_advisory_xact_lock(hashtextextended('assay analytics', 0));

-- The same lock; waits for it.
create or replace function assay.analytics_lock()
returns void language sql volatile
return pg_advisory_xact_lock(hashtextextended('assay analytics', 0));

-- Merge the days before the last 400 into one, and drop their calibration:
-- nothing shows them, and the counts of each score stay bounded.
create or replace function assay.analytics_compact()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	first_kept constant date := (now() at time zone 'UTC')::date - 400;
begin
	update assay.analytics_cursor set compacted_before = first_kept
	where compacted_before < first_kept;
	if not found then
		return;
	end if;
	with old as (
		delete from assay.analytics_count c
		where c.kind in ('verdict', 'score', 'tag')
			and c.day < first_kept
			and (c.day > '-infinity' or c.event_type <> '')
		returning c.kind, c.name, c.n
	)
	insert into assay.analytics_count as c (kind, day, name, n)
	select o.kind, '-infinity', case o.kind
		when 'score' then (o.name::int / 10 * 10)::text
		else o.name end, sum(o.n)
	from old o group by 1, 3
	on conflict (kind, day, event_type, name) do update
	set n = c.n + excluded.n;
	delete from assay.calibration c where c.day < first_kept;
end
$$;

-- Add the oldest changes of cases and labels to the totals.  Returns how many
-- changes these were.
create or replace function assay.analytics_add_changes(max_changes bigint)
returns bigint language sql
begin atomic
	with taken as (
		delete from assay.analytics_change g
		where g.number in (select w.number from assay.analytics_change w
		    order by w.number limit max_changes)
		returning split_part(g.name, '.', 1) as kind,
			split_part(g.name, '.', 2) as name, g.n
	), added as (
		insert into assay.analytics_total as t (kind, name, n)
		select a.kind, a.name, sum(a.n) from taken a group by 1, 2
		on conflict (kind, name) do update set n = t.n + excluded.n
	)
	select count(*) from taken;
end;

-- Find the end of the next piece of the log, which begins after the cursor
-- (from_xid, from_id): after max_decisions decisions or, if the log has fewer, at
-- the watermark.  found_any is false if the piece has no decision; more is true
-- if the log may continue after the piece.
create or replace function assay.analytics_piece_end(from_xid bigint,
    from_id text, watermark bigint, max_decisions bigint, out to_xid bigint,
    out to_id text, out found_any boolean, out more boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	select l.xid, l.id into to_xid, to_id
	from assay.log_between(from_xid, from_id, watermark, '') l
	order by 1, 2 offset max_decisions - 1 limit 1;
	more := found;
	found_any := found or exists (select
	    from assay.log_between(from_xid, from_id, watermark, ''));
	if not more then
		to_xid := watermark;
		to_id := '';
	end if;
end
$$;

-- Count the decisions between two cursors.  Returns how many they are.
create or replace function assay.analytics_count_piece(from_xid bigint,
    from_id text, to_xid bigint, to_id text)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	decisions bigint;
begin
	with facts as materialized (
		select f.day, f.kind, f.event_type, f.name, count(*) as n
		from assay.analytics_fact f
		where f.xid >= from_xid and f.xid <= to_xid
			and (f.xid > from_xid or f.id > from_id)
			and (f.xid < to_xid or f.id <= to_id)
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
	), rebuilt as (
		insert into assay.analytics_rebuild_count as b
		    (kind, event_type, name, n)
		select f.kind, f.event_type, f.name, f.n
		from facts f join assay.analytics_rebuild r on r.day = f.day
		on conflict (kind, event_type, name) do update
		set n = b.n + excluded.n
	)
	select coalesce(sum(f.n), 0) into decisions
	from facts f where f.kind = 'verdict';
	return decisions;
end
$$;

-- Count the next piece of the log, and the next changes of cases and labels, at
-- most max_rows of each.  The cursor moves in the same transaction, so that
-- each decision is counted once, even if the companion is killed.  The piece
-- ends before the oldest running transaction, which may commit late.  Without
-- anything to count the function writes nothing.
--
-- counted is the number of decisions, between the cursors (from_xid, from_id)
-- and (to_xid, to_id).  more says whether there is more to count, rebuilding
-- whether a rebuild runs.  busy: another transaction counts, and this one has
-- done nothing.
create or replace function assay.analytics_project(max_rows bigint,
    out counted bigint, out more boolean, out rebuilding boolean,
    out busy boolean, out from_xid bigint, out from_id text,
    out to_xid bigint, out to_id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	watermark bigint;
	piece record;
	changes bigint;
begin
	counted := 0;
	more := false;
	busy := not assay.analytics_try_lock();
	rebuilding := exists (select from assay.analytics_rebuild);
	if busy then
		return;
	end if;

	-- Read before the rows: all older transactions have ended.
	watermark := assay.log_watermark();
	select c.next_xid, c.last_id into strict from_xid, from_id
	from assay.analytics_cursor c;
	perform assay.analytics_compact();
	changes := assay.analytics_add_changes(max_rows);

	select * into piece from assay.analytics_piece_end(from_xid, from_id,
	    watermark, max_rows);
	to_xid := piece.to_xid;
	to_id := piece.to_id;
	more := piece.more or changes = max_rows;
	if not piece.found_any and to_xid <= from_xid + max_rows then
		return;
	end if;
	if piece.found_any then
		counted := assay.analytics_count_piece(from_xid, from_id,
		    to_xid, to_id);
		perform assay.shadow_project(from_xid, from_id, to_xid, to_id);
	end if;
	update assay.analytics_cursor set next_xid = to_xid, last_id = to_id;
end
$$;

-- The first UTC day that the log still has whole: not before a month that was
-- dropped, a time that retention may have emptied, or a day that was merged.
create or replace function assay.analytics_first_complete_day()
returns date language sql stable
begin atomic
	select greatest((select c.compacted_before
		from assay.analytics_cursor c),
	    (select ((max(m.until) at time zone 'UTC')
		    + interval '1 day - 1 microsecond')::date
		from assay.retention_watermark m
		where m.collection in ('verdicts', 'verdicts announced')),
	    (select min(to_date(right(p.relname, 6), 'YYYYMM'))
		from pg_inherits h join pg_class p on p.oid = h.inhrelid
		where h.inhparent = 'assay.verdict_log'::regclass
			and not h.inhdetachpending));
end;

-- Begin to rebuild a day: its decisions up to the present cursor.
create or replace function assay.analytics_rebuild_day(of_day date)
returns void language sql
begin atomic
	delete from assay.analytics_rebuild_count;
	update assay.analytics_rebuild r
	set day = of_day, cursor_xid = c.next_xid, cursor_id = c.last_id,
		counted_until = of_day::timestamp at time zone 'UTC',
		counted_id = '', step = interval '1 day'
	from assay.analytics_cursor c;
end;

-- Begin a rebuild of the counts from the log, or join one that was begun: the
-- first and the last day that are left.  No row while another transaction
-- counts.
create or replace function assay.analytics_rebuild_begin()
returns table (first text, last text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	if not assay.analytics_try_lock() then
		return;
	end if;
	if not exists (select from assay.analytics_rebuild) then
		insert into assay.analytics_rebuild (day, last_day, cursor_xid,
		    cursor_id, counted_until, counted_id, step)
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

-- Count the decisions of a rebuild's day up to a time and, at that time, up to an id.
-- Returns how many they are.
create or replace function assay.analytics_rebuild_piece(
    r assay.analytics_rebuild, to_at timestamptz, to_id text)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	decisions bigint;
begin
	with facts as materialized (
		select f.kind, f.event_type, f.name, count(*) as n
		from assay.analytics_fact f
		where f.decided_at >= r.counted_until
			and f.decided_at <= to_at
			and (f.decided_at > r.counted_until
			    or f.id > r.counted_id)
			and (f.decided_at < to_at
			    or f.decided_at = to_at and f.id <= to_id)
			and (f.xid < r.cursor_xid
			    or f.xid = r.cursor_xid and f.id <= r.cursor_id)
		group by 1, 2, 3
	), added as (
		insert into assay.analytics_rebuild_count as b
		    (kind, event_type, name, n)
		select f.kind, f.event_type, f.name, f.n from facts f
		on conflict (kind, event_type, name) do update
		set n = b.n + excluded.n
	)
	select coalesce(sum(f.n), 0) into decisions
	from facts f where f.kind = 'verdict';
	return decisions;
end
$$;

-- Do the next step of a rebuild: count at most max_rows decisions of its day.
-- A finished day replaces its counts, unless retention has begun to empty it.
-- The last day also rebuilds the totals and ends the rebuild. Returns how
-- many decisions were counted, and whether a day is finished.
create or replace function assay.analytics_rebuild(max_rows bigint,
    out counted bigint, out done boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	r assay.analytics_rebuild;
	end_of_day timestamptz;
	end_of_step timestamptz;
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

	end_of_day := (r.day + 1)::timestamp at time zone 'UTC';
	end_of_step := least(end_of_day, r.counted_until + r.step);
	select l.decided_at, l.id into to_at, to_id
	from assay.verdict_log l
	where l.decided_at >= r.counted_until and l.decided_at < end_of_step
		and (l.decided_at > r.counted_until or l.id > r.counted_id)
	order by 1, 2 offset max_rows - 1 limit 1;
	if found then
		r.step := greatest(r.step / 2, interval '1 microsecond');
	else
		r.step := least(r.step * 2, interval '1 day');
		to_at := end_of_step;
		to_id := '';
	end if;

	counted := assay.analytics_rebuild_piece(r, to_at, to_id);
	done := to_at = end_of_day;
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

-- Replace the counts of a day by the rebuilt ones, and adjust the totals.
create or replace function assay.analytics_replace(of_day date)
returns void language sql
begin atomic
	insert into assay.analytics_total as t (kind, name, n)
	select d.kind, assay.analytics_sum_name(d.kind, d.name), sum(d.n)
	from (select b.kind, b.name, b.n from assay.analytics_rebuild_count b
	    union all
	    select c.kind, c.name, -c.n from assay.analytics_count c
	    where c.kind in ('verdict', 'score', 'tag') and c.day = of_day) d
	group by 1, 2 having sum(d.n) <> 0
	on conflict (kind, name) do update set n = t.n + excluded.n;
	delete from assay.analytics_count c
	where c.kind in ('verdict', 'score', 'tag') and c.day = of_day;
	insert into assay.analytics_count (kind, day, event_type, name, n)
	select b.kind, of_day, b.event_type, b.name, b.n
	from assay.analytics_rebuild_count b;
end;

-- Rebuild the totals of decisions from the counts of the days.
create or replace function assay.analytics_sum()
returns void language sql
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

-- Rebuild the totals of cases and labels in one snapshot: what exists and what
-- was removed, without the changes that are still to be added.
create or replace function assay.analytics_outcomes()
returns void language sql
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
	    from assay.label l, lateral (values (nullif(l.outcome, 'none')),
		(case when l.analyst <> 'none' then 'analyst' end),
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

-- The counts of some days and of one event type or, if it is null, of all; if the
-- days are null, the verdicts of the last 400 days.
create or replace function assay.analytics_counts(first date, last date,
    of_type text)
returns table (kind text, day date, name text, n bigint) language sql stable
begin atomic
	select c.kind, c.day, c.name, c.n from assay.analytics_count c
	where c.kind = any(case when first is null then '{verdict}'::text[]
	    else '{verdict,score,tag}' end)
		and c.day between coalesce(first, '-infinity')
		    and coalesce(last, 'infinity')
		and c.day > (now() at time zone 'UTC')::date - 400
		and (of_type is null or c.event_type = of_type);
end;

-- The totals of resolved cases and of labels.
create or replace function assay.analytics_outcome_totals(out cases json,
    out labels json, out false_positive_rate float8)
language sql stable
begin atomic
	with sums as (
		select json_object_agg(t.kind || '.' || t.name, t.n) as n
		from assay.analytics_total t where t.kind in ('case', 'label')
	), cases as (
		select coalesce((s.n ->> 'case.fraud')::bigint, 0) as fraud,
			coalesce((s.n ->> 'case.legit')::bigint, 0) as legit,
			coalesce((s.n ->> 'case.inconclusive')::bigint, 0)
			    as inconclusive
		from sums s
	)
	select json_build_object(
		'resolved', c.fraud + c.legit + c.inconclusive,
		'fraud', c.fraud,
		'legit', c.legit,
		'inconclusive', c.inconclusive),
	    json_build_object(
		'fraud', coalesce((s.n ->> 'label.fraud')::bigint, 0),
		'legit', coalesce((s.n ->> 'label.legit')::bigint, 0),
		'analyst', coalesce((s.n ->> 'label.analyst')::bigint, 0),
		'chargeback', coalesce((s.n ->> 'label.chargeback')::bigint, 0)),
	    coalesce(c.legit::float8 / nullif(c.fraud + c.legit, 0), 0)
	from sums s, cases c;
end;

-- The analytics summary.  Its counts of decisions are of some days, at most 400,
-- and of one event type or, if it is null, of all.  If all parameters are null,
-- they are the totals and the last 400 days; else neither day may be null.
create or replace function assay.analytics_stretch(first date, last date,
    of_type text)
returns text language sql stable
begin atomic
	with counts as materialized (
		select c.* from assay.analytics_counts(first, last, of_type) c
	), sums as materialized (
		select t.kind, t.name, t.n from assay.analytics_total t
		where first is null
		union all
		select c.kind, assay.analytics_sum_name(c.kind, c.name), sum(c.n)
		from counts c where first is not null group by 1, 2
	), days as (
		-- The row without a day has the totals.
		select d.day, sum(d.n) as total,
			coalesce(sum(d.n) filter (where d.name = 'allow'), 0)
			    as allow,
			coalesce(sum(d.n) filter (where d.name = 'challenge'), 0)
			    as challenge,
			coalesce(sum(d.n) filter (where d.name = 'review'), 0)
			    as review,
			coalesce(sum(d.n) filter (where d.name = 'deny'), 0)
			    as deny
		from (select null::date as day, '' as name, 0 as n
		    union all
		    select null, u.name, u.n from sums u where u.kind = 'verdict'
		    union all
		    select c.day, c.name, c.n from counts c
		    where c.kind = 'verdict') d
		group by d.day
	)
	select json_build_object(
	    'totals', (select json_build_object(
		    'decisions', d.total,
		    'byVerdict', json_build_object(
			'allow', d.allow, 'challenge', d.challenge,
			'review', d.review, 'deny', d.deny))
		from days d where d.day is null),
	    'scoreBuckets', (select json_agg(coalesce(u.n, 0) order by b)
		from generate_series(0, 10) b
		    left join sums u on u.kind = 'score' and u.name = b::text),
	    'topTags', (select coalesce(json_object_agg(t.name, t.n
		    order by t.n desc, t.name), '{}')
		from (select u.name, u.n from sums u
		    where u.kind = 'tag' and u.n > 0
		    order by u.n desc, u.name limit 20) t),
	    'byDay', (select coalesce(json_object_agg(d.day, json_build_object(
		    'total', d.total, 'allow', d.allow,
		    'challenge', d.challenge, 'review', d.review,
		    'deny', d.deny) order by d.day), '{}')
		from days d where d.day is not null),
	    'cases', o.cases,
	    'labels', o.labels,
	    'falsePositiveRate', o.false_positive_rate)::text
	from assay.analytics_outcome_totals() o;
end;

-- The analytics summary of all decisions.
create or replace function assay.analytics_summary()
returns text language sql stable
return assay.analytics_stretch(null, null, null);

-- Handling time of resolved cases, in total and by analyst.  Filters: days, queue,
-- event type.  Reads the newest 100000.
create or replace function assay.analytics_handling(first date, last date,
    of_type text, of_queue text)
returns text language sql stable
set enable_seqscan = off
begin atomic
	with resolved as materialized (
		select c.resolved_by as analyst, c.outcome,
			extract(epoch from c.resolved_at - c.opened_at)::float8
			    as seconds
		from assay.review_case c
		where c.resolved_at >= first::timestamp at time zone 'UTC'
			and c.resolved_at
			    < (last + 1)::timestamp at time zone 'UTC'
			and c.status = 'resolved'
			and (of_queue is null or c.queue = of_queue)
			and (of_type is null or c.event_type = of_type)
		order by c.resolved_at desc limit 100000
	)
	select json_build_object(
	    'handling', (select json_build_object(
		    'resolved', count(*),
		    'medianSeconds',
			percentile_cont(0.5) within group (order by r.seconds),
		    'p90Seconds',
			percentile_cont(0.9) within group (order by r.seconds))
		from resolved r),
	    'analysts', (select coalesce(json_agg(json_build_object(
		    'analyst', a.analyst,
		    'resolved', a.resolved,
		    'fraud', a.fraud,
		    'legit', a.legit,
		    'inconclusive', a.inconclusive,
		    'medianSeconds', a.median)
		    order by a.resolved desc, a.analyst), '[]')
		from (select r.analyst, count(*) as resolved,
			count(*) filter (where r.outcome = 'fraud') as fraud,
			count(*) filter (where r.outcome = 'legit') as legit,
			count(*) filter (where r.outcome = 'inconclusive')
			    as inconclusive,
			percentile_cont(0.5) within group (order by r.seconds)
			    as median
		    from resolved r group by 1) a))::text;
end;
