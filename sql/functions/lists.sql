-- SPDX-License-Identifier: ISC
-- Block, allow and watch lists.

-- An entry as answers show it.
create or replace function assay.list_json(l assay.list_entry)
returns json language sql stable
return json_strip_nulls(json_build_object(
    'id', (l).id,
    'kind', (l).kind,
    'subject', (l).subject,
    'value', (l).value,
    'reason', (l).reason,
    'expiresAt', assay.time_text((l).expires_at),
    'createdBy', (l).created_by,
    'createdAt', assay.time_text((l).created_at)));

-- A page of the entries, newest first, in the order of ids.  A kind, subject or
-- creator of null selects all, and so does ends_before; otherwise it selects the
-- entries that end from now on, but before it.  The indexes give the newest
-- entries of each kind and subject, also those of a creator, and those that end.
-- A plan for all parameters could not use the last two.
create or replace function assay.list_page(of_kind text, of_subject text,
    page_limit bigint, page_offset bigint, creator text default null,
    ends_before timestamptz default null)
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
	return (
	with page as (
		select e.id, e.entry
		from unnest(array['block', 'allow', 'watch']) k (kind)
			cross join assay.list_subject s
			cross join lateral (select l.id, l as entry
				from assay.list_entry l
				where l.kind = k.kind and l.subject = s.subject
				    and (creator is null
					or l.created_by = creator)
				    and (ends_before is null
					or l.expires_at >= now()
					    and l.expires_at < ends_before)
				order by l.id desc
				limit page_limit + page_offset) e
		where (of_kind is null or k.kind = of_kind)
			and (of_subject is null or s.subject = of_subject)
		order by e.id desc limit page_limit offset page_offset
	)
	select coalesce(json_agg(assay.list_json(p.entry) order by p.id desc),
		'[]')::text
	from page p);
end
$$;

-- The entries of a value, of any kind where that is null; of an address also its
-- networks.
create or replace function assay.list_search(of_kind text, of_subject text,
    of_value text)
returns text language sql stable
return (select coalesce(json_agg(assay.list_json(l) order by l.id desc), '[]')
	::text
    from assay.list_entry l
    where l.id in (
	    select e.id from assay.list_entry e
	    where e.subject = of_subject and e.value = of_value
	    union all
	    select e.id from assay.list_entry e
	    where e.network >>
		case when of_subject = 'ip' then of_value::inet end)
	and (of_kind is null or l.kind = of_kind));

-- How many entries there are, of each kind, and that end within a week.  Two
-- indexes have all that is counted.
create or replace function assay.list_summary()
returns text language sql stable
begin atomic
	-- Not materialized, each kind would be counted for the total again.
	with k as materialized (
		select w.kind, (select count(*) from assay.list_entry l
		    where l.kind = w.kind) as n
		from unnest(array['block', 'allow', 'watch']) as w(kind)
	)
	select json_build_object(
	    'total', coalesce(sum(k.n), 0),
	    'byKind', json_object_agg(k.kind, k.n),
	    'expiringSoon', (select count(*) from assay.list_entry l
		where l.expires_at >= now()
		    and l.expires_at < now() + interval '7 days'))::text
	from k;
end;

-- What assay.list_put() would do with these entries: how many it would make and
-- change.
create or replace function assay.list_put_check(kinds text[], subjects text[],
    entry_values text[], reasons text[], ends timestamptz[])
returns table (made bigint, changed bigint) language sql stable
begin atomic
	with wanted as (
		select distinct on (w.subject, w.value, w.kind) w.*
		from unnest(kinds, subjects, entry_values, reasons, ends)
			with ordinality as w(kind, subject, value, reason,
			    expires_at, ord)
		order by w.subject, w.value, w.kind, w.ord desc
	)
	select count(*) filter (where l.id is null),
		count(*) filter (where l.id is not null
		    and (l.reason, l.expires_at) is distinct from
			(w.reason, nullif(w.expires_at, 'epoch')))
	from wanted w left join assay.list_entry l on l.subject = w.subject
		and l.value = w.value and l.kind = w.kind;
end;

-- Have every worker reload the entries of these subjects.  The row of
-- assay.epoch is locked last and until the commit, so that numbers rise in
-- commit order.
create or replace function assay.list_bump_epoch(subjects text[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	new_epoch bigint;
begin
	update assay.epoch set lists = lists + 1 returning lists into new_epoch;
	update assay.list_subject set changed = new_epoch
	where subject = any(subjects);
end
$$;

-- Add entries, or give an existing entry of the same kind, subject and value a
-- new reason and end.  Of two alike in one call the later one counts.  An end
-- of 1970 means none.  Returns a row for each entry that was added or changed.
create or replace function assay.list_put(ids text[], kinds text[],
    subjects text[], entry_values text[], reasons text[],
    ends timestamptz[], creator text)
returns table (id text, made boolean) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	put_ids text[];
	put_made boolean[];
	changed_subjects text[];
begin
	-- Sorted, so that two calls cannot deadlock.
	with wanted as (
		select distinct on (w.subject, w.value, w.kind) w.*
		from unnest(ids, kinds, subjects, entry_values, reasons, ends)
			with ordinality as w(id, kind, subject, value, reason,
			    expires_at, ord)
		order by w.subject, w.value, w.kind, w.ord desc
	), put as (
		insert into assay.list_entry as l (id, kind, subject, value,
		    reason, expires_at, created_by, network)
		select w.id, w.kind, w.subject, w.value, w.reason,
			nullif(w.expires_at, 'epoch'), creator,
			case when w.subject = 'ip' and strpos(w.value, '/') > 0
			    then w.value::cidr end
		from wanted w
		on conflict (subject, value, kind) do update
		set reason = excluded.reason, expires_at = excluded.expires_at
		where (l.reason, l.expires_at) is distinct from
		    (excluded.reason, excluded.expires_at)
		returning l.id, l.subject
	)
	select array_agg(p.id), array_agg(w.id is not null),
		array_agg(distinct p.subject)
	into put_ids, put_made, changed_subjects
	from put p left join wanted w on w.id = p.id;

	if changed_subjects is not null then
		perform assay.list_bump_epoch(changed_subjects);
	end if;
	return query select * from unnest(put_ids, put_made);
end
$$;

-- Add or change one entry.  Returns it, and whether it is new.
create or replace function assay.list_save(new_id text, of_kind text,
    of_subject text, of_value text, new_reason text, new_end timestamptz,
    creator text)
returns table (made boolean, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.list_put(array[new_id], array[of_kind],
	    array[of_subject], array[of_value], array[new_reason],
	    array[new_end], creator);
	return query select l.id = new_id, assay.list_json(l)::text
	from assay.list_entry l
	where l.subject = of_subject and l.value = of_value
		and l.kind = of_kind;
end
$$;

-- Remove an entry.  Returns whether it existed.
create or replace function assay.list_remove(entry_id text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	changed_subjects text[];
begin
	delete from assay.list_entry l where l.id = entry_id
	returning array[l.subject] into changed_subjects;
	if changed_subjects is not null then
		perform assay.list_bump_epoch(changed_subjects);
	end if;
	return changed_subjects is not null;
end
$$;
