-- SPDX-License-Identifier: ISC
-- The roles of the programs own nothing in this schema: what runs as the owner
-- writes to these tables, so who could hang a trigger, a rule or a function of
-- its own on one of them would be the owner.  Tables and months that retention
-- owned go to the owner of the others, and code that such a role made goes.
do $$
declare
	runtime constant name[] := array['assay_decide', 'assay_operator',
	    'assay_companion', 'assay_retain'];
	owner constant name := (select pg_get_userbyid(c.relowner)
	    from pg_class c where c.oid = 'assay.epoch'::regclass);
	o record;
begin
	-- In the order in which decisions take them.
	for o in
		select c.oid::regclass as name
		from pg_class c
		where c.relnamespace = 'assay'::regnamespace
			and c.relkind in ('r', 'p', 'v', 'm')
			and pg_get_userbyid(c.relowner) = any(runtime)
			and pg_get_userbyid(c.relowner) <> owner
		order by array_position(array['idempotency', 'verdict_log',
			'detail']::name[], c.relname), c.relname
	loop
		execute format('alter table %s owner to %I', o.name, owner);
	end loop;

	-- No table of these has a trigger or a rule of ours.
	for o in
		select r.rulename as name, r.ev_class::regclass as of
		from pg_rewrite r
		where r.ev_class in ('assay.idempotency'::regclass,
			'assay.verdict_log'::regclass, 'assay.detail'::regclass)
			or r.ev_class in (select i.inhrelid from pg_inherits i
			    where i.inhparent in ('assay.verdict_log'::regclass,
				'assay.detail'::regclass))
	loop
		execute format('drop rule %I on %s', o.name, o.of);
	end loop;

	if to_regprocedure('assay.partitions_ahead(int)') is not null then
		execute format('alter function assay.partitions_ahead(int) '
		    'owner to %I', owner);
	end if;
	for o in
		select p.oid::regprocedure as name
		from pg_proc p
		where pg_get_userbyid(p.proowner) = any(runtime)
			and pg_get_userbyid(p.proowner) <> owner
			and (p.pronamespace = 'assay'::regnamespace
			    or exists (select from pg_trigger t
				join pg_class c on c.oid = t.tgrelid
				where t.tgfoid = p.oid
				    and c.relnamespace = 'assay'::regnamespace))
	loop
		execute format('drop routine if exists %s cascade', o.name);
	end loop;

	for o in
		select r.rolname as name from pg_roles r
		where r.rolname = any(runtime) and r.rolname <> owner
	loop
		execute format('revoke create on schema assay from %I', o.name);
	end loop;
end
$$;

-- These do their work now, and say less.
drop function if exists assay.retention_month(timestamptz, timestamptz,
    timestamptz);
drop function if exists assay.retention_vacuum(text);
drop function if exists assay.retention_lost(regclass);
alter table assay.retention_sweep drop column lost;
