-- SPDX-License-Identifier: ISC
-- Events and their deliveries to webhooks and alert channels.

create table assay.webhook_endpoint (
	id text primary key,
	url text not null, -- secret: may contain a token
	events text[] not null,
	secret text not null, -- secret: signs deliveries
	active boolean not null default true,
	-- Of the last delivery; null before the first one.
	last_status text check (last_status in ('delivered', 'failed')),
	failures int not null default 0, -- consecutive
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now()
);

create table assay.alert_channel (
	id text primary key,
	type text not null check (type in ('slack', 'telegram', 'webhook')),
	url text not null, -- secret: contains the channel's token
	url_hint text not null, -- JSON: the part of the URL that may be shown
	target text, -- Telegram's chat
	events text[] not null,
	min_verdict text check (min_verdict in ('allow', 'challenge', 'review',
	    'deny')),
	-- 0: no limit; null: the limit of the environment.
	throttle_per_min int check (throttle_per_min >= 0),
	active boolean not null default true,
	failures int not null default 0, -- consecutive
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now()
);

-- Webhooks and channels alike.  id_prefix is that of their deliveries'
-- ids.  A revoked subscriber stays, inactive.
create view assay.subscriber as
select id, events, active, created_at, 'whd_' as id_prefix,
	null::text as min_verdict, 0 as throttle_per_min, failures
from assay.webhook_endpoint
union all
select id, events, active, created_at, 'ntd_', min_verdict, throttle_per_min,
	failures
from assay.alert_channel;

-- Events other than verdicts, written in the transaction that causes them.  The
-- publisher deletes each row as it publishes it.
create table assay.outbox (
	number bigint generated always as identity primary key,
	event text not null,
	data text not null, -- JSON, the event's payload: ids, no ip, no phone
	user_id text, -- personal: the user of an anomaly, for erasure
	correlation_id text not null,
	occurred_at timestamptz not null default clock_timestamp()
);
create index on assay.outbox (user_id) where user_id is not null;

-- How far the verdict log is published: all transactions before next_xid, and
-- of next_xid itself the decisions with ids up to last_id.  Decisions before
-- the first value are not published.
create table assay.publish_cursor (
	one boolean primary key default true check (one),
	next_xid bigint not null,
	last_id text not null default ''
);
insert into assay.publish_cursor (next_xid)
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint;

-- Alerts that each channel got in the last minute that had any.
create table assay.alert_minute (
	channel_id text primary key,
	minute bigint not null, -- since 1970
	n int not null
) with (fillfactor = 50);

-- One event for one subscriber, until it is delivered or becomes a dead letter.
-- Every attempt sends the same body.  While claimed_until is in the future a
-- sender holds a lease on the row, which ends by itself if the sender is killed.
-- Deliveries to a revoked subscriber are dropped.  Ids sort by time, in every
-- locale.
create table assay.delivery (
	id text collate "C" primary key, -- whd_ to a webhook, ntd_ to a channel
	subscriber_id text not null,
	event text not null,
	data text not null, -- JSON, the event's payload: ids, no ip, no phone
	user_id text, -- personal: the user of an anomaly, for erasure
	correlation_id text not null,
	occurred_at timestamptz not null,
	created_at timestamptz not null default clock_timestamp(),
	attempts int not null default 0,
	next_attempt_at timestamptz not null default clock_timestamp(),
	claimed_until timestamptz,
	-- Contains no address.  Personal: what a receiver said may name a user.
	last_error text,
	resent boolean not null default false, -- after it was dead
	-- Of a probe: a copy of a dead letter, for one attempt.
	dead_at timestamptz
-- A row lives for a second or two: its page has room for the lease, which
-- changes no index, and dead rows are vacuumed soon.
) with (fillfactor = 60, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_scale_factor = 0.05);
create index on assay.delivery (subscriber_id, next_attempt_at);
create index on assay.delivery (user_id) where user_id is not null;

-- Dead letters: deliveries that failed for the last time.  A separate table
-- keeps the queue short.
create table assay.dead_letter (
	like assay.delivery including defaults, -- resent: and dead once more
	probed_at timestamptz, -- when its last probe failed
	primary key (id)
);
alter table assay.dead_letter
	alter dead_at set default clock_timestamp(),
	alter dead_at set not null;
create index on assay.dead_letter (dead_at);
create index on assay.dead_letter (subscriber_id, probed_at nulls first, id)
	where not resent;
create index on assay.dead_letter (user_id) where user_id is not null;
