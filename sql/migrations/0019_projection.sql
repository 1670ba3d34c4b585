-- SPDX-License-Identifier: ISC
-- Analytics by day, so that each day can be counted anew by itself; what is
-- shown of all times are sums, so that reading them costs no more with age.

-- Decisions of a UTC day, by 'verdict', by 'score' ('7' is 70 to 79) and by
-- 'tag'.
create table assay.analytics_count (
	kind text not null,
	day date not null, -- '-infinity': it is not known any more
	name text not null,
	n bigint not null,
	primary key (kind, day, name)
) with (fillfactor = 50);

-- Of all times: these by kind and name, resolved cases ('case', 'fraud' and
-- the like), labels ('label', 'chargeback' and the like), and of the latter
-- those that are 'gone' with their window.
create table assay.analytics_total (
	kind text not null,
	name text not null,
	n bigint not null,
	primary key (kind, name)
) with (fillfactor = 50);

-- Of the transaction where the cursor stands, verdicts up to this id have been
-- counted.
alter table assay.analytics_cursor add after text not null default '';

-- The log is being counted anew: a row while it is.  Of its day, verdicts
-- that the cursor had passed when the day was begun are counted here, those
-- before a moment so far, and at that moment those up to an id; what the
-- cursor passes meanwhile is counted as it does.
create table assay.analytics_rebuild (
	one boolean primary key default true check (one),
	day date not null,
	last date not null, -- day of all
	next bigint not null, -- as the cursor stood
	after text not null,
	at timestamptz not null,
	id text not null,
	width interval not null -- that one step should look through
);

-- What it has counted of that day.
create table assay.analytics_anew (
	kind text not null,
	name text not null,
	n bigint not null,
	primary key (kind, name)
) with (fillfactor = 50);

-- Nobody counts meanwhile, or later as it was done before.
select from assay.analytics_cursor for update;
drop function if exists assay.analytics_summary();
drop function if exists assay.analytics_project(bigint);

-- The days of scores and tags were not kept: the log still has them, but for
-- what retention took.  This reads all of it, once.
insert into assay.analytics_count (kind, day, name, n)
select 'verdict', d.day, d.verdict, d.n from assay.analytics_day d;
insert into assay.analytics_count (kind, day, name, n)
select w.kind, (l.decided_at at time zone 'UTC')::date, w.name, count(*)
from assay.verdict_log l, lateral (
    select 'score', (l.score / 10)::text where l.score >= 0
    union all
    select 'tag', r.tag
    from json_to_recordset(l.reasons::json) as r(tag text)) as w(kind, name)
where l.xid::text::bigint < (select c.next from assay.analytics_cursor c)
group by 1, 2, 3;
with known as (
	select c.kind, c.name, sum(c.n) as n
	from assay.analytics_count c group by 1, 2
)
insert into assay.analytics_count (kind, day, name, n)
select o.kind, '-infinity', o.name, o.n - coalesce(k.n, 0)
from (select 'score', s.bucket::text, s.n from assay.analytics_score s
    union all
    select 'tag', t.tag, t.n from assay.analytics_tag t) as o(kind, name, n)
left join known k on k.kind = o.kind and k.name = o.name
where o.n > coalesce(k.n, 0);
insert into assay.analytics_total (kind, name, n)
select c.kind, c.name, sum(c.n) from assay.analytics_count c group by 1, 2
union all
select split_part(o.name, '.', 1), split_part(o.name, '.', 2), o.n
from assay.analytics_outcome o;
insert into assay.analytics_total (kind, name, n)
select 'gone', k.name, sum(k.n)
from (select t.name, t.n from assay.analytics_total t where t.kind = 'label'
    union all
    select substr(c.name, 7), c.n from assay.analytics_change c
    where c.name like 'label.%'
    union all
    select w.name, -count(*) from assay.label l, lateral (values (l.outcome),
	(case when l.analyst is not null then 'analyst' end),
	(case when l.chargeback is not null then 'chargeback' end)) as w(name)
    where w.name is not null group by w.name) as k
group by k.name having sum(k.n) > 0;

drop table assay.analytics_day;
drop table assay.analytics_score;
drop table assay.analytics_tag;
drop table assay.analytics_outcome;
