-- SPDX-License-Identifier: ISC
-- Velocities: what rulesets count over the events of a user or another key.
-- locks: nothing

-- The definitions that decisions count.  The companion adds those that the active
-- rulesets and their shadows have.
create table assay.velocity (
	number integer generated always as identity primary key,
	-- Of the definition (core/rule/velocity.h); null: it is not counted any
	-- more, and its states are removed.
	id bigint unique,
	definition text collate "C" not null, -- as velocity_print() writes it
	span bigint not null, -- the window in microseconds; 0: since the first event
	used_by text collate "C" not null, -- JSON: [{"eventType","name","shadow"}]
	unused_since timestamptz, -- no ruleset has had it since then
	-- Decisions since then count it, and older ones that its fill has reached.
	counted_since timestamptz not null default clock_timestamp(),
	-- Transactions before this position of the log may not count it.
	position bigint not null,
	fillable boolean not null, -- stored decisions have its key
	filled_since timestamptz not null,
	complete boolean not null
);

-- What a velocity has counted for a key.  A key that several users share has several
-- shards, so that the decisions of these users do not wait for each other.
create table assay.velocity_state (
	number integer not null, -- of the velocity
	-- 16 bytes of a keyed hash for each part of the key; a user is the first.
	key bytea not null, -- personal: pseudonyms
	shard smallint not null,
	state bytea not null, -- personal: packed by core/state/velocity_state.c
	expires_at timestamptz not null,
	primary key (number, key, shard)
) with (fillfactor = 80);
create index on assay.velocity_state (expires_at);
