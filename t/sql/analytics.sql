-- SPDX-License-Identifier: ISC
-- Analytics: what is counted, by day and in total, and rebuilds of the counts.
\pset tuples_only on
\pset format unaligned

-- Days are those of this month: day 0 is its first.
create function day_start(day int) returns timestamptz language sql
return (date_trunc('month', now() at time zone 'UTC')
    + make_interval(days => day)) at time zone 'UTC';
create function day_number(day date) returns int language sql
return day - (day_start(0) at time zone 'UTC')::date;
-- decide() logs a decision on that day, so many hours after its start.
create function decide(n text, day int, hour int, verdict text, score int,
    tags text default '', type text default 'order.place')
returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (day_start(day) + make_interval(hours => hour), 'vd_' || n, 'e',
	    type, verdict, score, (
	    select coalesce(json_agg(json_build_object('tag', t, 'points', 5)),
		'[]') from regexp_split_to_table(tags, ' ') t where t <> ''),
	    'p', 'v', 'c');
end;
-- days and totals show the counts, a line for each kind.
create view days as
select day_number(day) as day, kind, event_type,
	string_agg(name || ': ' || n, ', ' order by name) as counts
from assay.analytics_count where day > '-infinity'
group by 1, 2, 3 order by 1, 2 desc, 3;
create view totals as
select kind, string_agg(name || ': ' || n, ', ' order by name) as counts
from assay.analytics_total where n <> 0 group by 1 order by 1;
-- project_all() counts in pieces until there is no more to count, and shows
-- how many decisions each piece has.
create function project_all(max_rows int) returns text language plpgsql as $$
declare
	p record;
	pieces text := '';
begin
	loop
		select * into p from assay.analytics_project(max_rows);
		if p.counted > 0 then
			pieces := pieces || p.counted || ' ';
		end if;
		exit when not p.more;
	end loop;
	return pieces;
end
$$;
-- rebuild_all() runs a rebuild to its end; returns how many decisions it counts.
create function rebuild_all(max_rows int) returns bigint language plpgsql as $$
declare
	decisions bigint := 0;
begin
	while exists (select from assay.analytics_rebuild) loop
		decisions := decisions
		    + (select counted from assay.analytics_rebuild(max_rows));
	end loop;
	return decisions;
end
$$;
-- The first day is complete, whenever the database was made.
insert into assay.retention_watermark values ('verdicts', day_start(0));

-- Without decisions there is nothing to count, and every number is zero.
select counted, more, rebuilding, busy from assay.analytics_project(100);
select assay.analytics_summary();

-- Each decision counts by verdict, score and tag, on the UTC day of its time;
-- one that was not scored has no score.
select decide('1', 0, 0, 'allow', 5, 'a');
select decide('2', 0, 23, 'deny', 95, 'a b');
select decide('3', 1, 0, 'review', 100, 'a', 'account.login');
select decide('4', 1, 2, 'allow', -1, 'list.allow');
select decide('5', 1, 2, 'challenge', 95, 'c');
select counted, more, busy from assay.analytics_project(100);
select * from days;
select * from totals;
select counted, more from assay.analytics_project(100);
select assay.analytics_summary()::jsonb - 'byDay';
select day_number(d.key::date), d.value from json_each(
    assay.analytics_summary()::json -> 'byDay') d;

-- Of a transaction with many decisions each piece counts some.
begin;
select decide('6', 2, 1, 'allow', 1);
select decide('7', 2, 2, 'allow', 2);
select decide('8', 2, 3, 'allow', 3);
select decide('9', 2, 4, 'allow', 4);
select decide('10', 2, 5, 'allow', 5);
-- Before the transaction ends nothing of it is counted.
select counted from assay.analytics_project(2);
commit;
select project_all(2);
-- Transactions without decisions lie between those of pieces.
select decide('11', 2, 6, 'allow', 6);
select pg_current_xact_id() is null;
select pg_current_xact_id() is null;
select pg_current_xact_id() is null;
select decide('12', 2, 7, 'allow', 7);
select project_all(1);
select * from days where day = 2;

-- The answer names the cursors between which the decisions lie.
select next_xid as before, last_id as before_id from assay.analytics_cursor \gset
select decide('13', 3, 0, 'deny', 50, 'c');
select counted, from_xid, from_id, to_xid, to_id
from assay.analytics_project(100) \gset p_
select :p_from_xid = :before, :'p_from_id' = :'before_id', :p_counted,
    (select count(*) from assay.log_between(:p_from_xid, :'p_from_id',
	:p_to_xid, :'p_to_id'));
select next_xid = :p_to_xid, last_id = :'p_to_id' from assay.analytics_cursor;

-- One transaction at a time counts: others do nothing.
select decide('18', 40, 0, 'allow', 50);
select count(*) from assay.analytics_rebuild_begin();
\setenv PGHOST :HOST
\setenv PGUSER :USER
\setenv PGDATABASE :DBNAME
begin;
select assay.analytics_lock();
\! psql -XAtc 'select counted, busy from assay.analytics_project(1)'
\! psql -XAtc 'select count(*) from assay.analytics_rebuild_begin()'
\! psql -XAtc 'select counted, done from assay.analytics_rebuild(1)'
commit;
select rebuild_all(100), project_all(100);

-- A case counts when it is resolved.
insert into assay.review_case (id, event_id, verdict_id, queue, score, opened_at)
select 'case_' || n, 'e', 'v', 'q', 50, now() from generate_series(1, 6) n;
update assay.review_case set status = 'assigned';
select count(*) from assay.analytics_change;
update assay.review_case set status = 'resolved', outcome = 'fraud'
where id <= 'case_3';
update assay.review_case set status = 'resolved', outcome = 'legit'
where id = 'case_4';
update assay.review_case set status = 'resolved', outcome = 'inconclusive'
where id = 'case_5';
update assay.review_case set note = 'again', status = 'resolved'
where id <= 'case_5';
select counted, more from assay.analytics_project(100);
select * from totals where kind = 'case';
select assay.analytics_summary()::json -> 'cases',
    assay.analytics_summary()::json -> 'falsePositiveRate';

-- A label counts by its outcome and its sources; a chargeback moves it.
insert into assay.label (event_id, analyst) values ('e-1', 'legit'),
    ('e-2', 'legit'), ('e-3', 'fraud');
insert into assay.label (event_id, chargeback) values ('e-4', 'fraud');
update assay.label set chargeback = 'fraud' where event_id = 'e-1';
update assay.label set analyst = 'fraud' where event_id = 'e-1';
update assay.label set analyst = analyst, match_after = now();
select project_all(100);
select * from totals where kind = 'label';
-- Changes are added in pieces, too.
update assay.label set chargeback = 'fraud' where event_id in ('e-2', 'e-3');
select count(*) from assay.analytics_change;
select more from assay.analytics_project(3);
select more from assay.analytics_project(3);
select assay.analytics_summary()::json -> 'labels';
-- A label that retention removes stays in the totals.
delete from assay.label where event_id in ('e-1', 'e-4');
select project_all(100);
select * from totals where kind in ('label', 'removed');

-- The summary has the 20 tags with the most decisions, in alphabetical order
-- where these are equal.
insert into assay.analytics_total values ('tag', 'zero', 0);
select assay.analytics_summary()::json -> 'topTags';
insert into assay.analytics_total (kind, name, n)
select 'tag', 't' || n, 2 from generate_series(10, 40) n;
select assay.analytics_summary()::json -> 'topTags';
delete from assay.analytics_total where name ~ '^t[0-9]|zero';

-- A rebuild corrects the counts of days and all totals.  A second one joins it.
create table want_days as select * from days;
create table want_totals as select * from totals;
create view wrong as
(select 'day' as what, day::text, kind, counts from days
    except select 'day', day::text, kind, counts from want_days)
union all
(select 'day', day::text, kind, counts from want_days
    except select 'day', day::text, kind, counts from days)
union all
(select 'total', '', kind, counts from totals
    except select 'total', '', kind, counts from want_totals)
union all
(select 'total', '', kind, counts from want_totals
    except select 'total', '', kind, counts from totals);
select count(*) from wrong;
update assay.analytics_count set n = n + 7;
delete from assay.analytics_count where kind = 'tag';
update assay.analytics_total set n = n + 9 where kind <> 'removed';
insert into assay.analytics_total values ('tag', 'unknown', 1);
select count(*) > 0 from wrong;
select counted, done from assay.analytics_rebuild(100);
select day_number(first::date), last::date >= (select max(day)
	from assay.analytics_count)
from assay.analytics_rebuild_begin();
select counted, done from assay.analytics_rebuild(1);
select day_number(first::date) from assay.analytics_rebuild_begin();
select rebuilding from assay.analytics_project(100);
select rebuild_all(2);
select * from wrong;
select rebuilding, counted from assay.analytics_project(100);

-- Decisions that are counted during a rebuild are counted once: those of its
-- day, of an earlier day and of a later day.
select count(*) from assay.analytics_rebuild_begin();
select decide('14', 0, 5, 'deny', 1);
select counted from assay.analytics_project(100);
select decide('14b', 0, 6, 'deny', 2);
select counted from assay.analytics_project(100);
select rebuild_all(100) from (select assay.analytics_rebuild(100)) w;
select * from days where day = 0 and kind = 'verdict';
-- The totals follow with each day that is done.
select count(*) from assay.analytics_rebuild_begin();
update assay.analytics_count set n = n + 7
where name = 'allow' and day_number(day) = 0;
update assay.analytics_total set n = n + 7 where name = 'allow';
select counted, done from assay.analytics_rebuild(100);
select * from totals where kind = 'verdict';
select decide('15', 0, 6, 'deny', 1);
select decide('16', 3, 1, 'deny', 1);
select counted from assay.analytics_project(100);
select decide('17', 3, 2, 'deny', 1);
select rebuild_all(100);
select counted from assay.analytics_project(100);
select * from days where day in (0, 3) and kind = 'verdict';
select * from totals where kind = 'verdict';

-- Changes of cases and labels that wait during a rebuild are counted once.
insert into assay.label (event_id, analyst)
values ('e-5', 'fraud'), ('e-6', 'fraud');
delete from assay.label where event_id in ('e-2', 'e-6');
update assay.review_case set status = 'resolved', outcome = 'fraud'
where id = 'case_6';
select count(*) from assay.analytics_rebuild_begin();
select rebuild_all(100) > 0;
select project_all(100);
select * from totals where kind in ('case', 'label', 'removed');

-- A day from which retention may have removed decisions keeps its counts.
delete from assay.verdict_log where decided_at < day_start(1) + interval '1 s';
select assay.retention_announce(day_start(1) + interval '1 s');
select day_number(assay.analytics_first_complete_day());
select day_number(first::date) from assay.analytics_rebuild_begin();
select rebuild_all(100) > 0;
select * from days where day < 2 and kind = 'verdict';
select * from totals where kind = 'verdict';
-- So does a day that retention announces during its rebuild.
select count(*) from assay.analytics_rebuild_begin();
delete from assay.verdict_log where decided_at < day_start(3);
select assay.retention_announce(day_start(3));
select rebuild_all(100) > 0;
select * from days where day = 2 and kind = 'verdict';

-- Days before the last 400 are merged, and the summary shows them in total.
truncate assay.analytics_count, assay.analytics_total;
insert into assay.analytics_count (kind, day, event_type, name, n)
select w.kind, (now() at time zone 'UTC')::date - w.age, 'order.place', w.name, 1
from (values ('verdict', 399, 'deny'), ('verdict', 400, 'deny'),
    ('verdict', 401, 'deny'), ('verdict', 402, 'deny'), ('score', 401, '17'),
    ('score', 402, '12'), ('tag', 401, 'a')) w(kind, age, name);
update assay.analytics_cursor set compacted_before = '-infinity';
select assay.analytics_compact();
select kind, day = '-infinity', event_type, name, n from assay.analytics_count
order by 2, 1, 4;
select assay.analytics_sum();
select * from totals;
select assay.analytics_summary()::json #> '{totals,decisions}',
    array(select (now() at time zone 'UTC')::date - d::date from
	json_object_keys(assay.analytics_summary()::json -> 'byDay') d);

-- The next piece of the log is read in the order of its index: nothing sorts what is
-- behind it.
create function explained(query text) returns setof text language plpgsql as
$$ begin return query execute 'explain (costs off) ' || query; end $$;
set enable_seqscan = off;
select bool_or(line ~ 'Incremental Sort'), bool_or(line ~ 'Merge Append'),
    bool_or(line ~ 'Bitmap|->  Sort')
from explained('select l.xid, l.id from assay.log_between(1, '''', 9, '''') l
    order by 1, 2 offset 3 limit 1') as line;
reset enable_seqscan;
