-- SPDX-License-Identifier: ISC
-- A page of the entries of one kind or subject is found without looking at
-- the million others.
create index on assay.list_entry (kind, subject, id);
