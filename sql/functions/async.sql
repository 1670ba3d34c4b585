-- SPDX-License-Identifier: ISC
-- Events that are decided later.

-- Put an event into the queue, unless it is there or has been decided under
-- its id.  May be repeated.
create or replace function assay.async_add(event_id text, user_id text,
    event text, correlation text)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.async_queue (event_id, user_id, event,
	    correlation_id)
	select async_add.event_id, async_add.user_id, async_add.event,
		async_add.correlation
	where not exists (select from assay.idempotency i
	    where i.key = async_add.event_id)
	on conflict do nothing;
end;
