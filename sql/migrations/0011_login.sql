-- SPDX-License-Identifier: ISC
-- Logins that failed, so that guessing becomes slow.

-- One row an account and client address together, which only their keyed
-- hash tells: no email that somebody tried is kept, and no address.
create table assay.login_failure (
	pair bytea primary key check (length(pair) = 32),
	failures integer not null,
	refused_until timestamptz not null,
	last_at timestamptz not null
);
create index on assay.login_failure (last_at);
