-- SPDX-License-Identifier: ISC
-- Review cases and labels, and what labels say about tags.

create table assay.review_case (
	id text primary key,
	event_id text not null,
	verdict_id text not null,
	queue text not null,
	score smallint not null,
	status text not null default 'open'
	    check (status in ('open', 'assigned', 'resolved')),
	assigned_to text, -- personal: an operator's email
	outcome text check (outcome in ('fraud', 'legit', 'inconclusive')),
	note text, -- personal: free text about a person
	resolved_by text, -- personal: an operator's email
	resolved_at timestamptz,
	opened_at timestamptz not null
);
create index on assay.review_case (queue, status, opened_at desc, id desc);

-- What happened to a case.  Append-only.
create table assay.case_trail (
	case_id text not null references assay.review_case,
	at timestamptz not null,
	action text not null check (action in ('opened', 'assigned', 'resolved')),
	actor text not null, -- personal: an operator's email
	detail text
);
create index on assay.case_trail (case_id, at);

-- Labels: one row per event, with at most one label per source.  The row also
-- records what each consumer has counted, so that the count can move when the
-- outcome changes, even after retention has removed the decision.
create table assay.label (
	event_id text primary key,
	analyst text check (analyst in ('fraud', 'legit')),
	chargeback text check (chargeback = 'fraud'),
	-- The effective label: a chargeback overrules an analyst.
	outcome text not null
	    generated always as (coalesce(chargeback, analyst)) stored,
	labelled_at timestamptz not null default clock_timestamp(),
	outcome_at timestamptz, -- last change of outcome, null without one

	-- assay.labels_match() finds the scored decision and credits its tags:
	-- assay.tag_count is the sum over these rows.  tags and
	-- credited_outcome are null until it has found the decision; it searches
	-- again after match_after.
	tags text[],
	credited_outcome text check (credited_outcome in ('fraud', 'legit')),
	match_after timestamptz not null default clock_timestamp(),

	-- What assay.entity_risk has counted and for which decision; null
	-- before it has.
	risk_outcome text check (risk_outcome in ('fraud', 'legit')),
	risk_verdict_id text,
	risk_decided_at timestamptz,

	-- What assay.calibration has counted for the same decision, and the
	-- model's probability in millionths; null before it has.
	calibrated_outcome text check (calibrated_outcome in ('fraud', 'legit')),
	calibrated_p int,

	-- What assay.shadow_count has counted: number of the shadow, event type
	-- and pair of verdicts; null if nothing.
	shadow text[],

	check ((tags is null) = (credited_outcome is null)),
	check ((risk_outcome is null) = (risk_verdict_id is null)
	    and (risk_outcome is null) = (risk_decided_at is null))
);
-- Labels that a consumer has not counted yet, or has counted with an earlier
-- outcome: tags, entity_risk, calibration.
create index on assay.label (match_after)
    where credited_outcome is null or credited_outcome <> outcome;
create index on assay.label (event_id)
    where credited_outcome is not null
	and (risk_outcome is null or risk_outcome <> outcome);
create index on assay.label (event_id)
    where risk_outcome is not null
	and (calibrated_outcome is null or calibrated_outcome <> risk_outcome);

-- How many labels waited for their events when assay.chargeback_put() last
-- counted them.
create table assay.label_backlog (
	one boolean primary key default true check (one),
	waiting bigint not null default 0,
	counted_at timestamptz not null default '-infinity'
);
insert into assay.label_backlog default values;

-- Labelled events by tag and outcome: the counts behind the tag weights.
create table assay.tag_count (
	tag text primary key,
	fraud bigint not null,
	legit bigint not null
) with (fillfactor = 50);

-- The epoch of assay.tag_count.  Not a column of assay.epoch: labels arrive all
-- day, and every decision reads that row, which must not collect dead versions
-- while an old snapshot is open.  Only the learned scorer reads this one.
create table assay.tag_epoch (
	one boolean primary key default true check (one),
	number bigint not null default 1
);
insert into assay.tag_epoch default values;
