-- SPDX-License-Identifier: ISC
-- Labels: what became known of events later, and what that says of tags.

-- One row an event, with at most one label a source; outcome is the label
-- that counts, a chargeback before an analyst's.  What is credited to the
-- event's tags stands here too, so that it can move: assay.tag_count is the
-- sum over these rows of one for each of tags, under credited.
create table assay.label (
	event_id text primary key,
	analyst text check (analyst in ('fraud', 'legit')),
	chargeback text check (chargeback = 'fraud'),
	outcome text not null
	    generated always as (coalesce(chargeback, analyst)) stored,
	labelled_at timestamptz not null default clock_timestamp(),
	tags text[], -- of the scored decision; null while none was seen
	credited text check (credited in ('fraud', 'legit')), -- null likewise
	look_at timestamptz not null default clock_timestamp(),
	check ((tags is null) = (credited is null))
);
create index on assay.label (look_at) where credited is null;

-- How many events that fired a tag turned out as what.
create table assay.tag_count (
	tag text primary key,
	fraud bigint not null,
	legit bigint not null
) with (fillfactor = 50);

-- A queue is read by status, newest first; this also serves all of it.
drop index assay.review_case_queue_opened_at_idx;
create index on assay.review_case (queue, status, opened_at desc, id desc);

-- The newest of the logs are found by these: pages that no summary covers yet
-- are read each time, so a range is summarized as soon as it is full.
drop index assay.verdict_log_decided_at_idx;
create index on assay.verdict_log using brin (decided_at)
    with (autosummarize = on);
drop index assay.detail_decided_at_idx;
create index on assay.detail using brin (decided_at)
    with (autosummarize = on);
