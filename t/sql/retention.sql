-- SPDX-License-Identifier: ISC
-- Retention: sweeps, watermarks, batches, whole months and autovacuum.
\pset tuples_only on
\pset format unaligned
set timezone = 'UTC';
\setenv PGHOST :HOST
\setenv PGUSER :USER
\setenv PGDATABASE :DBNAME

create table assay.verdict_log_202001 partition of assay.verdict_log
    for values from ('2020-01-01Z') to ('2020-02-01Z');
create table assay.verdict_log_202002 partition of assay.verdict_log
    for values from ('2020-02-01Z') to ('2020-03-01Z');
create table assay.decision_detail_202001 partition of assay.decision_detail
    for values from ('2020-01-01Z') to ('2020-02-01Z');
create function verdict(n text, at timestamptz) returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (at, n, 'e', 't', 'allow', 0, '[]', 'p', 'v', 'c');
end;
create function detail(n text, at timestamptz, request text, sample text)
returns void language sql
begin atomic
	insert into assay.decision_detail (decided_at, verdict_id, event_id,
	    event_type, user_id, request, sample)
	values (at, n, 'e', 't', 'u', request, sample);
end;
create view details as select verdict_id, request, sample
from assay.decision_detail order by 1;
create view watermarks as select * from assay.retention_watermark order by 1;

create function sweep(minutes bigint) returns boolean language sql
return (select begun from assay.retention_begin(minutes, clock_timestamp()));
create view believed as
select date_trunc('minute', clock_timestamp() - clock) as behind
from assay.retention_sweep;

-- The first sweep begins at once, the next one so many minutes after it.
select assay.retention_due(60), sweep(60);
select assay.retention_end();
select assay.retention_due(60), sweep(60);
update assay.retention_sweep set started_at = now() - interval '59 min';
select assay.retention_due(60);
update assay.retention_sweep set started_at = now() - interval '60 min';
select assay.retention_due(60);
-- A sweep on request (0 minutes) begins at once, and so does the next sweep
-- after an interrupted one.
update assay.retention_sweep set started_at = now();
select assay.retention_due(60), assay.retention_due(0);
select sweep(0), assay.retention_due(60);
select assay.retention_end();
-- A start in the future does not delay the next sweep.
update assay.retention_sweep set started_at = now() + interval '1 min';
select assay.retention_due(60);
-- One session at a time sweeps.
select sweep(60);
\! psql -XAtc 'select sweep(0)'
select assay.retention_end();
\! psql -XAtc 'select sweep(0)' -c 'select assay.retention_end()'
select sweep(0);
select assay.retention_end();
select count(*) from pg_locks
where locktype = 'advisory' and pid = pg_backend_pid();

-- A sweep needs a host with nearly the same clock.
select begun, round(ahead_ms, -4) from assay.retention_begin(0,
    clock_timestamp() - interval '61 s');
select begun, round(ahead_ms, -4) from assay.retention_begin(0,
    clock_timestamp() + interval '61 s');
select begun, round(ahead_ms, -4) from assay.retention_begin(0,
    clock_timestamp() - interval '59 s');
select assay.retention_end();
-- It believes a clock that is ahead a little more each time, and one that went back
-- at once.
update assay.retention_sweep set clock = clock_timestamp() - interval '10 days';
select sweep(0);
select behind from believed;
select assay.retention_end();
update assay.retention_sweep set started_at = '-infinity';
select sweep(10), assay.retention_end();
select behind from believed;
update assay.retention_sweep set clock = clock_timestamp() + interval '400 days';
select sweep(0), assay.retention_end();
select behind from believed;
-- A window of 0 days has its cutoff in 1970, another one so many days before that.
select assay.retention_cutoff(0) = timestamptz 'epoch';
select assay.retention_cutoff(30) = clock - interval '30 days'
from assay.retention_sweep;

-- Watermarks rise and never fall.
select assay.retention_announce('2019-01-02Z');
select assay.retention_announce('2019-01-01Z');
select assay.retention_raise_watermark('verdicts', '2019-01-02Z');
select assay.retention_raise_watermark('verdicts', '2019-01-01Z');
select * from watermarks;
select assay.retention_announce('2019-01-03Z');
select assay.retention_raise_watermark('verdicts', '2019-01-03Z');
select * from watermarks;
truncate assay.retention_watermark;

-- The batches of a collection are the ranges of 128 pages with rows older than
-- the cutoff; the search ends at the cutoff.
select 'assay.idempotency'::regclass::bigint as part \gset
insert into assay.idempotency (key, verdict_id, event_id, decided_at)
select repeat('k', 990) || n, 'v', 'e',
	'2020-01-01Z'::timestamptz + n * interval '1 min'
from generate_series(1, 2200) n;
select part = :part, page_range, done_until
from assay.retention_batches('idempotency', '2020-01-03Z', 9, 10000);
select part = :part, page_range, done_until
from assay.retention_batches('idempotency', '2020-01-03Z', 2, 10000);
select part = :part, page_range, done_until
from assay.retention_batches('idempotency', '2020-01-03Z', 3, 10000);
-- Without older rows only done_until is returned; before a watermark nothing
-- is searched.
select * from assay.retention_batches('idempotency', '2020-01-01Z', 9, 60);
insert into assay.retention_watermark values ('idempotency', '2020-01-02Z');
select * from assay.retention_batches('idempotency', '2020-01-02Z', 9, 60);
-- A batch removes the rows of its pages that are older than the cutoff.
select rows_gone > 800, others_gone
from assay.retention_batch('idempotency', :part, 0, '2020-01-03Z', 'epoch');
select min((ctid::text::point)[0]) >= 128 from assay.idempotency;
select * from assay.retention_batch('idempotency', :part, 0, '2020-01-03Z',
    'epoch');
select count(*) as rows from assay.idempotency
where decided_at < '2020-01-02Z' and (ctid::text::point)[0] < 256 \gset
select rows_gone = :rows
from assay.retention_batch('idempotency', :part, 1, '2020-01-02Z', 'epoch');
select min(decided_at) from assay.idempotency
where (ctid::text::point)[0] < 256;
-- A batch names the collection's table or one of its months, and no other.
select * from assay.retention_batch('idempotency',
    'assay.label'::regclass::bigint, 0, 'infinity', 'epoch');
select * from assay.retention_batch('verdicts',
    'assay.decision_detail_202001'::regclass::bigint, 0, 'infinity', 'epoch');
select * from assay.retention_batch('unknown', :part, 0, 'infinity', 'epoch');

-- Verdicts: the first search begins with the first month.
select verdict('v1', '2020-01-01Z'), verdict('v2', '2020-01-02Z'),
    verdict('v3', '2020-02-01Z');
select assay.retention_first_month();
select part::regclass, page_range, done_until
from assay.retention_batches('verdicts', '2020-01-02Z', 9, 60);
select * from assay.retention_batch('verdicts',
    'assay.verdict_log_202001'::regclass::bigint, 0, '2020-01-02Z', 'epoch');
select id from assay.verdict_log order by 1;
-- The steps of the search double until one has rows: 2, 4, 8 and 16 hours here.
select page_range, done_until
from assay.retention_batches('verdicts', '2020-01-03Z', 9, 60);

-- Details: request and sample have one window each.  A row that would have
-- neither is deleted.
select detail('d1', '2020-01-01Z', 'r', 's');
select detail('d2', '2020-01-01Z', 'r', null);
select detail('d3', '2020-01-01Z', null, 's');
select detail('d4', '2020-01-01Z', null, null);
select detail('d5', '2020-01-02Z', 'r', 's');
select detail('d6', '2020-01-03Z', 'r', 's');
select detail('d6b', '2020-01-03Z', 'r', null);
select * from assay.retention_batch('activity',
    'assay.decision_detail_202001'::regclass::bigint, 0, '2020-01-03Z',
    '2020-01-02Z');
select * from details;
select * from assay.retention_batch('replay',
    'assay.decision_detail_202001'::regclass::bigint, 0, '2020-01-03Z',
    '2020-01-01Z');
select * from details;
select detail('d7', '2020-01-04Z', 'r', 's');
select detail('d8', '2020-01-04Z', null, 's');
select * from assay.retention_batch('replay',
    'assay.decision_detail_202001'::regclass::bigint, 0, '2020-01-05Z',
    '2020-01-04Z');
select * from details;
-- A row without a request is found with the samples only, a row without a
-- sample with the requests only, and a row without both with either.
truncate assay.decision_detail;
select detail('d1', '2020-01-01Z', 'r', null);
select count(page_range) as activity from assay.retention_batches('activity',
    '2020-01-02Z', 9, 60);
select count(page_range) as replay from assay.retention_batches('replay',
    '2020-01-02Z', 9, 60);
update assay.decision_detail set request = null, sample = 's';
select count(page_range) as activity from assay.retention_batches('activity',
    '2020-01-02Z', 9, 60);
select count(page_range) as replay from assay.retention_batches('replay',
    '2020-01-02Z', 9, 60);
update assay.decision_detail set sample = null;
select count(page_range) as activity from assay.retention_batches('activity',
    '2020-01-02Z', 9, 60);
select count(page_range) as replay from assay.retention_batches('replay',
    '2020-01-02Z', 9, 60);

-- A month that has ended before its cutoff is detached by one call, and counted
-- and dropped by the next; a month of details when both cutoffs have passed.
truncate assay.decision_detail;
select detail('d1', '2020-01-01Z', 'r', 's');
select detail('d2', '2020-01-01Z', 'r', null);
select detail('d3', '2020-01-01Z', null, 's');
select * from assay.retention_month('2020-01-31Z', '2020-02-01Z', '2020-01-31Z');
select * from assay.retention_month('2020-02-01Z', '2020-02-01Z', '2020-02-01Z');
select relispartition from pg_class
where oid = 'assay.decision_detail_202001'::regclass;
select * from assay.retention_month('2020-02-01Z', '2020-02-01Z', '2020-02-01Z');
select * from assay.retention_month('2020-02-01Z', '2020-02-01Z', '2020-02-01Z');
select * from assay.retention_month('2020-02-01Z', '2020-02-01Z', '2020-02-01Z');
select * from assay.retention_month('2020-02-01Z', '2020-02-01Z', '2020-02-01Z');
select to_regclass('assay.verdict_log_202001'),
    to_regclass('assay.decision_detail_202001'), assay.retention_first_month();
select * from watermarks where collection ~ 'verdicts';
-- The present month is kept, whatever the cutoffs.
do $$
begin
	while exists (select from assay.retention_month('infinity', 'infinity',
	    'infinity')) loop
	end loop;
end
$$;
select assay.retention_first_month() = date_trunc('month', now());

-- Dead letters are deleted in batches, the oldest first.
insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
    occurred_at, dead_at)
select 'whd_' || n, 's', 'e', '{}', 'c', now(),
	'2020-01-01Z'::timestamptz + n * interval '1 day'
from generate_series(0, 4) n;
select assay.retention_dead_letters('2020-01-04Z', 2);
select id from assay.dead_letter order by 1;
select assay.retention_dead_letters('2020-01-04Z', 2);
select assay.retention_dead_letters('2020-01-04Z', 2);
select id from assay.dead_letter order by 1;

-- Labels are deleted if their decisions were never found.
insert into assay.label (event_id, analyst, labelled_at, tags, credited_outcome)
values ('l-1', 'fraud', '2020-01-01Z', null, null),
    ('l-2', 'fraud', '2020-01-01Z', null, null),
    ('l-3', 'fraud', '2020-01-01Z', '{}', 'fraud'),
    ('l-4', 'fraud', '2020-01-02Z', null, null);
select assay.retention_labels('2020-01-02Z', 1);
select assay.retention_labels('2020-01-02Z', 9);
select assay.retention_labels('2020-01-02Z', 9);
select event_id from assay.label order by 1;

-- Erasures are deleted in batches, the oldest first, and with them all spools
-- that have not reported since the cutoff.
insert into assay.erasure values ('a', '2020-01-01Z'), ('b', '2020-01-02Z'),
    ('c', '2020-01-03Z');
insert into assay.spool_host values ('old', 1, 1, '2020-01-02Z'),
    ('new', 1, 1, '2020-01-03Z');
select assay.retention_erasures('2020-01-03Z', 1);
select user_hash from assay.erasure order by 1;
select assay.retention_erasures('2020-01-03Z', 9);
select user_hash from assay.erasure order by 1;
select spool from assay.spool_host;

-- Autovacuum cleans the tables that retention empties after 50 dead rows; a
-- table with a share of its own keeps it, a locked table is left out.
create view shares as
select c.oid::regclass::text as relation, o as share from pg_class c
	cross join unnest(c.reloptions) o
where o like 'autovacuum_vacuum_scale_factor=%' and (c.relname = 'idempotency'
	or c.relname ~ '^(verdict_log|decision_detail)_');
select to_char(now(), '"verdict_log_"YYYYMM') as month,
    to_char(now(), '"decision_detail_"YYYYMM') as details \gset
alter table assay.:month set (autovacuum_vacuum_scale_factor = 0.5);
select count(*) from shares;
begin;
lock table assay.:details in share update exclusive mode;
\! psql -XAtc 'select assay.retention_vacuum()'
commit;
select share, count(*) = case share when 'autovacuum_vacuum_scale_factor=0'
    then (select count(*) from pg_inherits where inhparent in
	('assay.verdict_log'::regclass, 'assay.decision_detail'::regclass)) - 1
    else 1 end
from shares group by 1 order by 1;
select count(*) from shares where relation = 'assay.' || :'details';
select assay.retention_vacuum();
select share from shares where relation = 'assay.' || :'details';
select share from shares where relation = 'assay.' || :'month';

-- A preview counts up to 10000 rows, and estimates more; it changes nothing.
insert into assay.idempotency (key, verdict_id, event_id, decided_at)
select 'p-' || n, 'v', 'e', now() - interval '9 days'
from generate_series(1, 12000) n;
analyze assay.idempotency;
select rows between 10000 and 20000, exact,
    cut between now() - interval '8 days' and now() - interval '7 days 23 hours'
from assay.retention_preview('idempotency', 8);
select rows, exact, cut is null from assay.retention_preview('idempotency', 0);
select rows, exact from assay.retention_preview('deadLetter', 1);
select rows, exact from assay.retention_preview('activity', 3650);
delete from assay.idempotency where key like 'p-%';
