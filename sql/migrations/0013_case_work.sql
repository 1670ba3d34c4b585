-- SPDX-License-Identifier: ISC
-- Work on review cases: what a case says about its event, claims that expire,
-- cases that are put off, notes, targets of queues, and saved views.

lock table assay.review_case in access exclusive mode;
alter table assay.review_case
	add event_type text, -- null: opened by an older program
	add amount double precision, -- personal: of the event, null without one
	add currency text, -- of the amount
	add tags text[], -- of the rules that fired, most points first
	add claim_expires_at timestamptz, -- only if assigned
	add snoozed_until timestamptz; -- only if open
create index on assay.review_case (queue, status, (- score), opened_at, id);
-- A new case is in none of the next three.
create index on assay.review_case (assigned_to, queue, status, opened_at desc,
    id desc) where assigned_to is not null;
create index on assay.review_case (queue, claim_expires_at)
    where status = 'assigned';
create index on assay.review_case (queue, opened_at desc, id desc)
    where snoozed_until is not null;

alter table assay.case_trail drop constraint case_trail_action_check;
alter table assay.case_trail add constraint case_trail_action_check
    check (action in ('opened', 'assigned', 'handed_over', 'released',
	'snoozed', 'woken', 'noted', 'resolved', 'reopened')) not valid;

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

-- Filters of a console's screen that an operator has saved.
create table assay.saved_view (
	id text primary key,
	owner text not null, -- personal: an operator's email
	screen text not null check (screen in ('cases', 'decisions')),
	name text not null,
	query text not null, -- personal: JSON, parameters and their values
	shared boolean not null, -- with all operators
	unique (owner, screen, name)
);
create index on assay.saved_view (id) where shared;

-- These take more parameters now, with defaults for older programs.
drop function if exists assay.case_page(text, text, text, text, bigint, bigint,
    text);
drop function if exists assay.case_assign(text, text);
