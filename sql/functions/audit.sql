-- SPDX-License-Identifier: ISC
-- The audit trail.  Only functions of the owner write entries: the database
-- sets time, number and id, and no role of a program can change or delete an
-- entry.

-- Add an entry.
create or replace function assay.audit_write(actor text, role text,
    action text, status bigint, params text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.audit (id, actor, role, action, status, params)
	values (assay.id_text('aud_', assay.id_prefixes(clock_timestamp()),
		uuid_send(gen_random_uuid())),
	    audit_write.actor, audit_write.role, audit_write.action,
	    audit_write.status, audit_write.params);
end
$$;

-- Add the entry of an operator's request.  The role is the operator's.
create or replace function assay.audit_add(operator_email text, action text,
    status bigint, params text)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	found_role text;
begin
	select o.role into found_role
	from assay.operator o where o.email = operator_email;
	if not found or action !~ '^[A-Z]+ /' or status not between 200 and 599
	    or json_typeof(params::json) <> 'object' then
		raise 'this is no entry of the audit trail'
		using errcode = 'invalid_parameter_value';
	end if;
	perform assay.audit_write(operator_email, found_role, action, status,
	    params);
end
$$;

-- Record a failed login.  Only the 1st, 10th, 100th and so on of an account in
-- an hour make an entry, so that an attack shows but cannot fill the trail.
-- All emails that no operator has count as one account, for the same reason.
create or replace function assay.audit_login_failed(login_email text,
    pseudonym text)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	this constant timestamptz := date_trunc('hour', clock_timestamp(), 'UTC');
	n bigint;
begin
	if pseudonym !~ '^[0-9a-f]{16}$' then
		raise 'this is no pseudonym'
		using errcode = 'invalid_parameter_value';
	end if;
	insert into assay.login_burst as b (account, hour, failures)
	values (case when exists (select from assay.operator o
		    where o.email = login_email)
		then pseudonym else 'unknown' end, this, 1)
	on conflict (account) do update
	set hour = this,
	    failures = case when b.hour = this then b.failures + 1 else 1 end
	returning b.failures, b.account into n, pseudonym;
	if n::text ~ '^10*$' then
		perform assay.audit_write('account:' || pseudonym, 'none',
		    'POST /v1/auth/login', 401,
		    json_build_object('failures', n)::text);
	end if;
end
$$;

-- A page of the trail, newest first, and its total length.  before is the last
-- entry of the previous page, or null.  Of the other parameters null selects
-- all; of_action is the beginning of an action, and part a part of an actor, an
-- action or the parameters, with ASCII letters in any case.  There is no index for
-- them: a call looks at 100000 entries, and next is the last of these if older ones
-- remain that may belong to the page, else null.
create or replace function assay.audit_page(page_limit bigint,
    page_offset bigint, before text, of_actor text, of_action text,
    since timestamptz, until timestamptz, part text default null)
returns table (refusal text, body text) language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	last bigint := 9223372036854775807;
begin
	if before is not null then
		select a.number into last from assay.audit a
		where a.id = before;
		if not found then
			return query select 'NOT_FOUND', null::text;
			return;
		end if;
	end if;
	return query with page as materialized (
		select s.* from (select a.* from assay.audit a
			where a.number < last
			order by a.number desc limit 100000) s
		where (of_actor is null or s.actor = of_actor)
			and (of_action is null
			    or starts_with(s.action, of_action))
			and (part is null or strpos(lower(concat_ws(e'\n',
				s.actor, s.action, s.params) collate "C"),
				lower(part collate "C")) > 0)
			and (since is null or s.at >= since)
			and (until is null or s.at < until)
		order by s.number desc limit page_limit offset page_offset
	)
	select null::text, json_build_object(
	    'total', (select count(*) from assay.audit),
	    'entries', (select coalesce(json_agg(json_build_object(
		    'id', p.id,
		    'at', assay.time_text(p.at),
		    'actor', p.actor,
		    'role', p.role,
		    'action', p.action,
		    'status', p.status,
		    'params', p.params::json) order by p.number desc), '[]')
		from page p),
	    'next', case when (select count(*) from page) < page_limit
		then (select a.id from assay.audit a where a.number < last
		    order by a.number desc offset 99999 limit 1) end
	)::text;
end
$$;

-- The hashed bytes of seals are text, so that any program can hash them again:
-- each field is its length in bytes, a colon, the field and a comma; times are
-- microseconds since 1970.  assayctl audit verify does the same in C.
create or replace function assay.audit_text(variadic fields text[])
returns bytea language sql immutable
return convert_to((select string_agg(
    octet_length(f.field) || ':' || f.field || ',', '' order by f.n)
    from unnest(fields) with ordinality as f(field, n)), 'UTF8');

-- Microseconds since 1970.
create or replace function assay.audit_micros(at timestamptz)
returns text language sql immutable
return (extract(epoch from at) * 1000000)::bigint::text;

-- The hash of an entry.
create or replace function assay.audit_digest(a assay.audit)
returns bytea language sql immutable
return sha256(assay.audit_text((a).number::text, (a).id,
    assay.audit_micros((a).at), (a).actor, (a).role, (a).action,
    (a).status::text, (a).params));

-- Seal at most at_most entries after the last seal, once that seal is older
-- than seconds.  An entry gets its number before it commits.  Therefore the
-- function waits, 100 ms at most, until no transaction writes an entry: from
-- then on no smaller number can appear, not even in a cluster into which a dump
-- was restored.  Returns the newest seal; due is true if the companion has
-- still to write today's seal to its log.
create or replace function assay.audit_seal_next(seconds bigint,
    at_most bigint)
returns table (sealed bigint, head bigint, head_hash text, due boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '100ms'
as $$
declare
	prior assay.audit_seal;
	made assay.audit_seal;
	digests bytea;
begin
	sealed := 0;
	select * into prior from assay.audit_seal s
	order by s.number desc limit 1;
	if (prior.number is null or clock_timestamp() not between prior.at
		and prior.at + make_interval(secs => seconds))
	    and exists (select from assay.audit a
		where a.number > coalesce(prior.last, 0)) then
		begin
			lock table assay.audit in share row exclusive mode;
			select * into prior from assay.audit_seal s
			order by s.number desc limit 1;
			select count(*), max(b.number), string_agg(
				assay.audit_digest(b), '' order by b.number)
			into made.rows, made.last, digests
			from (select * from assay.audit a
			    where a.number > coalesce(prior.last, 0)
			    order by a.number limit at_most) b;
		exception when lock_not_available then
			made.rows := 0;
		end;
	end if;
	if made.rows > 0 then
		made.number := coalesce(prior.number, 0) + 1;
		made.at := clock_timestamp();
		made.hash := sha256(coalesce(prior.hash, '')
		    || assay.audit_text(made.number::text, made.last::text,
			made.rows::text, assay.audit_micros(made.at))
		    || digests);
		insert into assay.audit_seal select made.*;
		sealed := made.rows;
		prior := made;
	end if;
	head := prior.number;
	head_hash := encode(prior.hash, 'hex');
	due := prior.number is not null and exists (select
	    from assay.audit_seal_logged t
	    where t.day <> (now() at time zone 'UTC')::date);
	return next;
end
$$;

-- The companion has written the newest seal to its log.
create or replace function assay.audit_mark_logged()
returns void language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.audit_seal_logged
	set day = (now() at time zone 'UTC')::date;
end;
