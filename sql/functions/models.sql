-- SPDX-License-Identifier: ISC
-- Models: texts never change, the newest row of assay.model_load says which
-- one serves, and assay.epoch tells every worker that it has moved.  The row
-- of assay.epoch is locked first and until the commit, so that loads have
-- their numbers in commit order.

-- Make a text serve, which is null if it is stored already; without a hash,
-- what comes with the program.  False if it serves already: what came from a
-- file, and is published besides, is no longer the file's.
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

-- The turn of a host to look at its file: whether nobody else of the host has
-- it, until the transaction ends, and after how many milliseconds it is due.
create or replace function assay.model_turn(of_host text, minutes bigint)
returns table (mine boolean, wait_ms bigint) language sql
security definer set search_path = pg_catalog, pg_temp
begin atomic
	select pg_try_advisory_xact_lock(hashtextextended(
		'assay.model ' || of_host, 0)),
	    coalesce((select least(minutes * 60000, greatest(0,
		    minutes * 60000 - extract(epoch from
			clock_timestamp() - f.looked_at) * 1000))::bigint
		from assay.model_file f where f.host = of_host), 0);
end;

-- What a host has seen of its file: a good model by its hash and text, else
-- why it is refused.  A model serves when it is another than the host has
-- seen before: what was published since, or gone back to, stays as long as
-- the file does.  A host that looks for the first time, beside others, makes
-- only what nobody has loaded yet serve: it may have come with an old file.
create or replace function assay.model_look(of_host text, new_hash text,
    new_body text, new_refusal text)
returns table (loaded boolean, news boolean) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	before assay.model_file;
	known boolean;
begin
	delete from assay.model_file f
	where f.looked_at < clock_timestamp() - interval '1 month';
	select * into before from assay.model_file f where f.host = of_host;
	known := before.hash is null
	    and exists (select from assay.model_file f where f.hash is not null)
	    and exists (select from assay.model m where m.hash = new_hash);
	loaded := new_hash is not null
	    and new_hash is distinct from before.hash
	    and not known
	    and assay.model_serve('disk', new_hash, new_body);
	news := new_refusal is distinct from before.refusal;

	-- It may be what serves already, or what others have seen: then it is
	-- stored.
	insert into assay.model_file as f (host, hash, refusal, looked_at)
	values (of_host, new_hash, new_refusal, clock_timestamp())
	on conflict (host) do update set refusal = excluded.refusal,
	    hash = coalesce(excluded.hash, f.hash),
	    looked_at = excluded.looked_at;
	return next;
end
$$;

-- A host has no file to look at.  When it was the last that had one, what
-- came from a file serves no longer, and what comes with the program does
-- again.  A host that has not looked for a month is none.
create or replace function assay.model_unlook(of_host text)
returns table (unloaded boolean) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.model_file f where f.host = of_host;
	unloaded := found and not exists (select from assay.model_file f
	    where f.looked_at > clock_timestamp() - interval '1 month')
	    and 'disk' = (select l.origin from assay.model_load l
		order by l.number desc limit 1)
	    and assay.model_serve('bundled', null, null);
	return next;
end
$$;
