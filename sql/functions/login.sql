-- SPDX-License-Identifier: ISC
-- Logins: after failures an account and a client address wait together.

-- How long after so many failures: nothing after 4, then 1 s and always twice
-- as long, up to 15 min.
create or replace function assay.login_delay(failures int)
returns interval language sql immutable
set search_path = pg_catalog, pg_temp
return case when failures < 5 then interval '0'
    else least(interval '15 min',
	interval '1 s' * 2 ^ least(failures - 5, 10)) end;

-- The seconds that a pair has still to wait, 0 if none.
create or replace function assay.login_wait(login_pair bytea)
returns bigint language sql stable
set search_path = pg_catalog, pg_temp
return coalesce((select greatest(0, ceil(extract(epoch from
	f.refused_until - clock_timestamp())))::bigint
    from assay.login_failure f where f.pair = login_pair), 0);

-- Begin to check a password: it counts as a failure until login_clear(), so
-- that of many guesses at once no more get through than of as many in a row.
-- What must wait is not counted.  The operator's columns are null if there is
-- none, if it is disabled, or if wait is not 0.  An hour without a failure begins anew; of rows that
-- are older each try takes a few along, one caller at a time.
create or replace function assay.login_try(login_email text, login_pair bytea)
returns table (wait bigint, role text, session_number bigint, password text,
    password_temporary boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.login_failure as f
	    (pair, failures, refused_until, last_at)
	values (login_pair, 1, clock_timestamp(), clock_timestamp())
	on conflict (pair) do update
	set (failures, refused_until, last_at) = (
	    select w.n, clock_timestamp() + assay.login_delay(w.n),
		clock_timestamp()
	    from (values (case
		when f.last_at < clock_timestamp() - interval '1 hour' then 1
		else f.failures + 1 end)) as w(n))
	where f.refused_until <= clock_timestamp();
	if not found then
		wait := greatest(1, assay.login_wait(login_pair));
		return next;
		return;
	end if;

	if pg_try_advisory_xact_lock(hashtextextended('assay.login', 0)) then
		delete from assay.login_failure
		where pair in (select f.pair from assay.login_failure f
		    where f.last_at < clock_timestamp() - interval '1 hour'
		    order by f.last_at limit 20);
	end if;
	wait := 0;
	select o.role, o.session_number, o.password, o.password_temporary
	into role, session_number, password, password_temporary
	from assay.operator o
	where o.email = login_email and o.disabled_at is null;
	return next;
end
$$;

-- The password was right: what failed before is forgiven.
create or replace function assay.login_clear(login_pair bytea)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	delete from assay.login_failure where pair = login_pair;
end;
