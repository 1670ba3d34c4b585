-- SPDX-License-Identifier: ISC
-- Metrics that come from the database.

-- Add to the companions' counters.  The rows are sorted, so that two calls
-- cannot deadlock.  A long wait for a lock fails here with a clear result, and
-- not at the caller's timeout, which leaves the result unknown.
create or replace function assay.counter_add(metrics text[], labels1 bigint[],
    labels2 bigint[], counts bigint[])
returns void language sql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '500ms'
begin atomic
	insert into assay.counter as c (metric, label1, label2, n)
	select u.metric, u.label1, u.label2, u.n
	from unnest(metrics, labels1, labels2, counts)
	    as u(metric, label1, label2, n)
	order by u.metric, u.label1, u.label2
	on conflict (metric, label1, label2)
	    do update set n = c.n + excluded.n;
end;

-- Milliseconds since a time; 0 if it is null or in the future.
create or replace function assay.age_ms(at timestamptz)
returns bigint language sql stable
return coalesce(greatest(0, extract(epoch from clock_timestamp() - at) * 1000),
    0)::bigint;

-- How much waits, and since when, in milliseconds; lib/shared/gauges.tbl has
-- the names.  Counts end at at_most, and each age is that of one row, found by
-- an index: what this reads does not grow with what waits.
create or replace function assay.gauges(at_most bigint)
returns table (name text, value bigint) language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
begin atomic
	values ('outbox_events', (select count(*)
		from (select from assay.outbox limit at_most) o)),
	    ('outbox_oldest', assay.age_ms((select o.occurred_at
		from assay.outbox o order by o.number limit 1))),
	    ('async_events', (select count(*)
		from (select from assay.async_queue limit at_most) q)),
	    ('async_oldest', assay.age_ms((select q.accepted_at
		from assay.async_queue q order by q.number limit 1))),
	    ('labels_waiting', (select l.waiting from assay.label_backlog l)),
	    ('analytics_lag', assay.age_ms((select l.decided_at
		from assay.verdict_log l
		where l.xid::text::bigint >= (select c.next_xid
		    from assay.analytics_cursor c)
		limit 1))),
	    ('model_refused', (select count(*) from assay.model_source p
		where p.refusal is not null
		    and p.polled_at > clock_timestamp() - interval '1 day')),
	    ('model_poll', assay.age_ms((select max(p.polled_at)
		from assay.model_source p))),
	    ('spool_quarantined', (select coalesce(sum(h.quarantined), 0)::bigint
		from assay.spool_host h)),
	    ('retention_age', assay.age_ms((select nullif(
		    coalesce(s.finished_at, s.started_at), '-infinity')
		from assay.retention_sweep s))),
	    ('months_ahead', assay.partitions_left())
	union all
	select g.name || k.kind, g.value
	from (values ('webhook', 'whd_', 'whk\_%'), ('alert', 'ntd_', 'ntf\_%'))
		as k(kind, prefix, subscribers), lateral (values
		('pending_', (select count(*)
		    from (select from assay.delivery d
			where d.id >= k.prefix and d.id < k.prefix || 'w'
			limit at_most) d)),
		('dead_', (select count(*)
		    from (select from assay.dead_letter d
			where d.id >= k.prefix and d.id < k.prefix || 'w'
			limit at_most) d)),
		('due_', assay.age_ms((select min(n.at)
		    from assay.subscriber s cross join lateral (
			select d.next_attempt_at as at from assay.delivery d
			where d.subscriber_id = s.id
			order by d.next_attempt_at limit 1) n
		    where s.active and s.id like k.subscribers)))) as g(name, value)
	union all
	select 'psi_' || upper(replace(t.event_type, '.', '_')),
		coalesce((select (d.psi * 1e6)::bigint from assay.drift d
		where d.event_type = t.event_type), -1000000)
	from assay.policy_active t;
end;
