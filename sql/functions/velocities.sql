-- SPDX-License-Identifier: ISC
-- Velocities: which are counted, how they are filled from stored decisions, and what
-- is forgotten.

-- Workers read the velocities again with the rulesets.
create or replace function assay.velocity_changed()
returns void language sql
begin atomic
	update assay.epoch set rules = rules + 1;
end;

-- Count the definitions that rulesets have now, at most max_counted: add the new
-- ones, in order, and note which are used by none.  Those that were unused for a week
-- are not counted any more, and those unused longest if others need their place.  A definition that stored decisions cannot fill is
-- complete when its window has passed; without a window it is complete at once.
-- Returns how many were added and dropped, and how many there is no room for.
create or replace function assay.velocity_sync(ids bigint[], definitions text[],
    spans bigint[], fillables bigint[], users text[], max_counted bigint,
    out added bigint, out dropped bigint, out left_out bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	at timestamptz;
	completed bigint;
	room_for bigint;
	crowded_out bigint;
begin
	perform pg_advisory_xact_lock(hashtextextended('assay velocity', 0));
	at := clock_timestamp();
	update assay.velocity v
	set used_by = coalesce(w.used_by, v.used_by),
	    unused_since = case when w.id is null
		then coalesce(v.unused_since, at) end
	from assay.velocity o
	    left join unnest(ids, users) as w(id, used_by) on w.id = o.id
	where v.number = o.number and v.id is not null
	    and ((w.id is null) is distinct from (v.unused_since is not null)
		or w.used_by <> v.used_by);
	update assay.velocity v set id = null
	where v.id is not null and v.unused_since < at - interval '7 days';
	get diagnostics dropped = row_count;
	room_for := max_counted - (select count(*) from unnest(ids) as w(id)
	    where not exists (select from assay.velocity v where v.id = w.id));
	update assay.velocity v set id = null
	where v.number in (select u.number from assay.velocity u
	    where u.id is not null and u.unused_since is not null
	    order by u.unused_since, u.number
	    limit greatest(0, -room_for
		+ (select count(*) from assay.velocity c where c.id is not null)));
	get diagnostics crowded_out = row_count;
	dropped := dropped + crowded_out;
	update assay.velocity v set complete = true
	where v.id is not null and not v.complete and v.span > 0
	    and v.counted_since <= at - make_interval(secs => v.span / 1e6);
	get diagnostics completed = row_count;

	insert into assay.velocity (id, definition, span, used_by, counted_since,
	    position, fillable, filled_since, complete)
	select w.id, w.definition, w.span, w.used_by, at, assay.log_next(),
	    w.fillable = 1, at + interval '10 seconds', w.fillable = 0 and w.span = 0
	from unnest(ids, definitions, spans, fillables, users)
	    with ordinality as w(id, definition, span, fillable, used_by, nth)
	where not exists (select from assay.velocity v where v.id = w.id)
	order by w.nth
	limit greatest(0, max_counted
	    - (select count(*) from assay.velocity v where v.id is not null));
	get diagnostics added = row_count;
	update assay.velocity set complete_since = at where complete and complete_since is null;
	left_out := (select count(*) from unnest(ids) as w(id)
	    where not exists (select from assay.velocity v where v.id = w.id));
	if added + dropped + completed > 0 then
		perform assay.velocity_changed();
	end if;
end
$$;

-- Find the next slice of stored decisions from which velocities are filled: about
-- max_rows of them, before what is filled already.  Those that were added together
-- are filled together, eight at most, so that their states fit into memory;
-- their rows are locked.  No row if there is nothing to fill at
-- this moment: a fill begins when all transactions have ended that do not count it.
create or replace function assay.velocity_slice(max_rows bigint)
returns table (number bigint, far timestamptz, near timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	first assay.velocity;
begin
	-- One companion at a time: their locks of several rows would cross.
	if not pg_try_advisory_xact_lock(
	    hashtextextended('assay velocity fill', 0)) then
		return;
	end if;
	select v.* into first from assay.velocity v
	where v.id is not null and v.fillable and not v.complete
	    and v.counted_since < clock_timestamp() - interval '15 seconds'
	    and v.position < assay.log_watermark()
	order by v.number limit 1 for update skip locked;
	if not found then
		return;
	end if;
	-- An erasure waits until the slice is stored, or the slice leaves it out.
	perform pg_advisory_xact_lock_shared(assay.erasure_guard());
	near := first.filled_since;
	far := assay.log_start_of('assay.decision_detail', max_rows, near);
	return query
	select v.number::bigint, velocity_slice.far, velocity_slice.near
	from assay.velocity v
	where v.id is not null and v.fillable and not v.complete
	    and v.counted_since = first.counted_since
	    and v.filled_since = first.filled_since
	order by v.number limit 8 for update;
end
$$;

-- The scored decisions of a slice, with what keys are made of.
create or replace function assay.velocity_events(far timestamptz,
    near timestamptz)
returns table (decided_at timestamptz, user_id text, sample text, device text,
    ip text, fingerprint text)
language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
begin atomic
	select d.decided_at, d.user_id, d.sample, v.key, i.key,
		d.request::json -> 'subject' ->> 'fingerprint'
	from assay.decision_detail d
		left join assay.entity v on v.id = d.device and v.kind = 2
		left join assay.entity i on i.id = d.ip and i.kind = 3
	where d.decided_at >= far and d.decided_at < near
		and d.sample is not null and d.dry_run is null
		and not assay.is_erased(d.user_id, d.decided_at);
end;

-- The slice of these velocities is counted down to far.  A velocity is complete when
-- its window is, with a bucket more, or when no older decision is stored.  Returns how
-- many are complete now.
create or replace function assay.velocity_filled(numbers bigint[],
    far timestamptz)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	completed bigint;
begin
	update assay.velocity v
	set filled_since = far,
	    complete = far <= assay.log_retained_since('assay.decision_detail')
		or v.span > 0 and far <= v.counted_since
		    - make_interval(secs => v.span / 1e6 * 61 / 60)
	where v.number = any(numbers);
	select count(*) into completed from assay.velocity v
	where v.number = any(numbers) and v.complete;
	if completed > 0 then
		perform assay.velocity_changed();
	end if;
	return completed;
end
$$;

-- Remove at most max_rows states that are past their window or that belong to a
-- velocity that is not counted any more, and such a velocity after its last state.
-- Returns how many states were removed.
create or replace function assay.velocity_forget(max_rows bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	expired bigint;
	uncounted bigint;
	at constant timestamptz := clock_timestamp();
	gone constant integer := (select min(v.number) from assay.velocity v
	    where v.id is null);
begin
	delete from assay.velocity_state s
	where s.ctid = any (array(
	    select o.ctid from assay.velocity_state o
	    where o.expires_at < at
	    order by o.expires_at limit max_rows for update skip locked));
	get diagnostics expired = row_count;
	delete from assay.velocity_state s
	where s.ctid = any (array(
	    select o.ctid from assay.velocity_state o
	    where o.number = gone order by o.number, o.key, o.shard
	    limit max_rows for update skip locked));
	get diagnostics uncounted = row_count;
	delete from assay.velocity v where v.number = gone
	    and not exists (select from assay.velocity_state s
		where s.number = gone);
	return expired + uncounted;
end
$$;

-- The hash of a part of a key, as lib/engine/velocity_hash.c computes it.
create or replace function assay.velocity_hash(part text)
returns bytea language sql stable
return (select substr(sha256(k.event || convert_to(part, 'UTF8')), 1, 16)
    from assay.hash_key k where k.one);

-- Remove the states whose first key is one of these.  A statement for each part and velocity: a join of them reads the whole index.
create or replace function assay.velocity_erase_keys(parts text[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	one integer;
	part bytea;
begin
	for one, part in select v.number, h
	    from assay.velocity v, unnest(parts) p, assay.velocity_hash(p) h
	    order by v.number, h
	loop
		delete from assay.velocity_state s
		where s.number = one and s.key >= part
		    and s.key <= part || '\xffffffffffffffffffffffffffffffff'::bytea;
	end loop;
end
$$;

-- Remove what is counted for a user, and for its devices, addresses, phones and
-- fingerprints that no other user has.  The caller has the user's lock.
create or replace function assay.velocity_erase(who text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if not exists (select from assay.velocity) then
		return;
	end if;
	perform assay.velocity_erase_keys('userId:' || who || array(
	    select (array['deviceId:', 'ip:', 'phone:', 'fingerprint:'])[n.kind - 1]
		|| n.key
	    from assay.entity e
		cross join lateral assay.graph_neighbors(e.id, null) g(id)
		join assay.entity n on n.id = g.id and n.kind between 2 and 5
		    and n.users <= 1
	    where e.kind = 1 and e.key = who));
end
$$;

-- The velocities that are counted, as JSON.  keys and bytes are those of at most
-- 1,000 states.
create or replace function assay.velocities()
returns text language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
begin atomic
	select coalesce(json_agg(json_build_object(
		'id', v.id::text,
		'definition', v.definition,
		'windowSeconds', nullif(v.span, 0) / 1000000,
		'bucketSeconds', nullif(v.span, 0) / 60000000,
		'usedBy', v.used_by::json,
		'unusedSince', assay.time_text(v.unused_since),
		'countedSince', assay.time_text(v.counted_since),
		'complete', v.complete,
		'filled', case when v.complete then 1
		    when v.span = 0 or not v.fillable then null
		    else least(1, round(extract(epoch from greatest('0',
			v.counted_since - v.filled_since))
			/ (v.span / 1e6), 3)) end,
		'keys', s.keys,
		'bytes', s.bytes,
		'more', s.states = 1000) order by v.number), '[]')::text
	from assay.velocity v
	    cross join lateral (
		select count(*) as states, count(distinct o.key) as keys,
			coalesce(sum(octet_length(o.state)), 0) as bytes
		from (select o.key, o.state from assay.velocity_state o
		    where o.number = v.number limit 1000) o) s
	where v.id is not null;
end;
