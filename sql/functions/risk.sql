-- SPDX-License-Identifier: ISC
-- Fraud history of devices and ips in slots of three hours: core/state/entity_risk.c
-- packs it and cron/entity_risk_project.c adds to it.  A transaction that changes it,
-- or erases an entity, holds assay.analytics_lock().

-- Summarize the newest pages of the details, of this month and, in its first hour,
-- of the month before.  BRIN reads all pages without a summary, and autovacuum
-- summarizes them once a minute at best.  If autovacuum works on the table, it goes
-- on, and nothing is done here.
create or replace function assay.detail_summarize()
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '10ms'
as $$
declare
	index regclass;
begin
	for index in
		select i.indexrelid
		from (select distinct to_regclass('assay.decision_detail_'
			|| to_char(w.at at time zone 'UTC', 'YYYYMM')) as part
			from unnest(array[now(), now() - interval '1 hour']) as w(at)) p
			join pg_index i on i.indrelid = p.part
			join pg_class c on c.oid = i.indexrelid
			join pg_am a on a.oid = c.relam and a.amname = 'brin'
	loop
		begin
			perform brin_summarize_new_values(index);
		exception when lock_not_available then
			null;
		end;
	end loop;
end
$$;

-- The scored decisions between two cursors, by device or ip and by slot.  Details
-- are found by their times, an hour at a time: a decision that was drained late does
-- not make this read everything in between.
create or replace function assay.risk_slot_events(from_xid bigint, from_id text,
    to_xid bigint, to_id text)
returns table (entity bigint, slot bigint, events bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	hour record;
begin
	for hour in
		select array_agg(l.id) as ids, min(l.decided_at) as first,
			max(l.decided_at) as last
		from assay.log_between(from_xid, from_id, to_xid, to_id) l
		where l.score >= 0
		group by date_trunc('hour', l.decided_at)
	loop
		return query select w.entity, assay.risk_slot(d.decided_at),
			count(*)
		from unnest(hour.ids) as i(id)
			join assay.decision_detail d on d.verdict_id = i.id
			    and d.decided_at >= hour.first
			    and d.decided_at <= hour.last,
			lateral (values (d.device), (d.ip)) as w(entity)
		where w.entity is not null
		group by 1, 2;
	end loop;
end
$$;

-- The slot of a time: three hours each since 1970, UTC.
create or replace function assay.risk_slot(at timestamptz)
returns bigint language sql immutable
return ((at at time zone 'UTC')::date - date '1970-01-01') * 8
    + extract(hour from at at time zone 'UTC')::int / 3;

-- Count at most max_labels labels, and move the count of a label whose outcome
-- has changed, for the devices and ips of their decisions.  Returns what to
-- change by entity and slot; the first row, of entity 0, has the number of
-- labels.  No row while another transaction counts.
--
-- A label is counted for the newest scored decision of its event that the
-- analytics cursor has passed, and always for the same one.  A label whose
-- decision or detail retention has removed changes nothing and is done.
create or replace function assay.risk_slot_labels(max_labels bigint)
returns table (entity bigint, slot bigint, fraud bigint, labels bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
	if not assay.analytics_try_lock() then
		return;
	end if;
	return query with due as materialized (
		select l.event_id, l.outcome, l.risk_outcome,
			l.risk_verdict_id, l.risk_decided_at
		from assay.label l
		where l.credited_outcome is not null
			and (l.risk_outcome is null or l.risk_outcome <> l.outcome)
		order by l.event_id limit max_labels for update skip locked
	), found as materialized (
		select d.event_id, d.outcome, d.risk_outcome,
			coalesce(d.risk_verdict_id, v.id, '') as id,
			coalesce(d.risk_decided_at, v.decided_at, 'epoch') as at
		from due d left join lateral (
			select l.id, l.decided_at
			from assay.verdict_log l, assay.analytics_cursor c
			where d.risk_outcome is null and l.event_id = d.event_id
				and l.score >= 0
				and (l.xid::text::bigint < c.next_xid
				    or l.xid::text::bigint = c.next_xid
				    and l.id <= c.last_id)
			order by l.decided_at desc, l.id desc limit 1) v on true
		where num_nonnulls(d.risk_verdict_id, v.id) > 0 or not exists (select
			from assay.verdict_log l
			where l.event_id = d.event_id and l.score >= 0)
	), moved as (
		update assay.label l
		set risk_outcome = f.outcome, risk_verdict_id = f.id,
			risk_decided_at = f.at
		from found f where l.event_id = f.event_id
	), change as (
		select f.id, f.at,
			(f.outcome <> 'none')::int
			    - coalesce(f.risk_outcome <> 'none', false)::int as labels,
			(f.outcome = 'fraud')::int
			    - coalesce(f.risk_outcome = 'fraud', false)::int as n
		from found f
	)
	select 0::bigint, 0::bigint, 0::bigint, count(*) from found
	union all
	select w.entity, assay.risk_slot(c.at), sum(c.n),
		sum(c.labels)
	from change c
		join assay.decision_detail d on d.decided_at = c.at
		    and d.verdict_id = c.id,
		lateral (values (d.device), (d.ip)) as w(entity)
	where w.entity is not null
	group by 1, 2
	order by 1, 2;
end
$$;

-- Store the packed histories of entities, each with the day of its newest slot, since
-- 1970.
-- Entities that were erased meanwhile are left out.
create or replace function assay.risk_put(entities bigint[], newest bigint[],
    days bytea[])
returns void language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.entity_risk as r (entity, month, days)
	select w.entity, date_trunc('month',
	    date '1970-01-01' + w.newest::int)::date, w.days
	from unnest(entities, newest, days) as w(entity, newest, days)
		join assay.entity e on e.id = w.entity and e.kind in (2, 3)
	on conflict (entity) do update
	set month = excluded.month, days = excluded.days;
end;

-- Delete the history of at most max_entities entities whose newest day is too
-- old for the signals.  Returns how many.
create or replace function assay.risk_prune(max_entities bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
	deleted bigint;
begin
	if not assay.analytics_try_lock() then
		return 0;
	end if;
	delete from assay.entity_risk r
	where r.entity in (select o.entity from assay.entity_risk o
	    where o.month < (now() at time zone 'UTC')::date - 121
		- interval '1 month' limit max_entities);
	get diagnostics deleted = row_count;
	return deleted;
end
$$;
