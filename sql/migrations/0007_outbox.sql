-- SPDX-License-Identifier: ISC
-- Who wants to hear of what, and what there is to tell.

-- Webhooks.  failures are the consecutive ones; last_status is that of the
-- last delivery, null before the first.
create table assay.webhook_endpoint (
	id text primary key,
	url text not null, -- secret: may hold a token
	events text[] not null,
	secret text not null, -- secret: signs deliveries
	active boolean not null default true,
	last_status text check (last_status in ('delivered', 'failed')),
	failures int not null default 0,
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now()
);

-- Alert channels.  target is Telegram's chat; throttle_per_min null is the
-- environment's, 0 no limit.
create table assay.alert_channel (
	id text primary key,
	type text not null check (type in ('slack', 'telegram', 'webhook')),
	url text not null, -- secret: holds the token of the channel
	url_hint text not null, -- JSON: what of it may be shown
	target text,
	events text[] not null,
	min_verdict text check (min_verdict in ('allow', 'challenge', 'review',
	    'deny')),
	throttle_per_min int check (throttle_per_min >= 0),
	active boolean not null default true,
	failures int not null default 0,
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now()
);

-- Whoever may have events sent, by its id.  A subscription that was revoked is
-- kept and gets nothing.
create view assay.subscriber as
select id, events, active, created_at from assay.webhook_endpoint
union all
select id, events, active, created_at from assay.alert_channel;

-- Events that are no verdicts, in the transaction that made them.  A reader
-- takes rows whose xid is older than every running transaction.
create table assay.outbox (
	number bigint generated always as identity primary key,
	event text not null,
	data text not null, -- JSON, the event's payload; ids, no ip, no phone
	user_id text, -- personal: whom an anomaly is about, for erasure
	correlation_id text not null,
	occurred_at timestamptz not null default clock_timestamp(),
	xid xid8 not null default pg_current_xact_id()
);
create index on assay.outbox (user_id) where user_id is not null;
