-- SPDX-License-Identifier: ISC
-- Redecisions: past events are decided again with the rules and lists of now.
-- locks: nothing

-- The decisions of these event types in a span of time.  The companion decides them
-- again, slice by slice in the order of time, the oldest redecision first.
create table assay.redecision (
	id text collate "C" primary key,
	created_by text collate "C" not null, -- personal: an operator's email
	created_at timestamptz not null default clock_timestamp(),
	correlation_id text collate "C" not null,
	since timestamptz not null,
	until timestamptz not null,
	-- It acts on at most so many decisions that became more severe; 0: it only
	-- counts.
	act_limit integer not null,
	-- Transactions before this position of the log may have decisions of it.
	position bigint not null,
	-- The companion that works on it, until then.
	worker text collate "C",
	leased_until timestamptz not null default '-infinity',
	started_at timestamptz, -- null: it waits
	decided_until timestamptz, -- decisions before this time are done
	ended_at timestamptz,
	outcome text collate "C" check (outcome in ('done', 'cancelled', 'failed')),
	why text collate "C", -- it failed
	unscored bigint not null default 0, -- decisions without a sample
	unreadable bigint not null default 0, -- with one of an unknown format
	acted bigint not null default 0,
	cases bigint not null default 0,
	-- Rows of assay.redecision_change, by whether the verdict is more severe now.
	kept_severe bigint not null default 0,
	kept_mild bigint not null default 0,
	runs bigint not null default 0, -- that have decided no slice yet
	check ((ended_at is null) = (outcome is null))
) with (fillfactor = 50);

-- The ruleset and the policy that decide, as they were active at its start.
create table assay.redecision_book (
	redecision text collate "C" references assay.redecision on delete cascade,
	event_type text collate "C",
	ruleset text collate "C" not null,
	policy text collate "C" not null,
	primary key (redecision, event_type)
);

-- The decisions by their verdicts, their labels and the currencies of their amounts.
create table assay.redecision_count (
	redecision text collate "C" references assay.redecision on delete cascade,
	event_type text collate "C",
	verdict_from text collate "C",
	verdict_to text collate "C",
	label text collate "C", -- fraud, legit or none
	currency text collate "C", -- '': no amount
	decisions bigint not null,
	amount numeric not null,
	primary key (redecision, event_type, verdict_from, verdict_to, label,
	    currency)
) with (fillfactor = 50);

-- Decisions with another verdict: all that it acted on, and the first others that are
-- more or less severe.
create table assay.redecision_change (
	redecision text collate "C" references assay.redecision on delete cascade,
	decided_at timestamptz,
	verdict_id text collate "C",
	event_id text collate "C" not null,
	event_type text collate "C" not null,
	verdict_from text collate "C" not null,
	verdict_to text collate "C" not null,
	score_from smallint not null,
	score_to smallint not null, -- -1: an entry of a list decides
	reasons text collate "C" not null, -- JSON, of verdict_to
	case_id text collate "C", -- that was opened for it
	primary key (redecision, decided_at, verdict_id)
);

-- The most severe verdict that redecisions have acted on, once for each decision.
create table assay.verdict_revision (
	verdict_id text collate "C" primary key,
	decided_at timestamptz not null,
	verdict text collate "C" not null,
	case_id text collate "C", -- null: no redecision opened one
	case_opened_at timestamptz
);
create index on assay.verdict_revision using brin (decided_at)
    with (autosummarize = on);

-- What the companion has decided again of one decision.
create type assay.redecided as (
	verdict_id text,
	decided_at timestamptz,
	event_id text,
	event_type text,
	verdict_from text,
	verdict_to text,
	score_from smallint,
	score_to smallint,
	amount numeric, -- null: none
	currency text,
	queue text, -- for a case
	tags text[],
	reasons text
);
