-- SPDX-License-Identifier: ISC
-- Configuration, the decision path's tables and review cases.  A column that
-- can hold personal data says so; everything else holds none.

-- What a worker caches is reloaded when its number here has moved.  One row,
-- which the first statement of every decision returns.
create table assay.epoch (
	one boolean primary key default true check (one),
	rules bigint not null default 1,
	policies bigint not null default 1
);
insert into assay.epoch default values;

-- Rulesets as text; versions are immutable, a pointer says which one decides.
create table assay.ruleset (
	event_type text not null,
	version text not null,
	text text not null,
	created_at timestamptz not null default now(),
	primary key (event_type, version)
);
create table assay.ruleset_active (
	event_type text primary key,
	version text not null,
	foreign key (event_type, version) references assay.ruleset
);

-- Policies, likewise.  bands: [{"verdict","min","max","reviewQueue"?}, ...].
create table assay.policy (
	event_type text not null,
	version text not null,
	id text not null,
	on_error text not null check (on_error in ('fail_open', 'fail_closed')),
	bands jsonb not null,
	created_at timestamptz not null default now(),
	primary key (event_type, version)
);
create table assay.policy_active (
	event_type text primary key,
	version text not null,
	foreign key (event_type, version) references assay.policy
);

-- The verdict log: append-only, no user, device, ip or phone in it.  It is
-- also the outbox of verdict.reached.v1: a reader takes rows whose xid is
-- older than every running transaction.
create table assay.verdict_log (
	decided_at timestamptz not null,
	id text not null,
	event_id text not null,
	event_type text not null,
	verdict text not null,
	score smallint not null,
	reasons text not null, -- JSON: [{"tag","points"}, ...]
	policy_id text not null,
	policy_version text not null,
	review_queue text,
	correlation_id text not null,
	xid xid8 not null default pg_current_xact_id()
) partition by range (decided_at);
create index on assay.verdict_log (event_id);
create index on assay.verdict_log using brin (decided_at);

-- All that erasure and the two shorter retention windows touch: the masked
-- request (activity) and the signals snapshot (replay), either of them null
-- once its window has passed.
create table assay.detail (
	decided_at timestamptz not null,
	verdict_id text not null,
	event_id text not null,
	event_type text not null,
	user_id text not null, -- personal
	idempotency_key text, -- the caller's header, null without one
	request text, -- personal: JSON, ip and phone masked
	replay text -- personal: JSON, no ip and no phone
) partition by range (decided_at);
create index on assay.detail (user_id);
create index on assay.detail using brin (decided_at);

-- Idempotency key to decision; the unique insert makes a duplicate wait.
create table assay.idempotency (
	key text primary key,
	verdict_id text not null,
	event_id text not null,
	decided_at timestamptz not null
);
create index on assay.idempotency using brin (decided_at);

-- One row a user, packed by core/state/user_state.c, updated in place.  node and root
-- are the user's entity and the root of its component as last known.
create table assay.user_state (
	user_id text primary key, -- personal
	node bigint,
	root bigint,
	state bytea not null -- personal: last place, spending
) with (fillfactor = 70);
alter table assay.user_state alter column state set storage main;

-- The entity graph.  parent is the union-find pointer (null at a root), size
-- the entities under a root; counters stop at 500 (core/state/entity_graph.h).  kind is
-- enum node_kind: 1 user, 2 device, 3 ip, 4 phone, 5 fingerprint.
create table assay.entity (
	id bigint generated always as identity primary key,
	kind smallint not null check (kind between 1 and 5),
	key text not null, -- personal
	parent bigint,
	size smallint not null default 1,
	users smallint not null default 0,
	devices smallint not null default 0,
	first_device bigint,
	unique (key, kind)
) with (fillfactor = 80);

-- Distinct links between entities, a < b.
create table assay.link (
	a bigint not null,
	b bigint not null,
	primary key (a, b),
	check (a < b)
);
create index on assay.link (b);

-- Review cases and their append-only trail.
create table assay.review_case (
	id text primary key,
	event_id text not null,
	verdict_id text not null,
	queue text not null,
	score smallint not null,
	status text not null default 'open'
	    check (status in ('open', 'assigned', 'resolved')),
	assigned_to text,
	outcome text check (outcome in ('fraud', 'legit', 'inconclusive')),
	note text,
	resolved_by text,
	resolved_at timestamptz,
	opened_at timestamptz not null
);
create index on assay.review_case (queue, opened_at desc);
create table assay.case_trail (
	case_id text not null references assay.review_case,
	at timestamptz not null,
	action text not null check (action in ('opened', 'assigned', 'resolved')),
	actor text not null,
	detail text
);
create index on assay.case_trail (case_id, at);
