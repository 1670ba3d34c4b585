-- SPDX-License-Identifier: ISC
-- Leases of deliveries, and the results of attempts.
\pset tuples_only on
\pset format unaligned
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
select 'whk_' || n, 'https://a.example/' || n, '{case.resolved.v1}',
	'whsec_' || n, 'a@b.c' from generate_series(1, 4) n;
insert into assay.alert_channel (id, type, url, url_hint, target, events,
    created_by)
values ('ntf_1', 'telegram', 'https://b.example/', '"b"', '-1',
    '{alert.dead_letter.v1}', 'a@b.c');
update assay.webhook_endpoint set failures = 1 where id = 'whk_2';
update assay.webhook_endpoint set active = false where id = 'whk_4';
insert into assay.delivery (id, subscriber_id, event, data, correlation_id,
    occurred_at, next_attempt_at)
select 'whd_' || s || n, 'whk_' || s, 'case.resolved.v1', '{}', 'c', now(),
	now() - n * interval '1 s'
from generate_series(1, 4) s, generate_series(1, 5) n;
insert into assay.delivery (id, subscriber_id, event, data, correlation_id,
    occurred_at, next_attempt_at)
values ('ntd_1', 'ntf_1', 'alert.test.v1', '{}', 'c', now(), now()),
    ('ntd_2', 'ntf_1', 'alert.test.v1', '{}', 'c', now(), now() + '1 h');

-- A claim takes the oldest due deliveries of each subscriber, fewer after a
-- failure, none of a revoked one, and no more until their leases end.
create temp table got as
select * from assay.delivery_claim(100, 3, 1, 60000, '');
select id, form, url, coalesce(secret, '-'), coalesce(target, '-')
from got order by id;
select count(*) from assay.delivery_claim(100, 3, 1, 60000, '');
-- Leases expire, and claims go round the subscribers.
update assay.delivery set claimed_until = now() where claimed_until is not null;
select id from assay.delivery_claim(2, 3, 1, 60000, 'whk_1') order by id;

-- An expired lease settles nothing; a valid one settles its delivery.
select * from assay.delivery_settle(array['whd_25'],
    array(select claimed_until from got where id = 'whd_25'), '{NULL}', '{0}');
update assay.delivery set claimed_until = null;
truncate got;
insert into got select * from assay.delivery_claim(100, 3, 3, 60000, '');
select * from assay.delivery_settle(
    '{whd_15,whd_14,whd_13,whd_25,whd_24,whd_35,whd_34}',
    array(select g.claimed_until from unnest(
	array['whd_15','whd_14','whd_13','whd_25','whd_24','whd_35','whd_34'])
	u join got g on g.id = u),
    '{status 500,NULL,status 500,NULL,NULL,status 500,status 501}',
    '{600000000,0,1200000000,0,0,-1,-1}') order by 1;
select id, last_status, failures from assay.webhook_endpoint order by id;
select id, attempts, last_error, claimed_until is null,
	next_attempt_at > now() from assay.delivery where attempts > 0
order by id;
select id, attempts, last_error, claimed_until is null
from assay.dead_letter order by id;
select event, data, correlation_id from assay.outbox order by data;

-- A delivery to a subscriber that was revoked meanwhile is dropped.
update assay.webhook_endpoint set active = false where id = 'whk_3';
select * from assay.delivery_settle('{whd_33}',
    array(select claimed_until from got where id = 'whd_33'), '{status 500}',
    '{-1}');
select count(*) from assay.delivery where id = 'whd_33';

-- A released delivery is as before; an expired lease releases nothing.
select assay.delivery_release('{ntd_1,whd_23}',
    array[now(), (select claimed_until from got where id = 'whd_23')]);
select id, attempts, claimed_until is null from assay.delivery
where id in ('ntd_1', 'whd_23') order by id;

select assay.delivery_drop_revoked(5);
select assay.delivery_drop_revoked(5);
select subscriber_id, count(*) from assay.delivery group by 1 order by 1;

-- Dead letters are sent again to those that answer, each once.  Those that fail
-- and have no delivery get a copy as a probe; the letter stays.
truncate assay.delivery, assay.dead_letter;
update assay.webhook_endpoint set active = id <> 'whk_4',
	failures = case id when 'whk_1' then 0 else 1 end;
insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
    occurred_at, dead_at, resent)
select 'whd_' || s || n, 'whk_' || s, 'case.resolved.v1', '{}', 'c', now(),
	now() - interval '11 min', n = 1
from generate_series(1, 4) s, generate_series(1, 3) n;
insert into assay.delivery (id, subscriber_id, event, data, correlation_id,
    occurred_at) values ('whd_39', 'whk_3', 'x', '{}', 'c', now());
select assay.delivery_resend(), assay.delivery_resend();
select assay.delivery_probe(), assay.delivery_probe();
select id, attempts, resent, dead_at is not null from assay.delivery order by id;
truncate got;
insert into got select * from assay.delivery_claim(100, 3, 3, 60000, '');
select * from assay.delivery_settle('{whd_12,whd_22}',
    array(select claimed_until from got where id in ('whd_12', 'whd_22')
	order by id), '{gone,gone}', '{-1,9}') order by 1;
select id, attempts, last_error, resent,
	dead_at < now() - interval '10 min' as old, probed_at is not null as probed
from assay.dead_letter where attempts > 0 order by id;
-- The next probe is ten minutes later, and another letter.
select assay.delivery_probe();
update assay.dead_letter set probed_at = now() - interval '11 min'
where probed_at is not null;
select assay.delivery_probe();
select id from assay.delivery where subscriber_id = 'whk_2';
-- A redrive turns a probe into a delivery; one that arrives takes its letter away.
select * from assay.delivery_redrive_one('whd_', 'whd_23');
select id, attempts, dead_at from assay.delivery where subscriber_id = 'whk_2';
delete from assay.delivery where subscriber_id = 'whk_2';
select assay.delivery_probe();
truncate got;
insert into got select * from assay.delivery_claim(100, 3, 3, 60000, '');
select * from assay.delivery_settle('{whd_22}',
    array(select claimed_until from got where id = 'whd_22'), '{NULL}', '{0}');
select id from assay.dead_letter where subscriber_id = 'whk_2';
-- A channel gets a sixth of its limit per minute at once.
insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
    occurred_at)
select 'ntd_' || n, 'ntf_1', 'x', '{}', 'c', now() from generate_series(100, 199) n;
select assay.delivery_resend();
update assay.alert_channel set throttle_per_min = 5;
select assay.delivery_resend();
update assay.alert_channel set active = false;

-- With 300,000 dead letters no table and no index is read as a whole.
truncate assay.delivery, assay.dead_letter;
insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
    occurred_at, dead_at)
select 'whd_' || n, 'whk_' || n % 3 + 1, 'x', '{}', 'c', now(),
	now() - interval '1 h'
from generate_series(1, 300000) n;
select pg_stat_force_next_flush();
create view rows_read as
select t.seq_tup_read + t.idx_tup_fetch + (select sum(i.idx_tup_read)
    from pg_stat_user_indexes i where i.relname = 'dead_letter') as n
from pg_stat_user_tables t where t.relname = 'dead_letter';
select n as before from rows_read
\gset
select assay.delivery_probe(), assay.delivery_resend();
select pg_stat_force_next_flush();
select n - :before < 1000 from rows_read;
drop view rows_read;
truncate assay.delivery, assay.dead_letter;
update assay.alert_channel set active = true;

-- With 100,000 due deliveries and 1,000 subscribers no table is scanned.
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
select 'whk_m' || n, 'https://a.example/', '{x}', 's', 'a@b.c'
from generate_series(1, 1000) n;
insert into assay.delivery (id, subscriber_id, event, data, correlation_id,
    occurred_at)
select 'whd_m' || n, 'whk_m' || n % 1000, 'x', '{}', 'c', now()
from generate_series(1, 100000) n;
select pg_stat_force_next_flush();
select seq_scan as before from pg_stat_user_tables where relname = 'delivery'
\gset
select count(*) from assay.delivery_claim(256, 16, 2, 60000, '');
select count(*) from assay.delivery_settle(
    array(select 'whd_m' || n from generate_series(1, 200) n),
    array(select now() from generate_series(1, 200)),
    array(select 'x' from generate_series(1, 200)),
    array(select 1 from generate_series(1, 200)));
select pg_stat_force_next_flush();
select seq_scan - :before from pg_stat_user_tables where relname = 'delivery';
