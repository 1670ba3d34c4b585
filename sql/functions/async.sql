-- SPDX-License-Identifier: ISC
-- Events that are decided asynchronously.

-- Whether two digests prove that their events differ
-- (lib/engine/event_digest.h).
create or replace function assay.digest_differs(a bigint, b bigint)
returns boolean language sql immutable
return coalesce(a <> b and (a & 255) = (b & 255), false);

-- Queue an event unless it is queued or was decided under its id.  Returns
-- whether the queued or decided event is a different one.  May be repeated.
-- Runs as the owner: assay_decide cannot read the queue.
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

-- Delete decided events from the queue.  The caller holds their users' locks
-- and has read them there; if one is missing another transaction has decided
-- it, and this one fails, so that no event is decided twice.
create or replace function assay.async_take(numbers bigint[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	deleted bigint;
begin
	delete from assay.async_queue q where q.number = any(numbers);
	get diagnostics deleted = row_count;
	if deleted <> cardinality(numbers) then
		raise serialization_failure
		    using message = 'an event is not in the queue any more';
	end if;
end
$$;

-- Record a failed attempt on these events.  The next attempt is due after a
-- second, doubled with each failure up to about a minute.  Events that another
-- transaction has locked are skipped.
create or replace function assay.async_failed(numbers bigint[])
returns void language sql
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
