-- SPDX-License-Identifier: ISC
-- Networks in the lists: an index finds those that have an address.

alter table assay.list_entry
	add column network cidr; -- personal: of an ip that is a network
create index on assay.list_entry using gist (network inet_ops)
	where network is not null;
