-- SPDX-License-Identifier: ISC
-- Deliveries, of webhooks and of alert channels.

-- A delivery as answers show it: dead, or pending if dead_at is null.
create or replace function assay.delivery_json(id text, subscriber_id text,
    event text, attempts int, next_attempt_at timestamptz, last_error text,
    created_at timestamptz, dead_at timestamptz)
returns json language sql stable
return json_build_object(
    'id', id,
    case when starts_with(id, 'whd_') then 'endpointId'
	else 'channelId' end, subscriber_id,
    'event', event,
    'status', case when dead_at is null then 'pending' else 'dead' end,
    'attempts', attempts,
    'nextAttemptAt', case when dead_at is null then
	assay.time_text(next_attempt_at) end,
    'lastError', last_error,
    'createdAt', assay.time_text(created_at));

-- The newest deliveries of a kind, 'whd_' or 'ntd_', at most max_rows of each
-- status, without those to revoked subscribers, which will not be sent, and
-- without probes.
create or replace function assay.delivery_list(kind text, max_rows bigint)
returns text language sql stable
return json_build_object(
    'pending', (select coalesce(json_agg(assay.delivery_json(p.id,
	    p.subscriber_id, p.event, p.attempts, p.next_attempt_at,
	    p.last_error, p.created_at, null) order by p.id desc), '[]')
	from (select d.* from assay.delivery d
		join assay.subscriber s on s.id = d.subscriber_id and s.active
	    where d.id >= kind and d.id < kind || 'w' and d.dead_at is null
	    order by d.id desc limit max_rows) p),
    'dead', (select coalesce(json_agg(assay.delivery_json(p.id,
	    p.subscriber_id, p.event, p.attempts, p.next_attempt_at,
	    p.last_error, p.created_at, p.dead_at) order by p.id desc), '[]')
	from (select d.* from assay.dead_letter d
	    where d.id >= kind and d.id < kind || 'w'
	    order by d.id desc limit max_rows) p)
)::text;

-- Drop up to 20000 deliveries to a revoked subscriber; the companion drops the
-- rest.
create or replace function assay.delivery_drop(subscriber text)
returns void language sql
begin atomic
	delete from assay.delivery d
	where d.id in (select p.id from assay.delivery p
	    where p.subscriber_id = subscriber limit 20000);
end;

-- Requeue dead letters.  Those to revoked subscribers are dropped.  resent: the
-- companion does it, and not an operator.
create or replace function assay.delivery_requeue(ids text[],
    resent boolean default false)
returns table (moved bigint, requeued bigint) language sql
begin atomic
	with dead as (
		delete from assay.dead_letter d
		where d.id = any(ids)
		returning d.*
	), put as (
		insert into assay.delivery as w (id, subscriber_id, event, data,
		    user_id, correlation_id, occurred_at, created_at, resent)
		select d.id, d.subscriber_id, d.event, d.data, d.user_id,
			d.correlation_id, d.occurred_at, d.created_at,
			delivery_requeue.resent
		from dead d
			join assay.subscriber s
			    on s.id = d.subscriber_id and s.active
		-- Its probe becomes the delivery.
		on conflict (id) do update
		set attempts = 0, last_error = null, dead_at = null,
			resent = excluded.resent
		returning 1
	)
	select (select count(*) from dead), (select count(*) from put);
end;

-- Requeue at most max_rows dead letters of a kind, the oldest first, of those
-- that became dead before until.
create or replace function assay.delivery_redrive(kind text,
    until timestamptz, max_rows bigint)
returns table (moved bigint, requeued bigint) language sql
begin atomic
	select r.moved, r.requeued
	from assay.delivery_requeue(array(select p.id from assay.dead_letter p
	    where p.id >= kind and p.id < kind || 'w' and p.dead_at <= until
	    order by p.id limit max_rows)) r;
end;

-- Requeue one dead letter of a kind.
create or replace function assay.delivery_redrive_one(kind text,
    delivery_id text)
returns table (refusal text, body text) language sql
begin atomic
	select case when r.moved = 0 then 'NOT_FOUND' end,
		json_build_object('requeued', r.requeued)::text
	from assay.delivery_requeue(case when starts_with(delivery_id, kind)
	    then array[delivery_id] end) r;
end;

-- Claim at most max_rows due deliveries and return what to send: one subscriber
-- after another, beginning behind the subscriber "after", and the oldest
-- deliveries of each first.  A subscriber has a limited number of leases over
-- all companions, and fewer while its deliveries fail, so that a subscriber
-- that hangs delays only itself.  A lease expires; claimed_until identifies it.
create or replace function assay.delivery_claim(max_rows bigint,
    max_healthy bigint, max_failing bigint, lease_ms bigint, after text)
returns table (id text, subscriber_id text, event text, data text,
    correlation_id text, occurred_at timestamptz, attempts int,
    claimed_until timestamptz, form text, url text, secret text, target text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
as $$
declare
	moment timestamptz := clock_timestamp();
begin
	return query
	with due as materialized (
		select d.id, s.form, s.url, s.secret, s.target
		from (select t.* from (select w.id, w.failures,
				'endpoint' as form, w.url, w.secret,
				null as target
			    from assay.webhook_endpoint w where w.active
			    union all
			    select c.id, c.failures, c.type, c.url, null,
				c.target
			    from assay.alert_channel c where c.active) t
			order by t.id <= after, t.id) s
		    cross join lateral (select p.id from assay.delivery p
			where p.subscriber_id = s.id
			    and p.next_attempt_at <= moment
			order by p.next_attempt_at
			limit case when s.failures = 0 then max_healthy
			    else max_failing end) o
		    join assay.delivery d on d.id = o.id
		where d.claimed_until is null or d.claimed_until <= moment
		limit max_rows
		for update of d skip locked
	)
	update assay.delivery u
	set claimed_until = moment + lease_ms * interval '1 ms'
	from due
	where u.id = due.id
	returning u.id, u.subscriber_id, u.event, u.data, u.correlation_id,
		u.occurred_at, u.attempts, u.claimed_until, due.form, due.url,
		due.secret, due.target;
end
$$;

-- Count the failures of the subscribers of deliveries whose leases still hold.
-- Locks them in order, as revoking them does.
create or replace function assay.delivery_count(ids text[],
    claims timestamptz[], errors text[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	one record;
begin
	for one in
		select t.subscriber_id, bool_or(t.fine) as any_fine,
			count(*) filter (where t.ord > t.last_fine) as failures
		from (select d.subscriber_id, r.ord, r.error is null as fine,
			    coalesce(max(r.ord) filter (where r.error is null)
				over (partition by d.subscriber_id), 0)
				as last_fine
			from unnest(ids, claims, errors)
				with ordinality as r(id, claim, error, ord)
			    join assay.delivery d on d.id = r.id
				and d.claimed_until = r.claim) t
		group by t.subscriber_id
		order by t.subscriber_id
	loop
		update assay.webhook_endpoint w
		set failures = one.failures
			+ case when one.any_fine then 0 else w.failures end,
			last_status = case when one.failures > 0 then 'failed'
			    else 'delivered' end
		where w.id = one.subscriber_id and (one.failures > 0
			or w.last_status is distinct from 'delivered'
			or w.failures > 0);
		update assay.alert_channel c
		set failures = one.failures
			+ case when one.any_fine then 0 else c.failures end
		where c.id = one.subscriber_id
			and (one.failures > 0 or c.failures > 0);
	end loop;
end
$$;

-- Make dead letters of those of these deliveries whose leases still hold.  Each
-- is an event itself, unless it is about a dead letter.  Returns their ids.
create or replace function assay.delivery_bury(ids text[],
    claims timestamptz[], errors text[])
returns setof text language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	one record;
	alert constant text := 'alert.dead_letter.v1';
begin
	for one in
		delete from assay.delivery d
		using unnest(ids, claims, errors) as r(id, claim, error)
		where d.id = r.id and d.claimed_until = r.claim
		returning d.*, r.error
	loop
		insert into assay.dead_letter (id, subscriber_id, event, data,
		    user_id, correlation_id, occurred_at, created_at, attempts,
		    last_error, resent)
		values (one.id, one.subscriber_id, one.event, one.data,
		    one.user_id, one.correlation_id, one.occurred_at,
		    one.created_at, one.attempts + 1, one.error, one.resent);
		if one.event <> alert then
			perform assay.publish(alert, json_build_object(
				'source', case when starts_with(one.id, 'ntd_')
				    then 'alert' else 'webhook' end,
				'ref', one.id,
				'name', one.event,
				'attempts', one.attempts + 1),
			    one.correlation_id, null::text);
		end if;
		return next one.id;
	end loop;
end
$$;

-- Record the results of deliveries whose leases still hold.  A delivery without
-- an error is done.  One with an error is due again after its wait, in
-- microseconds, or dead if its wait is negative.  A probe ends either way, and its
-- dead letter if it was delivered.  Deliveries to revoked subscribers are dropped.
-- Returns for each: 0 delivered, 1 failed, 2 dead.
create or replace function assay.delivery_settle(ids text[],
    claims timestamptz[], errors text[], waits bigint[])
returns table (id text, result int) language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
	-- Lock subscribers first.
	perform assay.delivery_count(ids, claims, errors);

	delete from assay.dead_letter l
	using unnest(ids, claims, errors) as r(id, claim, error)
		join assay.delivery d on d.id = r.id
	where l.id = r.id and d.claimed_until = r.claim and r.error is null
		and d.dead_at is not null;
	return query
	delete from assay.delivery d
	using unnest(ids, claims, errors) as r(id, claim, error)
	where d.id = r.id and d.claimed_until = r.claim and r.error is null
	returning d.id, 0;

	delete from assay.delivery d
	using unnest(ids, claims) as r(id, claim)
		join assay.delivery o on o.id = r.id
		join assay.subscriber s on s.id = o.subscriber_id
	where d.id = r.id and d.claimed_until = r.claim and not s.active;

	return query
	with probe as (
		delete from assay.delivery d
		using unnest(ids, claims, errors) as r(id, claim, error)
		where d.id = r.id and d.claimed_until = r.claim
			and d.dead_at is not null
		returning d.id, r.error
	), letter as (
		update assay.dead_letter l
		set attempts = l.attempts + 1, last_error = p.error,
			probed_at = clock_timestamp()
		from probe p
		where l.id = p.id
	)
	select p.id, 1 from probe p;

	return query
	update assay.delivery d
	set attempts = d.attempts + 1, claimed_until = null,
		next_attempt_at = clock_timestamp()
		    + r.wait * interval '1 microsecond',
		last_error = r.error
	from unnest(ids, claims, errors, waits) as r(id, claim, error, wait)
	where d.id = r.id and d.claimed_until = r.claim and r.wait >= 0
	returning d.id, 1;

	return query select w.id, 2
	from assay.delivery_bury(ids, claims, errors) as w(id);
end
$$;

-- Requeue dead letters of subscribers that answer, each letter once: of each
-- subscriber a few, so that new events need not wait behind all of them, and of a
-- channel no more than its limit a minute allows in ten seconds.
create or replace function assay.delivery_resend()
returns bigint language sql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
begin atomic
	select r.requeued
	from assay.delivery_requeue(array(select o.id
	    from assay.subscriber s
		cross join lateral (select p.id from assay.dead_letter p
		    where p.subscriber_id = s.id and not p.resent
		    order by p.probed_at nulls first, p.id
		    limit case when s.id_prefix = 'whd_' then 100
			else greatest(1,
			    coalesce(nullif(s.throttle_per_min, 0), 60) / 6)
			end) o
	    where s.active and s.failures = 0
		and not exists (select from assay.delivery w
		    where w.subscriber_id = s.id offset 100)), true) r;
end;

-- Probe the subscribers that fail and to which nothing is pending, ten minutes
-- after the last time: queue a copy of a dead letter, the one that has not been
-- sent for the longest.  Returns how many.
create or replace function assay.delivery_probe()
returns bigint language sql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
begin atomic
	with put as (
		insert into assay.delivery (id, subscriber_id, event, data,
		    user_id, correlation_id, occurred_at, created_at, attempts,
		    last_error, dead_at)
		select d.id, d.subscriber_id, d.event, d.data, d.user_id,
			d.correlation_id, d.occurred_at, d.created_at,
			d.attempts, d.last_error, d.dead_at
		from assay.subscriber s
			cross join lateral (select p.*
			    from assay.dead_letter p
			    where p.subscriber_id = s.id and not p.resent
			    order by p.probed_at nulls first, p.id
			    limit 1
			    for update skip locked) d
		where s.active and s.failures > 0
			and greatest(d.dead_at, (select p.probed_at
			    from assay.dead_letter p
			    where p.subscriber_id = s.id and not p.resent
			    order by p.probed_at desc nulls last, p.id desc
			    limit 1)) < clock_timestamp() - interval '10 minutes'
			and not exists (select from assay.delivery w
			    where w.subscriber_id = s.id)
		on conflict do nothing
		returning 1
	)
	select count(*) from put;
end;

-- Release leases; the attempts do not count.
create or replace function assay.delivery_release(ids text[],
    claims timestamptz[])
returns void language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.delivery d
	set claimed_until = null
	from unnest(ids, claims) as r(id, claim)
	where d.id = r.id and d.claimed_until = r.claim;
end;

-- Revoke a webhook or channel that the caller has deactivated: drop its
-- deliveries.  If deactivated is false the subscriber does not exist.
create or replace function assay.subscriber_revoked(deactivated boolean,
    subscriber text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if deactivated then
		perform assay.delivery_drop(subscriber);
		return query select null, '{"ok":true}';
	else
		return query select 'NOT_FOUND', null;
	end if;
end
$$;

-- Drop at most max_rows deliveries to revoked subscribers.  Returns how many.
create or replace function assay.delivery_drop_revoked(max_rows bigint)
returns bigint language sql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
begin atomic
	with gone as (
		delete from assay.delivery d
		where d.id = any(array(select p.id
		    from assay.subscriber s
			cross join lateral (select o.id from assay.delivery o
			    where o.subscriber_id = s.id limit max_rows) p
		    where not s.active
		    limit max_rows))
		returning 1
	)
	select count(*) from gone;
end;
