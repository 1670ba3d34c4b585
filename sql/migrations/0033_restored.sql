-- SPDX-License-Identifier: ISC
-- What the programs ask of a database before they use it.

-- functions is the checksum of the functions and grants that were last made
-- (assayctl migrate); oldest the number of the last migration that a program
-- must know to work with this schema; log_base what is added to the number of
-- a transaction to have its place in the verdict log.  The latter is raised
-- when a dump was restored into a cluster that counts its transactions from the
-- start, so that what is decided then comes after what was decided before.
create table assay.schema_state (
	one boolean primary key default true check (one),
	functions text not null default '',
	oldest bigint not null default 0,
	log_base bigint not null default 0
);
insert into assay.schema_state (oldest) values (32);

-- No session begins any more where this would say that it was restored.
drop function if exists assay.analytics_project(bigint);

-- Views are made here and not with the functions: to replace one waits for all
-- who read or write what it shows.

-- What each decision counts as; cursors go by xid and id.
create or replace view assay.analytics_fact as
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

-- What is on probation in a place, and its text; no row when nothing is.
create or replace view assay.shadow_candidate as
select s.place, s.kind, s.id, s.version, s.hash, coalesce(r.text, m.body) as text
from assay.shadow s
	left join assay.ruleset r on s.kind = 'ruleset'
	    and r.event_type = s.place and r.version = s.version
	left join assay.model m on m.hash = s.hash
where s.kind <> 'scorer' and s.ended_at is null;
