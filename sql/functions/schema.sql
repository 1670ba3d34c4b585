-- SPDX-License-Identifier: ISC
-- Whether a program may use this database, and how a restored one is prepared.
--
-- The position of a decision in the verdict log is the number of its
-- transaction plus schema_state.log_base.

-- The first position that may still be uncommitted: a reader that stops before
-- it misses no row that commits late.
create or replace function assay.log_watermark()
returns bigint language sql stable
return pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    + (select s.log_base from assay.schema_state s);

-- The position of the next transaction.
create or replace function assay.log_next()
returns bigint language sql stable
return pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    + (select s.log_base from assay.schema_state s);

-- Whether the log or one of its cursors is ahead of the next position.  Then a
-- dump was restored into a cluster whose transaction numbers start again: the
-- cursors would skip new decisions, and old ones would be published again when
-- the numbers reach them.
create or replace function assay.log_restored()
returns boolean language sql stable
set enable_seqscan = off set enable_bitmapscan = on set jit = off
return (with here as materialized (select assay.log_next() as next)
    select exists (select from assay.publish_cursor c
	    where c.next_xid > h.next)
	or exists (select from assay.analytics_cursor c
	    where c.next_xid > h.next)
	or exists (select from assay.verdict_log l
	    where l.xid::text::bigint >= h.next)
    from here h);

-- Set what the programs assume of a session, whatever an administrator has set for the
-- server, the database or the role.  Commits are durable: an event that is lost after
-- it was sent would be sent again under another id.  Plans are generic, because
-- statements are prepared once and run for days.
create or replace function assay.session_settings()
returns void language sql
begin atomic
	select set_config('synchronous_commit', 'on', false),
		set_config('plan_cache_mode', 'force_generic_plan', false),
		set_config('jit', 'off', false),
		set_config('default_transaction_isolation', 'read committed', false),
		set_config('default_transaction_deferrable', 'off', false),
		set_config('lock_timeout', '0', false),
		set_config('idle_session_timeout', '0', false),
		set_config('transform_null_equals', 'off', false),
		set_config('timezone', 'UTC', false),
		set_config('datestyle', 'ISO', false),
		set_config('intervalstyle', 'postgres', false);
end;

-- The timeline of the server in the lower half, and in the upper half a number of its
-- cluster; null in recovery.  Each promotion begins a later timeline, so of two servers
-- of one cluster that take writes the one with the lower number is a former primary.
create or replace function assay.server_timeline()
returns bigint language sql
return case when not pg_is_in_recovery() then
    (select hashint8(c.system_identifier)::bigint << 32 from pg_control_system() c)
    | ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
    end;

-- A number of this database, the same on its primary and on its standbys.
create or replace function assay.database_number()
returns bigint language sql stable
return (select hashint8extended(c.system_identifier, d.oid::bigint)
    from pg_control_system() c, pg_database d
    where d.datname = current_database());

-- Where the log of this primary ends: bytes from its start, the timeline and the
-- database.
create or replace function assay.log_position(out reached bigint,
    out timeline bigint, out database bigint)
language sql
begin atomic
	select (l.lsn - '0/0')::bigint,
		('x' || left(pg_walfile_name(l.lsn), 8))::bit(32)::bigint,
		assay.database_number()
	from (select pg_current_wal_flush_lsn() as lsn) l;
end;

-- How many bytes of the log up to such a position this standby has not replayed;
-- null if it does not stream that database in that timeline.  The owner sees the
-- timeline if it is a superuser or has the role pg_monitor.
create or replace function assay.log_missing(reached bigint, timeline bigint,
    database bigint)
returns bigint language sql security definer
set search_path = pg_catalog, pg_temp
return case when pg_is_in_recovery()
	and log_missing.database = assay.database_number()
	and exists (select from pg_stat_wal_receiver r
	    where r.status = 'streaming' and r.received_tli = log_missing.timeline)
    then greatest(log_missing.reached
	- (pg_last_wal_replay_lsn() - '0/0')::bigint, 0) end;

-- Why a program that knows the migrations up to last_known must not use this
-- database: 'newer', it needs a newer program, or 'restored', it needs assayctl
-- restored; null if the program may use it.
create or replace function assay.session_refusal(last_known bigint)
returns text language sql stable security definer
set search_path = pg_catalog, pg_temp
return case when (select s.required_migration from assay.schema_state s)
	> last_known then 'newer'
    when assay.log_restored() then 'restored' end;

-- After a restore, move the positions of new decisions behind all restored
-- decisions and cursors.  Returns by how much; 0 if nothing had to move.  The
-- cursors do not move: the companion reads what they had not reached, once.
-- Only the owner may call this.
create or replace function assay.log_rebase()
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	distance bigint;
	base bigint;
begin
	-- No transaction of the other cluster runs here.
	update assay.velocity v set position = assay.log_next()
	where v.position > assay.log_next();
	if not assay.log_restored() then
		return 0;
	end if;
	lock table assay.verdict_log in share row exclusive mode;
	select greatest((select max(c.next_xid) from assay.publish_cursor c),
	    (select max(c.next_xid) from assay.analytics_cursor c),
	    (select max(l.xid::text::bigint) + 1 from assay.verdict_log l))
	    - assay.log_next() into distance;
	update assay.schema_state s set log_base = s.log_base + distance
	returning s.log_base into base;
	execute format('alter table only assay.verdict_log alter column xid '
	    'set default ((pg_current_xact_id()::text::bigint + %s)::text::xid8)',
	    base);
	return distance;
end
$$;

-- What a program reports as its readiness: the last migration of this database,
-- the first migration that the program knows and the database lacks (null if
-- none), whether the database is read-only, and whether the logs of decisions have
-- partitions for this month.
create or replace function assay.schema_status(known bigint[],
    out migration bigint, out missing bigint, out read_only boolean,
    out has_month boolean)
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select coalesce((select max(m.number) from assay.migration m), 0),
		(select min(k) from unnest(known) k
		where not exists (select from assay.migration m
		    where m.number = k)),
		current_setting('transaction_read_only')::boolean,
		not exists (select
		from (values ('verdict_log'), ('decision_detail')) p(name)
		where not exists (select from pg_inherits i
		    where i.inhrelid = to_regclass('assay.' || p.name
			|| to_char(now() at time zone 'UTC', '"_"YYYYMM'))));
end;
