-- SPDX-License-Identifier: ISC
-- What assayctl doctor reports of the server.

-- The three largest tables, each with its partitions and indexes, and their sizes
-- as of the last vacuum or analyze.
create or replace function assay.doctor_tables()
returns text language sql stable
begin atomic
	select string_agg(z.name || ' ' || pg_size_pretty(z.bytes), ', '
		order by z.bytes desc)
	from (
		select coalesce(p.relname, r.relname)::text as name,
		    sum(k.pages)::bigint
			* current_setting('block_size')::bigint as bytes
		from pg_class r
		left join pg_inherits i on i.inhrelid = r.oid
		left join pg_class p on p.oid = i.inhparent
		cross join lateral (
			select r.relpages as pages
			union all
			select t.relpages from pg_class t
			where t.oid = r.reltoastrelid
			union all
			select x.relpages
			from pg_index n join pg_class x on x.oid = n.indexrelid
			where n.indrelid = r.oid) k
		where r.relkind = 'r' and r.relnamespace = (
			select n.oid from pg_namespace n
			where n.nspname = 'assay')
		group by 1 order by 2 desc limit 3) z;
end;

-- One row of facts; no table of decisions is read, and no lock is waited for.
-- The owner sees the lag of standbys if it is a superuser or has the role
-- pg_monitor; else lag_hidden is true.  unsealed_ms is the age of the oldest entry
-- without a seal, swept_ms that of the last retention sweep, null if there was none.
create or replace function assay.doctor_facts(
    out version text, out version_number bigint, out now timestamptz,
    out migration bigint, out read_only boolean, out fsync boolean,
    out full_page_writes boolean, out synchronous_commit text,
    out synchronous_names text, out standbys bigint,
    out synchronous_standbys bigint, out lag_bytes bigint,
    out lag_hidden boolean, out slot text, out slot_bytes bigint,
    out slots_lost bigint, out connections_max bigint, out connections bigint,
    out bytes bigint, out tables text, out unsealed_ms bigint,
    out swept_ms bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
	with here as (
		select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
		    else pg_current_wal_lsn() end as lsn
	), standby as (
		select count(*) filter (where r.state is distinct from 'backup')
			as n,
		    count(*) filter (where r.sync_state in ('sync', 'quorum')) as n_sync,
		    max(pg_wal_lsn_diff(h.lsn, r.replay_lsn))::bigint as lag,
		    bool_or(r.state is null) as hidden
		from here h cross join pg_stat_replication r
	), slot as (
		select s.slot_name::text as name,
		    pg_wal_lsn_diff(h.lsn, s.restart_lsn)::bigint as bytes
		from here h cross join pg_replication_slots s
		where s.restart_lsn is not null
		order by 2 desc limit 1
	)
	select current_setting('server_version'),
		current_setting('server_version_num')::bigint,
		clock_timestamp(),
		(select max(m.number) from assay.migration m),
		current_setting('transaction_read_only')::boolean,
		current_setting('fsync')::boolean,
		current_setting('full_page_writes')::boolean,
		current_setting('synchronous_commit'),
		current_setting('synchronous_standby_names'),
		b.n, b.n_sync, b.lag, coalesce(b.hidden, false), o.name, o.bytes,
		(select count(*) from pg_replication_slots s
		where s.wal_status in ('unreserved', 'lost')),
		least(current_setting('max_connections')::bigint
			- current_setting('superuser_reserved_connections')::bigint,
		    nullif(d.datconnlimit, -1)),
		(select sum(numbackends)::bigint from pg_stat_database),
		pg_database_size(d.oid),
		assay.doctor_tables(),
		assay.age_ms((select a.at from assay.audit a
		where a.number > coalesce((select l.last from assay.audit_seal l
		    order by l.number desc limit 1), 0)
		order by a.number limit 1)),
		(select assay.age_ms(s.at)
		from (select coalesce(nullif(w.finished_at, '-infinity'),
			nullif(w.started_at, '-infinity')) as at
		    from assay.retention_sweep w) s
		where s.at is not null)
	from standby b cross join pg_database d left join slot o on true
	where d.datname = current_database();
end;
