-- SPDX-License-Identifier: ISC
-- Who was erased, as a keyed hash: what comes out of a spool later, and was
-- decided before, is logged without its detail.  Kept as long as activity is,
-- since nothing older comes back (assay.retention_erasures).
alter table assay.hash_key add column erased_user bytea not null default
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
create table assay.erasure (
	user_hash bytea primary key, -- personal: a pseudonym
	erased_at timestamptz not null
);
create index on assay.erasure (erased_at);

-- What each spool said last: one row a directory, which names itself.
create table assay.spool_host (
	spool text primary key, -- random, in the directory's write.lock
	records bigint not null, -- to be drained
	asides bigint not null, -- files that were set aside
	reported_at timestamptz not null
);

-- How many labels waited for their events when that was last counted
-- (assay.chargeback_put).
create table assay.label_load (
	one boolean primary key default true check (one),
	waiting bigint not null default 0,
	counted_at timestamptz not null default '-infinity'
);
insert into assay.label_load default values;

-- assay.chargeback_put() takes its place.
drop function if exists assay.label_chargeback(text, text);
