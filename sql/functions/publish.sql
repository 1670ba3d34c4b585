-- SPDX-License-Identifier: ISC
-- Events on their way from where they happened to the deliveries.

-- The first ten characters that an id of a moment may have, as lib/sys/crypt.c
-- writes it: 48 bits of milliseconds and two of chance, five a character.
create or replace function assay.id_prefixes(at timestamptz)
returns text[] language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	select array_agg(w.head order by w.chance)
	from (select c.chance, string_agg(substr(
		    '0123456789abcdefghijklmnopqrstuv',
		    ((t.bits + c.chance >> (45 - 5 * p)) & 31)::int + 1, 1), ''
		    order by p) as head
		from (select floor(extract(epoch from at) * 1000)::bigint << 2)
			as t(bits), generate_series(0, 3) as c(chance),
			generate_series(0, 9) as p
		group by c.chance) w;
end;

-- An id with one of these heads, by the chance in the bytes of a random UUID,
-- 12 of which make 15 characters; the last has three bits.  No search path is
-- set, so that a statement takes it in instead of calling it.
create or replace function assay.id_text(kind text, heads text[],
    uuid bytea)
returns text language sql immutable
return kind || heads[(get_byte(uuid, 9) & 3) + 1]
    || translate(left(encode(substr(uuid, 1, 6) || substr(uuid, 11, 6),
	    'base64'), 15),
	'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
	repeat('0123456789abcdefghijklmnopqrstuv', 2))
    || substr('048cgkos', (get_byte(uuid, 7) & 7) + 1, 1);

-- A delivery of each of these events to each subscriber that wants it and is
-- older than it.  Of alerts no more than a channel may have in this minute of
-- ours, the first of them; throttle is the limit of channels without one.  Of
-- each kind of event, how many had a delivery and how many alerts had none.
create or replace function assay.fan_out(happened assay.outbox[],
    throttle bigint)
returns table (topic text, events bigint, throttled bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	severity constant text[] := '{allow,challenge,review,deny}';
	at constant timestamptz := clock_timestamp();
	heads constant text[] := assay.id_prefixes(at);
	this constant bigint := floor(extract(epoch from at) / 60);
begin
	return query
	with wanted as (
		select h.*, s.id as subscriber, s.id_prefix,
			nullif(coalesce(s.throttle_per_min, throttle), 0)
			    as most,
			coalesce(m.n, 0) + row_number() over (
			    partition by s.id order by h.nth) as place
		from unnest(happened) with ordinality as h(number, event, data,
			user_id, correlation, occurred_at, nth)
			join assay.subscriber s on s.active
			    and h.event = any(s.events)
			    and s.created_at <= h.occurred_at
			    and (s.min_verdict is null
				or h.event <> 'verdict.reached.v1'
				or array_position(severity,
				    h.data::json ->> 'verdict') >=
				    array_position(severity, s.min_verdict))
			left join assay.alert_minute m
			    on m.channel_id = s.id and m.minute = this
	), told as materialized (
		select w.*, w.most is null or w.place <= w.most as kept,
			uuid_send(gen_random_uuid()) as chance
		from wanted w
	), put as (
		insert into assay.delivery (id, subscriber_id, event, data,
		    user_id, correlation_id, occurred_at)
		select assay.id_text(t.id_prefix, heads, t.chance),
			t.subscriber, t.event, t.data, t.user_id,
			t.correlation, t.occurred_at
		from told t where t.kept
	), counted as (
		insert into assay.alert_minute as m (channel_id, minute, n)
		select t.subscriber, this, count(*)
		from told t where t.kept and t.most is not null
		group by t.subscriber
		on conflict (channel_id) do update
		set minute = excluded.minute, n = excluded.n +
		    case when m.minute = excluded.minute then m.n else 0 end
	)
	select t.event, count(distinct t.nth) filter (where t.kept),
		count(*) filter (where not t.kept)
	from told t group by t.event;
end
$$;

-- Publish what comes next of outbox and verdict log: about as many deliveries
-- as most says.  A row for each kind of event, and a last one without a topic:
-- whether there is more, and the transaction that the next is to begin with,
-- should it be ours: looked is the answer to the last call of this session, 0
-- at first.  One beyond the transactions that have ended is not of this server
-- and is passed over.
-- The cursor moves, and the rows of the outbox go, in the transaction that has
-- the deliveries, so that each event is published once wherever this is
-- killed.  One at a time publishes: who comes meanwhile has nothing to do.
--
-- The cursor stops before the oldest transaction that still runs, so that none
-- is left out that commits late.  A step that finds no decision leaves it
-- behind for a while: an idle system writes nothing, and reads nothing again.
create or replace function assay.publish_next(most bigint, throttle bigint,
    looked bigint)
returns table (topic text, events bigint, throttled bigint, more boolean,
    next bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	stride constant bigint := 1000; -- transactions, at least
	horizon bigint;
	at_most bigint; -- events of each source
	wanted boolean; -- somebody subscribes to verdicts
	told assay.outbox[];
	stored bigint;
	first bigint;
	upto text;
	beyond bigint;
	decided record;
begin
	if not pg_try_advisory_xact_lock(hashtextextended('assay.publish', 0))
	then
		return;
	end if;

	-- Before subscribers and rows are read: what is older has ended, and
	-- who subscribes after they are read wants none of it.
	horizon := assay.log_watermark();
	select greatest(1, most / greatest(1, count(*))),
		coalesce(bool_or('verdict.reached.v1' = any(s.events)), false)
	into at_most, wanted
	from assay.subscriber s where s.active;

	with gone as (
		delete from assay.outbox o
		where o.number = any(array(select w.number from assay.outbox w
		    order by w.number limit at_most))
		returning o.*
	)
	select array_agg(g::assay.outbox order by g.number) into told
	from gone g;

	select c.next_xid, w.first, case when w.first > c.next_xid then '' else c.last_id end
	into stored, first, upto
	from assay.publish_cursor c cross join lateral (
		select case when looked > c.next_xid and looked <= horizon
		    then looked else c.next_xid end) as w(first);
	beyond := horizon;
	if wanted then
		beyond := least(horizon, first + greatest(at_most, stride));
	end if;
	wanted := wanted and first < beyond;
	with l as materialized (
		select l.xid::text::bigint as xid, l.id, l.event_id,
			l.event_type, l.verdict, l.score, l.reasons,
			l.policy_id, l.policy_version, l.review_queue,
			l.correlation_id, l.decided_at
		from assay.verdict_log l
		where wanted and l.xid::text::bigint >= first
			and l.xid::text::bigint < beyond
			and (l.xid::text::bigint > first or l.id > upto)
		order by 1, 2 limit at_most
	)
	select count(*) as n, max(l.xid) as xid,
		(array_agg(l.id order by l.xid desc, l.id desc))[1] as id,
		array_agg(row(null, 'verdict.reached.v1', json_strip_nulls(
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
		    order by l.xid, l.id) as events
	into decided from l;

	-- Others use up transactions too: do not creep through a gap.
	if decided.n = 0 and beyond < horizon then
		select coalesce(min(l.xid::text::bigint), horizon) into beyond
		from assay.verdict_log l
		where l.xid::text::bigint >= beyond
			and l.xid::text::bigint < horizon;
	end if;
	if decided.n = at_most then
		beyond := decided.xid;
		update assay.publish_cursor c
		set next_xid = beyond, last_id = decided.id;
	elsif decided.n > 0 or beyond - stored > stride then
		update assay.publish_cursor c set next_xid = beyond, last_id = '';
	end if;

	return query select f.topic, f.events, f.throttled, null::boolean,
		null::bigint
	from assay.fan_out(told || decided.events, throttle) f;
	topic := null;
	next := beyond;
	more := beyond < horizon or decided.n = at_most
	    or coalesce(cardinality(told), 0) = at_most;
	return next;
end
$$;
