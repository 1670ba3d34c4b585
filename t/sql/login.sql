-- SPDX-License-Identifier: ISC
-- Logins that failed.
\pset tuples_only on
\pset format unaligned

-- The delay grows from the fifth on, to 15 minutes and no further.
select n, assay.login_delay(n)
from unnest(array[1, 4, 5, 6, 10, 14, 15, 1000000]) n;

select assay.operator_register('one@example.com', 'hash') is not null;
\set pair 'sha256(\'pair\')'

-- A try is a failure until it is cleared; who is no operator has no columns.
select assay.login_wait(:pair);
select * from assay.login_try('one@example.com', :pair);
select * from assay.login_try('two@example.com', :pair);
select failures, refused_until <= clock_timestamp() from assay.login_failure;
select assay.login_clear(:pair);
select count(*) from assay.login_failure;

-- In a row: the fifth makes the sixth wait, which is not counted.
select wait, role from assay.login_try('one@example.com', :pair);
update assay.login_failure set failures = 20;
select * from assay.login_try('one@example.com', :pair);
select wait between 899 and 900, role, session_number, password
from assay.login_try('one@example.com', :pair);
select failures, assay.login_wait(:pair) between 899 and 900
from assay.login_failure;

-- After an hour it begins anew, and what is older goes, a few at a time.
update assay.login_failure set last_at = now() - interval '61 min',
	refused_until = now() - interval '1 min';
insert into assay.login_failure
select sha256(n::text::bytea), 3, now(), now() - interval '2 h'
from generate_series(1, 25) n;
select wait, role from assay.login_try('one@example.com', :pair);
select failures, count(*) from assay.login_failure group by 1 order by 1;
