-- SPDX-License-Identifier: ISC
-- Rollouts: shadows that decide for some of the users.
-- locks: shadow all moment
-- locks: shadow all scan
-- locks: shadow_candidate all moment
-- locks: shadow_count all moment
-- locks: shadow_count all scan

alter table assay.shadow
	-- The percentage of the users for whom it decides; 0: it has no effect.
	add column percent smallint not null default 0
	    check (percent between 0 and 100),
	drop constraint shadow_outcome_check,
	add constraint shadow_outcome_check
	    check (outcome in ('promoted', 'ended', 'guarded'));

-- During a rollout decisions are counted by arm, the side that decides for the
-- user: their kinds begin with 'live arm' or 'shadow arm'.  Amounts of labelled
-- events have the name 'allow.deny.EUR', and their sum.
alter table assay.shadow_count
	add column amount numeric not null default 0,
	drop constraint shadow_count_kind_check,
	add constraint shadow_count_kind_check check (kind ~ ('^((live|shadow) '
	    'arm )?(verdicts|fraud|legit|fraud amount|legit amount|live score|'
	    'shadow score|live tag|shadow tag)$'));

-- The counts with their arm, 'none' outside of a rollout.
create view assay.shadow_tally as
select number, event_type, coalesce(substring(kind from '^(live|shadow) arm '),
	'none') as arm,
	regexp_replace(kind, '^(live|shadow) arm ', '') as kind, name, n,
	points, amount
from assay.shadow_count;

-- What a rollout had decided when its window began: in how many decisions it
-- denied or reviewed an event that the live side would not have, and the other
-- way around.
create table assay.rollout_window (
	number bigint references assay.shadow on delete cascade,
	event_type text collate "C",
	decisions bigint not null,
	denied_more bigint not null,
	denied_less bigint not null,
	reviewed_more bigint not null,
	reviewed_less bigint not null,
	primary key (number, event_type)
) with (fillfactor = 50);

create or replace view assay.shadow_candidate as
select s.slot, s.kind, s.id, s.version, s.hash,
	coalesce(r.text, m.body) as text, s.percent
from assay.shadow s
	left join assay.ruleset r on s.kind = 'ruleset'
	    and r.event_type = s.slot and r.version = s.version
	left join assay.model m on m.hash = s.hash
where s.kind <> 'scorer' and s.ended_at is null;
