-- SPDX-License-Identifier: ISC
-- Analytics and drift: counts that the companion keeps, so that no request has
-- to count the log.

-- How far the verdict log is counted: all transactions before next_xid, and of
-- next_xid itself the decisions with ids up to last_id.  Days before
-- compacted_before have been merged into one.
create table assay.analytics_cursor (
	one boolean primary key default true check (one),
	next_xid bigint not null,
	last_id text not null default '',
	compacted_before date not null default '-infinity'
);
insert into assay.analytics_cursor (next_xid) values (0);

-- What each decision counts as.  Cursors are in the order of xid and id.
create view assay.analytics_fact as
select l.xid::text::bigint as xid, l.decided_at, l.id,
	(l.decided_at at time zone 'UTC')::date as day, w.kind, w.name,
	l.event_type
from assay.verdict_log l, lateral (
    select 'verdict', l.verdict
    union all
    select 'score', l.score::text where l.score >= 0
    union all
    select 'tag', r.tag from json_to_recordset(l.reasons::json) as r(tag text))
    as w(kind, name);

-- Decisions by UTC day: by 'verdict', by 'score' and by 'tag'.
create table assay.analytics_count (
	kind text not null,
	day date not null, -- '-infinity': the merged days
	event_type text not null default '', -- '': of merged days
	name text not null, -- of a merged score the first of its ten
	n bigint not null,
	primary key (kind, day, event_type, name)
) with (fillfactor = 50);

-- Sums over all days: by the kinds above, where a score's name is its ten, and
-- resolved cases ('case', 'fraud' and so on), labels ('label', 'chargeback' and
-- so on) and labels that retention has removed ('removed').
create table assay.analytics_total (
	kind text not null,
	name text not null,
	n bigint not null,
	primary key (kind, name)
) with (fillfactor = 50);

-- Changes of cases and labels to add to analytics_total.  Each change is a
-- separate row, so that two changes never wait for each other.
create table assay.analytics_change (
	number bigint generated always as identity primary key,
	name text not null, -- 'case.fraud', 'label.chargeback' and so on
	n int not null
);

-- A rebuild of the counts; the row exists while it runs.  For the current day
-- the rebuild counts the decisions that the cursor had passed when the day was
-- begun; the projector counts later ones as it passes them.
create table assay.analytics_rebuild (
	one boolean primary key default true check (one),
	day date not null, -- the current day
	last_day date not null, -- the last day to rebuild
	cursor_xid bigint not null, -- analytics_cursor when the day was begun
	cursor_id text not null,
	-- Counted so far: decisions before counted_until, and of counted_until itself those
	-- with ids up to counted_id.
	counted_until timestamptz not null,
	counted_id text not null,
	step interval not null -- time that the next step covers
);

-- The rebuilt counts of the current day.
create table assay.analytics_rebuild_count (
	kind text not null,
	event_type text not null default '',
	name text not null,
	n bigint not null,
	primary key (kind, event_type, name)
) with (fillfactor = 50);

-- Labelled decisions by the UTC day of the decision and by prediction: the
-- score in tens or, if a model scored, its probability in tenths.
create table assay.calibration (
	day date not null,
	event_type text not null,
	measure text not null check (measure in ('score', 'p')),
	bin smallint not null check (bin between 0 and 9),
	labels bigint not null,
	fraud bigint not null, -- labels that are fraud
	total bigint not null, -- sum of predictions, p in millionths
	primary key (day, event_type, measure, bin)
) with (fillfactor = 50);

-- The last drift check of each event type.
create table assay.drift (
	event_type text primary key,
	day date not null, -- last day of the window
	psi double precision -- of the scores; null: too few scores
);
