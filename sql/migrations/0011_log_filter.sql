-- SPDX-License-Identifier: ISC
-- What a page of a log is to show.

create type assay.log_filter as (
	activity boolean, -- the activity log; false: the verdict log
	before text, -- the last id of the previous page
	-- The decisions to show; null: all of them.
	user_id text, -- personal
	event_type text,
	verdict text,
	tag text,
	min_score bigint,
	max_score bigint
);
