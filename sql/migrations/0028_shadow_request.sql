-- SPDX-License-Identifier: ISC
-- Shadow requests: decisions that were answered and count for nothing.

-- What such a request was answered, as JSON, which stands in no verdict log;
-- null for a decision.
alter table assay.detail add shadow text;

-- They look at details, too, now.
drop function if exists
    assay.verdicts_between(timestamptz, timestamptz, bigint),
    assay.verdicts_since(bigint, timestamptz);
