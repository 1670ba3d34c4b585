-- SPDX-License-Identifier: ISC
-- The second factor of operators.  Programs read keys and change rows only
-- through these functions, which run as the owner.

-- What an operator sees of the own second factor.
create or replace function assay.second_factor_status(operator_email text)
returns text language sql stable security definer
set search_path = pg_catalog, pg_temp
return (select json_build_object(
	'enrolled', f.enabled_at is not null,
	'enrolledAt', assay.time_text(f.enabled_at),
	'recoveryCodesLeft', (select count(*) from assay.recovery_code c
	    where c.email = operator_email))::text
    from (values (operator_email)) as o(email)
	left join assay.second_factor f using (email));

-- The key of an operator, and whether it is enabled.  No row if the operator
-- has none, or only one that was offered more than 10 minutes ago.
create or replace function assay.second_factor_find(operator_email text)
returns table (sealed_key bytea, enabled boolean) language sql stable
security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select f.sealed_key, f.enabled_at is not null
	from assay.second_factor f
	where f.email = operator_email and (f.enabled_at is not null
	    or f.offered_at > now() - interval '10 min');
end;

-- Offer a key to an operator, in place of one that was not enabled.
create or replace function assay.second_factor_offer(operator_email text,
    new_key bytea)
returns table (refusal text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.second_factor as f (email, sealed_key)
	values (operator_email, new_key)
	on conflict (email) do update
	set sealed_key = excluded.sealed_key, offered_at = excluded.offered_at
	where f.enabled_at is null;
	if not found then
		refusal := 'SECOND_FACTOR_EXISTS';
	end if;
	return next;
end
$$;

-- Enable the key that was offered, after its code of a step was checked, and
-- store the hashes of the recovery codes.  Of two calls at once the second finds
-- an enabled key; after another offer the code was of another key.
create or replace function assay.second_factor_enable(operator_email text,
    offered_key bytea, step bigint, hashes bytea[])
returns table (refusal text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.second_factor f
	set enabled_at = now(), last_step = step
	where f.email = operator_email and f.sealed_key = offered_key
	    and f.enabled_at is null;
	if found then
		insert into assay.recovery_code (email, hash)
		select operator_email, unnest(hashes);
	else
		refusal := case when assay.second_factor_enabled(operator_email)
		    then 'SECOND_FACTOR_EXISTS' else 'CODE_WRONG' end;
	end if;
	return next;
end
$$;

-- Accept the code of a step, and no code of this step or an earlier one from
-- now on.  Of two calls at once the second waits for the row and then finds the
-- step used.
create or replace function assay.second_factor_accept(operator_email text,
    step bigint)
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.second_factor f set last_step = step
	where f.email = operator_email and f.enabled_at is not null
	    and f.last_step < step;
	return found;
end
$$;

-- Accept a recovery code, once.
create or replace function assay.second_factor_recover(operator_email text,
    code_hash bytea)
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.recovery_code c
	where c.email = operator_email and c.hash = code_hash;
	return found;
end
$$;

-- Store a key that was encrypted again, unless it has changed since.
create or replace function assay.second_factor_reseal(operator_email text,
    old_key bytea, new_key bytea)
returns void language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.second_factor f set sealed_key = new_key
	where f.email = operator_email and f.sealed_key = old_key;
end;

-- Remove the second factor of an operator, and the recovery codes.
create or replace function assay.second_factor_remove(operator_email text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.second_factor f
	where f.email = operator_email and f.enabled_at is not null;
	if found then
		body := '{"ok":true}';
	else
		refusal := 'SECOND_FACTOR_MISSING';
	end if;
	return next;
end
$$;
