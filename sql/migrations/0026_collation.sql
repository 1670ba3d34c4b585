-- SPDX-License-Identifier: ISC
-- The order of text is that of its bytes, whatever collation the database has: no
-- index depends on the C library or ICU of the host, which an upgrade changes.  A
-- database with the collation C has this order already.  In others every index of
-- a text is made again.
do $$
declare
	one record;
	routines constant text[] := array(
	    select format('assay.%I(%s)', p.proname,
		pg_get_function_identity_arguments(p.oid))
	    from pg_proc p where p.pronamespace = 'assay'::regnamespace);
	routine text;
	views constant text[] := array(
	    select format('create view assay.%I as %s', c.relname,
		pg_get_viewdef(c.oid))
	    from pg_class c
	    where c.relnamespace = 'assay'::regnamespace and c.relkind = 'v'
	    order by c.oid);
	definition text;
begin
	perform from pg_database d
	where d.datname = current_database() and d.datlocprovider = 'c'
		and d.datcollate in ('C', 'POSIX');
	if found then
		return;
	end if;

	-- Functions and views depend on columns.  assayctl migrate makes the
	-- functions and their triggers again after this, whatever their checksum.
	update assay.schema_state set functions = '';
	foreach routine in array routines loop
		execute format('drop routine if exists %s cascade', routine);
	end loop;
	for one in
		select string_agg('assay.' || quote_ident(c.relname), ', ') as names
		from pg_class c
		where c.relnamespace = 'assay'::regnamespace and c.relkind = 'v'
	loop
		execute format('drop view %s', one.names);
	end loop;

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
