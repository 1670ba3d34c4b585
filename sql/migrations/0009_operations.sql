-- SPDX-License-Identifier: ISC
-- Operations: retention, erasure, the companions' counters and the state of the
-- schema itself.

-- Watermarks of retention.  A collection has no rows older than its watermark,
-- except rows that were written late; those go with their month.  Sweeps and
-- readers skip the older pages.  The watermark 'verdicts announced' is
-- raised before the first row is removed: then older days may be incomplete.
create table assay.retention_watermark (
	collection text primary key,
	until timestamptz not null
);

-- The last sweep over all hosts.  finished_at is null while the sweep runs or if
-- it was interrupted; the next sweep then begins at once.
create table assay.retention_sweep (
	one boolean primary key default true check (one),
	started_at timestamptz not null default '-infinity',
	finished_at timestamptz default '-infinity'
);
insert into assay.retention_sweep default values;

-- Erased users.  A spool that is drained later may hold decisions on them; the
-- drain logs those without details.  Kept as long as activity is: nothing older
-- is drained with details.
create table assay.erasure (
	user_hash bytea primary key, -- personal: a pseudonym
	erased_at timestamptz not null
);
create index on assay.erasure (erased_at);

-- What companions count for the metrics; they exit, so the database keeps it.
create table assay.counter (
	metric text not null,
	label1 int not null, -- values of the metric's labels
	label2 int not null,
	n bigint not null,
	primary key (metric, label1, label2)
) with (fillfactor = 50);

-- The schema itself.
create table assay.schema_state (
	one boolean primary key default true check (one),
	-- Checksum of the functions and grants that assayctl migrate last
	-- made.
	functions text not null default '',
	-- The last migration that a program must know to use this schema.
	required_migration bigint not null default 0,
	-- Added to a transaction's number for its position in the verdict log.
	-- assay.log_rebase() raises it after a dump was restored into a cluster
	-- whose transaction numbers start again, so that new decisions come
	-- after restored ones.
	log_base bigint not null default 0
);
insert into assay.schema_state (required_migration) values (9);
