-- SPDX-License-Identifier: ISC
-- Decisions: the logs, idempotency keys and users' states that the decision
-- path writes, the queue of asynchronous events and the drained spools.

-- The verdict log.  Append-only; holds no user, device, ip or phone.  It is
-- also the outbox of verdict.reached.v1 and the source of the analytics: a
-- reader takes rows whose xid is lower than that of every running transaction.
create table assay.verdict_log (
	decided_at timestamptz not null,
	id text not null,
	event_id text not null,
	event_type text not null,
	verdict text not null,
	score smallint not null, -- -1: the event was not scored
	reasons text not null, -- JSON: [{"tag","points"}, ...]
	policy_id text not null,
	policy_version text not null,
	review_queue text,
	correlation_id text not null,
	-- assay.log_rebase() changes the default after a restore.
	xid xid8 not null default pg_current_xact_id()
) partition by range (decided_at);
create index on assay.verdict_log (event_id);
-- BRIN indexes do not cover pages without a summary, and each query reads
-- those; autosummarize keeps them few.
create index on assay.verdict_log using brin (decided_at)
    with (autosummarize = on);
-- Readers of the log find where they stopped, and the end of their next piece.
create index on assay.verdict_log ((xid::text::bigint));

-- The personal part of a decision: the masked request (collection "activity")
-- and the sample from which the decision is recomputed (collection "replay").
-- Each is null when its retention window has passed.  Erasure deletes the row.
create table assay.decision_detail (
	decided_at timestamptz not null,
	verdict_id text not null,
	event_id text not null,
	event_type text not null,
	user_id text not null, -- personal
	idempotency_key text, -- the caller's header, null without one
	request text, -- personal: JSON, ip and phone masked
	sample text, -- personal: JSON, without ip and phone
	-- Ids of the entities of a scored decision.
	device bigint, -- personal
	ip bigint, -- personal
	-- JSON, the answer to a dry run, which has no row in verdict_log; null
	-- for a decision.
	dry_run text
) partition by range (decided_at);
create index on assay.decision_detail (user_id);
create index on assay.decision_detail using brin (decided_at)
    with (autosummarize = on);

-- Maps an idempotency key to its decision.  A concurrent request with the same
-- key waits at the primary key.
create table assay.idempotency (
	key text primary key,
	verdict_id text not null,
	event_id text not null,
	decided_at timestamptz not null,
	-- Keyed hash of the event (lib/engine/event_digest.h): tells a retry
	-- of the same event from another event under the same key.  Null where
	-- the caller is not authenticated.
	digest bigint
);
create index on assay.idempotency using brin (decided_at);

-- One row per user, packed by core/state/user_state.c, updated in place.
create table assay.user_state (
	user_id text primary key, -- personal
	node bigint, -- the user's entity
	root bigint, -- the root of its component when last read
	state bytea not null -- personal: last location, spending
) with (fillfactor = 70);
alter table assay.user_state alter column state set storage main;

-- Events to decide asynchronously, each user's in the order of number.  The
-- companion deletes a row in the transaction that decides the event.  It drops
-- an event that a synchronous call has decided in the meantime.
create table assay.async_queue (
	number bigint generated always as identity primary key,
	event_id text not null unique,
	user_id text not null, -- personal
	event text not null, -- personal: JSON, ip and phone in clear
	correlation_id text not null,
	digest bigint, -- see idempotency.digest
	accepted_at timestamptz not null default clock_timestamp(),
	attempts int not null default 0, -- failed
	not_before timestamptz -- earliest next attempt
-- Dead rows slow down the search for a user's oldest event.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index on assay.async_queue (user_id, number);

-- How far each spool file is drained.  drained moves in the transaction that
-- logs the records, so that each record is logged once.
create table assay.spool_file (
	name text primary key, -- random, one per file
	drained bigint not null default 0, -- bytes
	created_at timestamptz not null default now()
);

-- The last report of each spool directory.
create table assay.spool_host (
	spool text primary key, -- random, from the directory's write.lock
	records bigint not null, -- to be drained
	quarantined bigint not null, -- files
	reported_at timestamptz not null
);

-- What a page of a log is to show.
create type assay.log_filter as (
	activity boolean, -- the activity log; false: the verdict log
	before text, -- the last id of the previous page
	-- The decisions to show; null: all of them.
	user_id text, -- personal
	event_type text,
	verdict text,
	tag text,
	min_score bigint,
	max_score bigint
);
