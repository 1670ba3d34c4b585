-- SPDX-License-Identifier: ISC
-- Erasure of a user: the user's entity, links, state, events and details, and
-- what spools may still hold.
\pset tuples_only on
\pset format unaligned

-- graph() links entities, named by the first letter of their kind: "u1-d1"
-- links user u1 with device d1.  It sets counters and roots as decisions do.
create function graph(links text) returns void language plpgsql as $$
begin
	insert into assay.entity (kind, key)
	select strpos('udipf', left(k, 1)), k
	from regexp_split_to_table(links, '[- ]') with ordinality w(k, n)
	group by k order by min(n)
	on conflict do nothing;
	insert into assay.entity_link (older, newer)
	select least(a.id, b.id), greatest(a.id, b.id)
	from regexp_split_to_table(links, ' ') l
		join assay.entity a on a.key = split_part(l, '-', 1)
		join assay.entity b on b.key = split_part(l, '-', 2)
	on conflict do nothing;
	update assay.entity e set
		users = case when e.kind > 1 then assay.graph_count(e.id, 1)
		    else 0 end,
		devices = case when e.kind = 5 then assay.graph_count(e.id, 2)
		    else 0 end,
		first_device = case when e.kind = 5 then (select min(d.id)
		    from assay.graph_neighbors(e.id, null) n(id)
			join assay.entity d using (id) where d.kind = 2) end
	where e.kind > 0;
	update assay.entity e set parent = nullif(m.root, e.id),
		size = case when m.root = e.id then m.size else 1 end
	from (select e.id, min(n.id) as root, count(*) as size
	    from assay.entity e, unnest(assay.graph_members(e.id)) n(id)
	    where e.kind between 1 and 4 group by e.id) m
	where m.id = e.id;
end
$$;
-- Each component: the size that its root has, and its entities.
create view components as
with recursive up as (
	select e.key, e.id as root, e.parent, e.size from assay.entity e
	where e.kind between 1 and 4
	union all
	select up.key, e.id, e.parent, e.size
	from up join assay.entity e on e.id = up.parent
)
select size, string_agg(key, ' ' order by key) as entities
from up where parent is null group by root, size order by entities;
-- The counters of entities that users share.
create view counters as
select e.key, e.users, e.devices, d.key as first_device
from assay.entity e left join assay.entity d on d.id = e.first_device
where e.kind > 1 order by e.key;
-- Links whose entities were erased: none.
create view loose_links as
select l.* from assay.entity_link l
	join assay.entity e on e.id in (l.older, l.newer) and e.kind = 0;

-- An unknown user has nothing to erase.
select more, graph, baseline, until <= clock_timestamp()
from assay.erase_identity(1, 'u1', 500);

-- A device of that name is no user.
insert into assay.entity (kind, key) values (2, 'u1');
select graph from assay.erase_identity(1, 'u1', 500);
delete from assay.entity where key = 'u1';

-- A state is erased even if its user has no entity.
insert into assay.user_state (user_id, state) values ('u0', ''), ('u00', '');
select more, graph, baseline from assay.erase_identity(1, 'u0', 500);
select user_id from assay.user_state;

-- The device that u1 and u2 share remains and loses a user.  The address that
-- only u1 had is erased with u1.
select graph('u1-d1 u1-i1 d1-i1 u2-d1 u2-p1');
insert into assay.entity_risk (entity, month, days)
select id, '2020-01-01', '' from assay.entity where key in ('i1', 'd1');
select * from components;
select more, graph, baseline from assay.erase_identity(1, 'u1', 500);
select * from components;
select * from counters;
select * from loose_links;
select e.key from assay.entity_risk r join assay.entity e on e.id = r.entity;
-- Erased entities keep their rows, under keys that no event can have.
select kind, count(*), bool_and(ascii(key) = 1), max(users), max(devices)
from assay.entity where kind = 0 and length(key) > 1 group by kind;
select count(*) from assay.entity where key in ('u1', 'i1');
-- A second erasure finds nothing; a new user may have the same name.
select more, graph, baseline from assay.erase_identity(1, 'u1', 500);
select graph('u1-i1');
select more, graph, baseline from assay.erase_identity(1, 'u1', 500);
select * from components;

-- Without u4 the component falls into three parts.  Each gets a new root, so
-- that a root that a worker remembers names no wrong part.
select graph('u3-d3 u4-d3 u4-d4 u4-i4 u5-d4 u6-i4 u6-p6 u7-p6');
select * from components where entities ~ 'u4';
select root as old_root
from assay.entity, assay.graph_root(id) where key = 'u4' \gset
select more, graph, baseline from assay.erase_identity(1, 'u4', 500);
select * from components where entities ~ 'u[567]';
select * from counters where key ~ '[346]';
select parent is null from assay.entity where id = :old_root;
select count(distinct root), bool_and(root > :old_root)
from assay.entity, assay.graph_root(id) where key in ('u3', 'u5', 'u6');
-- A component that stays whole keeps its root.
select root as old_root
from assay.entity, assay.graph_root(id) where key = 'u6' \gset
select more from assay.erase_identity(1, 'u7', 500);
select * from components where entities ~ 'u6';
select root = :old_root
from assay.entity, assay.graph_root(id) where key = 'u6';
-- A component and its root are erased with their last user.
select more from assay.erase_identity(1, 'u6', 500);
select count(*) from components where entities ~ 'i4|p6';
select parent is null from assay.entity where id = :old_root;

-- A fingerprint loses the erased devices, and gets another first device.
select graph('u8-d8 u8-f8 d8-f8 u9-d9 u9-f8 d9-f8');
select * from components where entities ~ '[89]';
select * from counters where key ~ '[89]';
select more from assay.erase_identity(1, 'u8', 500);
select * from components where entities ~ '[89]';
select * from counters where key ~ '[89]';
-- A fingerprint is erased with its last user.
select more from assay.erase_identity(1, 'u9', 500);
select count(*) from counters where key ~ '[89]';
select max(users), max(devices), max(first_device)
from assay.entity where kind = 0;
-- A phone that was linked with an erased device has no count of devices.
select graph('uj-dj uj-pj dj-pj uk-pj');
select more from assay.erase_identity(1, 'uj', 500);
select * from counters where key ~ 'j';
select * from loose_links;

-- A counter that stopped at 500 is counted again.
select graph('ua-da ub-da uc-da ua-fa ub-fa ua-db da-fa db-fa');
update assay.entity set users = 500 where key in ('da', 'fa');
update assay.entity set devices = 500 where key = 'fa';
select more from assay.erase_identity(1, 'ua', 500);
select * from counters where key ~ '[abc]$';

-- Of many links each call deletes some, first those to fingerprints, which are
-- in no component; the last call erases the user.
create view shared as select string_agg(key, ' ' order by key) as keys
from assay.entity where kind > 1 and key ~ '[d-h]$';
select graph('ud-fd ud-fe ud-ff ud-dd ud-fg ud-fh');
select more, graph from assay.erase_identity(1, 'ud', 2);
select keys from shared;
select more, graph from assay.erase_identity(1, 'ud', 2);
select keys from shared;
select more, graph from assay.erase_identity(1, 'ud', 2);
select keys from shared;
select more, graph from assay.erase_identity(1, 'ud', 2);

-- A component of 500 is not split and keeps its size.
select graph('ue-de ue-df ue-dg ue-dh ue-deh uf-de ug-df');
update assay.entity set size = 500 where kind = 1 and key = 'ue';
select more from assay.erase_identity(1, 'ue', 2);
select keys from shared;
select more from assay.erase_identity(1, 'ue', 2);
select more from assay.erase_identity(1, 'ue', 2);
select * from components where entities ~ 'd[efg]';
select * from loose_links;

-- Events to decide, to publish and to deliver are deleted with their user.
insert into assay.async_queue (event_id, user_id, event, correlation_id)
values ('e1', 'uh', '{}', 'c'), ('e2', 'ui', '{}', 'c');
insert into assay.outbox (event, data, user_id, correlation_id)
values ('alert.anomaly.v1', '{}', 'uh', 'c'),
    ('alert.anomaly.v1', '{}', 'ui', 'c'),
    ('case.resolved.v1', '{}', null, 'c');
insert into assay.delivery (id, subscriber_id, event, data, user_id,
    correlation_id, occurred_at)
values ('whd_1', 'whk_1', 'alert.anomaly.v1', '{}', 'uh', 'c', now()),
    ('whd_2', 'whk_1', 'alert.anomaly.v1', '{}', 'ui', 'c', now()),
    ('whd_3', 'whk_1', 'case.resolved.v1', '{}', null, 'c', now());
insert into assay.dead_letter (id, subscriber_id, event, data, user_id,
    correlation_id, occurred_at)
select replace(id, 'whd', 'whx'), subscriber_id, event, data, user_id,
	correlation_id, occurred_at from assay.delivery;
insert into assay.saved_view (id, owner, screen, name, query, shared)
values ('v1', 'a', 'cases', 'one', '{"userId":"uh"}', true),
    ('v2', 'a', 'cases', 'two', '{"userId":"ui","tag":"uh"}', true);
select more, graph, baseline from assay.erase_identity(1, 'uh', 500);
select id from assay.saved_view;
select event_id from assay.async_queue;
select event, user_id from assay.outbox order by number;
select id from assay.delivery order by id;
select id from assay.dead_letter order by id;

-- A user's details until a time are deleted from all months, each call deletes
-- some.
create table assay.decision_detail_202001 partition of assay.decision_detail
    for values from ('2020-01-01Z') to ('2020-02-01Z');
create table assay.decision_detail_202002 partition of assay.decision_detail
    for values from ('2020-02-01Z') to ('2020-03-01Z');
create view details as select user_id, string_agg(verdict_id, ' ' order by
	verdict_id) from assay.decision_detail group by 1 order by 1;
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, idempotency_key, request, sample)
values ('2020-01-01Z', 'v1', 'e1', 't', 'u1', null, '{}', '{}'),
    ('2020-01-31Z', 'v2', 'e2', 't', 'u1', 'key-2', '{}', null),
    ('2020-02-01Z', 'v3', 'e3', 't', 'u1', null, null, '{}'),
    ('2020-02-02Z', 'v4', 'e4', 't', 'u1', null, '{}', '{}'),
    ('2020-01-01Z', 'v5', 'e5', 't', 'u2', null, '{}', '{}');
insert into assay.idempotency (key, verdict_id, event_id, decided_at)
values ('e1', 'v1', 'e1', now()), ('key-2', 'v2', 'e2', now()),
    ('e2', 'v9', 'e2', now()), ('e3', 'v9', 'e3', now()),
    ('e4', 'v4', 'e4', now()), ('e5', 'v5', 'e5', now());
insert into assay.review_case (id, event_id, verdict_id, queue, score, status,
    opened_at, amount, currency, note)
values ('c1', 'e1', 'v1', 'q', 50, 'resolved', '2020-01-01Z', 5, 'EUR', 'n'),
    ('c4', 'e4', 'v4', 'p', 50, 'open', '2020-02-02Z', 6, 'EUR', null),
    ('c5', 'e5', 'v5', 'q', 50, 'open', '2020-01-01Z', 7, 'USD', 'm');
insert into assay.case_note
select 'n' || id, id, now(), 'a', 'text' from assay.review_case;
select * from assay.erase_details('unknown', '2020-02-01Z', 9);
select * from assay.erase_details('u1', '2019-12-31Z', 9);
select * from assay.erase_details('u1', '2020-02-01Z', 2);
select * from details;
select * from assay.erase_details('u1', '2020-02-01Z', 2);
select * from assay.erase_details('u1', '2020-02-01Z', 2);
select * from details;
-- So are those in the future, where a wrong clock has put them.
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, request)
values (now() + interval '1 day', 'v6', 'e6', 't', 'u1', '{}'),
    (now() - interval '1 s', 'v7', 'e7', 't', 'u1', '{}');
select * from assay.erase_details('u1', '2020-02-01Z', 9);
select * from details;
delete from assay.decision_detail where verdict_id = 'v7';
-- The cases of the deleted details lose their amounts and notes, others do not.
select c.id, c.status, c.amount, c.currency, c.note, n.id
from assay.review_case c left join assay.case_note n on n.case_id = c.id
order by 1;
-- An idempotency key that names another decision remains.
select key, verdict_id from assay.idempotency order by key;

-- After an erasure decisions that are logged late have no details of the user,
-- unless they were made at least a minute after it.  No clock shows the future.
select assay.erase_begin('u1') as erased \gset
select assay.is_erased('u1', :'erased'),
    assay.is_erased('u1', '-infinity'),
    assay.is_erased('u2', :'erased');
update assay.erasure set erased_at = timestamptz :'erased' - interval '1 h';
select assay.is_erased('u1', timestamptz :'erased' - interval '3541 s'),
    assay.is_erased('u1', timestamptz :'erased' - interval '1 h' + '1 min');
select assay.is_erased('u1', timestamptz :'erased' + interval '1 h'),
    assay.is_erased('u2', timestamptz :'erased' + interval '1 h');
-- A second erasure is later; if the clock was set back the first one counts.
select assay.erase_begin('u1') > :'erased';
update assay.erasure set erased_at = '2100-01-01Z';
select assay.erase_begin('u1') < '2100-01-01Z', erased_at = '2100-01-01Z'
from assay.erasure;
select assay.is_erased('u1', '2100-01-01Z');
-- The database has a pseudonym of the user, which depends on its key.
select user_hash = assay.user_hash('u1'), assay.user_hash('u1') <>
	assay.user_hash('u2'), length(user_hash) from assay.erasure;
update assay.hash_key set erased_user = 'other';
select user_hash = assay.user_hash('u1') from assay.erasure;
truncate assay.erasure;
-- A decision older than the activity log has no details of any user.
insert into assay.retention_watermark values ('activity', '2020-01-01Z'),
    ('verdicts', '2020-02-01Z');
select assay.is_erased('u2', '2019-12-31Z'), assay.is_erased('u2', '2020-01-01Z');

-- A spool's report is stored if it says something new, or a minute after the
-- last one, or after an erasure.
create function age_reports(age interval) returns void language sql
as 'update assay.spool_host set reported_at = now() - age';
create function stores_report(records bigint, quarantined bigint)
returns boolean language plpgsql as $$
begin
	perform assay.spool_report('s1', records, quarantined);
	return (select h.reported_at > now() and h.records = $1
		and h.quarantined = $2 from assay.spool_host h
	    where h.spool = 's1');
end
$$;
select stores_report(0, 0);
select age_reports('30 s');
select stores_report(0, 0), stores_report(1, 0);
select age_reports('30 s');
select stores_report(1, 1);
select age_reports('61 s');
select stores_report(1, 1);
select age_reports('20 s');
insert into assay.erasure values ('x', now() - interval '40 s');
select stores_report(1, 1);
update assay.erasure set erased_at = now() - interval '1 s';
select stores_report(1, 1);

-- An erasure waits for spools that report soon (late), and is complete when no
-- spool may hold a decision (held).
truncate assay.spool_host;
select * from assay.erase_spools('2020-01-01 12:00:00Z');
insert into assay.spool_host (spool, records, quarantined, reported_at)
values ('empty', 0, 0, '2020-01-01 12:00:00Z'),
    ('full', 1, 0, '2020-01-01 12:00:00Z'),
    ('bad', 0, 1, '2020-01-01 12:00:00Z');
select * from assay.erase_spools('2020-01-01 11:59:59Z');
select * from assay.erase_spools('2020-01-01 12:00:00Z');
select * from assay.erase_spools('2020-01-01 12:01:59Z');
select * from assay.erase_spools('2020-01-01 12:02:00Z');
