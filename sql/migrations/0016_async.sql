-- SPDX-License-Identifier: ISC
-- An event that could not be decided rests before it is tried again.
alter table assay.async_queue
	add column tries int not null default 0, -- that failed
	add column not_before timestamptz;

-- Rows come and go; what is left of them stands in the way of who looks for
-- a user's oldest.
alter table assay.async_queue set (autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000);
