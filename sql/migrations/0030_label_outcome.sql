-- SPDX-License-Identifier: ISC
-- When an event turned out to be something else than was said of it first;
-- null while it has not.  Until then nobody could have known.
alter table assay.label add outcome_at timestamptz;
