-- SPDX-License-Identifier: ISC
-- Block, allow and watch lists.

-- An entry acts on every event that has the value until it expires.  Values
-- are in the normal form of events (core/event/list.c).  The unique index is also
-- what a decision probes, by its first two columns; ids sort by time.
create table assay.list_entry (
	id text primary key,
	kind text not null check (kind in ('block', 'allow', 'watch')),
	subject text not null check (subject in ('user', 'device',
	    'fingerprint', 'ip', 'phone', 'bin', 'country')),
	value text not null, -- personal
	reason text, -- personal: people write about people
	expires_at timestamptz,
	created_by text not null, -- personal: an operator's email
	created_at timestamptz not null default now(),
	unique (subject, value, kind)
);

-- What a worker caches of a subject is reloaded when its number here is above
-- the assay.epoch.lists that the worker has seen.
create table assay.list_subject (
	subject text primary key,
	changed bigint not null
);
insert into assay.list_subject (subject, changed)
select unnest(array['user', 'device', 'fingerprint', 'ip', 'phone', 'bin',
    'country']), 1;
alter table assay.epoch add column lists bigint not null default 1;
