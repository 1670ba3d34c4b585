-- SPDX-License-Identifier: ISC
-- Events that are decided later.

-- Whether two digests are of different events (lib/engine/event_digest.h).
create or replace function assay.digest_differs(a bigint, b bigint)
returns boolean language sql immutable
set search_path = pg_catalog, pg_temp
return coalesce(a <> b and (a & 255) = (b & 255), false);

-- Put an event into the queue, unless it is there or has been decided under
-- its id; whether what is there is another event.  May be repeated.  Runs as
-- the owner, so that who decides sees nothing else of what waits.
create or replace function assay.async_add(event_id text, user_id text,
    event text, correlation text, digest bigint)
returns boolean language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.async_queue (event_id, user_id, event,
	    correlation_id, digest)
	select async_add.event_id, async_add.user_id, async_add.event,
		async_add.correlation, async_add.digest
	where not exists (select from assay.idempotency i
	    where i.key = async_add.event_id)
	on conflict do nothing;

	select exists (select from assay.async_queue q
		where q.event_id = async_add.event_id and
		    assay.digest_differs(q.digest, async_add.digest))
	    or exists (select from assay.idempotency i
		where i.key = async_add.event_id and
		    assay.digest_differs(i.digest, async_add.digest));
end;

-- Take events that are done with out of the queue.  Whoever decides holds
-- their users' locks and has seen them there; that they are there still is
-- what makes it certain that no event is decided twice.
create or replace function assay.async_take(numbers bigint[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	taken bigint;
begin
	delete from assay.async_queue q where q.number = any(numbers);
	get diagnostics taken = row_count;
	if taken <> cardinality(numbers) then
		raise serialization_failure
		    using message = 'an event is not in the queue any more';
	end if;
end
$$;

-- Note that events could not be decided, and let them rest: a second, then
-- twice as long each time, up to a minute or so.
create or replace function assay.async_failed(numbers bigint[])
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.async_queue q
	set attempts = q.attempts + 1, not_before = clock_timestamp() +
	    interval '1 second' * (0.9 + 0.2 * random()) *
	    power(2, least(q.attempts, 6))
	from (select t.number from assay.async_queue t
		where t.number = any(numbers)
		for update skip locked) failed
	where q.number = failed.number;
end;
