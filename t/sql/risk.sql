-- SPDX-License-Identifier: ISC
-- Entity risk: which decisions and labels count for a device or ip, and when.
\pset tuples_only on
\pset format unaligned
\pset null -
insert into assay.entity (kind, key) values (2, 'd-1'), (2, 'd-2'),
    (3, '192.0.2.1'), (4, '251911000000'), (0, 'gone');
create view name as select id, key from assay.entity;
create function base() returns timestamptz language sql stable
return (date_trunc('month', now() at time zone 'UTC') + interval '1 month')
    at time zone 'UTC';

-- Log a decision some days after noon of the base.
create function decide(verdict text, event text, day float8, device text,
    ip text default null, score int default 50) returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (base() + (day + 0.5) * interval '1 day', decide.verdict, event,
	    'order.place', 'review', score, '[{"tag":"t","points":1}]', 'p', 'v',
	    'c');
	insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	    user_id, device, ip)
	values (base() + (day + 0.5) * interval '1 day', decide.verdict, event,
	    'order.place', 'u', (select id from name where key = device),
	    (select id from name where key = ip));
end;

-- Count the next piece of the log, as the companion does.
create function project(most bigint)
returns table (key text, slot bigint, events numeric) language plpgsql as $$
declare
	p record;
begin
	select * into p from assay.analytics_project(most);
	if p.counted > 0 then
		return query select n.key, e.slot - assay.risk_slot(base()), sum(e.events)
		from assay.risk_slot_events(p.from_xid, p.from_id, p.to_xid,
		    p.to_id) e join name n on n.id = e.entity
		group by 1, 2 order by 1, 2;
	end if;
end
$$;
create view labels as select event_id, outcome, risk_outcome, risk_verdict_id from assay.label
	order by event_id;
create function credit(most bigint)
returns table (key text, slot bigint, fraud bigint, labels bigint) language sql
begin atomic
	select n.key, nullif(l.slot, 0) - assay.risk_slot(base()), l.fraud, l.labels
	from assay.risk_slot_labels(most) l left join name n on n.id = l.entity
	order by l.entity, l.slot;
end;

-- A scored decision counts for its device and its ip in its slot, also in one
-- far from the others.
select decide('v-1', 'e-1', 0, 'd-1', '192.0.2.1');
select decide('v-2', 'e-2', 0.4999, 'd-1');
select decide('v-3', 'e-3', 0.5, 'd-1', '192.0.2.1');
select decide('v-4', 'e-4', 0, 'd-1', '192.0.2.1', -1);
select decide('v-5', 'e-5', 0, null);
select decide('v-6', 'e-6', 80, 'd-2');
select * from project(100);
select * from project(100);

-- A piece may end within a transaction of the log.
begin;
select decide('v-' || n, 'e-' || n, n % 2, 'd-2')
    from generate_series(10, 15) n \g /dev/null
commit;
select * from project(2);
select * from project(3);
select * from project(3);
select * from project(3);

-- A label counts once its decision has counted; repeating it changes nothing.
select assay.label_put('e-1', 'analyst', 'legit', 'c');
select assay.label_put('e-2', 'analyst', 'fraud', 'c');
select * from credit(10);
select * from credit(10);
select * from labels;

-- A label changes from legit to fraud.
select assay.chargeback_put('e-1', 'c', 1000);
select * from credit(10);
select * from labels;

-- A label waits while its decision is missing or has not counted yet.
select assay.chargeback_put('e-7', 'c', 1000);
select * from credit(10);
select decide('v-7', 'e-7', 2, 'd-2');
update assay.label set match_after = now() where credited_outcome is null;
select assay.labels_match(10);
select * from credit(10);
select * from project(10);
select * from credit(10);

-- A label stays with the decision with which it was counted, even if there is a
-- newer one.
select assay.label_put('e-8', 'analyst', 'legit', 'c');
select decide('v-8', 'e-8', 3, 'd-1');
select decide('v-8b', 'e-8', 4, 'd-2', null, -1);
update assay.label set match_after = now() where credited_outcome is null;
select assay.labels_match(10);
select * from project(10);
select * from credit(10);
select decide('v-8c', 'e-8', 5, 'd-2');
select * from project(10);
select assay.chargeback_put('e-8', 'c', 1000);
select * from credit(10);
select * from labels where event_id = 'e-8';

-- A call counts a limited number; without its detail a label does not count.
select decide('v-' || n, 'e-' || n, 6, 'd-1') from generate_series(20, 22) n;
select * from project(10);
delete from assay.decision_detail where verdict_id = 'v-21';
select assay.chargeback_put('e-' || n, 'c', 1000) from generate_series(20, 22) n;
select * from credit(2);
select * from credit(2);
select * from credit(2);

-- Only devices and ips have a history, which is removed month by month.
select assay.risk_put(array[id], array[20000], array['\x01'::bytea])
    from name where key = 'd-1';
select assay.risk_put(array_agg(id order by id), array_agg(n),
	array_agg('\x01'::bytea))
    from name, (values (assay.risk_slot(now()) / 8)) as v(n)
    where key in ('d-2', '192.0.2.1', '251911000000', 'gone');
create view written as select n.key,
	(assay.risk_slot(now()) - assay.risk_slot(r.month::timestamp)) / 8 > 31 as old,
	r.days from assay.entity_risk r join name n on n.id = r.entity
	order by n.id;
select * from written;
select assay.risk_put(array[id], array[20000], array['\x03'::bytea])
    from name where key in ('d-1', 'd-2');
select * from written;
select assay.risk_prune(1);
select * from written;
select assay.risk_prune(10);
select assay.risk_prune(10);
select assay.risk_put(array[id], array[assay.risk_slot(now()) / 8 - 121],
    array['\x04'::bytea]) from name where key = 'd-1';
select assay.risk_prune(10);

-- Finding the entities to remove does not read all entities.
begin;
select seq_scan as scans from pg_stat_xact_all_tables
    where relid = 'assay.entity_risk'::regclass \gset
select assay.risk_prune(10);
select seq_scan - :scans from pg_stat_xact_all_tables
    where relid = 'assay.entity_risk'::regclass;
commit;

-- Erasing an entity removes its counts; an entity that stays keeps them.
insert into assay.entity (kind, key) values (1, 'u-1');
insert into assay.entity_link (older, newer)
select d.id, u.id from name d, name u
where d.key in ('d-1', '192.0.2.1') and u.key = 'u-1';
update assay.entity set users = case key when 'd-1' then 1 else 2 end
where key in ('d-1', '192.0.2.1');
update assay.entity set parent = (select id from name where key = 'd-1')
where key in ('192.0.2.1', 'u-1');
select graph, more from assay.erase_identity(1, 'u-1', 1000);
select * from written;
