-- SPDX-License-Identifier: ISC
-- Operators and service keys.

-- The first operator, an admin.  No row when there is one already: of two
-- that come together the second waits for the lock and then finds the first.
create or replace function assay.operator_register(new_email text,
    new_password text)
returns table (role text, session_number bigint) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	perform pg_advisory_xact_lock(hashtextextended('assay.register', 0));
	if exists (select from assay.operator) then
		return;
	end if;
	return query insert into assay.operator as o (email, role, password)
	values (new_email, 'admin', new_password)
	returning o.role, o.session_number;
end
$$;

-- One key as callers see it.
create or replace function assay.service_key_json(k assay.service_key)
returns json language sql stable
set search_path = pg_catalog, pg_temp
return json_build_object(
    'id', (k).id,
    'name', (k).name,
    'prefix', (k).prefix,
    'scopes', to_json(array_remove(array[
	case when (k).scopes & 1 <> 0 then 'decisions' end,
	case when (k).scopes & 2 <> 0 then 'labels' end], null)),
    'expiresAt', assay.time_text((k).expires_at),
    'expired', coalesce((k).expires_at <= now(), false),
    'revoked', (k).revoked_at is not null,
    'createdBy', (k).created_by,
    'createdAt', assay.time_text((k).created_at));

-- Every key, newest first.
create or replace function assay.service_key_list()
returns text language sql stable
set search_path = pg_catalog, pg_temp
return (select coalesce(json_agg(assay.service_key_json(k)
	order by k.created_at desc, k.id desc), '[]')::text
    from assay.service_key k);

-- Add a key; days is null for one that never expires.
create or replace function assay.service_key_create(id text, hash bytea,
    name text, prefix text, scopes bigint, days bigint, created_by text)
returns text language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.service_key as k (id, hash, name, prefix, scopes,
	    created_by, expires_at)
	values (service_key_create.id, service_key_create.hash,
	    service_key_create.name, service_key_create.prefix,
	    service_key_create.scopes, service_key_create.created_by,
	    now() + make_interval(days => days::int))
	returning assay.service_key_json(k)::text;
end;

-- Revoke a key, at once and for good.  Whether there is such a key.
create or replace function assay.service_key_revoke(key_id text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.service_key
	set revoked_at = coalesce(revoked_at, clock_timestamp())
	where id = key_id;
	return found;
end
$$;
