-- SPDX-License-Identifier: ISC
-- Erasure of a user: place in the graph, state, and what is kept under its
-- name.  What operators may call runs as the owner, so that they can take away
-- a user as a whole and nothing else.  Each call does a bounded piece of work.

-- The entities that hang together with one, itself first, without
-- fingerprints: at most 501.
create or replace function assay.graph_members(entity bigint)
returns bigint[] language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
	with recursive walk (id) as (
		select graph_members.entity
		union
		select e.id
		from walk w, lateral (
			select l.b from assay.entity_link l where l.a = w.id
			union all
			select l.a from assay.entity_link l where l.b = w.id) n(id)
			join assay.entity e on e.id = n.id
		where e.kind between 1 and 4
	)
	select array(select w.id from walk w limit 501);
end;

-- How many entities of a kind an entity is linked with, as far as the cap.
create or replace function assay.graph_count(entity bigint, of_kind bigint)
returns bigint language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
	select count(*) from (
		select from assay.graph_neighbors(graph_count.entity, null) n(id)
			join assay.entity e on e.id = n.id
		where e.kind = graph_count.of_kind limit 500) counted;
end;

-- Fingerprints that were seen with these devices, with how many of them.
create or replace function assay.graph_fingerprints(devices bigint[])
returns table (id bigint, seen bigint) language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	select f.id, count(*)
	from assay.entity d, lateral assay.graph_neighbors(d.id, null) n(id)
		join assay.entity f on f.id = n.id
	where d.id = any(graph_fingerprints.devices) and d.kind = 2
		and f.kind = 5
	group by f.id;
end;

-- Take links of an entity away, and with them those of whoever is left
-- without a user; these are returned.  A counter that had stopped at 500 is
-- counted again: should a link be made at that moment by somebody who still
-- read 500, it is one short.
create or replace function assay.erase_links(self bigint, near bigint[])
returns bigint[] language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	lone bigint[];
	f record;
begin
	delete from assay.entity_link where a = self and b = any(near);
	delete from assay.entity_link where b = self and a = any(near);
	update assay.entity e
	set users = case when e.users < 500 then e.users - 1
	    else assay.graph_count(e.id, 1) end
	where e.id = any(near);
	lone := array(select e.id from assay.entity e
	    where e.id = any(near) and e.users <= 0);

	for f in select * from assay.graph_fingerprints(lone) g
		where g.id <> all(lone)
	loop
		delete from assay.entity_link where a = f.id and b = any(lone);
		delete from assay.entity_link where b = f.id and a = any(lone);
		update assay.entity e
		set devices = case when e.devices < 500 then e.devices - f.seen
		    else assay.graph_count(e.id, 2) end,
		    first_device = case when e.first_device <> all(lone)
		    then e.first_device
		    else (select d.id from assay.graph_neighbors(e.id, null) n(id)
			join assay.entity d on d.id = n.id
			where d.kind = 2 limit 1) end
		where e.id = f.id;
	end loop;
	delete from assay.entity_link where a = any(lone);
	delete from assay.entity_link where b = any(lone);
	return lone;
end
$$;

-- Give what is left of a component its roots: to each part one that nobody
-- can remember from before, unless it stayed in one part under its old root.
-- What went is put under a row that is no root.
create or replace function assay.erase_split(live bigint[], gone bigint[],
    top bigint)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	void bigint;
	root bigint;
	part bigint[];
	kept boolean := false;
	first boolean := true;
begin
	while cardinality(live) > 0 loop
		part := assay.graph_members(live[1]);
		live := array(select unnest(live) except select unnest(part));
		kept := first and cardinality(live) = 0 and top <> all(gone);
		first := false;
		root := top;
		if not kept then
			insert into assay.entity (kind, key)
			values (0, chr(1) || gen_random_uuid())
			returning id into root;
		end if;
		update assay.entity set parent = root
		where id = any(part) and id <> root
			and parent is distinct from root;
		update assay.entity set parent = null, size = cardinality(part)
		where id = root;
	end loop;

	insert into assay.entity (kind, key) values (0, chr(1))
	on conflict (key, kind) do nothing;
	select e.id into void from assay.entity e
	where e.kind = 0 and e.key = chr(1);
	update assay.entity set parent = void, size = 1
	where id = any(gone) or id = top and kind = 0 and not kept;
end
$$;

-- Take up to so many links of a user's entity away; with the last of them it
-- becomes nobody's itself.  Whether there are more.  A component of under 500
-- is told apart anew, a larger one stays as large as it was.  Every row that
-- changes is locked first, in the order that decisions have; what moved until
-- then is a serialization failure.
create or replace function assay.erase_entity(self bigint, most bigint)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	near bigint[];
	members bigint[];
	top bigint;
	ring bigint;
	more boolean;
	wanted bigint[];
	held bigint[];
	gone bigint[];
begin
	loop
		select t.top, t.ring into top, ring
		from assay.graph_root(self) t;
		near := array(select assay.graph_neighbors(self, most + 1));
		more := cardinality(near) > most;
		members := '{}';
		if ring >= 500 then
			near := near[:most];
		elsif more then
			-- What is so many is in no component.
			near := array(select e.id from assay.entity e
			    where e.id = any(near) and e.kind = 5 limit most);
		else
			members := assay.graph_members(self) || top;
		end if;
		wanted := array(select unnest(self || near || members)
		    union select f.id from assay.graph_fingerprints(near) f);
		exit when wanted <@ held;
		if held is not null then
			raise serialization_failure;
		end if;
		perform 1 from assay.entity where id = any(wanted)
		order by id for update;
		held := wanted;
	end loop;

	gone := assay.erase_links(self, near);
	if not more then
		gone := gone || self;
	end if;
	if cardinality(members) > 0 then
		perform assay.erase_split(array(select e.id
		    from assay.entity e
		    where e.id = any(members) and e.kind > 0
			and e.id <> all(gone)), gone, top);
	end if;
	update assay.entity
	set kind = 0, key = chr(1) || gen_random_uuid(), users = 0,
		devices = 0, first_device = null
	where id = any(gone);
	delete from assay.entity_risk where entity_risk.entity = any(gone);
	return more;
end
$$;

-- What guards the moment of an erasure: it waits for what is being brought out
-- of a spool, or logged as degraded, without having seen it.
create or replace function assay.erasure_guard()
returns bigint language sql immutable
set search_path = pg_catalog, pg_temp
return hashtextextended('assay erasure', 0);

-- A user as erasures remember it: a hash with a secret of this database.
create or replace function assay.user_hash(who text)
returns bytea language sql stable
set search_path = pg_catalog, pg_temp
return (select sha256(k.erased_user ||
	sha256(k.erased_user || convert_to(who, 'UTF8')))
    from assay.hash_key k where k.one);

-- Say that a user is erased, in a transaction of its own: whoever logs what was
-- decided without a transaction sees it from then on.  When that is.
create or replace function assay.erase_begin(who text)
returns timestamptz language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	at timestamptz;
begin
	perform pg_advisory_xact_lock(assay.erasure_guard());
	at := clock_timestamp();
	insert into assay.erasure as e (user_hash, erased_at)
	values (assay.user_hash(who), at)
	on conflict (user_hash) do update
	set erased_at = greatest(e.erased_at, excluded.erased_at);
	return at;
end
$$;

-- Whether what was decided of a user at that time is to be forgotten: the user
-- was erased since, or up to a minute before, because the clocks of hosts
-- differ; or nothing so old is kept any more.
create or replace function assay.is_erased(who text, at timestamptz)
returns boolean language sql stable security definer
set search_path = pg_catalog, pg_temp
return exists (select from assay.erasure e
	where e.user_hash = assay.user_hash(who)
	    and e.erased_at > at - interval '1 minute')
    or at < coalesce((select m.until from assay.retention_watermark m
	where m.collection = 'activity'), '-infinity');

-- What a spool holds.  Nothing is written while that is the same, nobody was
-- erased since, and it was said within the last minute.
create or replace function assay.spool_report(spool text, records bigint,
    quarantined bigint)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform from assay.spool_host h
	where h.spool = spool_report.spool
		and h.records = spool_report.records
		and h.quarantined = spool_report.quarantined
		and h.reported_at > clock_timestamp() - interval '1 minute'
		and h.reported_at > coalesce((select max(e.erased_at)
		    from assay.erasure e), '-infinity');
	if not found then
		insert into assay.spool_host as h
		values (spool, records, quarantined, clock_timestamp())
		on conflict on constraint spool_host_pkey do update
		set records = excluded.records, quarantined = excluded.quarantined,
			reported_at = excluded.reported_at;
	end if;
end
$$;

-- How many spools may hold somebody who was erased then: late is how many are
-- about to say so, held those that hold anything, or have been silent for long.
create or replace function assay.erase_spools(since timestamptz,
    out late bigint, out held bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select count(*) filter (where h.reported_at <= since
		and h.reported_at > since - interval '2 minutes'),
	    count(*) filter (where h.records > 0 or h.quarantined > 0
		or h.reported_at <= since)
	from assay.spool_host h;
end;

-- Take away who a user is: its place in the graph, its state, what is about
-- to be told of it.  lock_key is that of its decisions, none of which is
-- under way meanwhile; what they left until then ends at until.  More is
-- there to do in another transaction when more is true.
create or replace function assay.erase_identity(lock_key bigint, who text,
    most bigint, out more boolean, out graph boolean, out baseline boolean,
    out until timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	self bigint;
begin
	perform pg_advisory_xact_lock(lock_key);
	until := clock_timestamp();
	delete from assay.async_queue q where q.user_id = who;
	delete from assay.outbox o where o.user_id = who;
	delete from assay.delivery d where d.user_id = who;
	delete from assay.dead_letter d where d.user_id = who;
	-- Whoever redrove some at this moment has been waited for there.
	delete from assay.delivery d where d.user_id = who;
	delete from assay.user_state u where u.user_id = who;
	baseline := found;
	select e.id into self from assay.entity e
	where e.kind = 1 and e.key = who;
	graph := found;
	more := false;
	if graph then
		-- Nobody counts meanwhile, nor adds to what is nobody's then.
		perform assay.analytics_lock();
	end if;
	while graph loop
		begin
			more := assay.erase_entity(self, most);
			exit;
		exception when serialization_failure then
			-- The locks are given back, and had again in order.
		end;
	end loop;
end
$$;

-- Take away so many of what decisions of a user left behind until then: the
-- masked request, the sample, and the idempotency key.  How many of each
-- there were, and whether there may be more.
create or replace function assay.erase_details(who text, until timestamptz,
    most bigint, out more boolean, out requests bigint, out samples bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	left_over bigint := most;
	part regclass;
	got record;
begin
	requests := 0;
	samples := 0;
	for part in select i.inhrelid::regclass from pg_inherits i
		where i.inhparent = 'assay.decision_detail'::regclass order by 1
	loop
		execute format('with gone as (
			delete from %1$s d where d.ctid = any(array(
				select t.ctid from %1$s t
				where t.user_id = $1 and t.decided_at <= $2
				limit $3))
			returning d.verdict_id, d.request, d.sample,
			    coalesce(d.idempotency_key, d.event_id) as key
		), forgotten as (
			delete from assay.idempotency i using gone g
			where i.key = g.key and i.verdict_id = g.verdict_id
		)
		select count(*) as n, count(request) as requests,
			count(sample) as samples from gone', part)
		into got using who, until, left_over;
		requests := requests + got.requests;
		samples := samples + got.samples;
		left_over := left_over - got.n;
	end loop;
	more := left_over < most;
end
$$;
