-- SPDX-License-Identifier: ISC
-- Erasure of a user: the user's entity and links, the state, and everything
-- stored under the user's id.  Functions for operators run as the owner, so
-- that operators can erase whole users and change nothing else.  Each call does
-- a bounded amount of work.
--
-- What stays of an erased user: the verdict log, cases without their amounts and
-- notes, and labels, which have no user id; lists and the audit trail; the counts
-- by day of a device or ip that other users share; and a keyed hash, in
-- assay.erasure for as long as spools may still have decisions of the user, and
-- in the log of the pool.

-- The component of an entity, the entity first, without fingerprints: at most
-- 501 entities.
create or replace function assay.graph_members(entity bigint)
returns bigint[] language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
	with recursive walk (id) as (
		select graph_members.entity
		union
		select e.id
		from walk w, lateral (
			select l.newer from assay.entity_link l where l.older = w.id
			union all
			select l.older from assay.entity_link l where l.newer = w.id) n(id)
			join assay.entity e on e.id = n.id
		where e.kind between 1 and 4
	)
	select array(select w.id from walk w limit 501);
end;

-- How many entities of a kind an entity is linked with, at most 500.
create or replace function assay.graph_count(entity bigint, of_kind bigint)
returns bigint language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
begin atomic
	select count(*) from (
		select from assay.graph_neighbors(graph_count.entity, null) n(id)
			join assay.entity e on e.id = n.id
		where e.kind = graph_count.of_kind limit 500) counted;
end;

-- The fingerprints of these devices, and how many of the devices each has.
create or replace function assay.graph_fingerprints(devices bigint[])
returns table (id bigint, linked_devices bigint) language sql stable
begin atomic
	select f.id, count(*)
	from assay.entity d, lateral assay.graph_neighbors(d.id, null) n(id)
		join assay.entity f on f.id = n.id
	where d.id = any(graph_fingerprints.devices) and d.kind = 2
		and f.kind = 5
	group by f.id;
end;

-- Delete links of a user's entity, and all links of neighbors that have no
-- other user.  Returns those neighbors.  A count that had stopped at 500 is
-- counted again; it is one short if a decision that still reads 500 adds a link
-- at the same moment.
create or replace function assay.erase_links(self bigint, neighbors bigint[])
returns bigint[] language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	orphans bigint[];
	fingerprint record;
begin
	delete from assay.entity_link where older = self and newer = any(neighbors);
	delete from assay.entity_link where newer = self and older = any(neighbors);
	update assay.entity e
	set users = case when e.users < 500 then e.users - 1
	    else assay.graph_count(e.id, 1) end
	where e.id = any(neighbors);
	orphans := array(select e.id from assay.entity e
	    where e.id = any(neighbors) and e.users <= 0);

	for fingerprint in select * from assay.graph_fingerprints(orphans) g
		where g.id <> all(orphans)
	loop
		delete from assay.entity_link
		where older = fingerprint.id and newer = any(orphans);
		delete from assay.entity_link
		where newer = fingerprint.id and older = any(orphans);
		update assay.entity e
		set devices = case when e.devices < 500
		    then e.devices - fingerprint.linked_devices
		    else assay.graph_count(e.id, 2) end,
		    first_device = case when e.first_device <> all(orphans)
		    then e.first_device
		    else (select d.id from assay.graph_neighbors(e.id, null) n(id)
			join assay.entity d on d.id = n.id
			where d.kind = 2 limit 1) end
		where e.id = fingerprint.id;
	end loop;
	delete from assay.entity_link where older = any(orphans);
	delete from assay.entity_link where newer = any(orphans);
	return orphans;
end
$$;

-- Give the remaining entities of a component new roots, one for each part that
-- still hangs together.  A component that stays whole keeps its old root,
-- unless that was removed.  New roots have new ids, so that no cached root can
-- name the wrong part.  Removed entities get a parent that is no root.
create or replace function assay.erase_split(remaining bigint[],
    removed bigint[], old_root bigint)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	erased_parent bigint;
	root bigint;
	part bigint[];
	keeps_root boolean := false;
	first boolean := true;
begin
	while cardinality(remaining) > 0 loop
		part := assay.graph_members(remaining[1]);
		remaining := array(select unnest(remaining)
		    except select unnest(part));
		keeps_root := first and cardinality(remaining) = 0
		    and old_root <> all(removed);
		first := false;
		root := old_root;
		if not keeps_root then
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
	select e.id into erased_parent from assay.entity e
	where e.kind = 0 and e.key = chr(1);
	update assay.entity set parent = erased_parent, size = 1
	where id = any(removed)
		or id = old_root and kind = 0 and not keeps_root;
end
$$;

-- Find what erasing a user's entity will change: its neighbors, at most
-- max_links of them, and the members of its component if that is to be split.
-- A component of 500 or more is not split and keeps its size. more is true if
-- the entity has further links, which another call deletes.  If an entity in a
-- smaller component has more than max_links links, only links to fingerprints
-- are taken first, because these are in no component.
create or replace function assay.erase_scope(self bigint, max_links bigint,
    out root bigint, out neighbors bigint[], out members bigint[],
    out more boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	component_size bigint;
begin
	select g.root, g.component_size into root, component_size
	from assay.graph_root(self) g;
	neighbors := array(select assay.graph_neighbors(self, max_links + 1));
	more := cardinality(neighbors) > max_links;
	members := '{}';
	if component_size >= 500 then
		neighbors := neighbors[:max_links];
	elsif more then
		neighbors := array(select e.id from assay.entity e
		    where e.id = any(neighbors) and e.kind = 5 limit max_links);
	else
		members := assay.graph_members(self) || root;
	end if;
end
$$;

-- Delete at most max_links links of a user's entity; with the last one
-- anonymize the entity and split its component.  Returns whether there are more
-- links.  Every row that changes is locked first, in the order of decisions.
-- If the scope has changed when the rows are locked, the function fails with
-- serialization_failure.
create or replace function assay.erase_entity(self bigint, max_links bigint)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	scope record;
	to_lock bigint[];
	locked bigint[];
	removed bigint[];
begin
	loop
		select * into scope from assay.erase_scope(self, max_links);
		to_lock := array(select unnest(self || scope.neighbors
			|| scope.members)
		    union select f.id
		    from assay.graph_fingerprints(scope.neighbors) f);
		exit when to_lock <@ locked;
		if locked is not null then
			raise serialization_failure;
		end if;
		perform 1 from assay.entity where id = any(to_lock)
		order by id for update;
		locked := to_lock;
	end loop;

	removed := assay.erase_links(self, scope.neighbors);
	if not scope.more then
		removed := removed || self;
	end if;
	if cardinality(scope.members) > 0 then
		perform assay.erase_split(array(select e.id
		    from assay.entity e
		    where e.id = any(scope.members) and e.kind > 0
			and e.id <> all(removed)), removed, scope.root);
	end if;
	update assay.entity
	set kind = 0, key = chr(1) || gen_random_uuid(), users = 0,
		devices = 0, first_device = null
	where id = any(removed);
	delete from assay.entity_risk where entity_risk.entity = any(removed);
	return scope.more;
end
$$;

-- The key of the advisory lock between an erasure and transactions that log
-- decisions without the user's lock (a drained spool, degraded decisions).
create or replace function assay.erasure_guard()
returns bigint language sql immutable
return hashtextextended('assay erasure', 0);

-- The pseudonym of a user in assay.erasure: a hash with a key of this database.
create or replace function assay.user_hash(who text)
returns bytea language sql stable
return (select sha256(k.erased_user ||
	sha256(k.erased_user || convert_to(who, 'UTF8')))
    from assay.hash_key k where k.one);

-- Record the erasure of a user, in a separate transaction: after its commit
-- drains and degraded decisions leave out the user's details.  Other proposals to
-- erase the user end.  Returns its time.
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
	perform assay.proposal_erase(who);
	return at;
end
$$;

-- The same pseudonym as text, for the log of the pool: a list of the erasures
-- outside the database and its backups.
create or replace function assay.erasure_name(who text)
returns text language sql stable security definer
set search_path = pg_catalog, pg_temp
return encode(assay.user_hash(who), 'hex');

-- Add erasures from such a list to a database that was restored from a backup.
-- After the commit drains and degraded decisions leave out the users' details.
create or replace function assay.erasures_add(names text[], times timestamptz[])
returns void language sql
begin atomic
	select pg_advisory_xact_lock(assay.erasure_guard());
	insert into assay.erasure as e (user_hash, erased_at)
	select decode(w.name, 'hex'), max(w.at)
	from unnest(names, times) as w(name, at) group by 1
	on conflict (user_hash) do update
	set erased_at = excluded.erased_at
	where e.erased_at < excluded.erased_at;
end;

-- Remove what names an erased user: saved views, which have no date, and exceptions
-- that were made before; and end the proposals about the user that were made before.
create or replace function assay.erasures_tidy()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.saved_view v using assay.erasure e
	where e.user_hash = assay.user_hash(v.query::json ->> 'userId');
	perform assay.proposal_erase(assay.proposal_user(p))
	from assay.proposal p join assay.erasure e
	    on e.user_hash = assay.user_hash(assay.proposal_user(p))
		and e.erased_at >= p.created_at
	where p.status in ('pending', 'failed');
	delete from assay.rule_exception x using assay.erasure e
	where x.subject = 'user' and e.user_hash = assay.user_hash(x.value)
		and e.erased_at >= x.created_at;
	if found then
		update assay.epoch set exceptions = exceptions + 1;
	end if;
end
$$;

-- The users of whom the database has data that are older than their erasure.
create or replace function assay.erasures_left()
returns table (user_id text) language sql stable
begin atomic
	with stored as (
		select e.key as user_id, e.first_seen as since
		from assay.entity e where e.kind = 1
		union all
		select d.user_id, d.decided_at from assay.decision_detail d
		union all
		select u.user_id, '-infinity' from assay.user_state u
		where u.node is null
		union all
		select q.user_id, q.accepted_at from assay.async_queue q
		union all
		select o.user_id, o.occurred_at from assay.outbox o
		where o.user_id is not null
		union all
		select d.user_id, d.occurred_at from assay.delivery d
		where d.user_id is not null
		union all
		select d.user_id, d.occurred_at from assay.dead_letter d
		where d.user_id is not null
	), oldest as materialized (
		select s.user_id, min(s.since) as since from stored s group by 1
	)
	select o.user_id from oldest o
	where exists (select from assay.erasure e
		where e.user_hash = assay.user_hash(o.user_id)
		    and e.erased_at >= o.since)
	order by 1;
end;

-- Whether a decision on a user at this time must be logged without details: the
-- user was erased later, or up to a minute earlier because clocks of hosts
-- differ; or the user was erased and the time is in the future, so a clock was
-- wrong; or the time is older than activity is kept.
create or replace function assay.is_erased(who text, at timestamptz)
returns boolean language sql stable security definer
set search_path = pg_catalog, pg_temp
return exists (select from assay.erasure e
	where e.user_hash = assay.user_hash(who)
	    and (e.erased_at > at - interval '1 minute'
		or at > clock_timestamp() + interval '1 second'))
    or at < coalesce((select m.until from assay.retention_watermark m
	where m.collection = 'activity'), '-infinity');

-- A host reports what its spool holds.  Writes nothing if the last report was
-- the same, less than a minute ago and after the last erasure.
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

-- How many spools may hold decisions on a user who was erased at this time:
-- late counts the spools that have not reported since then but will soon; held
-- counts those that hold anything or have not reported since then.
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

-- Erase a user's entity, state and events to publish.  lock_key is the lock of
-- the user's decisions: none runs meanwhile, and those before end at until.
-- graph and baseline say whether there was an entity and a state.  more: the
-- caller must call again, in another transaction.
create or replace function assay.erase_identity(lock_key bigint, who text,
    max_links bigint, out more boolean, out graph boolean, out baseline boolean,
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
	-- A companion or a redrive may move one meanwhile.
	loop
		delete from assay.delivery d where d.user_id = who;
		delete from assay.dead_letter d where d.user_id = who;
		perform from assay.delivery d where d.user_id = who
		union all
		select from assay.dead_letter d where d.user_id = who;
		exit when not found;
	end loop;
	delete from assay.saved_view v where v.query::json ->> 'userId' = who;
	-- Decisions lock what velocities count before entities.
	perform assay.velocity_erase(who);
	delete from assay.user_state u where u.user_id = who;
	baseline := found;
	select e.id into self from assay.entity e
	where e.kind = 1 and e.key = who;
	graph := found;
	more := false;
	if graph then
		-- The companion must not add to an entity that is erased here.
		perform assay.analytics_lock();
	end if;
	while graph loop
		begin
			more := assay.erase_entity(self, max_links);
			exit;
		exception when serialization_failure then
			-- The locks are released; lock again in order.
		end;
	end loop;
end
$$;

-- Delete the exceptions for a user.
create or replace function assay.erase_exceptions(who text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.rule_exception e
	where e.subject = 'user' and e.value = who;
	if found then
		update assay.epoch set exceptions = exceptions + 1;
	end if;
end
$$;

-- Delete at most max_rows details of a user's decisions up to a time, or in the
-- future, where a wrong clock has put them; their idempotency keys; and the
-- amounts and notes of their cases.  Returns how many requests and samples were
-- deleted; more is true if there may be further details.
create or replace function assay.erase_details(who text, until timestamptz,
    max_rows bigint, out more boolean, out requests bigint, out samples bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	budget bigint := max_rows;
	part regclass;
	deleted record;
	queues constant text[] := array(select assay.case_queues());
begin
	requests := 0;
	samples := 0;
	for part in select i.inhrelid::regclass from pg_inherits i
		where i.inhparent = 'assay.decision_detail'::regclass order by 1
	loop
		execute format('with gone as (
			delete from %1$s d where d.ctid = any(array(
				select t.ctid from %1$s t
				where t.user_id = $1 and (t.decided_at <= $2
				    or t.decided_at > $5)
				limit $3))
			returning d.verdict_id, d.decided_at, d.request,
			    d.sample,
			    coalesce(d.idempotency_key, d.event_id) as key
		), cases as materialized (
			select r.id from gone g join assay.review_case r
			    on r.queue = any ($4)
				and r.status in (''open'', ''assigned'', ''resolved'')
				and r.opened_at = g.decided_at
				and r.verdict_id = g.verdict_id
			union all
			-- Without the collation no index finds the cases.
			select v.case_id collate "default"
			from gone g join assay.verdict_revision v
			    on v.verdict_id = g.verdict_id
		), notes as (
			delete from assay.case_note n using cases c
			where n.case_id = c.id
		), facts as (
			update assay.review_case r
			set amount = null, currency = null, note = null
			from cases c where r.id = c.id
		), keys as (
			delete from assay.idempotency i using gone g
			where i.key = g.key and i.verdict_id = g.verdict_id
		)
		select count(*) as n, count(request) as requests,
			count(sample) as samples from gone', part)
		into deleted using who, until, budget, queues,
		    clock_timestamp();
		requests := requests + deleted.requests;
		samples := samples + deleted.samples;
		budget := budget - deleted.n;
	end loop;
	more := budget < max_rows;
	perform assay.erase_exceptions(who);
end
$$;

-- What is stored of a user, as JSON: counts that stop at 10,000, and whether the
-- user is in the graph and has a baseline.  decisions have a detail with the user's
-- id; events wait for the decision or for their delivery.  listEntries stay.
create or replace function assay.erase_stored(who text)
returns text language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
begin atomic
	with bound (most, queues) as materialized (
		values (10000, array(select assay.case_queues()))
	), details as materialized (
		select d.decided_at, d.verdict_id,
			d.request is not null as request,
			d.sample is not null as sample
		from assay.decision_detail d where d.user_id = who
		limit (select b.most from bound b)
	)
	select json_build_object(
	    'decisions', (select count(*) from details),
	    'requests', (select count(*) from details d where d.request),
	    'samples', (select count(*) from details d where d.sample),
	    'cases', (select count(*) from details d join assay.review_case r
		on r.queue = any (b.queues)
		    and r.status in ('open', 'assigned', 'resolved')
		    and r.opened_at = d.decided_at
		    and r.verdict_id = d.verdict_id)
		+ (select count(v.case_id) from details d
		    join assay.verdict_revision v on v.verdict_id = d.verdict_id),
	    'links', (select count(*) from (
		select from assay.entity e,
			lateral assay.graph_neighbors(e.id, b.most)
		where e.kind = 1 and e.key = who limit b.most) l),
	    'events', (select count(*) from (
		select from assay.async_queue q where q.user_id = who
		union all
		select from assay.outbox o where o.user_id = who
		union all
		select from assay.delivery d where d.user_id = who
		union all
		select from assay.dead_letter d where d.user_id = who
		limit b.most) e),
	    'views', (select count(*) from assay.saved_view v
		where v.query::json ->> 'userId' = who),
	    'exceptions', (select count(*) from assay.rule_exception e
		where e.subject = 'user' and e.value = who),
	    'graph', exists (select from assay.entity e
		where e.kind = 1 and e.key = who),
	    'baseline', exists (select from assay.user_state u
		where u.user_id = who),
	    'listEntries', (select count(*) from assay.list_entry l
		where l.subject = 'user' and l.value = who))::text
	from bound b;
end;
