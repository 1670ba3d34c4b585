-- SPDX-License-Identifier: ISC
-- The entity graph as operators look at it.  However many links an entity
-- has, a bounded number of them is read: what is shown of one with more than
-- a thousand is its newest neighbours, and perhaps not all kinds of them.

-- Entities linked with one: up to so many that came after it, newest first,
-- and up to so many that were there before it.
create or replace function assay.graph_neighbors(entity bigint, most bigint)
returns setof bigint language sql stable
set search_path = pg_catalog, pg_temp
-- A plan that reads all links before it takes some would be no bound.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
begin atomic
	(select l.b from assay.entity_link l where l.a = graph_neighbors.entity
	order by l.b desc limit graph_neighbors.most)
	union all
	(select l.a from assay.entity_link l where l.b = graph_neighbors.entity
	limit graph_neighbors.most);
end;

-- The keys of those of one kind, at most a hundred, newest first.
create or replace function assay.graph_keys(near bigint[], of_kind bigint)
returns text[] language sql stable
set search_path = pg_catalog, pg_temp
return array(select e.key from assay.entity e
    where e.id = any(graph_keys.near) and e.kind = graph_keys.of_kind
    order by e.id desc limit 100);

-- The users one shared entity away from a user, at most a hundred: those
-- first who share what the fewest do.  near are the user's neighbours.
create or replace function assay.graph_related_users(self bigint, near bigint[])
returns text[] language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	shared bigint;
	seen bigint[] := array[self];
begin
	for shared in select e.id from assay.entity e
		where e.id = any(near) and e.kind in (2, 3, 4) and e.users > 1
		order by e.users, e.id desc
	loop
		seen := seen || array(select e.id
		    from assay.graph_neighbors(shared, 300) n(id)
			join assay.entity e on e.id = n.id
		    where e.kind = 1 and e.id <> all(seen)
		    order by e.id desc limit 101 - cardinality(seen));
		exit when cardinality(seen) > 100;
	end loop;
	return array(select e.key
	    from unnest(seen[2:]) with ordinality s(id, ord)
		join assay.entity e on e.id = s.id
	    order by s.ord);
end
$$;

-- The root of an entity's component, and how large that is.
create or replace function assay.graph_root(entity bigint, out top bigint,
    out ring bigint)
language sql stable
set search_path = pg_catalog, pg_temp
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

-- What an entity is linked with, at most a hundred of each kind, newest
-- first.
create or replace function assay.graph_around(kind_name text,
    entity_kind bigint, entity_key text)
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	self bigint;
	near bigint[];
	users text[];
	ring bigint;
begin
	select e.id into self from assay.entity e
	where e.key = entity_key and e.kind = entity_kind;
	near := array(select assay.graph_neighbors(self, 1000));
	select t.ring into ring from assay.graph_root(self) t;
	if entity_kind = 1 then
		users := assay.graph_related_users(self, near);
	else
		users := assay.graph_keys(near, 1);
	end if;
	return json_build_object(
	    'kind', kind_name,
	    'id', entity_key,
	    'users', users,
	    'devices', assay.graph_keys(near, 2),
	    'ips', assay.graph_keys(near, 3),
	    'phones', assay.graph_keys(near, 4),
	    'ringSize', coalesce(ring, 1))::text;
end
$$;
