-- SPDX-License-Identifier: ISC
-- Configuration: rulesets, policies, settings and lists, and the epochs that
-- tell each worker when to reload them.  In all migrations a column that can
-- hold personal data is marked "personal"; other columns hold none.

-- One row.  Each number counts the changes of one thing that workers cache; a
-- worker reloads it when the number has changed.  The first statement of every
-- decision reads this row.
create table assay.epoch (
	one boolean primary key default true check (one),
	rules bigint not null default 1,
	policies bigint not null default 1,
	lists bigint not null default 1,
	settings bigint not null default 1,
	model bigint not null default 1,
	-- Whether any active channel subscribes to anomalies.  Decisions read
	-- this instead of the channels.
	anomalies boolean not null default false
);
insert into assay.epoch default values;

-- Rulesets.  A version never changes; ruleset_active names the version that
-- decides.
create table assay.ruleset (
	event_type text not null,
	version text not null,
	text text not null,
	created_at timestamptz not null default now(),
	author text, -- personal: an operator's email; null: assayctl migrate
	rules integer, -- their number
	primary key (event_type, version)
);
create table assay.ruleset_active (
	event_type text primary key,
	version text not null,
	foreign key (event_type, version) references assay.ruleset
);

-- The results of the last long backtests of rulesets.
create table assay.backtest_result (
	id text primary key, -- sorts by time
	event_type text not null,
	author text not null, -- personal: an operator's email
	finished_at timestamptz not null default now(),
	body text not null -- the answer, JSON
);

-- Policies.  A version never changes; policy_active names the version that
-- decides.
create table assay.policy (
	event_type text not null,
	version text not null,
	id text not null,
	on_error text not null check (on_error in ('fail_open', 'fail_closed')),
	bands jsonb not null, -- [{"verdict","min","max","reviewQueue"?}, ...]
	created_at timestamptz not null default now(),
	author text, -- personal: an operator's email; null: assayctl migrate
	primary key (event_type, version)
);
create table assay.policy_active (
	event_type text primary key,
	version text not null,
	foreign key (event_type, version) references assay.policy
);

-- Settings that an admin has changed.  A setting without a row has the value
-- of the environment.  The names are those of /v1/config: 'decisionsPerMin',
-- 'loginPerMin', 'anomalyZScore', 'retention.verdicts' and so on.
create table assay.setting (
	name text primary key,
	value double precision not null,
	changed_at timestamptz not null default now()
);

-- Entries of the block, allow and watch lists.  An entry acts on every event
-- that has the value, until the entry expires.  Values have the normal form of
-- events (core/event/list.c).  Decisions probe the unique index by its first
-- two columns.  Ids sort by time.
create table assay.list_entry (
	id text primary key,
	kind text not null check (kind in ('block', 'allow', 'watch')),
	subject text not null check (subject in ('user', 'device',
	    'fingerprint', 'ip', 'phone', 'bin', 'country')),
	value text not null, -- personal
	reason text, -- personal: free text about a person
	expires_at timestamptz,
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now(),
	network cidr, -- personal: of an ip that is a network
	unique (subject, value, kind)
);
-- Finds a page of the entries of one kind and subject.
create index on assay.list_entry (kind, subject, id);
-- Count the entries of each kind from an index alone, and find those of a
-- creator and those that end without reading the others.
create index on assay.list_entry (kind);
create index on assay.list_entry (kind, subject, created_by, id);
create index on assay.list_entry (expires_at) where expires_at is not null;
-- Finds the networks that have an address.
create index on assay.list_entry using gist (network inet_ops)
	where network is not null;

-- The value that assay.epoch.lists had when the entries of a subject last
-- changed.  A worker that has seen only an earlier value reloads the subject.
create table assay.list_subject (
	subject text primary key,
	changed bigint not null
);
insert into assay.list_subject (subject, changed)
select unnest(array['user', 'device', 'fingerprint', 'ip', 'phone', 'bin',
    'country']), 1;

-- Keys of hashes.  The database makes them once at random: they are equal on
-- all hosts and do not change with AUTH_SECRET.
create table assay.hash_key (
	one boolean primary key default true check (one),
	event bytea not null default -- of idempotency.digest
	    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
	erased_user bytea not null default -- of erasure.user_hash
	    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
insert into assay.hash_key default values;
