-- SPDX-License-Identifier: ISC
-- What analytics show: counts that a projector keeps, so that nobody counts
-- the log when they are read.

-- The log in the order of its transactions, which is that of its pages, also
-- for what was drained late from a spool.
create index on assay.verdict_log using brin ((xid::text::bigint))
    with (autosummarize = on);

-- Transactions before this one have been counted.
create table assay.analytics_cursor (
	one boolean primary key default true check (one),
	next bigint not null
);
insert into assay.analytics_cursor (next) values (0);

-- Decisions by UTC day and verdict.
create table assay.analytics_day (
	day date not null,
	verdict text not null,
	n bigint not null,
	primary key (day, verdict)
) with (fillfactor = 50);

-- Decisions by ten points of their score, and by tag.
create table assay.analytics_score (
	bucket int primary key check (bucket between 0 and 10),
	n bigint not null
) with (fillfactor = 50);
create table assay.analytics_tag (
	tag text primary key,
	n bigint not null
) with (fillfactor = 50);

-- Resolved cases, 'case.fraud' and the like, and labels, 'label.legit' and
-- 'label.chargeback' and the like.
create table assay.analytics_outcome (
	name text primary key,
	n bigint not null
) with (fillfactor = 50);

-- What is still to be added to them: a row a change, so that two changes never
-- wait for each other.
create table assay.analytics_change (
	number bigint generated always as identity primary key,
	name text not null,
	n int not null
);

-- What there was before.
insert into assay.analytics_outcome (name, n)
select 'case.' || c.outcome, count(*) from assay.review_case c
where c.status = 'resolved' group by c.outcome
union all
select 'label.' || w.name, count(*) from assay.label l, lateral (values
    (l.outcome), (case when l.analyst is not null then 'analyst' end),
    (case when l.chargeback is not null then 'chargeback' end)) as w(name)
where w.name is not null group by w.name;
