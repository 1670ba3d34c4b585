-- SPDX-License-Identifier: ISC
-- Which event an idempotency key was used for, as a keyed hash: a replay of
-- another event can be told from one of the same.  Null in rows from before,
-- and in those the caller is not known of (lib/engine/event_digest.h).
alter table assay.idempotency add column digest bigint;
alter table assay.async_queue add column digest bigint;

-- The keys of hashes, random, made once: equal on all hosts, and the same
-- when AUTH_SECRET changes.
create table assay.hash_key (
	one boolean primary key default true check (one),
	event bytea not null default
	    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
insert into assay.hash_key default values;

drop function if exists assay.async_add(text, text, text, text);
