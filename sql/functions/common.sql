-- SPDX-License-Identifier: ISC
-- Functions that other files build on; assayctl migrate runs this file first.
--
-- A body in SQL (return, begin atomic) has its names bound when assayctl migrate
-- creates the function.  Such a function sets no search path, so that PostgreSQL
-- can put its body into the statement that calls it.  A body in PL/pgSQL looks
-- names up when it runs: it sets the path, and so does each function that runs as
-- the owner.

-- A time as answers write it: UTC with milliseconds, cut, and Z.
create or replace function assay.time_text(at timestamptz)
returns text language sql stable
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- How severe a verdict is, from 1 on.
create or replace function assay.verdict_severity(verdict text)
returns int language sql immutable
return array_position('{allow,challenge,review,deny}', verdict);

-- Create a trigger unless the table has one of this name: creating one waits
-- for all writers of the table.  A trigger that changes gets a new name, and a
-- migration drops the old one.
create or replace function assay.trigger_make(relation regclass, name name,
    definition text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if not exists (select from pg_trigger t
	    where t.tgrelid = relation and t.tgname = name) then
		execute format('create trigger %I %s', name, definition);
	end if;
end
$$;

-- Let roles call the functions of this schema with these names (roles.sql), also
-- those that programs of an earlier release call with other parameters.
create or replace procedure assay.grant_execute(roles text, names text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	wanted text;
	called text;
begin
	foreach wanted in array regexp_split_to_array(names, '\s+') loop
		select string_agg(p.oid::regprocedure::text, ', ') into called
		from pg_proc p
		where p.pronamespace = 'assay'::regnamespace
			and p.proname = wanted;
		if called is null then
			raise exception 'no function has the name %', wanted;
		end if;
		execute format('grant execute on function %s to %s', called,
		    roles);
	end loop;
end
$$;

-- For how many months after this one the logs of decisions have partitions.
create or replace function assay.partitions_left()
returns bigint language sql stable
return (select coalesce(min(m.n), 120) - 1
    from generate_series(0, 119) as m(n),
	(values ('verdict_log'), ('decision_detail')) as p(name)
    where not exists (select from pg_inherits i
	where i.inhrelid = to_regclass('assay.' || p.name || to_char(
	    date_trunc('month', now() at time zone 'UTC')
		+ make_interval(months => m.n), '"_"YYYYMM'))));

-- The decisions of the verdict log after one cursor and up to another.  A
-- cursor is the number of a transaction and an id: all transactions before it,
-- and of that one the decisions with ids up to the id.
create or replace function assay.log_between(from_xid bigint, from_id text,
    to_xid bigint, to_id text)
returns table (xid bigint, decided_at timestamptz, id text, event_id text,
    event_type text, verdict text, score smallint, reasons text,
    policy_id text, policy_version text, review_queue text,
    correlation_id text)
language sql stable
begin atomic
	select l.xid::text::bigint, l.decided_at, l.id, l.event_id,
		l.event_type, l.verdict, l.score, l.reasons, l.policy_id,
		l.policy_version, l.review_queue, l.correlation_id
	from assay.verdict_log l
	where l.xid::text::bigint >= from_xid
		and l.xid::text::bigint <= to_xid
		and (l.xid::text::bigint > from_xid or l.id > from_id)
		and (l.xid::text::bigint < to_xid or l.id <= to_id);
end;
