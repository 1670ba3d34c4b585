-- SPDX-License-Identifier: ISC
-- What is on probation, and what is counted of it.  Nothing here is about a
-- person: names of rules, scores, verdicts and how often each.

-- One row a place, which the next thing on probation there takes: the ruleset
-- of an event type, the model, and each scorer that companions were told of as
-- SCORER_SHADOW, whose id is its name.  A row stays when its probation is over,
-- so that it can be read until then.
create table assay.shadow (
	number bigint generated always as identity primary key,
	place text not null unique, -- an event type, 'model', or a scorer
	kind text not null check (kind in ('ruleset', 'model', 'scorer')),
	id text not null unique, -- what samples name it by
	version text not null,
	hash text references assay.model, -- of a model
	started_at timestamptz not null default clock_timestamp(),
	ended_at timestamptz,
	outcome text check (outcome in ('promoted', 'ended')),
	seen_at timestamptz, -- scorers: by a companion, last
	check ((ended_at is null) = (outcome is null)),
	check ((kind = 'model') = (hash is not null)),
	check ((kind = 'scorer') = (seen_at is not null))
);

-- Its decisions by event type: pairs of verdicts, live and shadow with a dot
-- between them, of all and of those with labels; scores; and tags, with the sum
-- of their points.
create table assay.shadow_count (
	number bigint references assay.shadow on delete cascade,
	event_type text,
	kind text check (kind in ('verdicts', 'fraud', 'legit', 'live score',
	    'shadow score', 'live tag', 'shadow tag')),
	name text,
	n bigint not null,
	points bigint not null,
	primary key (number, event_type, kind, name)
) with (fillfactor = 50);

-- Where a label is counted there: the number of the probation, the event type
-- and the pair of verdicts; null where it is not.
alter table assay.label add shadow text[];
