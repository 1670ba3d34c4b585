-- SPDX-License-Identifier: ISC
-- What other functions stand on; this file is run first.

-- A time as every answer writes it: UTC, milliseconds (cut) and Z.
create or replace function assay.time_text(at timestamptz)
returns text language sql stable
set search_path = pg_catalog, pg_temp
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Make a trigger where there is none of this name: only then does it wait for
-- all who write to the table.  One that is to change takes another name, and a
-- migration drops the one before.
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

-- How many months ahead of this one decisions have a place to go.
create or replace function assay.partitions_left()
returns bigint language sql stable
set search_path = pg_catalog, pg_temp
return (select coalesce(min(m.n), 120) - 1
    from generate_series(0, 119) as m(n),
	(values ('verdict_log'), ('decision_detail')) as p(name)
    where not exists (select from pg_inherits i
	where i.inhrelid = to_regclass('assay.' || p.name || to_char(
	    date_trunc('month', now() at time zone 'UTC')
		+ make_interval(months => m.n), '"_"YYYYMM'))));
