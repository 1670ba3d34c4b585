-- SPDX-License-Identifier: ISC
-- Retention: removes rows that are older than their window, a batch at a time.
-- lib/retention/retention.c calls these functions as a role that owns nothing.
-- What only the owner of a table may do runs here as the owner, on the tables
-- of the collections alone.

-- The cutoff of a collection whose window has that number of days, by the clock that
-- retention_begin() believes; 1970 if the number is 0, which keeps the collection for
-- ever.
create or replace function assay.retention_cutoff(days bigint)
returns timestamptz language sql volatile
return case when days = 0 then timestamptz 'epoch'
    else (select s.clock - make_interval(days => days::int)
	from assay.retention_sweep s) end;

-- Announce that verdicts older than the cutoff may be removed from now on: a
-- rebuild of the analytics then leaves out their days.
create or replace function assay.retention_announce(cutoff timestamptz)
returns void language sql
begin atomic
	insert into assay.retention_watermark as m (collection, until)
	values ('verdicts announced', cutoff)
	on conflict (collection) do update set until = excluded.until
	where m.until < excluded.until;
end;

-- Do the next step on whole months: finish an interrupted detachment, detach a
-- month that is older than its cutoff, or count and drop a detached month.
-- Returns what was dropped; no row if there is nothing to do.  A month of
-- details is old when both its requests and its samples are; the present month
-- of the clock that retention_begin() believes never is.  Detaching and dropping
-- are two calls, so that counting a large month holds no lock that decisions
-- need.  Decisions wait behind a detachment for lock_timeout at most; then it
-- fails, and the caller tries again later.
create or replace function assay.retention_month(verdict_cutoff timestamptz,
    activity_cutoff timestamptz, sample_cutoff timestamptz)
returns table (verdicts bigint, activity bigint, samples bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set datestyle = 'ISO'
set lock_timeout = '100ms'
as $$
declare
	month record;
begin
	verdicts := 0;
	activity := 0;
	samples := 0;
	perform assay.retention_announce(verdict_cutoff);
	select m.* into month
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
	where m.pending or m.ends <= least((select s.clock
	    from assay.retention_sweep s), case
	    when m.parent = 'verdict_log' then verdict_cutoff
	    else least(activity_cutoff, sample_cutoff) end)
	order by m.pending desc, m.name
	limit 1;
	if not found then
		return;
	end if;
	if month.attached then
		execute format('alter table assay.%I detach partition assay.%I %s',
		    month.parent, month.name,
		    case when month.pending then 'finalize' else '' end);
	elsif month.parent = 'verdict_log' then
		execute format('select count(*) from assay.%I', month.name)
		into verdicts;
		execute format('drop table assay.%I', month.name);
	else
		execute format('select count(request), count(sample) '
		    'from assay.%I', month.name) into activity, samples;
		execute format('drop table assay.%I', month.name);
	end if;
	return next;
end
$$;

-- Begin a sweep if it is due and no other host sweeps.  The session holds an
-- advisory lock until retention_end() or its end.  Returns whether the sweep
-- has begun.
--
-- A clock that is wrong for a moment must not remove what is to be kept.  If the
-- server's clock and host_time, the clock of the host that asks, differ by more than
-- a minute, no sweep begins, and ahead_ms says how far the server is ahead; else it
-- is 0.  If both are wrong, as on one machine, a sweep believes them only up to 24
-- times the minutes between sweeps after what the last one believed, or one day if
-- minutes is 0.
create or replace function assay.retention_begin(minutes bigint,
    host_time timestamptz, out begun boolean, out ahead_ms bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	sweeping constant bigint := hashtextextended('assay.retain', 0);
	furthest constant interval := make_interval(mins =>
	    24 * coalesce(nullif(minutes, 0), 60)::int);
begin
	begun := false;
	ahead_ms := 0;
	-- A session that only asks takes no lock.
	if not assay.retention_due(minutes) then
		return;
	end if;
	if clock_timestamp() - host_time not between '-1 minute' and '1 minute' then
		ahead_ms := extract(epoch from clock_timestamp() - host_time) * 1000;
		return;
	end if;
	perform pg_advisory_unlock_all();
	if not pg_try_advisory_lock(sweeping) then
		return;
	end if;
	if not assay.retention_due(minutes) then
		perform pg_advisory_unlock(sweeping);
		return;
	end if;
	update assay.retention_sweep s
	set started_at = clock_timestamp(), finished_at = null,
	    clock = least(clock_timestamp(), s.clock + furthest);
	begun := true;
end
$$;

-- Whether a sweep is due: minutes after the last one began, at once if the last
-- one was interrupted, and always if minutes is 0.  A start in the future, left
-- by a clock that was set back, is ignored.
create or replace function assay.retention_due(minutes bigint)
returns boolean language sql volatile
return (select minutes = 0 or s.finished_at is null
	or clock_timestamp() < s.started_at
	or clock_timestamp() >= s.started_at
	    + make_interval(mins => minutes::int)
    from assay.retention_sweep s);

-- End a sweep that has removed everything it should.
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

-- The table of a collection.
create or replace function assay.retention_table(collection text)
returns text language sql immutable
return case collection when 'verdicts' then 'verdict_log'
    when 'idempotency' then 'idempotency'
    when 'activity' then 'decision_detail'
    when 'replay' then 'decision_detail' end;

-- Which rows of a collection are still to be removed, as a condition.  A detail
-- that has neither part any more is to be removed with either collection.
create or replace function assay.retention_condition(collection text)
returns text language sql immutable
return case collection
    when 'activity' then '(t.request is not null or t.sample is null)'
    when 'replay' then '(t.sample is not null or t.request is null)'
    else 'true' end;

-- How many rows a sweep would remove now if the collection were kept for that number
-- of days, and before which time they are.  It looks above the watermark only.  More
-- than 10,000 rows are an estimate of the planner.  cut is null if days is 0, which
-- keeps the collection for ever.
create or replace function assay.retention_preview(collection text, days bigint,
    out rows bigint, out exact boolean, out cut timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	most constant bigint := 10000;
	source constant text := case collection
	    when 'deadLetter' then 'assay.dead_letter t where t.dead_at'
	    else format('assay.%I t where t.%I is not null and t.decided_at >= %L
		    and t.decided_at',
		assay.retention_table(collection), case collection
		when 'activity' then 'request' when 'replay' then 'sample'
		else 'decided_at' end, coalesce((select m.until
		    from assay.retention_watermark m
		    where m.collection = retention_preview.collection),
		    '-infinity')) end;
	plan json;
begin
	rows := 0;
	exact := true;
	if days = 0 then
		return;
	end if;
	cut := clock_timestamp() - make_interval(days => days::int);
	execute format('select count(*) from (select from %s < $1 limit $2) c',
	    source) into rows using cut, most;
	if rows = most then
		execute format('explain (format json) select from %s < %L',
		    source, cut) into plan;
		rows := greatest(rows, (plan #>> '{0,Plan,Plan Rows}')::bigint);
		exact := false;
	end if;
end
$$;

-- When the first partition of the verdict log begins.
create or replace function assay.retention_first_month()
returns timestamptz language sql stable
return (select min(to_date(right(c.relname, 6), 'YYYYMM')::timestamp)
	at time zone 'UTC'
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'assay.verdict_log'::regclass);

-- The next batches of a collection, at most max_batches.  A batch is a table
-- and a range of 128 pages in it that has rows to remove.  When the batches are
-- done the collection has no rows older than done_until; null if it may have
-- some.  No row if nothing is left.
--
-- The search starts at the watermark with a step of that number of minutes,
-- which doubles while no rows are found.  It reads at most 200,000 rows.  After
-- half a second without rows it ends with a row that has only done_until.
create or replace function assay.retention_batches(collection text,
    cutoff timestamptz, max_batches bigint, minutes bigint)
returns table (part bigint, page_range bigint, done_until timestamptz)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	first_month timestamptz := least(cutoff, assay.retention_first_month());
	step interval := make_interval(mins => minutes::int);
	give_up timestamptz := clock_timestamp() + interval '0.5 seconds';
	step_begin timestamptz := coalesce((select m.until
	    from assay.retention_watermark m
	    where m.collection = retention_batches.collection), '-infinity');
	step_end timestamptz;
begin
	while step_begin < cutoff loop
		step_end := case when step_begin < first_month then first_month
		    else least(step_begin + step, cutoff) end;
		return query execute format(
		    'with seen as materialized (
			select t.tableoid, t.ctid from assay.%I t
			where t.decided_at >= $1 and t.decided_at < $2 and %s
			limit 200000
		    ), ranges as (
			select distinct s.tableoid::bigint as part,
				(s.ctid::text::point)[0]::bigint / 128
				    as page_range
			from seen s order by 1, 2 limit $3)
		    select r.part, r.page_range,
			case when count(*) over () < $3
			    and (select count(*) from seen) < 200000 then $2 end
		    from ranges r', assay.retention_table(collection),
		    assay.retention_condition(collection))
		using step_begin, step_end, max_batches;
		if found then
			return;
		end if;
		if step_end = cutoff or clock_timestamp() > give_up then
			part := null;
			page_range := null;
			done_until := step_end;
			return next;
			return;
		end if;
		step_begin := step_end;
		step := step * 2;
	end loop;
end
$$;

-- Remove one batch of a collection.  part is the collection's table or one of
-- its months.  A detail whose other part is to be kept loses only this part.
-- Returns how many rows of this collection and of the other one are gone.
create or replace function assay.retention_batch(collection text, part bigint,
    page_range bigint, cutoff timestamptz, other_cutoff timestamptz)
returns table (rows_gone bigint, others_gone bigint) language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	relation constant regclass := 'assay.'
	    || assay.retention_table(collection);
	pages constant text := format('t.ctid >= %L::tid and t.ctid < %L::tid',
	    format('(%s,0)', page_range * 128),
	    format('(%s,0)', (page_range + 1) * 128));
	this_column constant text := case collection
	    when 'activity' then 'request' else 'sample' end;
	other_column constant text := case collection
	    when 'activity' then 'sample' else 'request' end;
	blanked bigint;
begin
	if part::oid is distinct from relation::oid and not exists (
	    select from pg_inherits i
	    where i.inhrelid = part::oid and i.inhparent = relation)
	then
		raise 'the table does not belong to the collection'
		using errcode = 'invalid_parameter_value';
	end if;
	others_gone := 0;
	if collection in ('verdicts', 'idempotency') then
		execute format('delete from %s t where %s '
		    'and t.decided_at < $1', part::oid::regclass, pages)
		using cutoff;
		get diagnostics rows_gone = row_count;
		return next;
		return;
	end if;
	execute format('with gone as (
		delete from %s t where %s and t.decided_at < $1
		    and (t.%I is null or t.decided_at < $2)
		returning t.%I is not null as this, t.%I is not null as other)
	    select count(*) filter (where this), count(*) filter (where other)
	    from gone', part::oid::regclass, pages, other_column, this_column,
	    other_column)
	into rows_gone, others_gone using cutoff, other_cutoff;
	execute format('update %s t set %I = null where %s
		and t.decided_at < $1 and t.%I is not null',
	    part::oid::regclass, this_column, pages, this_column)
	using cutoff;
	get diagnostics blanked = row_count;
	rows_gone := rows_gone + blanked;
	return next;
end
$$;

-- Let autovacuum clean each table that retention empties after 50 dead rows
-- instead of a fifth of the table, unless its owner has set a share.  Retention
-- cannot vacuum itself: only the owner may.  A table that is locked is left to
-- the next sweep.  Returns whether the server runs autovacuum.
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

-- Raise the watermark of a collection: it has no older rows.
create or replace function assay.retention_raise_watermark(collection text,
    cutoff timestamptz)
returns void language sql
begin atomic
	insert into assay.retention_watermark as m (collection, until)
	values (retention_raise_watermark.collection, cutoff)
	on conflict (collection) do update
	set until = greatest(m.until, excluded.until);
end;

-- Delete a batch of dead letters.  Returns how many.
create or replace function assay.retention_dead_letters(cutoff timestamptz,
    max_rows bigint)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	deleted bigint;
begin
	delete from assay.dead_letter d
	where d.id in (select o.id from assay.dead_letter o
	    where o.dead_at < cutoff order by o.dead_at limit max_rows);
	get diagnostics deleted = row_count;
	return deleted;
end
$$;

-- Delete a batch of erasures that are older than any decision that a spool can
-- still bring back, and spools that have been silent for as long.  Also remove
-- the contents of proposals that have expired.  Returns how many erasures.
create or replace function assay.retention_erasures(cutoff timestamptz,
    max_rows bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	deleted bigint;
begin
	perform assay.proposal_expire();
	delete from assay.spool_host h where h.reported_at < cutoff;
	delete from assay.erasure e
	where e.user_hash in (select o.user_hash from assay.erasure o
	    where o.erased_at < cutoff order by o.erased_at
	    limit max_rows);
	get diagnostics deleted = row_count;
	return deleted;
end
$$;

-- Delete a batch of what is known of exceptions: those that have been over for a
-- year, and the decisions of all that are older than the cutoff.  Returns how many.
create or replace function assay.retention_exceptions(cutoff timestamptz,
    max_rows bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	uses bigint;
begin
	delete from assay.rule_exception e
	where coalesce(e.ended_at, e.expires_at)
		< least(clock_timestamp(), (select s.clock
		    from assay.retention_sweep s)) - interval '1 year';
	delete from assay.exception_use u
	where u.ctid = any(array(select o.ctid from assay.exception_use o
	    where o.decided_at < cutoff limit max_rows));
	get diagnostics uses = row_count;
	return uses;
end
$$;

-- Delete a batch of the changes of a redecision that ended before the cutoff, and those
-- redecisions that have none any more.  Revised verdicts stay as long as the details of their
-- decisions: erasure finds cases by them.  Returns how many rows were deleted.
create or replace function assay.retention_redecisions(cutoff timestamptz,
    max_rows bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	oldest constant text := (select min(r.id) from assay.redecision r
	    where r.ended_at < cutoff and exists (
		select from assay.redecision_change c where c.redecision = r.id));
	changes bigint;
	ended bigint;
	revisions bigint;
begin
	delete from assay.redecision_change c
	where c.ctid = any(array(select o.ctid from assay.redecision_change o
	    where o.redecision = oldest limit max_rows));
	get diagnostics changes = row_count;
	delete from assay.redecision r
	where r.ended_at < cutoff and not exists (
		select from assay.redecision_change c where c.redecision = r.id);
	get diagnostics ended = row_count;
	delete from assay.verdict_revision v
	where v.ctid = any(array(select o.ctid from assay.verdict_revision o
	    where o.decided_at < least(cutoff,
		assay.log_retained_since('assay.decision_detail'))
	    limit max_rows));
	get diagnostics revisions = row_count;
	return changes + ended + revisions;
end
$$;

-- Delete a batch of labels whose events were never seen.  Returns how many.
create or replace function assay.retention_labels(cutoff timestamptz,
    max_rows bigint)
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	deleted bigint;
begin
	delete from assay.label l
	where l.event_id in (select o.event_id from assay.label o
	    where o.credited_outcome is null and o.labelled_at < cutoff
	    limit max_rows)
		-- Checked again: the label may have found its decision while
		-- this waited for its lock.
		and l.credited_outcome is null;
	get diagnostics deleted = row_count;
	return deleted;
end
$$;
