-- SPDX-License-Identifier: ISC
-- Count the list entries of each kind from an index alone, and find those of a
-- creator and those that end without reading the others.

create index on assay.list_entry (kind);
create index on assay.list_entry (kind, subject, created_by, id);
create index on assay.list_entry (expires_at) where expires_at is not null;
