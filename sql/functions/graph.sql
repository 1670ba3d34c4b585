-- SPDX-License-Identifier: ISC
-- The entity graph as operators see it.  The functions read a bounded number of
-- links: of an entity with more than a thousand neighbors they show the newest
-- ones, perhaps not of all kinds.

-- The neighbors of an entity: at most max_links that are newer than it, newest
-- first, and at most max_links that are older.
create or replace function assay.graph_neighbors(entity bigint,
    max_links bigint)
returns setof bigint language sql stable
-- Other plans read all links first.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
begin atomic
	(select l.newer from assay.entity_link l where l.older = graph_neighbors.entity
	order by l.newer desc limit graph_neighbors.max_links)
	union all
	(select l.older from assay.entity_link l where l.newer = graph_neighbors.entity
	limit graph_neighbors.max_links);
end;

-- The entities of one kind, at most 100, newest first.
create or replace function assay.graph_of_kind(entities bigint[],
    of_kind bigint)
returns bigint[] language sql stable
return array(select e.id from assay.entity e
    where e.id = any(graph_of_kind.entities) and e.kind = graph_of_kind.of_kind
    order by e.id desc limit 100);

-- The keys of entities, in the same order.
create or replace function assay.graph_names(entities bigint[])
returns text[] language sql stable
return array(select e.key
    from unnest(entities) with ordinality s(id, ord)
	join assay.entity e on e.id = s.id
    order by s.ord);

-- Users that share a neighbor with a user, at most 100; users of neighbors that
-- few users share come first.
create or replace function assay.graph_related(self bigint, neighbors bigint[])
returns bigint[] language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	shared bigint;
	seen bigint[] := array[self];
begin
	for shared in select e.id from assay.entity e
		where e.id = any(neighbors) and e.kind in (2, 3, 4) and e.users > 1
		order by e.users, e.id desc
	loop
		seen := seen || array(select e.id
		    from assay.graph_neighbors(shared, 300) n(id)
			join assay.entity e on e.id = n.id
		    where e.kind = 1 and e.id <> all(seen)
		    order by e.id desc limit 101 - cardinality(seen));
		exit when cardinality(seen) > 100;
	end loop;
	return seen[2:];
end
$$;

-- The stored decisions of a user, of which it reads at most 200, and their labels.
create or replace function assay.graph_user_labels(of_user text,
    out events bigint, out frauds bigint, out labels bigint)
language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
-- The BRIN index would find the decisions of all users.
set enable_bitmapscan = off
begin atomic
	select count(*), count(*) filter (where l.outcome = 'fraud'),
	    count(l.outcome)
	from (select distinct d.event_id
	    from (select x.event_id, x.dry_run from assay.decision_detail x
		where x.user_id = of_user limit 200) d
	    where d.dry_run is null) e
	    left join assay.label l
		on l.event_id = e.event_id and l.outcome <> 'none';
end;

-- Facts of entities, in their order: when they were first seen, how many users they
-- have, the packed days of a device or ip, and the labels of a user.
create or replace function assay.graph_facts(entities bigint[])
returns table (kind text, id text, first_seen timestamptz, users bigint,
    days bytea, events bigint, frauds bigint, labels bigint)
language sql stable
begin atomic
	select (array['user', 'device', 'ip', 'phone'])[e.kind], e.key,
	    e.first_seen, e.users, r.days, u.events, u.frauds, u.labels
	from unnest(entities) with ordinality s(id, ord)
	    join assay.entity e on e.id = s.id
	    left join assay.entity_risk r on r.entity = e.id
	    left join lateral assay.graph_user_labels(e.key) u on e.kind = 1
	order by s.ord;
end;

-- The links among entities, as pairs of their positions, which begin with 0.
create or replace function assay.graph_edges(entities bigint[])
returns json language sql stable
-- Other plans read all links of the entities.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_bitmapscan = off
return (with e as materialized (
	select u.id, u.ord from unnest(entities) with ordinality u(id, ord)
    )
    select coalesce(json_agg(json_build_array(least(a.ord, b.ord) - 1,
	    greatest(a.ord, b.ord) - 1)
	order by least(a.ord, b.ord), greatest(a.ord, b.ord)), '[]')
    from e a join e b on a.id < b.id
	join assay.entity_link l on l.older = a.id and l.newer = b.id);

-- The root of an entity's component, and the number of its entities.
create or replace function assay.graph_root(entity bigint, out root bigint,
    out component_size bigint)
language sql stable
begin atomic
	with recursive up as (
		select e.id, e.parent, e.size from assay.entity e
		where e.id = graph_root.entity
		union all
		select e.id, e.parent, e.size
		from up join assay.entity e on e.id = up.parent
	)
	select up.id, up.size from up where up.parent is null;
end;

-- The neighbors of an entity, at most 100 of each kind, newest first; of a user
-- also the related users.  near is the entity, if it was ever seen, and then the
-- first 50 of each kind; edges are the links among these 50.
create or replace function assay.graph_neighborhood(kind_name text,
    entity_kind bigint, entity_key text, out body text, out near bigint[])
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	self bigint;
	neighbors bigint[];
	users bigint[];
	devices bigint[];
	ips bigint[];
	phones bigint[];
	drawn bigint[];
	ring_size bigint;
begin
	select e.id into self from assay.entity e
	where e.key = entity_key and e.kind = entity_kind;
	neighbors := array(select assay.graph_neighbors(self, 1000));
	select g.component_size into ring_size from assay.graph_root(self) g;
	users := case when entity_kind = 1
	    then assay.graph_related(self, neighbors)
	    else assay.graph_of_kind(neighbors, 1) end;
	devices := assay.graph_of_kind(neighbors, 2);
	ips := assay.graph_of_kind(neighbors, 3);
	phones := assay.graph_of_kind(neighbors, 4);
	drawn := users[:50] || devices[:50] || ips[:50] || phones[:50];
	near := array_remove(self || drawn, null);
	body := json_build_object(
	    'kind', kind_name,
	    'id', entity_key,
	    'users', assay.graph_names(users),
	    'devices', assay.graph_names(devices),
	    'ips', assay.graph_names(ips),
	    'phones', assay.graph_names(phones),
	    'ringSize', coalesce(ring_size, 1),
	    'edges', assay.graph_edges(drawn))::text;
end
$$;
