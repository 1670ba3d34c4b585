-- SPDX-License-Identifier: ISC
-- The entity graph and the fraud history of its devices and ips.

-- Entities.  Each component is a union-find tree.
create table assay.entity (
	id bigint generated always as identity primary key,
	-- enum node_kind: 1 user, 2 device, 3 ip, 4 phone, 5 fingerprint.
	-- 0: an erased entity, or a root that an erasure made above a part of a
	-- split component.  Such a row has a random key that no event can
	-- carry.  It is kept because parent or user_state.root may refer to it.
	kind smallint not null check (kind between 0 and 5),
	key text not null, -- personal
	parent bigint, -- null: this is a root
	size smallint not null default 1, -- of a root: entities in its tree
	-- Linked entities of these kinds; the counts stop at 500
	-- (core/state/entity_graph.h).
	users smallint not null default 0,
	devices smallint not null default 0,
	first_device bigint,
	first_seen timestamptz default now(),
	unique (key, kind)
) with (fillfactor = 80);

-- Links between entities, each once.
create table assay.entity_link (
	older bigint not null,
	newer bigint not null,
	primary key (older, newer),
	check (older < newer)
);
create index on assay.entity_link (newer);

-- Events and fraud labels of a device or ip by day, packed by
-- core/state/entity_risk.c.  Not columns of assay.entity: the companion updates
-- these and must not lock rows that decisions lock.
create table assay.entity_risk (
	entity bigint primary key,
	-- Of the newest day.  A month, because it changes seldom: its index
	-- does not prevent updates in place.
	month date not null,
	days bytea not null
) with (fillfactor = 70);
create index on assay.entity_risk (month);
