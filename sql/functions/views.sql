-- SPDX-License-Identifier: ISC
-- Saved views: named filters of a screen, an operator's own or shared with all.

-- A view as answers show it to an operator.
create or replace function assay.view_json(v assay.saved_view, reader text)
returns json language sql stable
return json_build_object(
    'id', (v).id,
    'name', (v).name,
    'screen', (v).screen,
    'query', (v).query::json,
    'shared', (v).shared,
    'owner', (v).owner,
    'mine', (v).owner = reader);

-- An operator's own views and those that others share, by screen and name.
create or replace function assay.view_list(reader text)
returns text language sql stable
return (select coalesce(json_agg(assay.view_json(v, reader)
	order by v.screen, v.name, v.id), '[]')::text
    from assay.saved_view v where v.owner = reader or v.shared);

-- Save a view; an operator has at most 100.
create or replace function assay.view_create(view_id text, creator text,
    screen text, name text, query text, shared boolean)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
begin
	-- One at a time, so that the count is right.
	perform from assay.operator o where o.email = creator for update;
	if (select count(*) from assay.saved_view v
	    where v.owner = creator) >= 100 then
		refusal := 'VIEWS_FULL';
		return next;
		return;
	end if;
	insert into assay.saved_view as v (id, owner, screen, name, query,
	    shared)
	values (view_id, creator, screen, name, query, shared)
	on conflict on constraint saved_view_owner_screen_name_key do nothing
	returning assay.view_json(v, creator)::text into body;
	if not found then
		refusal := 'VIEW_EXISTS';
	end if;
	return next;
end
$$;

-- Delete a view of an operator, or as an admin any view.
create or replace function assay.view_delete(view_id text, actor text,
    is_admin boolean)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.saved_view v
	where v.id = view_id and (v.owner = actor or is_admin);
	if found then
		body := '{"ok":true}';
	else
		refusal := 'NOT_FOUND';
	end if;
	return next;
end
$$;
