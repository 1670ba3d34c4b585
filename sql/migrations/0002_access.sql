-- SPDX-License-Identifier: ISC
-- Access: operators, sessions, logins and service keys; the audit trail; and
-- proposals: changes that wait for a second person.

create table assay.operator (
	email text primary key, -- personal; lower case
	role text not null check (role in ('admin', 'analyst', 'author')),
	password text not null, -- secret: libscrypt's "$s1$" string
	password_temporary boolean not null default false, -- set by another
	-- Every token carries the number.  A higher number ends all sessions.
	session_number bigint not null default 1,
	disabled_at timestamptz, -- null: the operator may log in
	created_at timestamptz not null default now()
);

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

-- Filters of a console's screen that an operator has saved.
create table assay.saved_view (
	id text primary key,
	owner text not null, -- personal: an operator's email
	screen text not null check (screen in ('cases', 'decisions')),
	name text not null,
	query text not null, -- personal: JSON, parameters and their values
	shared boolean not null, -- with all operators
	unique (owner, screen, name)
);
create index on assay.saved_view (id) where shared;

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

-- A request that an author has proposed, and its decision.  A proposal never
-- changes, except for its decision.  Proposals are kept as long as the audit
-- trail; assay.proposal_end() and others remove the personal columns.  Ids sort
-- by time.
create table assay.proposal (
	id text primary key,
	action text not null, -- method and path
	subject text not null check (subject in ('rules', 'policies',
	    'shadow', 'retention', 'erasure', 'lists', 'config')),
	-- What the action changes: an event type, the id of a policy, 'model',
	-- a list entry as "kind subject value" or by its id.  Personal for lists.
	target text,
	-- Personal for erasure and lists: the body of the request as JSON; of a
	-- CSV file a string.  Null: it has none, or it is removed.
	body text,
	digest text, -- SHA-256 of action and body; removed with the body
	-- What was active when the proposal was made, by assay.proposal_state();
	-- and its text before and after the change.  Personal for lists.
	base text,
	before text,
	after text,
	reason text not null, -- personal: free text
	author text not null, -- personal: an operator's email
	created_at timestamptz not null default clock_timestamp(),
	-- A proposal that runs in several transactions is 'running' until the
	-- last one, and then 'approved' or 'failed'.
	status text not null default 'pending' check (status in ('pending',
	    'running', 'approved', 'failed', 'rejected', 'withdrawn',
	    'expired')),
	decided_by text, -- personal: an operator's email
	decided_at timestamptz,
	decision_reason text, -- personal: free text
	-- What the proposal publishes or tries, also after its body is removed.
	version text, -- null: the request names none
	shadow boolean not null default false, -- it begins a shadow
	-- The least role that may propose the action.
	least_role text not null default 'author'
	    check (least_role in ('analyst', 'author', 'admin'))
);

-- Finds the proposals that wait.
create index on assay.proposal (id)
where status in ('pending', 'running', 'failed');
-- Finds the proposal that a shadow came of.
create index on assay.proposal (target, version)
where shadow and status = 'approved';
