-- SPDX-License-Identifier: ISC
-- When an entity was first seen.

-- Null: before this migration.  The default is added in a second step, so that
-- these rows do not get it.
alter table assay.entity add column first_seen timestamptz;
alter table assay.entity alter column first_seen set default now();
