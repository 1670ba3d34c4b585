-- SPDX-License-Identifier: ISC
-- Velocities: added, filled, unused and forgotten.
\pset tuples_only on
\pset format unaligned

create function pg_temp.sync(ids bigint[], most bigint) returns text language sql
return (select s::text from assay.velocity_sync(ids,
    array(select 'count by userId over ' || i || 'h' from unnest(ids) i),
    array(select i * 3600 * 1000000 from unnest(ids) i),
    array(select (i > 0)::int::bigint from unnest(ids) i),
    array(select '[{"name":"v' || i || '"}]' from unnest(ids) i), most) s);
create function pg_temp.shown() returns text language sql
return (select string_agg(concat_ws(' ', id, definition, fillable, complete,
    case when unused_since is not null then 'unused' end), e'\n' order by id, definition)
    from assay.velocity);

-- New ones raise the epoch of the rulesets, once; there is room for three.
select rules from assay.epoch;
select pg_temp.sync('{1,2}', 3);
select pg_temp.sync('{1,2}', 3);
select pg_temp.sync('{1,2,3,4}', 3);
select rules from assay.epoch;
select * from pg_temp.shown();

-- One without stored decisions is complete at once only if it has no window.
select pg_temp.sync('{1,2,3,0}', 4);
select * from pg_temp.shown();
update assay.velocity set complete = false;

-- No fill begins before its pause is over, and none while a transaction is open that
-- may not count it.
select count(*) from assay.velocity_slice(100);
update assay.velocity set counted_since = counted_since - interval '1 minute',
    filled_since = filled_since - interval '1 minute';
update assay.velocity set position = assay.log_next() + 1000000;
select count(*) from assay.velocity_slice(100);
update assay.velocity set position = 1;
select count(*), count(distinct far), min(far) from assay.velocity_slice(100);

-- It is complete when a bucket more than its window is filled, or all there is.
update assay.retention_watermark set until = '2026-01-01Z' where collection = 'activity';
insert into assay.retention_watermark values ('activity', '2026-01-01Z')
on conflict do nothing;
select assay.velocity_filled(array_agg(number), min(counted_since) - interval '61 minutes')
from assay.velocity where id = 1;
select assay.velocity_filled(array_agg(number), min(counted_since) - interval '119 minutes')
from assay.velocity where id = 2;
select assay.velocity_filled(array_agg(number), '2026-01-01Z')
from assay.velocity where id = 3;
select id, complete from assay.velocity where id > 0 order by id;

-- A fill leaves out dry runs, and users who were erased after the decision.
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, sample, dry_run)
select now(), 'vd_' || n, 'e' || n, 'order.place', 'u' || n, '{}',
    case when n = 2 then '{}' end from generate_series(1, 3) n;
select assay.erasures_add(array[assay.erasure_name('u3')], array[clock_timestamp()]);
select user_id from assay.velocity_events(now() - interval '1 minute', 'infinity');

-- Unused ones count for a week; those that are used again go on.
select pg_temp.sync('{2}', 9);
select * from pg_temp.shown();
select id, complete_since > counted_since from assay.velocity where id > 0 order by id;
select pg_temp.sync('{1,2}', 9);
select * from pg_temp.shown();
update assay.velocity set unused_since = unused_since - interval '8 days';
select pg_temp.sync('{1,2}', 9);
select * from pg_temp.shown();

-- The one unused longest leaves if others need its place.
select pg_temp.sync('{1,2,5}', 3);
select pg_temp.sync('{5}', 3);
update assay.velocity set unused_since = unused_since - interval '1 day' where id = 2;
select pg_temp.sync('{5,6}', 3);
select * from pg_temp.shown();
select pg_temp.sync('{1,5,6,7}', 3);
select pg_temp.sync('{1}', 3);
update assay.velocity set unused_since = unused_since - interval '8 days';
select pg_temp.sync('{1}', 3);
delete from assay.velocity where id is null and definition not like '%over 3h';

-- Their states go in pieces, then they themselves; and states past their window.
insert into assay.velocity_state
select v.number, sha256(n::text::bytea), 0, '\x01', now() + interval '1 day'
from assay.velocity v, generate_series(1, 5) n where v.id is null or v.id = 1;
update assay.velocity_state s set expires_at = now() - interval '1 s'
from assay.velocity v where v.number = s.number and v.id = 1
    and s.key = (select o.key from assay.velocity_state o order by o.key limit 1);
select assay.velocity_forget(3);
select assay.velocity_forget(3);
select assay.velocity_forget(3);
select assay.velocity_forget(3);
select assay.velocity_forget(3);
select count(*) from assay.velocity_state;
select count(*) from assay.velocity where id is null;

-- An erasure removes what begins with the user, and no key of another one.
insert into assay.velocity_state
select v.number, k, 0, '\x01', now() from assay.velocity v,
    unnest(array[assay.velocity_hash('userId:a'),
	assay.velocity_hash('userId:a') || assay.velocity_hash('attr.x:1'),
	assay.velocity_hash('userId:b'), assay.velocity_hash('deviceId:a')]) k
where v.id = 1;
select assay.velocity_erase('a');
select k.name, (select count(*) from assay.velocity_state s
	where s.key >= assay.velocity_hash(k.name)
	    and s.key <= assay.velocity_hash(k.name) || '\xff'::bytea)
from (values ('userId:a'), ('userId:b'), ('deviceId:a')) k(name);
select j ->> 'id', j ->> 'definition', j ->> 'windowSeconds', j ->> 'bucketSeconds',
    j ->> 'keys', j ->> 'bytes', j ->> 'more', j ->> 'filled'
from json_array_elements(assay.velocities()::json) j;
