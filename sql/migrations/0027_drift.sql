-- SPDX-License-Identifier: ISC
-- A watch for drift: what is counted of each day, by event type, how right
-- scores were, and what was made of both.

-- Nobody counts meanwhile.
select from assay.analytics_cursor for update;

-- A score is now exact.  Of days before, and of those that are too long ago to
-- be compared, only its ten is known, whose first it is, and no event type,
-- which is '' then.
alter table assay.analytics_count
	add event_type text not null default '',
	drop constraint analytics_count_pkey;
update assay.analytics_count set name = (name::int * 10)::text
where kind = 'score';
alter table assay.analytics_count
	add primary key (kind, day, event_type, name);
alter table assay.analytics_anew
	add event_type text not null default '',
	drop constraint analytics_anew_pkey,
	add primary key (kind, event_type, name);

-- Days before this one are counted as one.
alter table assay.analytics_cursor
	add folded date not null default '-infinity';

-- The log still has what is not known: the companion counts it anew.
delete from assay.analytics_rebuild;
delete from assay.analytics_anew;
insert into assay.analytics_rebuild (day, last, next, after, at, id, width)
select w.first, greatest(w.last, (now() at time zone 'UTC')::date), c.next,
	c.after, w.first::timestamp at time zone 'UTC', '', interval '1 day'
from assay.analytics_cursor c,
	(select min(d.day) as first, max(d.day) as last
	from assay.analytics_count d
	where d.kind = 'verdict' and d.day > '-infinity') w
where w.first is not null;

-- Labelled decisions by the UTC day on which they were made, and by what was
-- said of them: the score, in tens, or of those that a model made the
-- probability, in tenths.
create table assay.calibration (
	day date not null,
	event_type text not null,
	measure text not null check (measure in ('score', 'p')),
	bin smallint not null check (bin between 0 and 9),
	labels bigint not null,
	fraud bigint not null, -- of these
	total bigint not null, -- of what was said, a probability in millionths
	primary key (day, event_type, measure, bin)
) with (fillfactor = 50);

-- What of a label is counted there, null while it is not, and the probability
-- that its decision had, in millionths.  The decision is the one that risk
-- found.
alter table assay.label
	add calibrated text check (calibrated in ('fraud', 'legit')),
	add calibrated_p int;
create index on assay.label (event_id)
    where risk is not null and (calibrated is null or calibrated <> risk);

-- What was last judged of each event type: the last day of the window, and the
-- population stability index of its scores, null where there were too few.
create table assay.drift (
	event_type text primary key,
	day date not null,
	psi double precision
);
