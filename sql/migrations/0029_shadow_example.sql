-- SPDX-License-Identifier: ISC
-- The newest decisions about which a shadow disagrees with what is active.

-- At most 20 for each shadow and event type, written with its counts.  Like the
-- verdict log it holds nothing about a person.
create table assay.shadow_example (
	number bigint references assay.shadow on delete cascade,
	event_type text collate "C",
	verdict_id text collate "C",
	event_id text collate "C" not null,
	decided_at timestamptz not null,
	live text collate "C" not null, -- verdicts
	shadow text collate "C" not null,
	primary key (number, event_type, verdict_id)
);
