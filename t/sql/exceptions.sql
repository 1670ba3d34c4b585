-- SPDX-License-Identifier: ISC
-- Exceptions: made, counted, ended and forgotten.
\pset tuples_only on
\pset format unaligned

select refusal, (body::jsonb - 'createdAt') - 'expiresAt' from assay.exception_create(
    'exc_1', null, 'tag', 'velocity', 'user', 'u-1', 'why', now() + interval '1 day',
    'me', 2);
select refusal, body::json ->> 'eventType' from assay.exception_create(
    'exc_2', 'order.place', 'rule', 'r_big', 'device', 'd-1', 'why',
    now() + interval '1 day', 'me', 2);
select exceptions from assay.epoch;

-- No more than so many are active.
select refusal, body from assay.exception_create('exc_3', null, 'tag', 'velocity',
    'user', 'u-2', 'why', now() + interval '1 day', 'me', 2);

-- Decisions are counted, those with another verdict apart.
insert into assay.exception_use values
    ('exc_1', 'vd_1', '2026-11-30 10:00Z', 'e-1', 'allow', 'review'),
    ('exc_1', 'vd_2', '2026-11-30 11:00Z', 'e-2', 'allow', 'allow');
select body::json -> 'exception' ->> 'decisions', body::json -> 'exception' ->> 'changed',
    body::json -> 'uses' from assay.exception_get('exc_1');

-- An ended one stays ended, with who ended it.
select refusal, body::json ->> 'state', body::json ->> 'endedBy'
from assay.exception_end('exc_1', 'you');
select refusal, body::json ->> 'state', body::json ->> 'endedBy'
from assay.exception_end('exc_1', 'another');
select exceptions from assay.epoch;
select * from assay.exception_end('exc_none', 'you');
select * from assay.exception_get('exc_none');
select e ->> 'id', e ->> 'state'
from json_array_elements(assay.exception_page(null, 10, 0)::json) e;
select e ->> 'id' from json_array_elements(assay.exception_page('ended', 10, 0)::json) e;
select e ->> 'id' from json_array_elements(assay.exception_page(null, 1, 1)::json) e;

-- The place of an ended one is free, and it may be made again.
select refusal from assay.exception_create('exc_3', null, 'tag', 'velocity', 'user',
    'u-1', 'why', now() + interval '1 day', 'me', 2);
-- The same one is refused, and another event type is not the same.
select refusal from assay.exception_create('exc_4', null, 'tag', 'velocity', 'user',
    'u-1', 'why', now() + interval '2 days', 'me', 9);
select refusal from assay.exception_create('exc_5', 'order.place', 'tag', 'velocity',
    'user', 'u-1', 'why', now() + interval '1 day', 'me', 9);
select id from assay.rule_exception order by id;

-- Counts stop at 10000.
insert into assay.exception_use
select 'exc_3', 'vd_' || n, '2026-11-30 10:00Z', 'e-' || n, 'allow', 'review'
from generate_series(1, 10001) n;
select assay.exception_json(e) ->> 'decisions', assay.exception_json(e) ->> 'changed'
from assay.rule_exception e where e.id = 'exc_3';

-- After a restore an erasure removes what was made before it.
select assay.erasures_add(array[assay.erasure_name('u-1')],
    array[clock_timestamp()]);
insert into assay.rule_exception (id, kind, name, subject, value, reason, created_by,
    expires_at) values ('exc_6', 'tag', 'velocity', 'user', 'u-1', 'why', 'me',
    now() + interval '1 day');
select assay.erasures_tidy();
select id from assay.rule_exception order by id;

-- An unknown subject or kind is refused.
insert into assay.rule_exception (id, kind, name, subject, value, reason, created_by,
    expires_at) values ('exc_4', 'tag', 'a', 'planet', 'b', 'c', 'd', now());
insert into assay.rule_exception (id, kind, name, subject, value, reason, created_by,
    expires_at) values ('exc_4', 'list', 'a', 'user', 'b', 'c', 'd', now());
