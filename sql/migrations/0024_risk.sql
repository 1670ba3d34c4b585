-- SPDX-License-Identifier: ISC
-- How much fraud a device or an ip has seen, for the signals risk.*.

-- The device and the ip of a scored decision, by the ids of their entities.
alter table assay.detail
	add device bigint, -- personal
	add ip bigint; -- personal

-- Events and labels by day, packed by core/state/entity_risk.c.  A table of its own: who
-- counts must not lock the entities' rows, which decisions lock.  The month of
-- the newest day says when all of it is too old; it changes so seldom that its
-- index lets rows be updated in place.
create table assay.entity_risk (
	entity bigint primary key,
	month date not null,
	days bytea not null
) with (fillfactor = 70);
create index on assay.entity_risk (month);

-- What of a label is counted there, and with which decision: null while it is
-- not.
alter table assay.label
	add risk text check (risk in ('fraud', 'legit')),
	add risk_id text,
	add risk_at timestamptz,
	add check ((risk is null) = (risk_id is null)
	    and (risk is null) = (risk_at is null));
create index on assay.label (event_id)
    where credited is not null and (risk is null or risk <> outcome);

-- It returns more now.
drop function if exists assay.analytics_project(bigint);
