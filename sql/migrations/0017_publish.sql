-- SPDX-License-Identifier: ISC
-- How events get from where they happened to the deliveries.

-- Of the verdict log, transactions before next have been published, and of
-- that one itself the decisions with ids up to upto.  What was decided before
-- there was a cursor is nobody's.
create table assay.publish_cursor (
	one boolean primary key default true check (one),
	next bigint not null,
	upto text not null default ''
);
insert into assay.publish_cursor (next)
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint;

-- Rows of the outbox are deleted as they are published, and no cursor passes
-- over them: one that commits late is found later.
alter table assay.outbox drop column xid;

-- Alerts that a channel got in a minute (since 1970), the latest that had any.
create table assay.alert_minute (
	channel_id text primary key,
	minute bigint not null,
	n int not null
) with (fillfactor = 50);

-- deliveries is what the ids of its deliveries begin with; throttle_per_min 0
-- is no limit, and null the environment's.
create or replace view assay.subscriber as
select id, events, active, created_at, 'whd_' as deliveries,
	null::text as min_verdict, 0 as throttle_per_min
from assay.webhook_endpoint
union all
select id, events, active, created_at, 'ntd_', min_verdict, throttle_per_min
from assay.alert_channel;

-- Whether any channel wants anomalies: decisions read it and not the channels.
alter table assay.epoch add column anomalies boolean not null default false;
update assay.epoch set anomalies = true
where exists (select from assay.alert_channel c
    where c.active and 'alert.anomaly.v1' = any(c.events));
