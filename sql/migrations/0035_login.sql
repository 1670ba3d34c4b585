-- SPDX-License-Identifier: ISC
-- Guessing at one account from many addresses, so that it becomes slow too.

-- One row an account at which logins have failed lately, from addresses that
-- it does not know; its email is only in the keyed hash.
create table assay.login_account (
	account bytea primary key check (length(account) = 32),
	failures integer not null,
	refused_until timestamptz not null,
	last_at timestamptz not null
);
create index on assay.login_account (last_at);

-- The addresses from which an account has logged in, each as the pair of
-- assay.login_failure: at most 32 an account, each for 90 days.  The keyed hash
-- is pseudonymous: who has the secret can test an email and an address.
create table assay.login_known (
	pair bytea primary key check (length(pair) = 32),
	account bytea not null check (length(account) = 32),
	last_at timestamptz not null
);
create index on assay.login_known (account, last_at);

-- They look at both now.
drop function if exists
    assay.login_wait(bytea),
    assay.login_try(text, bytea),
    assay.login_clear(bytea);
