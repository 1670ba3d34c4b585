-- SPDX-License-Identifier: ISC
-- The async queue: an event is queued once, retried later and taken once.
\pset format unaligned
\pset footer off

select assay.async_add('e-1', 'u-1', '{}', 'c-1', 257);
select assay.async_add('e-2', 'u-2', '{}', 'c-2', 257);
select assay.async_add('e-1', 'u-1', '{}', 'c-3', 257) as same,
	assay.async_add('e-1', 'u-3', '{}', 'c-3', 513) as other,
	assay.async_add('e-1', 'u-3', '{}', 'c-3', 514) as other_version,
	assay.async_add('e-1', 'u-3', '{}', 'c-3', 0) as unknown;
insert into assay.idempotency values ('e-3', 'vd_3', 'e-3', now(), 257),
	('e-4', 'vd_4', 'e-4', now(), null);
select assay.async_add('e-3', 'u-3', '{}', 'c-3', 257) as same,
	assay.async_add('e-3', 'u-3', '{}', 'c-3', 513) as other,
	assay.async_add('e-4', 'u-3', '{}', 'c-3', 513) as unknown;
select event_id, user_id, correlation_id, attempts, not_before
from assay.async_queue order by number;

-- The pause doubles with each failure, up to about a minute.
create function assay.rest(times int) returns boolean language plpgsql as $$
declare
	was timestamptz := clock_timestamp();
	rest interval;
begin
	for i in 1..times loop
		perform assay.async_failed(array(select number
		    from assay.async_queue where event_id = 'e-1'));
	end loop;
	select not_before - was into rest from assay.async_queue
	where event_id = 'e-1';
	return rest between interval '0.9 s' * power(2, times - 1)
	    and interval '1.8 s' * power(2, times - 1);
end $$;
begin;
select assay.rest(1);
rollback;
begin;
select assay.rest(7);
select assay.rest(7) as longer;
rollback;
select assay.rest(3);
select event_id, attempts, not_before is not null as rests
from assay.async_queue order by number;

-- Either all events are taken or none.
select assay.async_take(array(select number from assay.async_queue) || 0::bigint);
select assay.async_take(array(select number from assay.async_queue
    where event_id = 'e-1'));
select assay.async_take('{1}');
select event_id from assay.async_queue;
