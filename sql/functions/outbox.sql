-- SPDX-License-Identifier: ISC
-- The outbox of events.

-- Put an event into the outbox if any subscriber wants it.  It is published
-- when, and only when, this transaction commits.  Functions that run as the
-- owner pass all arguments with types, so that no function of another role can
-- match the call.
create or replace function assay.publish(event text, data json,
    correlation text, user_id text default null)
returns void language sql
begin atomic
	insert into assay.outbox (event, data, correlation_id, user_id)
	select publish.event, publish.data::text, publish.correlation,
		publish.user_id
	where exists (select from assay.subscriber s
		where s.active and publish.event = any(s.events));
end;
