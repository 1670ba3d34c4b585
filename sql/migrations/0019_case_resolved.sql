-- SPDX-License-Identifier: ISC
-- Finds the cases that were resolved in a stretch of time.  A decision that opens
-- a case makes no entry.

create index on assay.review_case (resolved_at) where resolved_at is not null;
