-- SPDX-License-Identifier: ISC
-- Deliveries, of webhooks and of alert channels.

-- One delivery as callers see it: dead, or pending where it has no time of
-- death.
create or replace function assay.delivery_json(d assay.dead_letter)
returns json language sql stable
set search_path = pg_catalog, pg_temp
return json_build_object(
    'id', (d).id,
    case when starts_with((d).id, 'whd_') then 'endpointId'
	else 'channelId' end, (d).subscriber_id,
    'event', (d).event,
    'status', case when (d).dead_at is null then 'pending' else 'dead' end,
    'attempts', (d).attempts,
    'nextAttemptAt', case when (d).dead_at is null then
	assay.time_text((d).next_attempt_at) end,
    'lastError', (d).last_error,
    'createdAt', assay.time_text((d).created_at));

-- The newest deliveries of a kind, "whd_" or "ntd_", at most so many of each
-- status.  What waits for a subscriber that was revoked will not be sent.
create or replace function assay.delivery_list(kind text, at_most bigint)
returns text language sql stable
set search_path = pg_catalog, pg_temp
return json_build_object(
    'pending', (select coalesce(json_agg(assay.delivery_json(
	    row(p.*, null)::assay.dead_letter) order by p.id desc), '[]')
	from (select d.* from assay.delivery d
		join assay.subscriber s on s.id = d.subscriber_id and s.active
	    where d.id >= kind and d.id < kind || 'w'
	    order by d.id desc limit at_most) p),
    'dead', (select coalesce(json_agg(assay.delivery_json(p)
	    order by p.id desc), '[]')
	from (select d.* from assay.dead_letter d
	    where d.id >= kind and d.id < kind || 'w'
	    order by d.id desc limit at_most) p)
)::text;

-- Drop what waits for a subscriber that was revoked; of very much the rest is
-- dropped when its turn comes.
create or replace function assay.delivery_drop(subscriber text)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	delete from assay.delivery d
	where d.id in (select p.id from assay.delivery p
	    where p.subscriber_id = subscriber limit 20000);
end;

-- Take up to so many of a kind that were given up until some time, the oldest
-- first, and begin with them anew; those of subscribers that were revoked are
-- dropped.
create or replace function assay.delivery_redrive(kind text,
    until timestamptz, at_most bigint)
returns table (moved bigint, requeued bigint) language sql
set search_path = pg_catalog, pg_temp
begin atomic
	with dead as (
		delete from assay.dead_letter d
		where d.id in (select p.id from assay.dead_letter p
		    where p.id >= kind and p.id < kind || 'w'
			and p.dead_at <= until
		    order by p.id limit at_most)
		returning d.*
	), put as (
		insert into assay.delivery (id, subscriber_id, event, data,
		    user_id, correlation_id, occurred_at, created_at)
		select d.id, d.subscriber_id, d.event, d.data, d.user_id,
			d.correlation_id, d.occurred_at, d.created_at
		from dead d
			join assay.subscriber s
			    on s.id = d.subscriber_id and s.active
		returning 1
	)
	select (select count(*) from dead), (select count(*) from put);
end;
