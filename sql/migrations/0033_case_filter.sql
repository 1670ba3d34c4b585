-- SPDX-License-Identifier: ISC
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

drop function if exists assay.case_page(text, text, text, text, bigint, bigint,
    text, text, text, text, text, double precision, double precision, text,
    bigint, bigint, timestamptz, timestamptz, boolean);
