-- SPDX-License-Identifier: ISC
-- Failed logins and the login backoff.
\pset tuples_only on
\pset format unaligned

-- The delay grows from the fifth failure on, up to 15 minutes.
select n, assay.login_delay(n)
from unnest(array[1, 4, 5, 6, 10, 14, 15, 1000000]) n;

select assay.operator_register('one@example.com', 'hash') is not null;
\set pair 'sha256(\'pair\'),sha256(\'account\')'

-- A login counts as failed until it is cleared; without operator no columns.
select assay.login_wait(:pair);
select * from assay.login_try('one@example.com', :pair);
select * from assay.login_try('two@example.com', :pair);
select failures, refused_until <= clock_timestamp() from assay.login_failure;
select assay.login_clear(:pair);
select count(*) from assay.login_failure;

-- After the fifth failure the sixth login must wait, and is not counted.
select wait, role from assay.login_try('one@example.com', :pair);
update assay.login_failure set failures = 20;
select * from assay.login_try('one@example.com', :pair);
select wait between 899 and 900, role, session_number, password
from assay.login_try('one@example.com', :pair);
select failures, assay.login_wait(:pair) between 899 and 900
from assay.login_failure;

-- After an hour the count restarts, and older rows are deleted, few at a time.
update assay.login_failure set last_at = now() - interval '61 min',
	refused_until = now() - interval '1 min';
insert into assay.login_failure
select sha256(n::text::bytea), 3, now(), now() - interval '2 h'
from generate_series(1, 25) n;
select wait, role from assay.login_try('one@example.com', :pair);
select failures, count(*) from assay.login_failure group by 1 order by 1;

-- Failures of an account at many addresses: from the 50th on the account must
-- wait at addresses that are new to it, and only there.
delete from assay.login_failure;
delete from assay.login_account;
select assay.login_clear(sha256('home'), sha256('account'));
select count(*) filter (where wait = 0), count(*) filter (where guessed),
	max(wait) from generate_series(1, 50) n
cross join lateral assay.login_try('one@example.com', sha256(n::text::bytea),
	sha256('account'));
select failures from assay.login_account;
select wait, guessed, role
from assay.login_try('one@example.com', sha256('new'), sha256('account'));
select count(*) from assay.login_failure where pair = sha256('new');
select assay.login_wait(sha256('new'), sha256('account')),
	assay.login_wait(sha256('home'), sha256('account')),
	assay.login_wait(sha256('new'), sha256('another'));
select wait, guessed, role
from assay.login_try('one@example.com', sha256('home'), sha256('account'));
select failures from assay.login_account;
-- The wait grows; a success at a new address is no failure and makes it known.
update assay.login_account set failures = 100,
	refused_until = clock_timestamp();
select wait, guessed, role
from assay.login_try('one@example.com', sha256('new'), sha256('account'));
select assay.login_wait(sha256('newer'), sha256('account')) between 899 and 900;
select assay.login_clear(sha256('new'), sha256('account'));
select failures from assay.login_account;
select assay.login_wait(sha256('new'), sha256('account'));
-- An address that was not used for 90 days is new again.
update assay.login_address set last_at = now() - interval '91 days'
where pair = sha256('home');
select assay.login_wait(sha256('home'), sha256('account')) between 899 and 900;
-- An account keeps its last 32 addresses; those of another account stay.
select assay.login_clear(sha256('elsewhere'), sha256('another'));
select count(assay.login_clear(sha256(n::text::bytea), sha256('account')) is null)
from generate_series(1, 40) n;
select account = sha256('account'), count(*) from assay.login_address group by 1
order by 1;
select assay.login_address_seen(sha256('new')), assay.login_address_seen(sha256('40'));
-- After an hour without a failure the count restarts.
update assay.login_account set last_at = now() - interval '61 min',
	refused_until = now() - interval '1 min';
select wait, guessed
from assay.login_try('one@example.com', sha256('newest'), sha256('account'));
select failures from assay.login_account;

-- An attempt that was no guess is taken back; earlier failures stay.
update assay.login_account set failures = 49, refused_until = clock_timestamp()
where account = sha256('account');
select guessed
from assay.login_try('one@example.com', sha256('newest'), sha256('account'));
select assay.login_wait(sha256('newest'), sha256('account')) > 0;
select assay.login_undo(sha256('newest'), sha256('account'));
select failures from assay.login_account where account = sha256('account');
select failures from assay.login_failure where pair = sha256('newest');
select assay.login_wait(sha256('newest'), sha256('account'));
select assay.login_undo(sha256('newest'), sha256('account'));
select assay.login_undo(sha256('newest'), sha256('account'));
select failures from assay.login_failure where pair = sha256('newest');
