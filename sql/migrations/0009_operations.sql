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
	finished_at timestamptz default '-infinity',
	-- How far sweeps believe the clock of the server; assay.retention_begin()
	-- moves it.
	clock timestamptz not null default clock_timestamp()
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

-- The order of text is that of its bytes, whatever collation the database has: no
-- index depends on the C library or ICU of the host, which an upgrade changes.  A
-- database with the collation C has this order already.  In others all columns above
-- get it.  A later migration writes collate "C" at each column of a text.
do $$
declare
	one record;
	views constant text[] := array(
	    select format('create view assay.%I as %s', c.relname,
		pg_get_viewdef(c.oid))
	    from pg_class c
	    where c.relnamespace = 'assay'::regnamespace and c.relkind = 'v'
	    order by c.oid);
	definition text;
begin
	if exists (select from pg_database d
	    where d.datname = current_database() and d.datlocprovider = 'c'
		and d.datcollate in ('C', 'POSIX')) then
		return;
	end if;

	-- Views depend on columns.
	execute (select 'drop view '
		|| string_agg('assay.' || quote_ident(c.relname), ', ')
	    from pg_class c
	    where c.relnamespace = 'assay'::regnamespace and c.relkind = 'v');

	-- All columns but those that make a generated one, and this: none of them
	-- is in an index.
	for one in
		select a.attrelid::regclass as relation,
			string_agg(format('alter column %I type %s collate "C"',
			    a.attname, format_type(a.atttypid, a.atttypmod)),
			    ', ') as changes
		from pg_attribute a
			join pg_class c on c.oid = a.attrelid
		where c.relnamespace = 'assay'::regnamespace
			and c.relkind in ('r', 'p') and not c.relispartition
			and a.attnum > 0 and not a.attisdropped
			and a.attcollation = 'default'::regcollation
			and a.attgenerated = ''
			and not exists (select from pg_depend d
			    where d.classid = 'pg_attrdef'::regclass
				and d.refclassid = 'pg_class'::regclass
				and d.refobjid = a.attrelid
				and d.refobjsubid = a.attnum
				and d.deptype = 'n')
		group by a.attrelid
		order by a.attrelid
	loop
		execute format('alter table %s %s', one.relation, one.changes);
	end loop;

	foreach definition in array views loop
		execute definition;
	end loop;
end
$$;
