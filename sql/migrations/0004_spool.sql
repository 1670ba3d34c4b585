-- SPDX-License-Identifier: ISC
-- How far the files of the hosts' spools are drained: the offset moves in the
-- transaction that logs the records before it, so each is logged once.

create table assay.spool_file (
	name text primary key, -- random, of one host's file
	done bigint not null default 0, -- bytes
	begun_at timestamptz not null default now()
);
