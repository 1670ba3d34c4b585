-- SPDX-License-Identifier: ISC
-- Dead letters are sent again when their receiver answers.

-- last_error has what a receiver said -- personal: it may name a user.
alter table assay.delivery
	add column resent boolean not null default false, -- after it was dead
	-- Of a probe: a copy of a dead letter, for one attempt.
	add column dead_at timestamptz;

-- Those of before stay where they are until an operator redrives them.
alter table assay.dead_letter
	add column resent boolean not null default true, -- and dead once more
	add column probed_at timestamptz; -- when its last probe failed
alter table assay.dead_letter alter column resent set default false;
create index on assay.dead_letter (subscriber_id, probed_at nulls first, id)
	where not resent;

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
drop function if exists assay.delivery_redrive(text, timestamptz, bigint),
    assay.delivery_redrive_one(text, text), assay.delivery_requeue(text[]);
