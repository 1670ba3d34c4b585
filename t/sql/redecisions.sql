-- SPDX-License-Identifier: ISC
-- Redecisions: slices of the log, and who works on which one.
\pset tuples_only on
\pset format unaligned
set timezone = 'UTC';

-- 20,000 decisions: one a second, with gaps, and 3,000 in one second.
select assay.partitions_ahead(0) >= 0;
insert into assay.verdict_log (decided_at, id, event_id, event_type, verdict, score,
    reasons, policy_id, policy_version, correlation_id)
select date_trunc('month', now()) + case when n < 10000 then n * interval '1 second'
	when n < 13000 then interval '4 hours' + n * interval '0.3 ms'
	else interval '20 hours' + n * interval '5 seconds' end,
    'vd_' || n, 'e-' || n, 'order.place', 'allow', 0, '[]', 'p', '1', 'c'
from generate_series(1, 20000) n;

-- Slices from one end to the other have all rows once, and none is too large.
create temp table slice (n int, far timestamptz, near timestamptz, had bigint);
do $$
declare
	far timestamptz := date_trunc('month', now()) - interval '3 days';
	until constant timestamptz := date_trunc('month', now()) + interval '4 days';
	near timestamptz;
	n int := 0;
begin
	while far < until loop
		near := assay.log_end_after('assay.verdict_log', 500, far, until);
		n := n + 1;
		insert into slice values (n, far, near, assay.log_count(
		    'assay.verdict_log', far, near, 1000000));
		far := near;
	end loop;
end
$$;
select sum(had), max(had) <= 500 + 125 + 100, count(*) between 10 and 40 from slice;
select min(had) >= 500 from slice where n < (select max(n) from slice);
select max(near) = date_trunc('month', now()) + interval '4 days' from slice;
select assay.log_end_after('assay.verdict_log', 500, 'epoch', 'epoch') = 'epoch';

-- A worker has one until its lease ends or the redecision does.
insert into assay.operator (email, password, role) values ('a@example.com', '', 'admin');
select refusal, body::json ->> 'state' from assay.redecision_create('rdc_1',
    'a@example.com', 'cor', null, now() - interval '1 hour', now(), null, 0, 2);
select refusal, body::json ->> 'state' from assay.redecision_create('rdc_2',
    'a@example.com', 'cor', '{order.place}', now() - interval '1 hour', now(), null, 7, 2);
select refusal, body from assay.redecision_create('rdc_3',
    'a@example.com', 'cor', null, now() - interval '1 hour', now(), null, 0, 2);
select id, worker from assay.redecision_claim('a', 60);
select id, worker from assay.redecision_claim('b', 60);
select id, worker from assay.redecision_claim('a', 60);
update assay.redecision set leased_until = now() - interval '1 second';
select id, worker from assay.redecision_claim('b', 60);
select id, worker from assay.redecision_claim('a', 60);
select assay.redecision_fail('rdc_1', 'it needs too much');
select id, worker from assay.redecision_claim('a', 60);
select redecision, event_type from assay.redecision_book where redecision = 'rdc_2';

-- While transactions run that may have decisions of it, it waits.
update assay.redecision set position = assay.log_next() + 10 where id = 'rdc_2';
select id from assay.redecision_claim('a', 60);
update assay.redecision set position = 1 where id = 'rdc_2';

-- What a slice decided is stored once; it acts on those that became worse.
create function pg_temp.store(ids text[], froms text[], tos text[], near timestamptz)
returns table (acted bigint, done boolean) language sql
as $$ select acted, done from assay.redecision_store_columns('rdc_2', near, 1, 2,
    ids, array(select now() - interval '1 minute' from unnest(ids)), ids,
    array(select 'order.place' from unnest(ids)), froms, tos,
    array(select 10 from unnest(ids)), array(select 90 from unnest(ids)),
    array(select '1.5' from unnest(ids)), array(select 'EUR' from unnest(ids)),
    array(select 'risk-ops' from unnest(ids)), array(select 'a,b' from unnest(ids)),
    array(select '[{"tag":"a","points":90}]' from unnest(ids))) $$;
select * from pg_temp.store('{x,y,z}', '{allow,deny,challenge}', '{review,allow,challenge}',
    now() - interval '30 minutes');
select * from pg_temp.store('{}', '{}', '{}', now());
select outcome, acted, cases, kept_severe, kept_mild, unscored, unreadable from assay.redecision
where id = 'rdc_2';
select verdict_id, verdict_from, verdict_to, score_to, case_id is not null
from assay.redecision_change where redecision = 'rdc_2' order by 1;
select event_id, queue, score, amount, currency, tags, status from assay.review_case;
select verdict_id, verdict, case_opened_at > decided_at from assay.verdict_revision;
select assay.redecision_pairs('rdc_2');
select id from assay.redecision_claim('a', 60);
