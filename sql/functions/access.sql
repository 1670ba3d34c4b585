-- SPDX-License-Identifier: ISC
-- Operators and service keys.

-- Register the first operator, an admin.  No row if there is an operator
-- already: the second of two concurrent calls waits for the lock and then finds
-- the first operator.
create or replace function assay.operator_register(new_email text,
    new_password text)
returns table (role text, session_number bigint) language plpgsql
security definer
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
	perform assay.audit_write(new_email, 'admin',
	    'POST /v1/auth/register', 201, '{}');
end
$$;

-- Whether an operator has enabled a second factor.
create or replace function assay.second_factor_enabled(operator_email text)
returns boolean language sql stable
return exists (select from assay.second_factor f
    where f.email = operator_email and f.enabled_at is not null);

-- An operator as answers show it.
create or replace function assay.operator_json(o assay.operator)
returns json language sql stable
return json_build_object(
    'email', (o).email,
    'role', (o).role,
    'createdAt', assay.time_text((o).created_at),
    'disabled', (o).disabled_at is not null,
    'passwordTemporary', (o).password_temporary,
    'secondFactor', assay.second_factor_enabled((o).email));

-- Every operator, by email.
create or replace function assay.operator_list()
returns text language sql stable
return (select coalesce(json_agg(assay.operator_json(o)
	order by o.email), '[]')::text
    from assay.operator o);

-- Add an operator with a temporary password, unless the email is taken.
create or replace function assay.operator_create(new_email text,
    new_role text, new_password text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.operator as o (email, role, password,
	    password_temporary)
	values (new_email, new_role, new_password, true)
	on conflict do nothing
	returning assay.operator_json(o)::text into body;
	if not found then
		refusal := 'USER_EXISTS';
	end if;
	return next;
end
$$;

-- Change an operator; null leaves a property as it is.  A new password is
-- temporary.  A new password, disabling, and end_sessions end all sessions.
-- The last active admin can be neither demoted nor disabled: the lock
-- serializes two admins who demote each other.
create or replace function assay.operator_update(operator_email text,
    new_role text, disable boolean, new_password text, end_sessions boolean)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	o assay.operator;
begin
	perform pg_advisory_xact_lock(hashtextextended('assay.operator', 0));
	select * into o from assay.operator where email = operator_email;
	if not found then
		refusal := 'USER_MISSING';
	elsif o.role = 'admin' and o.disabled_at is null
	    and (new_role <> 'admin' or disable)
	    and not exists (select from assay.operator a
		where a.role = 'admin' and a.disabled_at is null
		and a.email <> operator_email) then
		refusal := 'LAST_ADMIN';
	else
		update assay.operator as u
		set role = coalesce(new_role, u.role),
		    disabled_at = case
			when disable then coalesce(u.disabled_at, now())
			when not disable then null
			else u.disabled_at end,
		    password = coalesce(new_password, u.password),
		    password_temporary = u.password_temporary
			or new_password is not null,
		    session_number = u.session_number
			+ (coalesce(end_sessions, false)
			or coalesce(disable, false)
			or new_password is not null)::int
		where u.email = operator_email
		returning assay.operator_json(u)::text into body;
	end if;
	return next;
end
$$;

-- End one session; refuse if it has ended already.  Each call also deletes a few tokens that expired more than
-- an hour ago; the hour covers clocks that differ.  Only one call at a time
-- deletes tokens, so that no call waits for another.
create or replace function assay.operator_logout(token_id text,
    token_expires_at timestamptz)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.revoked_token (jti, expires_at)
	values (token_id, token_expires_at)
	on conflict do nothing;
	if not found then
		refusal := 'UNAUTHENTICATED';
		return next;
		return;
	end if;
	if pg_try_advisory_xact_lock(hashtextextended('assay.revoked', 0)) then
		delete from assay.revoked_token
		where jti in (select t.jti from assay.revoked_token t
		    where t.expires_at < now() - interval '1 hour'
		    order by t.expires_at limit 20);
	end if;
	body := '{"ok":true}';
	return next;
end
$$;

-- End all sessions of an operator: tokens carry the session number.
create or replace function assay.operator_logout_all(operator_email text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.operator set session_number = session_number + 1
	where email = operator_email;
	body := '{"ok":true}';
	return next;
end
$$;

-- A key as answers show it.
create or replace function assay.service_key_json(k assay.service_key)
returns json language sql stable
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
return (select coalesce(json_agg(assay.service_key_json(k)
	order by k.created_at desc, k.id desc), '[]')::text
    from assay.service_key k);

-- Add a key that expires after days; null: never.
create or replace function assay.service_key_create(id text, hash bytea,
    name text, prefix text, scopes bigint, days bigint, created_by text)
returns text language sql security definer
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

-- Revoke a key, which takes effect at once.  Returns whether the key exists.
create or replace function assay.service_key_revoke(key_id text)
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.service_key
	set revoked_at = coalesce(revoked_at, clock_timestamp())
	where id = key_id;
	return found;
end
$$;
