-- SPDX-License-Identifier: ISC
-- Webhooks.

-- All kinds of events, and every endpoint, newest first.
create or replace function assay.webhook_list(topics text[])
returns text language sql stable
return json_build_object(
    'events', to_json(topics),
    'endpoints', (select coalesce(json_agg(json_build_object(
	    'id', w.id,
	    'url', w.url,
	    'events', to_json(w.events),
	    'active', w.active,
	    'lastStatus', w.last_status,
	    'failures', w.failures)
	    order by w.created_at desc, w.id desc), '[]')
	from assay.webhook_endpoint w)
)::text;

-- Add an endpoint.  Only this answer contains the secret.  It warns of other
-- endpoints with this URL, which get some of the same events.
create or replace function assay.webhook_create(id text, url text,
    events text[], secret text, created_by text)
returns text language sql
begin atomic
	insert into assay.webhook_endpoint as w (id, url, events, secret,
	    created_by)
	values (webhook_create.id, webhook_create.url, webhook_create.events,
	    webhook_create.secret, webhook_create.created_by)
	returning json_build_object(
	    'id', w.id,
	    'url', w.url,
	    'events', to_json(w.events),
	    'active', w.active,
	    'failures', w.failures,
	    'secret', webhook_create.secret,
	    'warnings', (select coalesce(json_agg(
		    'this URL gets some events twice, also as ' || o.id
		    order by o.id), '[]')
		from assay.webhook_endpoint o
		where o.active and o.url = webhook_create.url
		    and o.events && webhook_create.events))::text;
end;

-- Revoke an endpoint and drop its deliveries.
create or replace function assay.webhook_revoke(endpoint_id text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.webhook_endpoint set active = false where id = endpoint_id;
	return query select * from assay.subscriber_revoked(found, endpoint_id);
end
$$;
