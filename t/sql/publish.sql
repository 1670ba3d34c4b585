-- SPDX-License-Identifier: ISC
-- Publishing: which subscriber gets which event, how often, under which id.
\pset tuples_only on
\pset format unaligned

-- Ids as lib/sys/crypt.c makes them.
select assay.id_prefixes('2026-01-01T00:00:00.123Z');
select assay.id_prefixes('epoch') || assay.id_prefixes('10889-08-02T05:31:50.655Z');
select assay.id_text('whd_', '{0123456789,1123456789,2123456789,3123456789}',
    chance) from (values ('\x00000000000000000000000000000000'::bytea),
    ('\xffffffffffffffffffffffffffffffff')) w(chance);
select count(distinct tail), bool_and(tail ~ '^[0-9a-v]{15}[048cgkos]$')
from (select assay.id_text('', '{"","","",""}', uuid_send(gen_random_uuid()))
	as tail from generate_series(1, 10000)) w;
select bool_and(a < b) from (select
    (assay.id_prefixes(t))[4] collate "C" as a,
    (assay.id_prefixes(t + interval '1 millisecond'))[1] as b
    from generate_series(timestamptz '2026-01-01', '2026-01-02', '7 min') t) w;

-- The subscribers; channels may have a least verdict and a limit per minute.
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
values ('whk_v', 'https://a.example/', '{verdict.reached.v1}', 's', 'me'),
    ('whk_c', 'https://a.example/', '{case.resolved.v1}', 's', 'me'),
    ('whk_off', 'https://a.example/', '{verdict.reached.v1}', 's', 'me');
insert into assay.alert_channel (id, type, url, url_hint, events, min_verdict,
    throttle_per_min, created_by)
values ('ntf_all', 'slack', '', '""', '{verdict.reached.v1}', null, 0, 'me'),
    ('ntf_deny', 'slack', '', '""', '{verdict.reached.v1}', 'deny', 0, 'me'),
    ('ntf_mid', 'slack', '', '""', '{verdict.reached.v1,alert.anomaly.v1}',
	'review', 0, 'me'),
    ('ntf_few', 'slack', '', '""', '{verdict.reached.v1}', null, 3, 'me'),
    ('ntf_some', 'slack', '', '""', '{verdict.reached.v1}', null, null, 'me');
update assay.webhook_endpoint set active = false where id = 'whk_off';
select anomalies from assay.epoch;

create view gets as select subscriber_id, event, count(*) from assay.delivery
group by 1, 2 order by 1, 2;
create function decide(event text, verdict text,
    at timestamptz default clock_timestamp(), queue text default null)
returns void language sql as $$
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, review_queue,
	    correlation_id)
	values (at, 'vd_' || event, event, 'order.place', verdict, 7,
	    '[{"tag":"b","points":7}]', 'pol', 'v1', queue, 'c-' || event)
$$;
-- A row with counts for each kind of event, then a row that has only more.
create function publish(max_deliveries bigint default 2000,
    looked bigint default 0)
returns table (topic text, events bigint, throttled bigint, more boolean)
language sql as $$
	with p as materialized (
		select * from assay.publish_next(max_deliveries, 2, looked)
		where not busy)
	select t.*, null::boolean
	from p, unnest(p.topics, p.events, p.throttled) as t
	union all
	select null, null, null, p.more from p
$$;

-- A subscriber gets events as old as its subscription, and no older ones.
select decide('old', 'deny', now() - interval '1 minute');
select decide(v, v) from unnest('{allow,challenge,deny}'::text[]) v;
select decide('review', 'review', queue => 'risk-ops');
select decide('deny-2', 'deny');
insert into assay.outbox (event, data, user_id, correlation_id)
values ('alert.anomaly.v1', '{"verdict":"allow"}', 'u-1', 'c-a'),
    ('label.recorded.v1', '{}', null, 'c-l'),
    ('case.resolved.v1', '{}', null, 'c-c');
select * from publish();
select * from gets;
select data, correlation_id, user_id, occurred_at = (select decided_at
	from assay.verdict_log where event_id = 'review')
from assay.delivery
where subscriber_id = 'whk_v' and correlation_id = 'c-review';
select data from assay.delivery
where subscriber_id = 'whk_v' and correlation_id = 'c-deny';
select user_id, correlation_id from assay.delivery
where event = 'alert.anomaly.v1';
select count(*), count(distinct id), bool_and(id ~ case
    when subscriber_id like 'whk_%' then '^whd_[0-9a-v]{26}$'
    else '^ntd_[0-9a-v]{26}$' end) from assay.delivery;
select count(*) from assay.outbox;
select * from publish();

-- The limit of a channel applies again in the next minute.
delete from assay.delivery;
select decide('m', 'allow');
update assay.alert_minute
set minute = floor(extract(epoch from clock_timestamp()) / 60);
select * from publish();
select * from gets where subscriber_id in ('ntf_few', 'ntf_some');
update assay.alert_minute set minute = minute - 1;
select decide('m-' || n, 'allow') from generate_series(1, 2) n;
select * from publish();
select * from gets where subscriber_id in ('ntf_few', 'ntf_some');
select channel_id, n from assay.alert_minute order by 1;

-- In small steps, also within one transaction, each event is published once.
delete from assay.delivery;
update assay.alert_channel set active = false;
select anomalies from assay.epoch;
select decide('b-' || n, 'allow') from generate_series(1, 7) n;
select decide('b-' || n, 'allow') from generate_series(8, 9) n;
insert into assay.outbox (event, data, correlation_id)
select 'case.resolved.v1', '{}', 'c-' || n from generate_series(1, 5) n;
select * from publish(6);
select last_id from assay.publish_cursor;
select * from publish(6);
select * from publish(6);
select * from publish(6);
select * from publish(6);
select * from gets;
select count(distinct correlation_id) from assay.delivery
where subscriber_id = 'whk_v';

-- A rolled back event is never published, and no event is published twice.
begin;
select decide('gone', 'deny');
rollback;
select * from publish();

-- Without subscribers the log is not read; later ones do not get its events.
update assay.webhook_endpoint set active = false;
select decide('n-' || n, 'allow') from generate_series(1, 3) n;
select * from publish();
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
values ('whk_new', 'https://a.example/', '{verdict.reached.v1}', 's', 'me');
select * from publish();
select decide('after', 'allow');
select * from publish();
select * from gets where subscriber_id = 'whk_new';

-- One step passes a gap of transactions without decisions.
delete from assay.delivery;
do $$ begin
	for i in 1..3000 loop
		perform pg_current_xact_id();
		commit;
	end loop;
end $$;
select decide('beyond', 'allow');
select * from publish();
select * from gets;

-- A position from another server that is beyond all transactions here is
-- ignored, and does not move the cursor.
delete from assay.delivery;
select decide('switched', 'allow');
select topic, events, more from publish(2000,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 100000);
select * from gets;
