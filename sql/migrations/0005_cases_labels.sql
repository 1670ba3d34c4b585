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
	opened_at timestamptz not null,
	event_type text,
	amount double precision, -- personal: of the event, null without one
	currency text, -- of the amount
	tags text[], -- of the rules that fired, most points first
	claim_expires_at timestamptz, -- only if assigned
	snoozed_until timestamptz -- only if open
);
create index on assay.review_case (queue, status, opened_at desc, id desc);
create index on assay.review_case (queue, status, (- score), opened_at, id);
-- A new case is in none of the next three.
create index on assay.review_case (assigned_to, queue, status, opened_at desc,
    id desc) where assigned_to is not null;
create index on assay.review_case (queue, claim_expires_at)
    where status = 'assigned';
create index on assay.review_case (queue, opened_at desc, id desc)
    where snoozed_until is not null;
-- Finds the cases that were resolved in a stretch of time.
create index on assay.review_case (resolved_at) where resolved_at is not null;

-- Which cases a page is to show; null selects all.
create type assay.case_filter as (
	queue text,
	status text,
	event_id text, -- the event that a case is about
	user_id text, -- personal; the user of that event
	assignee text, -- 'none': cases without one
	event_type text,
	currency text,
	min_amount double precision,
	max_amount double precision,
	tag text,
	min_score bigint,
	max_score bigint,
	opened_after timestamptz,
	opened_before timestamptz,
	snoozed boolean
);

-- What happened to a case.  Append-only.
create table assay.case_trail (
	case_id text not null references assay.review_case,
	at timestamptz not null,
	action text not null check (action in ('opened', 'assigned',
	    'handed_over', 'released', 'snoozed', 'woken', 'noted', 'resolved',
	    'reopened')),
	actor text not null, -- personal: an operator's email
	detail text
);
create index on assay.case_trail (case_id, at);

-- Notes of operators on cases.  Append-only, until the user is erased.
create table assay.case_note (
	id text primary key,
	case_id text not null references assay.review_case,
	at timestamptz not null,
	author text not null, -- personal: an operator's email
	text text not null -- personal: free text about a person
);
create index on assay.case_note (case_id, at);

-- Queues whose cases are to be resolved in a time.
create table assay.case_queue (
	name text primary key,
	target_minutes bigint not null check (target_minutes > 0)
);

-- Labels: one row per event, with at most one label per source.  The row also
-- records what each consumer has counted, so that the count can move when the
-- outcome changes, even after retention has removed the decision.
create table assay.label (
	event_id text primary key,
	analyst text check (analyst in ('fraud', 'legit', 'none')),
	chargeback text check (chargeback = 'fraud'),
	-- The effective label: a chargeback overrules an analyst.  If a chargeback is
	-- taken back and no analyst said anything, it is 'none', which is used
	-- nowhere: the row stays, because consumers take back what they have counted.
	outcome text not null
	    generated always as (coalesce(chargeback, analyst)) stored,
	labelled_at timestamptz not null default clock_timestamp(),
	outcome_at timestamptz, -- last change of outcome, null without one

	-- assay.labels_match() finds the scored decision and credits its tags:
	-- assay.tag_count is the sum over these rows.  tags and
	-- credited_outcome are null until it has found the decision; it searches
	-- again after match_after.
	tags text[],
	credited_outcome text
	    check (credited_outcome in ('fraud', 'legit', 'none')),
	match_after timestamptz not null default clock_timestamp(),

	-- What assay.entity_risk has counted and for which decision; null
	-- before it has.
	risk_outcome text check (risk_outcome in ('fraud', 'legit', 'none')),
	risk_verdict_id text,
	risk_decided_at timestamptz,

	-- What assay.calibration has counted for the same decision, and the
	-- model's probability in millionths; null before it has.
	calibrated_outcome text
	    check (calibrated_outcome in ('fraud', 'legit', 'none')),
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
