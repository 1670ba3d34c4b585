-- SPDX-License-Identifier: ISC
-- Publishing: from the outbox and the verdict log to deliveries.

-- The four prefixes that an id of this moment can have, as lib/sys/crypt.c
-- writes ids: 48 bits of milliseconds and two random bits, five bits a
-- character.
create or replace function assay.id_prefixes(at timestamptz)
returns text[] language sql stable
begin atomic
	select array_agg(w.prefix order by w.random)
	from (select r.random, string_agg(substr(
		    '0123456789abcdefghijklmnopqrstuv',
		    ((t.bits + r.random >> (45 - 5 * p)) & 31)::int + 1, 1), ''
		    order by p) as prefix
		from (select floor(extract(epoch from at) * 1000)::bigint << 2)
			as t(bits), generate_series(0, 3) as r(random),
			generate_series(0, 9) as p
		group by r.random) w;
end;

-- An id with one of these prefixes.  The random bits are those of a UUID: 12
-- bytes make 15 characters, and the last character has three bits.
create or replace function assay.id_text(kind text, prefixes text[],
    uuid bytea)
returns text language sql immutable
return kind || prefixes[(get_byte(uuid, 9) & 3) + 1]
    || translate(left(encode(substr(uuid, 1, 6) || substr(uuid, 11, 6),
	    'base64'), 15),
	'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
	repeat('0123456789abcdefghijklmnopqrstuv', 2))
    || substr('048cgkos', (get_byte(uuid, 7) & 7) + 1, 1);

-- Create one delivery for each event and each active subscriber that wants it;
-- a subscriber gets no event older than its subscription.  A channel gets only
-- the first alerts of each minute, up to its limit; throttle is the limit of
-- channels without one.  Returns for each kind of event how many events were
-- delivered to anyone, and how many deliveries the limits have suppressed.
create or replace function assay.fan_out(happened assay.outbox[],
    throttle bigint)
returns table (topic text, events bigint, throttled bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	at constant timestamptz := clock_timestamp();
	prefixes constant text[] := assay.id_prefixes(at);
	this_minute constant bigint := floor(extract(epoch from at) / 60);
begin
	return query
	with wanted as (
		select h.*, s.id as subscriber, s.id_prefix,
			nullif(coalesce(s.throttle_per_min, throttle), 0)
			    as max_alerts,
			coalesce(m.n, 0) + row_number() over (
			    partition by s.id order by h.nth) as alert_number
		from unnest(happened) with ordinality as h(number, event, data,
			user_id, correlation, occurred_at, nth)
			join assay.subscriber s on s.active
			    and h.event = any(s.events)
			    and s.created_at <= h.occurred_at
			    and (s.min_verdict is null
				or h.event not in ('verdict.reached.v1',
				    'verdict.revised.v1')
				or assay.verdict_severity(h.data::json
				    ->> 'verdict') >=
				    assay.verdict_severity(s.min_verdict))
			left join assay.alert_minute m
			    on m.channel_id = s.id and m.minute = this_minute
	), decided as materialized (
		select w.*, w.max_alerts is null
			or w.alert_number <= w.max_alerts as kept,
			uuid_send(gen_random_uuid()) as random
		from wanted w
	), created as (
		insert into assay.delivery (id, subscriber_id, event, data,
		    user_id, correlation_id, occurred_at)
		select assay.id_text(d.id_prefix, prefixes, d.random),
			d.subscriber, d.event, d.data, d.user_id,
			d.correlation, d.occurred_at
		from decided d where d.kept
	), counted as (
		insert into assay.alert_minute as m (channel_id, minute, n)
		select d.subscriber, this_minute, count(*)
		from decided d where d.kept and d.max_alerts is not null
		group by d.subscriber
		on conflict (channel_id) do update
		set minute = excluded.minute, n = excluded.n +
		    case when m.minute = excluded.minute then m.n else 0 end
	)
	select d.event, count(distinct d.nth) filter (where d.kept),
		count(*) filter (where not d.kept)
	from decided d group by d.event;
end
$$;

-- Take the oldest events out of the outbox.
create or replace function assay.publish_outbox(max_events bigint)
returns assay.outbox[] language sql
begin atomic
	with taken as (
		delete from assay.outbox o
		where o.number = any(array(select w.number from assay.outbox w
		    order by w.number limit max_events))
		returning o.*
	)
	select array_agg(t::assay.outbox order by t.number) from taken t;
end;

-- Take the next decisions up to the watermark out of the verdict log, as events, if a
-- subscriber wants them, and move the cursor.  assay.publish_next() explains looked
-- and next_xid.
create or replace function assay.publish_verdicts(max_events bigint,
    wanted boolean, looked bigint, watermark bigint,
    out events assay.outbox[], out next_xid bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	min_gap constant bigint := 1000; -- transactions to store without an event
	stored assay.publish_cursor;
	from_xid bigint;
	from_id text;
	to_id text;
begin
	select * into strict stored from assay.publish_cursor;
	from_xid := stored.next_xid;
	from_id := stored.last_id;
	if looked > from_xid and looked <= watermark then
		from_xid := looked;
		from_id := '';
	end if;
	if wanted and from_xid < watermark then
		with decision as materialized (
			select l.* from assay.log_between(from_xid, from_id,
			    watermark, '') l
			order by l.xid, l.id limit max_events
		)
		select array_agg(row(null, 'verdict.reached.v1', json_strip_nulls(
			    json_build_object('verdictId', l.id,
				'eventId', l.event_id,
				'eventType', l.event_type,
				'verdict', l.verdict,
				'score', l.score,
				'reasons', l.reasons::json,
				'policyId', l.policy_id,
				'policyVersion', l.policy_version,
				'reviewQueue', l.review_queue)), null,
			    l.correlation_id, l.decided_at)::assay.outbox
			    order by l.xid, l.id),
			max(l.xid),
			(array_agg(l.id order by l.xid desc, l.id desc))[1]
		into events, next_xid, to_id
		from decision l;
	end if;
	if cardinality(events) is distinct from max_events then
		next_xid := watermark;
		to_id := '';
	end if;
	if events is not null or watermark - stored.next_xid > min_gap then
		update assay.publish_cursor c
		set next_xid = publish_verdicts.next_xid, last_id = to_id;
	end if;
end
$$;

-- Publish the next events of the outbox and the verdict log, about
-- max_deliveries deliveries.  Only one session publishes at a time; others get
-- busy.
--
-- more says whether there is more to publish.  next_xid is where the next call
-- of this session starts: it passes it as looked (0 at first), so that a step
-- that finds no decision is not repeated and an idle system writes nothing.  A
-- value beyond the watermark comes from another server and is ignored.  topics,
-- events and throttled are the counts of assay.fan_out().
--
-- The cursor moves and the outbox's rows go in the transaction that creates the
-- deliveries, so that each event is published once, also if the companion is
-- killed.  The cursor stops before the oldest running transaction, because that
-- may commit late.
create or replace function assay.publish_next(max_deliveries bigint,
    throttle bigint, looked bigint, out busy boolean, out more boolean,
    out next_xid bigint, out topics text[], out events bigint[],
    out throttled bigint[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	watermark bigint;
	max_events bigint; -- of each source
	has_subscriber boolean; -- for verdicts
	from_outbox assay.outbox[];
	from_log assay.outbox[];
begin
	busy := not pg_try_advisory_xact_lock(
	    hashtextextended('assay.publish', 0));
	if busy then
		return;
	end if;

	-- Read before subscribers and rows: older transactions have ended, and
	-- a later subscriber wants none of their events.
	watermark := assay.log_watermark();
	select greatest(1, max_deliveries / greatest(1, count(*))),
		coalesce(bool_or('verdict.reached.v1' = any(s.events)), false)
	into max_events, has_subscriber
	from assay.subscriber s where s.active;
	from_outbox := assay.publish_outbox(max_events);
	select v.events, v.next_xid into from_log, next_xid
	from assay.publish_verdicts(max_events, has_subscriber, looked,
	    watermark) v;

	select array_agg(f.topic), array_agg(f.events), array_agg(f.throttled)
	into topics, events, throttled
	from assay.fan_out(from_outbox || from_log, throttle) f;
	more := coalesce(max_events in (cardinality(from_outbox),
	    cardinality(from_log)), false);
end
$$;
