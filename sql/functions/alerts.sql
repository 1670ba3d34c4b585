-- SPDX-License-Identifier: ISC
-- Alert channels.

-- A channel as answers show it; throttle is the limit of channels without one.
create or replace function assay.channel_json(channel_id text, throttle bigint)
returns json language sql stable
return (select json_strip_nulls(json_build_object(
	'id', c.id,
	'type', c.type,
	'urlHint', c.url_hint::json,
	'events', to_json(c.events),
	'minVerdict', c.min_verdict,
	'throttlePerMin', coalesce(c.throttle_per_min, throttle),
	'active', c.active,
	'failures', c.failures))
    from assay.alert_channel c where c.id = channel_id);

-- All kinds of events, and every channel, newest first.
create or replace function assay.channel_list(topics text[], throttle bigint)
returns text language sql stable
return json_build_object(
    'events', to_json(topics),
    'channels', (select coalesce(json_agg(assay.channel_json(c.id, throttle)
	    order by c.created_at desc, c.id desc), '[]')
	from assay.alert_channel c)
)::text;

-- Keep assay.epoch.anomalies up to date: whether an active channel subscribes
-- to anomalies.  The row is locked first, so that the second of two concurrent
-- changes sees the first.
create or replace function assay.channel_anomalies()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform from assay.epoch for update;
	update assay.epoch e set anomalies = w.wanted
	from (select exists (select from assay.alert_channel c
	    where c.active and 'alert.anomaly.v1' = any(c.events))) w(wanted)
	where e.anomalies <> w.wanted;
	return null;
end
$$;
select assay.trigger_make('assay.alert_channel', 'anomalies',
    'after insert or update of events, active or delete on assay.alert_channel
    for each statement execute function assay.channel_anomalies()');

-- Add a channel.
create or replace function assay.channel_create(id text, type text, url text,
    url_hint text, target text, events text[], min_verdict text,
    throttle_per_min bigint, created_by text, throttle bigint)
returns text language sql
begin atomic
	insert into assay.alert_channel (id, type, url, url_hint, target,
	    events, min_verdict, throttle_per_min, created_by)
	values (channel_create.id, channel_create.type, channel_create.url,
	    channel_create.url_hint, channel_create.target,
	    channel_create.events, channel_create.min_verdict,
	    channel_create.throttle_per_min::int, channel_create.created_by);
	select assay.channel_json(channel_create.id,
	    channel_create.throttle)::text;
end;

-- Revoke a channel and drop its deliveries.
create or replace function assay.channel_revoke(channel_id text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.alert_channel set active = false where id = channel_id;
	return query select * from assay.subscriber_revoked(found, channel_id);
end
$$;

-- Queue a test alert for an active channel.
create or replace function assay.channel_test(channel_id text,
    delivery_id text, correlation text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	insert into assay.delivery (id, subscriber_id, event, data,
	    correlation_id, occurred_at)
	select delivery_id, c.id, 'alert.test.v1',
		json_build_object('channelId', c.id)::text, correlation,
		clock_timestamp()
	from assay.alert_channel c where c.id = channel_id and c.active;
	if not found then
		return query select 'NOT_FOUND', null;
	else
		return query select null, '{"ok":true}';
	end if;
end
$$;
