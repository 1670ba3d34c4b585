-- SPDX-License-Identifier: ISC
-- The second factor of operators: one-time passwords of an authenticator app
-- (TOTP, RFC 6238), and recovery codes.

create table assay.second_factor (
	email text primary key references assay.operator,
	-- Secret: the key, encrypted under a key from AUTH_SECRET and bound to
	-- the email; fcgi/access/second_factor.c describes it.
	sealed_key bytea not null check (length(sealed_key) = 48),
	offered_at timestamptz not null default now(),
	enabled_at timestamptz, -- null: offered, but no code was entered yet
	-- The newest step of 30 s whose code was accepted.  No code of this step
	-- or an earlier one is accepted again.
	last_step bigint not null default 0
);

-- Recovery codes that were not used yet.
create table assay.recovery_code (
	email text not null references assay.second_factor on delete cascade,
	hash bytea not null check (length(hash) = 32), -- keyed hash
	primary key (email, hash)
);
