-- SPDX-License-Identifier: ISC
-- Exceptions: rules that do not fire for a user, a device or another value.
-- locks: epoch all moment
-- locks: list_subject writes moment

-- Workers read the exceptions again when it has changed.
alter table assay.epoch add column exceptions bigint not null default 1;

-- While it is active, no rule with this id or tag fires for an event with the value.
-- It is active until expires_at, or until an operator ends it.
create table assay.rule_exception (
	id text collate "C" primary key,
	event_type text collate "C", -- null: of every type
	kind text collate "C" not null check (kind in ('rule', 'tag')),
	name text collate "C" not null, -- the id of the rule, or the tag
	subject text collate "C" not null references assay.list_subject,
	value text collate "C" not null, -- personal: in normal form, as in a list
	reason text collate "C" not null,
	created_by text collate "C" not null, -- personal: an operator's email
	created_at timestamptz not null default clock_timestamp(),
	expires_at timestamptz not null,
	ended_at timestamptz,
	ended_by text collate "C", -- personal: an operator's email
	check ((ended_at is null) = (ended_by is null))
);
create index on assay.rule_exception (expires_at) where ended_at is null;

-- The decisions in which an exception kept a rule from firing.
create table assay.exception_use (
	exception text collate "C" not null,
	verdict_id text collate "C" not null,
	decided_at timestamptz not null,
	event_id text collate "C" not null,
	verdict text collate "C" not null,
	-- What the verdict would be if no exception were active.
	verdict_without text collate "C" not null,
	primary key (exception, verdict_id)
);
create index on assay.exception_use using brin (decided_at)
    with (autosummarize = on);
