-- SPDX-License-Identifier: ISC
-- The configuration that operators write: rules, policies, settings, targets of
-- queues, webhooks.

-- What is active, without secrets.
create or replace function assay.config_content()
returns json language sql stable
return json_build_object(
    'rules', (select coalesce(json_agg(json_build_object(
	    'eventType', r.event_type,
	    'version', r.version,
	    'dsl', r.text) order by r.event_type), '[]')
	from assay.ruleset_active a
	    join assay.ruleset r using (event_type, version)),
    'policies', (select coalesce(json_agg(json_build_object(
	    'eventType', p.event_type,
	    'id', p.id,
	    'version', p.version,
	    'onError', p.on_error,
	    'bands', p.bands) order by p.event_type), '[]')
	from assay.policy_active a
	    join assay.policy p using (event_type, version)),
    'settings', (select coalesce(json_object_agg(s.name, s.value
	    order by s.name), '{}')
	from assay.setting s),
    'queues', (select coalesce(json_object_agg(q.name, q.target_minutes
	    order by q.name), '{}')
	from assay.case_queue q),
    'webhooks', (select coalesce(json_agg(json_build_object(
	    'id', w.id,
	    'url', w.url,
	    'events', to_json(w.events)) order by w.url, w.id), '[]')
	from assay.webhook_endpoint w
	where w.active));

-- What identifies a content.
create or replace function assay.config_digest(content json)
returns text language sql immutable
return left(encode(sha256(convert_to(content::text, 'UTF8')), 'hex'), 32);

create or replace function assay.config_etag()
returns text language sql stable
return assay.config_digest(assay.config_content());

-- The content with its etag.  The entries of the lists are only counted, and
-- are not part of it.
create or replace function assay.config_get()
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	content constant json := assay.config_content();
begin
	return '{"etag":"' || assay.config_digest(content) || '",'
		|| substr(content::text, 2, length(content::text) - 2)
		|| ',"lists":' || (assay.list_summary()::json -> 'byKind')
		|| '}';
end
$$;

-- Let other changes of the configuration wait until the transaction ends.
-- Decisions only read these tables.  Webhooks are left out, because the
-- companion writes the state of deliveries to them; to add or to revoke one
-- undoes no other change.
create or replace function assay.config_lock()
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	lock table assay.ruleset_active, assay.policy_active, assay.setting,
	    assay.case_queue in share row exclusive mode;
end
$$;

-- Begin a change of the content that this etag identifies.
create or replace function assay.config_begin(etag text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.config_lock();
	return query select case when config_begin.etag <> assay.config_etag()
	    then 'CONFIG_CHANGED' end, null;
end
$$;

-- What a proposal can change of it, as text.
create or replace function assay.config_text()
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
	return (select string_agg(l.line, e'\n' order by l.part, l.name)
	    from (select 1 as part, r.event_type as name,
		    concat('rules ', r.event_type, ' ', r.version, e'\n',
			r.text) as line
		from assay.ruleset_active a
		    join assay.ruleset r using (event_type, version)
		union all
		select 2, p.event_type, concat('policy ', p.event_type, ' ',
			p.version, e'\n', assay.proposal_policy(p))
		from assay.policy_active a
		    join assay.policy p using (event_type, version)
		union all
		select 3, s.name, concat('setting ', s.name, ' ', s.value)
		from assay.setting s
		union all
		select 4, q.name, concat('queue ', q.name, ' ',
			q.target_minutes, ' minutes')
		from assay.case_queue q) l);
end
$$;
