-- SPDX-License-Identifier: ISC
-- Retention: what is older than its window goes, a batch at a time.
-- lib/retention/retention.c calls these as a role that owns nothing: what needs the owner of
-- the tables is done here, to tables that are known here, and as a whole.

-- The time before which a collection of so many days has nothing: 1970 if it
-- is kept for ever.
create or replace function assay.retention_cutoff(days bigint)
returns timestamptz language sql volatile
set search_path = pg_catalog, pg_temp
return case when days = 0 then timestamptz 'epoch'
    else clock_timestamp() - make_interval(days => days::int) end;

-- Verdicts older than this may be gone from now on: said before any of them is,
-- so that who counts them knows which days are not whole any more.
create or replace function assay.retention_announce(cut timestamptz)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.retention_watermark as m (collection, until)
	values ('verdicts announced', retention_announce.cut)
	on conflict (collection) do update set until = excluded.until
	where m.until < excluded.until;
end;

-- Do what is next about whole months: finish a detachment that was cut short,
-- detach a month that is over, or count and drop one that is detached.  What
-- went with it; no row when there is nothing to do.  A month of details is over
-- when both their parts are, and no month is before it has ended.  Detached and
-- dropped are two calls, so that the count of a large month holds no lock that
-- decisions need.  They wait behind the detachment for lock_timeout at most:
-- then it fails, and the caller tries it again later.
create or replace function assay.retention_month(verdicts_cut timestamptz,
    activity_cut timestamptz, sample_cut timestamptz)
returns table (verdicts bigint, activity bigint, samples bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set datestyle = 'ISO'
set lock_timeout = '100ms'
as $$
declare
	part record;
begin
	verdicts := 0;
	activity := 0;
	samples := 0;
	perform assay.retention_announce(verdicts_cut);
	select m.* into part
	from (select c.relname as name,
			regexp_replace(c.relname, '_[0-9]{6}$', '') as parent,
			h.inhparent is not null as attached,
			coalesce(h.inhdetachpending, false) as pending,
			(to_date(right(c.relname, 6), 'YYYYMM')
			    + interval '1 month') at time zone 'UTC' as ends
		from pg_class c
			left join pg_inherits h on h.inhrelid = c.oid
		where c.relnamespace = 'assay'::regnamespace
			and c.relkind = 'r'
			and c.relname ~ '^(verdict_log|decision_detail)_[0-9]{6}$') m
	where m.pending or m.ends <= least(now(), case
	    when m.parent = 'verdict_log' then verdicts_cut
	    else least(activity_cut, sample_cut) end)
	order by m.pending desc, m.name
	limit 1;
	if not found then
		return;
	end if;
	if part.attached then
		execute format('alter table assay.%I detach partition assay.%I %s',
		    part.parent, part.name,
		    case when part.pending then 'finalize' else '' end);
	elsif part.parent = 'verdict_log' then
		execute format('select count(*) from assay.%I', part.name)
		into verdicts;
		execute format('drop table assay.%I', part.name);
	else
		execute format('select count(request), count(sample) '
		    'from assay.%I', part.name) into activity, samples;
		execute format('drop table assay.%I', part.name);
	end if;
	return next;
end
$$;

-- Begin a sweep, as the only one over all hosts until the session ends or
-- retention_end(): now, or with minutes if that is so long since the last one
-- began, or if that one was cut short.  Whether it has begun.
create or replace function assay.retention_begin(minutes bigint)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	sweeping constant bigint := hashtextextended('assay.retain', 0);
begin
	-- Those who only look do not stand in the way of who sweeps.
	if not assay.retention_due(minutes) then
		return false;
	end if;
	perform pg_advisory_unlock_all();
	if not pg_try_advisory_lock(sweeping) then
		return false;
	end if;
	if not assay.retention_due(minutes) then
		perform pg_advisory_unlock(sweeping);
		return false;
	end if;
	update assay.retention_sweep
	set started_at = clock_timestamp(), finished_at = null;
	return true;
end
$$;

-- Whether it is so long ago; 0 is always.  A clock that was set back is no
-- reason to wait until it has caught up.
create or replace function assay.retention_due(minutes bigint)
returns boolean language sql volatile
set search_path = pg_catalog, pg_temp
return (select minutes = 0 or s.finished_at is null
	or clock_timestamp() < s.started_at
	or clock_timestamp() >= s.started_at
	    + make_interval(mins => minutes::int)
    from assay.retention_sweep s);

-- The sweep is through.
create or replace function assay.retention_end()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.retention_sweep
	set finished_at = clock_timestamp();
	perform pg_advisory_unlock_all();
end
$$;

-- The table that a collection is in.
create or replace function assay.retention_table(collection text)
returns text language sql immutable
set search_path = pg_catalog, pg_temp
return case collection when 'verdicts' then 'verdict_log'
    when 'idempotency' then 'idempotency'
    when 'activity' then 'decision_detail'
    when 'replay' then 'decision_detail' end;

-- The next batches of a collection: tables, and runs of 128 pages in them that
-- have rows of it, so many at most, of that many minutes of the past.  When
-- these are done, there is nothing older than until any more; null, there may
-- be.  No row when nothing is left.  However much there is, no call looks at
-- more than 200,000 rows.
create or replace function assay.retention_batches(collection text,
    cut timestamptz, at_most bigint, minutes bigint)
returns table (part bigint, run bigint, until timestamptz) language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	relation constant text := assay.retention_table(collection);
	had constant text := case collection
	    when 'activity' then 'and (t.request is not null or t.sample is null)'
	    when 'replay' then 'and (t.sample is not null or t.request is null)'
	    else '' end;
	oldest timestamptz := least(cut, (
	    select min(to_date(right(c.relname, 6), 'YYYYMM')::timestamp)
		at time zone 'UTC'
	    from pg_inherits i join pg_class c on c.oid = i.inhrelid
	    where i.inhparent = 'assay.verdict_log'::regclass));
	width interval := make_interval(mins => minutes::int);
	give_up timestamptz := clock_timestamp() + interval '0.5 seconds';
	since timestamptz := coalesce((select m.until
	    from assay.retention_watermark m
	    where m.collection = retention_batches.collection), '-infinity');
begin
	while since < cut loop
		until := case when since < oldest then oldest
		    else least(since + width, cut) end;
		return query execute format(
		    'with seen as materialized (
			select t.tableoid, t.ctid from assay.%I t
			where t.decided_at >= $1 and t.decided_at < $2 %s
			limit 200000
		    ), runs as (
			select distinct s.tableoid::bigint as part,
				(s.ctid::text::point)[0]::bigint / 128 as run
			from seen s order by 1, 2 limit $3)
		    select r.part, r.run, case when count(*) over () < $3
			and (select count(*) from seen) < 200000 then $2 end
		    from runs r', relation, had)
		using since, until, at_most;
		if found then
			return;
		end if;
		if until = cut or clock_timestamp() > give_up then
			part := null;
			run := null;
			return next;
			return;
		end if;
		since := until;
		width := width * 2;
	end loop;
end
$$;

-- One batch of a collection: rows are deleted, and of details of which the
-- other part is still to be kept only this one is blanked.  How many of each
-- collection are gone.  The part is the collection's table or a month of it.
create or replace function assay.retention_batch(collection text, part bigint,
    run bigint, cut timestamptz, other_cut timestamptz)
returns table (rows_gone bigint, others_gone bigint) language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	relation constant regclass := 'assay.'
	    || assay.retention_table(collection);
	pages text := format('t.ctid >= %L::tid and t.ctid < %L::tid',
	    format('(%s,0)', run * 128), format('(%s,0)', (run + 1) * 128));
	this text := case collection when 'activity' then 'request'
	    else 'sample' end;
	other text := case collection when 'activity' then 'sample'
	    else 'request' end;
	blanked bigint;
begin
	if part::oid is distinct from relation::oid and not exists (
	    select from pg_inherits i
	    where i.inhrelid = part::oid and i.inhparent = relation)
	then
		raise 'this is no table of the collection'
		using errcode = 'invalid_parameter_value';
	end if;
	others_gone := 0;
	if collection in ('verdicts', 'idempotency') then
		execute format('delete from %s t where %s '
		    'and t.decided_at < $1', part::oid::regclass, pages)
		using cut;
		get diagnostics rows_gone = row_count;
		return next;
		return;
	end if;
	execute format('with gone as (
		delete from %s t where %s and t.decided_at < $1
		    and (t.%I is null or t.decided_at < $2)
		returning t.%I is not null as this, t.%I is not null as other)
	    select count(*) filter (where this), count(*) filter (where other)
	    from gone', part::oid::regclass, pages, other, this, other)
	into rows_gone, others_gone using cut, other_cut;
	execute format('update %s t set %I = null where %s
		and t.decided_at < $1 and t.%I is not null',
	    part::oid::regclass, this, pages, this)
	using cut;
	get diagnostics blanked = row_count;
	rows_gone := rows_gone + blanked;
	return next;
end
$$;

-- Have the server's autovacuum look at each table that retention empties as
-- soon as 50 of its rows are gone, instead of a fifth of all, unless its owner
-- chose another share: only a table's owner may vacuum it.  What is locked now
-- is left to the next sweep.  Whether there is an autovacuum.
create or replace function assay.retention_vacuum()
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
declare
	part regclass;
begin
	for part in
		select c.oid
		from pg_class c left join pg_inherits i on i.inhrelid = c.oid
		where c.relkind = 'r'
			and (c.oid = 'assay.idempotency'::regclass
			    or i.inhparent in ('assay.verdict_log'::regclass,
				'assay.decision_detail'::regclass))
			and not exists (select from unnest(c.reloptions) o
			    where o like 'autovacuum_vacuum_scale_factor=%')
		order by 1
	loop
		begin
			execute format('alter table %s set '
			    '(autovacuum_vacuum_scale_factor = 0)', part);
		exception when lock_not_available then
			null;
		end;
	end loop;
	return current_setting('autovacuum')::boolean;
end
$$;

-- A collection has nothing older than this any more.
create or replace function assay.retention_raise_watermark(collection text,
    cut timestamptz)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.retention_watermark as m (collection, until)
	values (retention_raise_watermark.collection, cut)
	on conflict (collection) do update
	set until = greatest(m.until, excluded.until);
end;

-- A batch of the deliveries that were given up, or of the labels whose events
-- were never seen.
create or replace function assay.retention_dead_letters(cut timestamptz,
    at_most bigint)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	gone bigint;
begin
	delete from assay.dead_letter d
	where d.id in (select o.id from assay.dead_letter o
	    where o.dead_at < cut order by o.dead_at limit at_most);
	get diagnostics gone = row_count;
	return gone;
end
$$;

-- Erasures of users of whom nothing can come back any more, and spools that
-- were silent for as long.
create or replace function assay.retention_erasures(cut timestamptz,
    at_most bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	gone bigint;
begin
	delete from assay.spool_host h where h.reported_at < cut;
	delete from assay.erasure e
	where e.user_hash in (select o.user_hash from assay.erasure o
	    where o.erased_at < cut order by o.erased_at limit at_most);
	get diagnostics gone = row_count;
	return gone;
end
$$;

create or replace function assay.retention_labels(cut timestamptz,
    at_most bigint)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	gone bigint;
begin
	delete from assay.label l
	where l.event_id in (select o.event_id from assay.label o
	    where o.credited_outcome is null and o.labelled_at < cut limit at_most)
		-- Not one that was waited for and has its decision now.
		and l.credited_outcome is null;
	get diagnostics gone = row_count;
	return gone;
end
$$;
