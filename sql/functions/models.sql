-- SPDX-License-Identifier: ISC
-- Models: a text never changes, the newest row of assay.model_activation names
-- the active one, and assay.epoch.model tells every worker to reload it.
-- Functions that activate a model lock the row of assay.epoch first and until
-- the commit, so that activations are numbered in commit order.

-- Activate a model; without a hash, the bundled one.  new_body is null for a
-- text that is stored already.  Returns false if the model is active already.
-- Publishing a model that a source has activated records it as published: the
-- end of the source no longer ends it.
create or replace function assay.model_activate(new_origin text, new_hash text,
    new_body text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	active assay.model_activation;
begin
	perform assay.shadow_lock();
	perform from assay.epoch for update;
	select * into active from assay.model_activation a
	order by a.number desc limit 1;
	if new_hash is not distinct from active.hash
	    and (new_origin <> 'published'
		or active.origin in ('published', 'bundled')) then
		return false;
	end if;
	insert into assay.model (hash, body)
	select new_hash, new_body where new_body is not null
	on conflict do nothing;
	insert into assay.model_activation (number, hash, origin)
	select coalesce(max(a.number), 0) + 1, new_hash, new_origin
	from assay.model_activation a;
	perform assay.rollout_stop('model');
	update assay.epoch set model = model + 1;
	return true;
end
$$;

-- Keep the card of a stored model.
create or replace function assay.model_card_keep(of_hash text, new_card text)
returns void language sql volatile
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.model_card (hash, card) values (of_hash, new_card)
	on conflict (hash) do update set card = excluded.card;
end;

-- Whether a source has no lease and its next poll is due.  After a poll that
-- succeeded it is due after minutes.  After one that failed it is due after 10
-- seconds, doubled with each failure up to 10 minutes, but never later than
-- after minutes.  A time in the future, left by a clock that was set back, is
-- ignored.
create or replace function assay.model_source_due(source assay.model_source,
    minutes bigint, lease interval)
returns boolean language sql volatile
return ((source).claimed_until is null
	or clock_timestamp() not between (source).claimed_until - lease
	    and (source).claimed_until)
    and ((source).polled_at is null
	or clock_timestamp() not between (source).polled_at
	    and (source).polled_at + least(minutes * interval '1 minute',
		case when (source).failures > 0
		    then least(interval '10 minutes', interval '10 seconds'
			* 2 ^ least((source).failures - 1, 10))
		end));

-- Delete hosts that have been silent for a month, and sources without a host.
create or replace function assay.model_source_prune()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.model_host h
	where h.host in (select o.host from assay.model_host o
	    where o.seen_at < clock_timestamp() - interval '1 month'
	    for update skip locked);
	delete from assay.model_source s
	where s.name in (select o.name from assay.model_source o
	    where not exists (select from assay.model_host h
		where h.source = o.name)
	    for update skip locked);
end
$$;

-- A host asks to poll its source; without minutes it polls now.  If the poll is
-- due and no companion has a lease, the host gets one: its end, which also
-- identifies it, and the etag of the last good model if this release reads that
-- model.  No row otherwise.
create or replace function assay.model_source_claim(of_host text,
    source_name text, source_kind text, minutes bigint, lease_ms bigint,
    features_version bigint)
returns table (lease_end timestamptz, etag text) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	lease interval := lease_ms * interval '1 millisecond';
begin
	if not exists (select from assay.model_host h
	    where h.host = of_host and h.source = source_name
		and clock_timestamp() between h.seen_at
		    and h.seen_at + interval '1 hour') then
		insert into assay.model_host (host, source, seen_at)
		values (of_host, source_name, clock_timestamp())
		on conflict (host) do update set source = excluded.source,
		    seen_at = excluded.seen_at;
		perform assay.model_source_prune();
	end if;

	-- A poll that is not due writes nothing.
	if exists (select from assay.model_source s where s.name = source_name
	    and not assay.model_source_due(s, minutes, lease)) then
		return;
	end if;
	return query insert into assay.model_source as s
	    (name, kind, claimed_until)
	values (source_name, source_kind, clock_timestamp() + lease)
	on conflict (name) do update set claimed_until = excluded.claimed_until
	where assay.model_source_due(s, minutes, lease)
	returning s.claimed_until, (select s.etag from assay.model m
	    where m.hash = s.hash
		and m.features_version = model_source_claim.features_version);
end
$$;

-- Record the result of a poll under a lease: a good model by hash, text and
-- etag; or why the poll failed; or neither if the source has not changed.  The
-- result counts only while the lease holds.
--
-- A model is activated only if it differs from the source's last good model:
-- while the source does not change, a model stays active that an operator has
-- published, or to which one has gone back, later.  If there are other sources,
-- the first poll of a file activates only a text that is not stored yet,
-- because a new host may bring an old file.
create or replace function assay.model_source_report(source_name text,
    lease_end timestamptz, new_hash text, new_body text, new_etag text,
    new_refusal text)
returns table (lease_held boolean, activated boolean, refusal_changed boolean)
language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	last assay.model_source;
	old_file boolean;
begin
	select * into last from assay.model_source s
	where s.name = source_name and s.claimed_until = lease_end for update;
	lease_held := found;
	old_file := last.kind = 'disk'
	    and last.hash is null
	    and exists (select from assay.model_source s
		where s.hash is not null)
	    and exists (select from assay.model m where m.hash = new_hash);
	activated := lease_held
	    and new_hash is not null
	    and new_hash is distinct from last.hash
	    and not old_file
	    and assay.model_activate(last.kind, new_hash, new_body);
	refusal_changed := lease_held
	    and new_refusal is distinct from last.refusal;

	-- A model that was not activated here is stored already.
	update assay.model_source s set claimed_until = null,
	    polled_at = clock_timestamp(),
	    hash = coalesce(new_hash, s.hash),
	    etag = case when new_hash is null then s.etag else new_etag end,
	    refusal = new_refusal,
	    refused_at = case when new_refusal is not null
		then coalesce(s.refused_at, clock_timestamp()) end,
	    failures = case when new_refusal is null then 0
		else least(s.failures, 1000) + 1 end
	where lease_held and s.name = source_name;
	return next;
end
$$;

-- A host has no source any more.  After the last such host a model that a
-- source has activated gives way to the bundled one.
create or replace function assay.model_source_release(of_host text)
returns table (deactivated boolean) language plpgsql
security definer set search_path = pg_catalog, pg_temp
as $$
declare
	had_source boolean;
begin
	perform from assay.model_host h where h.host = of_host;
	had_source := found;
	if had_source then
		-- Serializes two hosts: the second one sees that it is last.
		perform from assay.epoch for update;
		delete from assay.model_host h where h.host = of_host;
		perform assay.model_source_prune();
	end if;
	deactivated := had_source and not exists (select from assay.model_host)
	    and (select a.origin from assay.model_activation a
		order by a.number desc limit 1) in ('disk', 'url', 's3')
	    and assay.model_activate('bundled', null, null);
	return next;
end
$$;
