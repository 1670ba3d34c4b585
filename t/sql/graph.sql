-- SPDX-License-Identifier: ISC
-- The links of an entity, and that a bounded number of rows is read for them.
\pset tuples_only on
\pset format unaligned

-- No entity was seen yet.
select * from assay.graph_neighborhood('user', 1, 'u-1');

-- u-1 and u-2 share a device, u-1 and u-3 an address; f-1 is a fingerprint,
-- which is in no component; the root of d-9 is two steps up.
insert into assay.entity (id, kind, key, parent, size, users)
    overriding system value
values (1001, 1, 'u-1', null, 7, 0), (1002, 2, 'd-1', 1001, 1, 2),
    (1003, 3, '10.0.0.1', 1001, 1, 2), (1004, 4, '251911234567', 1001, 1, 1),
    (1005, 5, 'f-1', null, 1, 2), (1006, 1, 'u-2', 1001, 1, 0),
    (1007, 1, 'u-3', 1003, 1, 0), (1008, 2, 'd-9', 1007, 1, 1);
insert into assay.entity_link (older, newer)
values (1001, 1002), (1001, 1003), (1001, 1004), (1001, 1005), (1002, 1003),
    (1002, 1006), (1003, 1007), (1005, 1007), (1007, 1008);
update assay.entity set first_seen = '2026-01-02 03:04:05.678+00';
select * from assay.graph_neighborhood('user', 1, 'u-1');
select * from assay.graph_neighborhood('user', 1, 'u-3');
select * from assay.graph_neighborhood('device', 2, 'd-1');
select * from assay.graph_neighborhood('ip', 3, '10.0.0.1');
select * from assay.graph_neighborhood('phone', 4, '251911234567');
select (assay.graph_neighborhood('device', 2, 'd-9')).body::json ->> 'ringSize';
-- The same key of another kind is another entity.
select * from assay.graph_neighborhood('device', 2, 'u-1');

-- One address with 30,000 users, half of them older than it: the lists and the
-- numbers of rows that are read are bounded, also for its users.
insert into assay.entity (id, kind, key, users) overriding system value
select 100000 + n, case n when 20000 then 3 else 1 end,
    case n when 20000 then '10.9.9.9' else 'm-' || n end,
    case n when 20000 then 500 else 0 end
from generate_series(1, 30001) n;
insert into assay.entity_link (older, newer)
select least(100000 + n, 120000), greatest(100000 + n, 120000)
from generate_series(1, 30001) n where n <> 20000;
create function pg_temp.read() returns bigint language sql as $$
select pg_stat_get_xact_tuples_returned('assay.entity_link_pkey'::regclass)
    + pg_stat_get_xact_tuples_returned('assay.entity_link_newer_idx'::regclass)
    + pg_stat_get_xact_tuples_returned('assay.entity_link'::regclass)
$$;
begin;
select json_array_length(j -> 'users'), j -> 'users' ->> 0
from (select (assay.graph_neighborhood('ip', 3, '10.9.9.9')).body::json as j) x;
select pg_temp.read() < 10000;
commit;
begin;
select json_array_length(j -> 'users'), j -> 'users' ->> 0, j -> 'ips'
from (select (assay.graph_neighborhood('user', 1, 'm-1')).body::json as j) x;
select pg_temp.read() < 10000;
commit;

-- Facts keep the order of the entities; a user has at most 200 decisions, without
-- dry runs, each once.
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, dry_run)
select now(), 'v-' || n, 'e-' || n / 2, 'account.login', 'u-1',
    case when n > 8 then '{}' end
from generate_series(1, 9) n;
insert into assay.label (event_id, analyst, chargeback)
values ('e-1', 'fraud', null), ('e-2', 'legit', null), ('e-3', 'legit', 'fraud'),
    ('e-9', 'fraud', null);
select id, users, days, events, frauds, labels
from assay.graph_facts(array[1002, 1001, 1004, 1006]);
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id)
select now(), 'w-' || n, 'w-' || n, 'account.login', 'u-2'
from generate_series(1, 1000) n;
select events, frauds, labels from assay.graph_user_labels('u-2');
