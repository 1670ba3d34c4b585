-- SPDX-License-Identifier: ISC
-- Whether a program may use this database, and what a restored one needs.

-- The places of the verdict log before the oldest transaction that still runs:
-- who reads the rows before it misses none that commits late.
create or replace function assay.log_horizon()
returns bigint language sql stable
set search_path = pg_catalog, pg_temp
return pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    + (select s.log_base from assay.schema_state s);

-- The place of the next transaction.
create or replace function assay.log_next()
returns bigint language sql stable
set search_path = pg_catalog, pg_temp
return pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    + (select s.log_base from assay.schema_state s);

-- Whether the log, or who reads it, has been at places that no transaction has
-- had yet: a dump was restored into a cluster that counts its own from the
-- start.  What were decided now would be passed over, and what was decided
-- before be published again when the numbers come round to it.
create or replace function assay.log_restored()
returns boolean language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = on set jit = off
return (with here as materialized (select assay.log_next() as next)
    select exists (select from assay.publish_cursor c where c.next > h.next)
	or exists (select from assay.analytics_cursor c where c.next > h.next)
	or exists (select from assay.verdict_log l
	    where l.xid::text::bigint >= h.next)
    from here h);

-- Why a program that knows the migrations up to a number must not use this
-- database: it needs a 'newer' program, or was 'restored'; null if it may.
create or replace function assay.session_refusal(knows bigint)
returns text language sql stable security definer
set search_path = pg_catalog, pg_temp
return case when (select s.oldest from assay.schema_state s) > knows
    then 'newer' when assay.log_restored() then 'restored' end;

-- After a restore, let what is decided from now on come after all that is in
-- the log or was read of it; by how much that moves it, 0 where it needs none.
-- The cursors stay: what they had not read is read next, and once.  Only the
-- owner may.
create or replace function assay.log_rebase()
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	moved bigint;
	base bigint;
begin
	if not assay.log_restored() then
		return 0;
	end if;
	lock table assay.verdict_log in share row exclusive mode;
	select greatest((select max(c.next) from assay.publish_cursor c),
	    (select max(c.next) from assay.analytics_cursor c),
	    (select max(l.xid::text::bigint) + 1 from assay.verdict_log l))
	    - assay.log_next() into moved;
	update assay.schema_state s set log_base = s.log_base + moved
	returning s.log_base into base;
	execute format('alter table only assay.verdict_log alter column xid '
	    'set default ((pg_current_xact_id()::text::bigint + %s)::text::xid8)',
	    base);
	return moved;
end
$$;

-- What a program that stands ready to decide has to know: the last migration
-- here, the first that is missing of those it knows, null if none is, and
-- whether nothing can be written here.
create or replace function assay.schema_look(known bigint[],
    out migration bigint, out missing bigint, out read_only boolean)
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select coalesce((select max(m.number) from assay.migration m), 0),
		(select min(k) from unnest(known) k
		where not exists (select from assay.migration m
		    where m.number = k)),
		current_setting('transaction_read_only')::boolean;
end;
