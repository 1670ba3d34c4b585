-- SPDX-License-Identifier: ISC
-- Logins: after failures an account and a client address wait together, and
-- after many failures an account and all addresses that it does not know.

-- How long after so many failures: nothing after 4, then 1 s and always twice
-- as long, up to 15 min.
create or replace function assay.login_delay(failures int)
returns interval language sql immutable
set search_path = pg_catalog, pg_temp
return case when failures < 5 then interval '0'
    else least(interval '15 min',
	interval '1 s' * 2 ^ least(failures - 5, 10)) end;

-- After so many failures an account waits where it is not known.
create or replace function assay.login_guess_limit()
returns int language sql immutable
set search_path = pg_catalog, pg_temp
return 50;

-- Whether the account of a pair has logged in from its address lately.
create or replace function assay.login_address_seen(login_pair bytea)
returns boolean language sql stable
set search_path = pg_catalog, pg_temp
return exists (select from assay.login_address k where k.pair = login_pair
    and k.last_at > clock_timestamp() - interval '90 days');

-- The seconds that a login has still to wait, 0 if none.
create or replace function assay.login_wait(login_pair bytea,
    of_account bytea)
returns bigint language sql stable
set search_path = pg_catalog, pg_temp
return greatest(0, (
    select ceil(extract(epoch from max(w.until) - clock_timestamp()))::bigint
    from (select f.refused_until
	from assay.login_failure f where f.pair = login_pair
	union all
	select a.refused_until
	from assay.login_account a where a.account = of_account
	and not assay.login_address_seen(login_pair)) as w(until)));

-- Count a failure of an account at an address that it does not know.  Whether
-- it is the one from which on it waits; null where it has to wait now.
create or replace function assay.login_count_failure(of_account bytea)
returns boolean language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.login_account as a
	    (account, failures, refused_until, last_at)
	values (of_account, 1, clock_timestamp(), clock_timestamp())
	on conflict (account) do update
	set (failures, refused_until, last_at) = (
	    select w.n, clock_timestamp()
		    + assay.login_delay(w.n - assay.login_guess_limit() + 5),
		clock_timestamp()
	    from (values (case
		when a.last_at < clock_timestamp() - interval '1 hour' then 1
		else a.failures + 1 end)) as w(n))
	where a.refused_until <= clock_timestamp()
	returning a.failures = assay.login_guess_limit();
end;

-- Take a few rows away whose time is over.  One caller at a time, and none
-- waits for a row.
create or replace function assay.login_prune()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if not pg_try_advisory_xact_lock(hashtextextended('assay.login', 0)) then
		return;
	end if;
	delete from assay.login_failure
	where pair in (select f.pair from assay.login_failure f
	    where f.last_at < clock_timestamp() - interval '1 hour'
	    order by f.last_at limit 20 for update skip locked);
	delete from assay.login_account
	where account in (select a.account from assay.login_account a
	    where a.last_at < clock_timestamp() - interval '1 hour'
	    order by a.last_at limit 20 for update skip locked);
end
$$;

-- Begin to check a password: it counts as a failure until login_clear(), so
-- that of many guesses at once no more get through than of as many in a row.
-- What must wait is not counted.  The operator's columns are null if there is
-- none, if it is disabled, or if wait is not 0.  guessed is true for the one
-- failure from which on the account waits wherever it is not known.  An hour
-- without a failure begins anew.
create or replace function assay.login_try(login_email text, login_pair bytea,
    of_account bytea)
returns table (wait bigint, guessed boolean, role text, session_number bigint,
    password text, password_temporary boolean) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	guessed := false;
	if not assay.login_address_seen(login_pair) then
		guessed := assay.login_count_failure(of_account);
	end if;
	if guessed is not null then
		insert into assay.login_failure as f
		    (pair, failures, refused_until, last_at)
		values (login_pair, 1, clock_timestamp(), clock_timestamp())
		on conflict (pair) do update
		set (failures, refused_until, last_at) = (
		    select w.n, clock_timestamp() + assay.login_delay(w.n),
			clock_timestamp()
		    from (values (case
			when f.last_at < clock_timestamp() - interval '1 hour'
			then 1 else f.failures + 1 end)) as w(n))
		where f.refused_until <= clock_timestamp();
	end if;
	if guessed is null or not found then
		guessed := coalesce(guessed, false);
		wait := greatest(1, assay.login_wait(login_pair,
		    of_account));
		return next;
		return;
	end if;

	perform assay.login_prune();
	wait := 0;
	select o.role, o.session_number, o.password, o.password_temporary
	into role, session_number, password, password_temporary
	from assay.operator o
	where o.email = login_email and o.disabled_at is null;
	return next;
end
$$;

-- The password was right: what failed before at this address is forgiven, this
-- try is no failure of the account, and the account knows the address from now
-- on, with the 31 that it used last besides.
create or replace function assay.login_clear(login_pair bytea,
    of_account bytea)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if not assay.login_address_seen(login_pair) then
		update assay.login_account set failures = failures - 1
		where account = of_account and failures > 0;
	end if;
	delete from assay.login_failure where pair = login_pair;
	insert into assay.login_address (pair, account, last_at)
	values (login_pair, of_account, clock_timestamp())
	on conflict (pair) do update set last_at = excluded.last_at;
	delete from assay.login_address
	where pair in (select k.pair from assay.login_address k
	    where k.account = of_account
	    order by k.last_at desc offset 32)
	or account = of_account
	    and last_at < clock_timestamp() - interval '90 days';
end
$$;
