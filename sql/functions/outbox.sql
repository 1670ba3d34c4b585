-- SPDX-License-Identifier: ISC
-- Events on their way to subscribers.

-- Put an event into the outbox, if anybody wants it: it is published when and
-- only when this transaction commits.  Functions that may do more than their
-- callers give all arguments, with types: what another role has made in this
-- schema is then no match.
create or replace function assay.publish(event text, data json,
    correlation text, user_id text default null)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.outbox (event, data, correlation_id, user_id)
	select publish.event, publish.data::text, publish.correlation,
		publish.user_id
	where exists (select from assay.subscriber s
		where s.active and publish.event = any(s.events));
end;
