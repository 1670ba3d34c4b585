-- SPDX-License-Identifier: ISC
-- What is counted of devices and ips, by day: core/state/entity_risk.c packs it,
-- cron/entity_risk_project.c adds to it.  Who does, and who erases an entity, holds
-- assay.analytics_lock().

-- The scored decisions of a piece of the log, of each device and ip and day
-- (since 1970, UTC).  The piece begins after one cursor and ends with another.
-- Details are found by their times: an hour at a time, so that a decision with
-- a time of its own does not make this read all that lies between.
create or replace function assay.risk_events(from_xid bigint, from_id text,
    to_xid bigint, to_id text)
returns table (entity bigint, day bigint, events bigint)
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
		from assay.verdict_log l
		where l.xid::text::bigint >= from_xid
			and l.xid::text::bigint <= to_xid
			and (l.xid::text::bigint > from_xid or l.id > from_id)
			and (l.xid::text::bigint < to_xid or l.id <= to_id)
			and l.score >= 0
		group by date_trunc('hour', l.decided_at)
	loop
		return query select w.entity, assay.risk_day(d.decided_at),
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

create or replace function assay.risk_day(at timestamptz)
returns bigint language sql immutable
set search_path = pg_catalog, pg_temp
return (at at time zone 'UTC')::date - date '1970-01-01';

-- Move the credit of at most so many labels to what they say by now, in the
-- counts of their decisions' devices and ips: what this changes, and first, as
-- that of an entity 0, how many labels there were.  A label is counted with
-- the newest scored decision of its event that has been counted itself, ever
-- the same.  Where the detail of that is gone there is nothing to change; nor
-- where the log has no decision any more, and the label is done with.  No row
-- while somebody else counts.
create or replace function assay.risk_labels(most bigint)
returns table (entity bigint, day bigint, fraud bigint, labels bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
	if not assay.analytics_try_lock() then
		return;
	end if;
	return query with due as materialized (
		select l.event_id, l.outcome, l.risk_outcome, l.risk_verdict_id, l.risk_decided_at
		from assay.label l
		where l.credited_outcome is not null
			and (l.risk_outcome is null or l.risk_outcome <> l.outcome)
		order by l.event_id limit most for update skip locked
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
		set risk_outcome = f.outcome, risk_verdict_id = f.id, risk_decided_at = f.at
		from found f where l.event_id = f.event_id
	), change as (
		select f.id, f.at, f.risk_outcome is null as first,
			(f.outcome = 'fraud')::int
			    - coalesce(f.risk_outcome = 'fraud', false)::int as n
		from found f
	)
	select 0::bigint, 0::bigint, 0::bigint, count(*) from found
	union all
	select w.entity, assay.risk_day(c.at), sum(c.n),
		count(*) filter (where c.first)
	from change c
		join assay.decision_detail d on d.decided_at = c.at
		    and d.verdict_id = c.id,
		lateral (values (d.device), (d.ip)) as w(entity)
	where w.entity is not null
	group by 1, 2
	order by 1, 2;
end
$$;

-- Write the days of entities, each with the number of its newest one; not of
-- those that are no device and no ip any more.
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

-- Forget at most so many entities whose newest day nobody asks for any more.
-- How many.
create or replace function assay.risk_prune(most bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
	gone bigint;
begin
	if not assay.analytics_try_lock() then
		return 0;
	end if;
	delete from assay.entity_risk r
	where r.entity in (select o.entity from assay.entity_risk o
	    where o.month < (now() at time zone 'UTC')::date - 121
		- interval '1 month' limit most);
	get diagnostics gone = row_count;
	return gone;
end
$$;
