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

-- What to show of a log; null shows all.
create function shown(activity boolean, before text default null,
    user_id text default null, event_type text default null,
    verdict text default null, tag text default null,
    min_score bigint default null, max_score bigint default null)
returns assay.log_filter language sql
return row($1, $2, $3, $4, $5, $6, $7, $8)::assay.log_filter;

-- Compare pages with a plain query, at every limit and position.
create function pages(activity boolean, most int) returns table (wrong text)
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
			select array_agg(p ->> 'id') into got
			from assay.log_page(shown(activity, last), size,
				'-infinity', until) as g,
			    json_array_elements(g.body::json) p;
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

select * from assay.log_page(shown(false), 25, '-infinity', 'infinity');
select * from assay.log_page(shown(true), 100, '-infinity', 'infinity');

-- One row; rows of today; of one moment; a burst; months ago.
select decide(date_trunc('month', now()) + interval '3 days', 1);
select * from pages(false, 100);
select * from pages(true, 200);
select count(decide(date_trunc('month', now()) + n * interval '17 minutes', 1))
from generate_series(1, 40) as n;
select * from pages(false, 100);
select * from pages(true, 200);
select decide(date_trunc('month', now()) + interval '2 hours', 3000);
select * from pages(false, 100);
select * from pages(true, 200);
select count(decide(date_trunc('month', now()) + interval '1 day'
    + n * interval '1 millisecond', 3)) from generate_series(1, 3000) as n;
select * from pages(false, 100);
select * from pages(true, 200);
select count(decide(now() + n * interval '40 days', 5))
from generate_series(1, 12) as n;
select * from pages(false, 100);
select * from pages(true, 200);
select count(*) from assay.verdict_log;

-- The activity log leaves out erased requests, the newest or all older ones.
update assay.decision_detail set request = null
where decided_at > date_trunc('month', now()) + interval '1 day'
	+ interval '100 milliseconds';
select json_array_length(body::json)
from assay.log_page(shown(true), 200, '-infinity', 'infinity');
update assay.decision_detail set request = null;
select * from assay.log_page(shown(true), 200, '-infinity', 'infinity');

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
select * from assay.log_page(shown(true), 200, '-infinity', 'infinity');
select * from assay.log_page(shown(true, 'vd_0'), 200, '-infinity',
    date_trunc('month', now()) - interval '1 minute');
select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
where relname = 'detail_emptied';
rollback;

-- Filters: of 150,000 decisions every 1000th is a deny with a tag of its own,
-- one user has all but ten, and each tenth has the other event type.
-- All are of last month: a walk from a future time would begin now.
truncate assay.verdict_log, assay.decision_detail, assay.retention_watermark;
create function origin()
returns timestamptz language sql stable
return date_trunc('month', now()) - interval '1 month';
create table assay.verdict_past partition of assay.verdict_log
for values from (date_trunc('month', now()) - interval '1 month')
    to (date_trunc('month', now()));
insert into assay.verdict_log (decided_at, id, event_id, event_type, verdict,
    score, reasons, policy_id, policy_version, correlation_id)
select origin() + n * interval '1 second',
	'vd_' || lpad(n::text, 8, '0'), 'e-' || n,
	case when n % 10 = 0 then 'account.login' else 'order.place' end,
	case when n % 1000 = 0 then 'deny' else 'allow' end, n % 101,
	case when n % 1000 = 0 then '[{"tag":"odd","points":2}]'
	    else '[{"tag":"odder","points":2}]' end, 'p', 'v', 'c'
from generate_series(1, 150000) n;
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, request, dry_run)
select v.decided_at, v.id, v.event_id, v.event_type,
	case when n % 15000 = 1 then 'quiet' else 'busy' end, '{}', null
from assay.verdict_log v, lateral (select substr(v.event_id, 3)::int) as w(n);
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, request, dry_run)
values (origin() + interval '150001.5 seconds', 'vd_00150002',
    'dry', 'order.place', 'quiet', '{}', '{"verdict":"deny","score":7,'
    '"reasons":[{"tag":"odd","points":7}],"policyId":"p","policyVersion":"v"}');
vacuum analyze assay.verdict_log, assay.decision_detail;
-- How many entries a page has, the newest, the oldest, and where it ended.
create function page(f assay.log_filter, since interval default '-1 year',
    until interval default '150003 s')
returns text language sql
return (select concat_ws(' ', count(p), max(p ->> 'id'), min(p ->> 'id'),
	case when min(g.read_until) is null then 'all' else 'part' end)
    from assay.log_page(f, 200, origin() + since, origin() + until) g
	left join json_array_elements(g.body::json) p on true);
select page(shown(false, verdict => 'deny'));
select page(shown(false, tag => 'odd'));
select page(shown(false, tag => 'odd'), since => interval '100000 seconds');
select page(shown(false, tag => 'od'));
select page(shown(false, verdict => 'deny', event_type => 'order.place'));
select page(shown(false, min_score => 100, max_score => 100), '149000 s');
select page(shown(false, user_id => 'quiet'));
select page(shown(false, user_id => 'quiet', before => 'vd_00075001'));
select page(shown(false, user_id => 'quiet'), '30000 s', '45001 s');
select page(shown(false, user_id => 'nobody', tag => 'odd'));
select page(shown(false, user_id => 'busy', verdict => 'deny'), '140000 s');
select page(shown(true, user_id => 'quiet'));
select page(shown(true, user_id => 'quiet', verdict => 'deny', tag => 'odd',
    min_score => 7, max_score => 7));
select page(shown(true, user_id => 'busy', tag => 'odd'), until => '2000 s');
select page(shown(true, verdict => 'deny', event_type => 'account.login'),
    since => interval '140000 s');
select page(shown(true, tag => 'odd'));
-- The next walk begins where the last one ended.
select json_array_length(n.body::json), n.read_until is null
from assay.log_page(shown(false, verdict => 'deny'), 200, '-infinity',
	origin() + interval '150003 s') g,
    assay.log_page(shown(false, verdict => 'deny'), 200, '-infinity',
	g.read_until) n;
