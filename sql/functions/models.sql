-- SPDX-License-Identifier: ISC
-- Models: texts never change, the newest row of assay.model_load says which
-- one serves, and assay.epoch tells every worker that it has moved.  The row
-- of assay.epoch is locked first and until the commit, so that loads have
-- their numbers in commit order.

-- Make a text serve, which is null if it is stored already; without a hash,
-- what comes with the program.  False if it serves already: what came from a
-- place, and is published besides, is no longer the place's.
create or replace function assay.model_serve(new_origin text, new_hash text,
    new_body text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	last assay.model_load;
begin
	perform from assay.epoch for update;
	select * into last from assay.model_load l
	order by l.number desc limit 1;
	if new_hash is not distinct from last.hash
	    and (new_origin <> 'published'
		or last.origin in ('published', 'bundled')) then
		return false;
	end if;
	insert into assay.model (hash, body)
	select new_hash, new_body where new_body is not null
	on conflict do nothing;
	insert into assay.model_load (number, hash, origin)
	select coalesce(max(l.number), 0) + 1, new_hash, new_origin
	from assay.model_load l;
	update assay.epoch set model = model + 1;
	return true;
end
$$;

-- Whether nobody has a place in hand, and it is time to look: the minutes
-- after a good look; after one that failed ten seconds, then each time twice
-- as long, up to ten minutes, but no longer than the minutes.  What a clock
-- that was set back left in the future counts for nothing.
create or replace function assay.model_due(p assay.model_place,
    minutes bigint, lease interval)
returns boolean language sql volatile
set search_path = pg_catalog, pg_temp
return (p.claimed_until is null
	or clock_timestamp() not between p.claimed_until - lease
	    and p.claimed_until)
    and (p.looked_at is null
	or clock_timestamp() not between p.looked_at
	    and p.looked_at + least(minutes * interval '1 minute',
		case when p.failures > 0 then least(interval '10 minutes',
		    interval '10 seconds' * 2 ^ least(p.failures - 1, 10))
		end));

-- Drop the hosts that nothing was heard of for a month, and the places that no
-- host looks at any more.
create or replace function assay.model_forget()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.model_host h
	where h.host in (select o.host from assay.model_host o
	    where o.seen_at < clock_timestamp() - interval '1 month'
	    for update skip locked);
	delete from assay.model_place p
	where p.place in (select o.place from assay.model_place o
	    where not exists (select from assay.model_host h
		where h.place = o.place)
	    for update skip locked);
end
$$;

-- A host is about to look at its place, if it is due; with no minutes it is.
-- When it is its turn: until when it has the place in hand, which also names
-- its claim, and the etag of what was last seen there, if this release can
-- read that.  No row: others have it in hand, or it is not due.
create or replace function assay.model_turn(of_host text, of_place text,
    of_source text, minutes bigint, lease_ms bigint, version bigint)
returns table (claim timestamptz, etag text) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	lease interval := lease_ms * interval '1 millisecond';
begin
	if not exists (select from assay.model_host h
	    where h.host = of_host and h.place = of_place
		and clock_timestamp() between h.seen_at
		    and h.seen_at + interval '1 hour') then
		insert into assay.model_host (host, place, seen_at)
		values (of_host, of_place, clock_timestamp())
		on conflict (host) do update set place = excluded.place,
		    seen_at = excluded.seen_at;
		perform assay.model_forget();
	end if;

	-- Whoever only asks writes nothing.
	if exists (select from assay.model_place p where p.place = of_place
	    and not assay.model_due(p, minutes, lease)) then
		return;
	end if;
	return query insert into assay.model_place as p
	    (place, source, claimed_until)
	values (of_place, of_source, clock_timestamp() + lease)
	on conflict (place) do update set claimed_until = excluded.claimed_until
	where assay.model_due(p, minutes, lease)
	returning p.claimed_until, (select p.etag from assay.model m
	    where m.hash = p.hash and m.features_version = version);
end
$$;

-- What was seen at a place, by whose claim it is: a good model by its hash,
-- text and etag, else why it is refused, else nothing: it is what was seen
-- before.  Nothing counts of one whose claim others have taken over.
--
-- A model serves when it is another than was seen there before: what was
-- published since, or gone back to, stays as long as the place has the same.
-- A file that is looked at for the first time, beside other places, makes only
-- what nobody has loaded yet serve: its host may have come with an old one.
create or replace function assay.model_look(of_place text, of_claim timestamptz,
    new_hash text, new_body text, new_etag text, new_refusal text)
returns table (mine boolean, loaded boolean, news boolean) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	before assay.model_place;
	known boolean;
begin
	select * into before from assay.model_place p
	where p.place = of_place and p.claimed_until = of_claim for update;
	mine := found;
	known := before.source = 'disk'
	    and before.hash is null
	    and exists (select from assay.model_place p where p.hash is not null)
	    and exists (select from assay.model m where m.hash = new_hash);
	loaded := mine
	    and new_hash is not null
	    and new_hash is distinct from before.hash
	    and not known
	    and assay.model_serve(before.source, new_hash, new_body);
	news := mine and new_refusal is distinct from before.refusal;

	-- It may be what serves already, or what others have seen: then it is
	-- stored.
	update assay.model_place p set claimed_until = null,
	    looked_at = clock_timestamp(),
	    hash = coalesce(new_hash, p.hash),
	    etag = case when new_hash is null then p.etag else new_etag end,
	    refusal = new_refusal,
	    refused_at = case when new_refusal is not null
		then coalesce(p.refused_at, clock_timestamp()) end,
	    failures = case when new_refusal is null then 0
		else least(p.failures, 1000) + 1 end
	where mine and p.place = of_place;
	return next;
end
$$;

-- A host has no place to look at.  When it was the last that had one, what
-- came from one serves no longer, and what comes with the program does again.
create or replace function assay.model_unlook(of_host text)
returns table (unloaded boolean) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	had boolean;
begin
	perform from assay.model_host h where h.host = of_host;
	had := found;
	if had then
		-- Of two that leave at once one sees that it is the last.
		perform from assay.epoch for update;
		delete from assay.model_host h where h.host = of_host;
		perform assay.model_forget();
	end if;
	unloaded := had and not exists (select from assay.model_host)
	    and (select l.origin from assay.model_load l
		order by l.number desc limit 1) in ('disk', 'url', 's3')
	    and assay.model_serve('bundled', null, null);
	return next;
end
$$;
