-- SPDX-License-Identifier: ISC
-- Pages of the logs, however the rows are spread over time.
\pset tuples_only on
\pset format unaligned
set plan_cache_mode = force_generic_plan;
create function decide(at timestamptz, n int, request text default '{}')
returns void language sql
begin atomic
	with made as (
		select at as at, 'vd_' || lpad((extract(epoch from at)
		    * 1000000)::bigint::text, 18, '0') || lpad(g::text, 8, '0')
		    as id
		from generate_series(1, n) as g
	), logged as (
		insert into assay.verdict_log (decided_at, id, event_id,
		    event_type, verdict, score, reasons, policy_id,
		    policy_version, correlation_id)
		select m.at, m.id, 'e-' || m.id, 'order.place', 'allow', 3,
			'[{"tag":"b","points":2},{"tag":"a","points":1}]', 'p',
			'v', 'c'
		from made m
	)
	insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	    user_id, request)
	select m.at, m.id, 'e-' || m.id, 'order.place', 'u', decide.request
	from made m;
end;

-- Compare pages with a plain query, at every limit and position.
create function pages(name text, most int) returns table (wrong text)
language plpgsql as $$
declare
	want text[];
	got text[];
	last text;
	until timestamptz;
	size int;
begin
	for size in select unnest(array[1, 7, most]) loop
		last := null;
		until := 'infinity';
		for turn in 1..4 loop
			execute format('select array_agg(p->>''id'') from '
			    'json_array_elements(assay.%I($1, $2, $3)::json) p',
			    name) using size::bigint, last, until into got;
			select array_agg(id order by id desc) into want
			from (select id from assay.verdict_log
			    where id < last or last is null
			    order by id desc limit size) as w;
			if got is distinct from want then
				wrong := format('%s, page %s', size, turn);
				return next;
			end if;
			exit when want is null;
			last := want[cardinality(want)];
			-- As the id has it: whole milliseconds.
			select date_trunc('milliseconds', decided_at)
			    + interval '1 millisecond' into until
			from assay.verdict_log where id = last;
		end loop;
	end loop;
end
$$;

select assay.verdict_page(25, null, 'infinity');
select assay.activity_page(100, null, 'infinity');

-- One row; rows of today; of one moment; a burst; months ago.
select decide(date_trunc('month', now()) + interval '3 days', 1);
select * from pages('verdict_page', 100);
select * from pages('activity_page', 200);
select count(decide(date_trunc('month', now()) + n * interval '17 minutes', 1))
from generate_series(1, 40) as n;
select * from pages('verdict_page', 100);
select * from pages('activity_page', 200);
select decide(date_trunc('month', now()) + interval '2 hours', 3000);
select * from pages('verdict_page', 100);
select * from pages('activity_page', 200);
select count(decide(date_trunc('month', now()) + interval '1 day'
    + n * interval '1 millisecond', 3)) from generate_series(1, 3000) as n;
select * from pages('verdict_page', 100);
select * from pages('activity_page', 200);
select count(decide(now() + n * interval '40 days', 5))
from generate_series(1, 12) as n;
select * from pages('verdict_page', 100);
select * from pages('activity_page', 200);
select count(*) from assay.verdict_log;

-- The activity log leaves out erased requests, the newest or all older ones.
update assay.decision_detail set request = null
where decided_at > date_trunc('month', now()) + interval '1 day'
	+ interval '100 milliseconds';
select json_array_length(assay.activity_page(200, null, 'infinity')::json);
update assay.decision_detail set request = null;
select assay.activity_page(200, null, 'infinity');

-- Pages that retention has emptied are not read, even if few rows are left.
set timezone = 'UTC';
create table assay.detail_emptied partition of assay.decision_detail
for values from (date_trunc('month', now()) - interval '1 month')
    to (date_trunc('month', now()));
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type, user_id)
select date_trunc('month', now()) - n * interval '1 minute', 'vd_' || n,
	'e-' || n, 'order.place', 'u'
from generate_series(1, 10000) as n;
insert into assay.retention_watermark (collection, until)
values ('activity', date_trunc('month', now()));
begin;
select assay.activity_page(200, null, 'infinity');
select assay.activity_page(200, 'vd_0', date_trunc('month', now())
    - interval '1 minute');
select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
where relname = 'detail_emptied';
rollback;
