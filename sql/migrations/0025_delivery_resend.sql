-- SPDX-License-Identifier: ISC
-- Dead letters are sent again when their receiver answers.  last_error has what a
-- receiver said.

alter table assay.delivery
	add column resent boolean not null default false, -- after it was dead
	add column dead_at timestamptz; -- of a dead letter that probes its receiver
alter table assay.dead_letter
	add column resent boolean not null default false, -- and dead once more
	add column probed_at timestamptz; -- when it was last sent as a probe
create index on assay.dead_letter (subscriber_id, id) where not resent;

-- Those of before stay where they are until an operator redrives them.
update assay.dead_letter set resent = true;

create or replace view assay.subscriber as
select id, events, active, created_at, 'whd_' as id_prefix,
	null::text as min_verdict, 0 as throttle_per_min, failures
from assay.webhook_endpoint
union all
select id, events, active, created_at, 'ntd_', min_verdict, throttle_per_min,
	failures
from assay.alert_channel;

drop function if exists assay.delivery_list(text, bigint);
drop function if exists assay.delivery_json(assay.dead_letter);
