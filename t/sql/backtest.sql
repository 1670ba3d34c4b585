-- SPDX-License-Identifier: ISC
-- Backtests: which samples are read to compute velocities, and in which pieces.
\pset tuples_only on
\pset format unaligned
set timezone = 'UTC';

-- Two months with 300,000 and with 3,000 rows, an hour of the first with most of them.
create table pg_temp.t as select date_trunc('month', now(), 'UTC') as month;
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, sample)
select month + case when n % 10 = 0 then n * interval '1 s'
	else interval '1 hour' + n * interval '0.01 s' end,
    'v' || n, 'e' || n, 'order.place', 'u', '{}'
from pg_temp.t, generate_series(1, 300000) n;
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, sample)
select month + interval '1 month' + n * interval '1 s', 'w' || n, 'f' || n,
    'order.place', 'u', '{}'
from pg_temp.t, generate_series(1, 3000) n;

-- Without statistics a month is one piece.
select count(*), min(far), bool_and(near > far), max(near) from assay.log_pieces(
    'assay.decision_detail', '-infinity');
vacuum analyze assay.decision_detail;

-- The pieces follow each other, and have about as many rows each.
create table pg_temp.piece as select * from assay.log_pieces(
    'assay.decision_detail', '-infinity') with ordinality;
select count(*) filter (where next <> near), count(*) filter (where next is null)
from (select near, lead(far) over (order by ordinality) as next from pg_temp.piece) p;
select (sum(n) = 303000), array_agg(round(n, -4) order by far) filter (where n > 0)
from (select p.far, (select count(*) from assay.decision_detail d
	where d.decided_at >= p.far and d.decided_at < p.near) as n
    from pg_temp.piece p) c;

-- They begin where they are wanted.
select min(far) = month + interval '2 hours', count(*) filter (where n > 0)
from pg_temp.t, lateral (select p.far, (select count(*) from assay.decision_detail d
	where d.decided_at >= p.far and d.decided_at < p.near) as n
    from assay.log_pieces('assay.decision_detail', month + interval '2 hours') p) c
group by month;

-- A month of many rows has 16 pieces at most.
update pg_class set reltuples = 1e9
where relname = 'decision_detail_' || to_char(now() at time zone 'UTC', 'YYYYMM');
select count(*) - (select count(*) from pg_temp.piece where near > far)
from assay.log_pieces('assay.decision_detail', '-infinity');

-- A window is read before the first sample, or all that is kept.
select start, whole from assay.sample_reach('2026-11-20', 3600000000, 0);
select start, whole from assay.sample_reach('2026-11-20', 0, 0);
select start, whole from assay.sample_reach('-infinity', 3600000000, 0);
insert into assay.retention_watermark values ('replay', '2026-11-19 23:30Z');
select assay.sample_first();
select start, whole from assay.sample_reach('2026-11-20', 1800000000, 0);
select start, whole from assay.sample_reach('2026-11-20', 1700000000, 0);
delete from assay.retention_watermark;
select assay.sample_first();

-- Requests that were removed make no difference.
insert into assay.retention_watermark values ('activity', now() + interval '1 day');
select start, whole from assay.sample_reach('2026-11-20', 7200000000, 0);
select count(*) from assay.decision_detail
where decided_at >= (select assay.sample_start('order.place', 1000, 9000));
delete from assay.retention_watermark;

-- At most so many decisions, but always those that are wanted.
truncate assay.decision_detail;
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, sample)
select greatest(month, now() - n * interval '1 ms'), 'v' || n, 'e' || n,
    'order.place', 'u', '{}' from pg_temp.t, generate_series(1, 9000) n;
select (select count(*) from assay.decision_detail d where d.decided_at >= r.start)
	between 1000 and 3000, whole
from assay.sample_reach(now(), 0, 1000) r;
select start, whole from assay.sample_reach('2026-01-01', 0, 1000) r;
