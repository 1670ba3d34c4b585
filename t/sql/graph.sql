-- SPDX-License-Identifier: ISC
-- The links of an entity, and that a bounded number of rows is read for them.
\pset tuples_only on
\pset format unaligned

-- No entity was seen yet.
select assay.graph_around('user', 1, 'u-1');

-- u-1 and u-2 share a device, u-1 and u-3 an address; f-1 is a fingerprint,
-- which is in no component; the root of d-9 is two steps up.
insert into assay.entity (id, kind, key, parent, size, users)
    overriding system value
values (1001, 1, 'u-1', null, 7, 0), (1002, 2, 'd-1', 1001, 1, 2),
    (1003, 3, '10.0.0.1', 1001, 1, 2), (1004, 4, '251911234567', 1001, 1, 1),
    (1005, 5, 'f-1', null, 1, 2), (1006, 1, 'u-2', 1001, 1, 0),
    (1007, 1, 'u-3', 1003, 1, 0), (1008, 2, 'd-9', 1007, 1, 1);
insert into assay.entity_link (a, b)
values (1001, 1002), (1001, 1003), (1001, 1004), (1001, 1005), (1002, 1003),
    (1002, 1006), (1003, 1007), (1005, 1007), (1007, 1008);
update assay.entity set first_seen = '2026-01-02 03:04:05.678+00';
select assay.graph_around('user', 1, 'u-1');
select assay.graph_around('user', 1, 'u-3');
select assay.graph_around('device', 2, 'd-1');
select assay.graph_around('ip', 3, '10.0.0.1');
select assay.graph_around('phone', 4, '251911234567');
select assay.graph_around('device', 2, 'd-9')::json ->> 'ringSize';
-- The same key of another kind is another entity.
select assay.graph_around('device', 2, 'u-1');

-- One address with 30,000 users, half of them older than it: the lists and the
-- numbers of rows that are read are bounded, also for its users.
insert into assay.entity (id, kind, key, users) overriding system value
select 100000 + n, case n when 20000 then 3 else 1 end,
    case n when 20000 then '10.9.9.9' else 'm-' || n end,
    case n when 20000 then 500 else 0 end
from generate_series(1, 30001) n;
insert into assay.entity_link (a, b)
select least(100000 + n, 120000), greatest(100000 + n, 120000)
from generate_series(1, 30001) n where n <> 20000;
create function pg_temp.read() returns bigint language sql as $$
select pg_stat_get_xact_tuples_returned('assay.entity_link_pkey'::regclass)
    + pg_stat_get_xact_tuples_returned('assay.entity_link_b_idx'::regclass)
    + pg_stat_get_xact_tuples_returned('assay.entity_link'::regclass)
$$;
begin;
select json_array_length(j -> 'users'), j -> 'users' ->> 0
from (select assay.graph_around('ip', 3, '10.9.9.9')::json as j) x;
select pg_temp.read() < 10000;
commit;
begin;
select json_array_length(j -> 'users'), j -> 'users' ->> 0, j -> 'ips'
from (select assay.graph_around('user', 1, 'm-1')::json as j) x;
select pg_temp.read() < 10000;
commit;
