-- SPDX-License-Identifier: ISC
-- Logins and the login backoff: after failures an account must wait at that
-- client address, and after many failures at every address that it has not used
-- before.

-- The wait after a number of failures: none after 4, 1 s after 5, doubled with
-- each further failure up to 15 min.
create or replace function assay.login_delay(failures int)
returns interval language sql immutable
return case when failures < 5 then interval '0'
    else least(interval '15 min',
	interval '1 s' * 2 ^ least(failures - 5, 10)) end;

-- The number of failures after which an account waits at every address that is
-- new to it.
create or replace function assay.login_guess_limit()
returns int language sql immutable
return 50;

-- Whether the account has logged in from this address within 90 days.
create or replace function assay.login_address_seen(login_pair bytea)
returns boolean language sql stable
return exists (select from assay.login_address k where k.pair = login_pair
    and k.last_at > clock_timestamp() - interval '90 days');

-- For how many more seconds a login must wait; 0: it may try now.
create or replace function assay.login_wait(login_pair bytea,
    of_account bytea)
returns bigint language sql stable
return greatest(0, (
    select ceil(extract(epoch from max(w.until) - clock_timestamp()))::bigint
    from (select f.refused_until
	from assay.login_failure f where f.pair = login_pair
	union all
	select a.refused_until
	from assay.login_account a where a.account = of_account
	and not assay.login_address_seen(login_pair)) as w(until)));

-- Count a failure of an account at an address that is new to it.  Returns
-- whether this failure reaches the limit; null if the account must wait
-- already.
create or replace function assay.login_count_failure(of_account bytea)
returns boolean language sql
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

-- Delete a few expired rows.  Only one caller at a time does, and waits for no
-- row.
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

-- Begin to check a password.  The login counts as a failure until
-- login_clear(), so that concurrent guesses gain nothing.  A login that must
-- wait is not counted.  An hour without a failure resets the count.  Returns
-- the operator's columns, null if the operator does not exist, is disabled or
-- must wait; guessed is true for the failure with which the account reaches its
-- limit.
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

-- The password was right: clear the failures at this address, take this login
-- off the account's failures, and remember the address as used.  An account
-- keeps its last 32 addresses.
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

-- Take an attempt back that was no guess: the password was right and the code
-- missing, or a session's code was right.  Earlier failures stay, and no wait
-- remains: there was none when the attempt began, and if the attempt began one,
-- all other attempts were refused since.
create or replace function assay.login_undo(login_pair bytea, of_account bytea)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if not assay.login_address_seen(login_pair) then
		update assay.login_account
		set failures = failures - 1, refused_until = clock_timestamp()
		where account = of_account and failures > 0;
	end if;
	update assay.login_failure
	set failures = failures - 1, refused_until = clock_timestamp()
	where pair = login_pair and failures > 0;
end
$$;
