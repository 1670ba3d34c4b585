-- SPDX-License-Identifier: ISC
-- Events on their way to one subscriber each, and decisions that are to be
-- made later.

-- One event for one subscriber, until it is delivered or given up.  The body
-- that is sent is made of these columns, the same at each attempt.  A row
-- whose claimed_until is to come is in the hands of a sender; one that was
-- killed leaves it to the next when that time is over.  Rows of a subscriber
-- that was revoked are dropped.  Ids sort by time, in every locale.
create table assay.delivery (
	id text collate "C" primary key, -- whd_ to a webhook, ntd_ to a channel
	subscriber_id text not null,
	event text not null,
	data text not null, -- JSON, the event's payload; ids, no ip, no phone
	user_id text, -- personal: whom an anomaly is about, for erasure
	correlation_id text not null,
	occurred_at timestamptz not null,
	created_at timestamptz not null default clock_timestamp(),
	attempts int not null default 0,
	next_attempt_at timestamptz not null default clock_timestamp(),
	claimed_until timestamptz,
	last_error text -- names no address
);
create index on assay.delivery (subscriber_id, next_attempt_at);
create index on assay.delivery (user_id) where user_id is not null;

-- Those that were given up, apart, so that the queue stays as short as it is.
create table assay.dead_letter (
	like assay.delivery including defaults,
	dead_at timestamptz not null default clock_timestamp(),
	primary key (id)
);
create index on assay.dead_letter (dead_at);
create index on assay.dead_letter (user_id) where user_id is not null;

-- Events that are decided later, each user's in the order of number.  Whoever
-- decides one deletes it in the same transaction; one that was decided
-- meanwhile by a synchronous call is dropped.
create table assay.async_queue (
	number bigint generated always as identity primary key,
	event_id text not null unique,
	user_id text not null, -- personal
	event text not null, -- personal: JSON, ip and phone as they were sent
	correlation_id text not null,
	accepted_at timestamptz not null default clock_timestamp()
);
create index on assay.async_queue (user_id, number);

-- How far back retention has done its work on a collection: nothing older than
-- this is left in it, but for what came late, which goes with its month.
-- Pages whose rows are gone are so not read again by each sweep.
create table assay.retention_mark (
	collection text primary key,
	until timestamptz not null
);
