-- SPDX-License-Identifier: ISC
-- Access: operators, sessions, logins and service keys; and the audit trail.

create table assay.operator (
	email text primary key, -- personal; lower case
	role text not null check (role in ('admin', 'analyst')),
	password text not null, -- secret: libscrypt's "$s1$" string
	password_temporary boolean not null default false, -- set by another
	-- Every token carries the number.  A higher number ends all sessions.
	session_number bigint not null default 1,
	disabled_at timestamptz, -- null: the operator may log in
	created_at timestamptz not null default now()
);

-- Tokens that were logged out, kept until they have expired.
create table assay.revoked_token (
	jti text primary key,
	expires_at timestamptz not null
);
create index on assay.revoked_token (expires_at);

-- Failed logins of one account from one client address.
create table assay.login_failure (
	-- Keyed hash of account and address; neither is stored.
	pair bytea primary key check (length(pair) = 32),
	failures integer not null,
	refused_until timestamptz not null,
	last_at timestamptz not null
);
create index on assay.login_failure (last_at);

-- Failed logins of one account from all addresses that it has not used before.
create table assay.login_account (
	account bytea primary key check (length(account) = 32), -- keyed hash
	failures integer not null,
	refused_until timestamptz not null,
	last_at timestamptz not null
);
create index on assay.login_account (last_at);

-- The addresses from which an account has logged in: at most 32 of an account,
-- each for 90 days.
create table assay.login_address (
	-- Personal: a pseudonym.  With the key one can test an email and an address
	-- against it.  The same hash as login_failure.pair.
	pair bytea primary key check (length(pair) = 32),
	account bytea not null check (length(account) = 32),
	last_at timestamptz not null
);
create index on assay.login_address (account, last_at);

-- Service keys.  Only the hash of a key is stored.
create table assay.service_key (
	id text primary key,
	hash bytea not null unique check (length(hash) = 32),
	name text not null,
	prefix text not null, -- helps people to recognize the key
	scopes smallint not null check (scopes between 1 and 3), -- bits:
	    -- 1 decisions, 2 labels
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now(),
	expires_at timestamptz,
	revoked_at timestamptz
);

-- The audit trail: what operators changed and what they were refused.
-- Append-only.
create table assay.audit (
	number bigint generated always as identity primary key,
	id text not null unique,
	at timestamptz not null default clock_timestamp(),
	actor text not null, -- personal: an operator's email
	-- An operator's role, 'owner' for acts on the database itself, or
	-- 'none' for failed logins.
	role text not null check (role ~ '^[a-z]{1,16}$'),
	action text not null, -- method and path
	status smallint not null,
	-- JSON, the parameters of the body without secrets and with masked
	-- addresses.  Personal: user ids and free text.
	params text not null
);

-- Failed logins in one hour, by account.
create table assay.login_burst (
	-- Keyed hash of an operator's email, or 'unknown' for all emails that
	-- no operator has.
	account text primary key,
	hour timestamptz not null,
	failures bigint not null
);

-- Seals of the audit trail.  Each seal covers the entries after the last entry
-- of the previous seal, up to its own last entry, and hashes the previous seal
-- as well.  assay-cron(8) describes the hashed bytes.
create table assay.audit_seal (
	number bigint primary key,
	last bigint not null, -- assay.audit.number
	rows bigint not null,
	at timestamptz not null,
	hash bytea not null -- SHA-256
);

-- The day (UTC) on which the companion last wrote the newest seal to its log.
create table assay.audit_seal_logged (
	one boolean primary key default true check (one),
	day date not null
);
insert into assay.audit_seal_logged (day) values ('1970-01-01');
