-- SPDX-License-Identifier: ISC
-- Who may call: operators with their sessions, and service keys.

-- Operators.  session_number is in every token; raising it ends them all.
create table assay.operator (
	email text primary key, -- personal; lower case
	role text not null check (role in ('admin', 'analyst')),
	password text not null, -- secret: libscrypt's "$s1$" string
	session_number bigint not null default 1,
	created_at timestamptz not null default now()
);

-- Tokens that were logged out, until they would have expired anyway.
create table assay.revoked_token (
	jti text primary key,
	expires_at timestamptz not null
);
create index on assay.revoked_token (expires_at);

-- Service keys.  Only the hash is kept; prefix is for people to recognize
-- one.  scopes are bits: 1 decisions, 2 labels.
create table assay.service_key (
	id text primary key,
	hash bytea not null unique check (length(hash) = 32),
	name text not null,
	prefix text not null,
	scopes smallint not null check (scopes between 1 and 3),
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now(),
	expires_at timestamptz,
	revoked_at timestamptz
);
