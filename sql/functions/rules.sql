-- SPDX-License-Identifier: ISC
-- Rulesets and policies: a version never changes, ruleset_active and
-- policy_active name the version that decides, and assay.epoch tells every
-- worker to reload. The row of assay.epoch is locked last and until the commit,
-- so that its numbers rise in commit order.

-- The answer to publishing a version: refused if the version existed.
create or replace function assay.version_answer(is_new boolean,
    new_version text)
returns table (refusal text, body text) language sql immutable
begin atomic
	select case when not is_new then 'VERSION_EXISTS' end,
		case when is_new then json_build_object('ok', true,
		    'version', new_version)::text end;
end;

-- Let a version of a ruleset decide, for all users.
create or replace function assay.ruleset_activate(of_type text,
    new_version text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if exists (select from assay.ruleset_active a
	    where a.event_type = of_type and a.version = new_version) then
		return;
	end if;
	perform assay.rollout_stop(of_type);
	insert into assay.ruleset_active as a (event_type, version)
	values (of_type, new_version)
	on conflict (event_type) do update set version = excluded.version
	where a.version <> excluded.version;
	if found then
		update assay.epoch set rules = rules + 1;
	end if;
end
$$;

-- Publish a new version and activate it.  The second of two concurrent calls
-- with one version waits for the first and is then refused.
create or replace function assay.ruleset_publish(of_type text,
    new_version text, new_text text, n_rules bigint, publisher text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	is_new boolean;
begin
	perform assay.shadow_lock();
	insert into assay.ruleset (event_type, version, text, rules, author,
	    created_at)
	values (of_type, new_version, new_text, n_rules, publisher,
	    clock_timestamp())
	on conflict do nothing;
	is_new := found;
	if is_new then
		perform assay.ruleset_activate(of_type, new_version);
	end if;
	return query select * from assay.version_answer(is_new, new_version);
end
$$;

-- The event type of a policy; null if the policy does not exist.
create or replace function assay.policy_type(policy_id text)
returns text language sql stable
return (select p.event_type
    from assay.policy_active a join assay.policy p using (event_type, version)
    where p.id = policy_id);

-- Let a version of a policy decide.
create or replace function assay.policy_activate(of_type text,
    new_version text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.policy_active set version = new_version
	where event_type = of_type and version <> new_version;
	if found then
		update assay.epoch set policies = policies + 1;
	end if;
end
$$;

-- Publish a new version of an existing policy in the same way.
create or replace function assay.policy_publish(policy_id text,
    new_version text, new_on_error text, new_bands jsonb, publisher text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	of_type text := assay.policy_type(policy_id);
	is_new boolean;
begin
	if of_type is null then
		return query select 'POLICY_MISSING', null;
		return;
	end if;
	insert into assay.policy (event_type, version, id, on_error, bands,
	    author, created_at)
	values (of_type, new_version, policy_id, new_on_error, new_bands,
	    publisher, clock_timestamp())
	on conflict do nothing;
	is_new := found;
	if is_new then
		perform assay.policy_activate(of_type, new_version);
	end if;
	return query select * from assay.version_answer(is_new, new_version);
end
$$;

-- Activate a published version, earlier or later.
create or replace function assay.policy_rollback(policy_id text,
    to_version text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	of_type text := assay.policy_type(policy_id);
begin
	if of_type is null then
		return query select 'POLICY_MISSING', null;
	elsif not exists (select from assay.policy
	    where event_type = of_type and version = to_version) then
		return query select 'POLICY_VERSION_UNKNOWN', null;
	else
		perform assay.policy_activate(of_type, to_version);
		return query select null, '{"ok":true}';
	end if;
end
$$;

-- The versions of a ruleset, newest first, at most 1000 of them.
create or replace function assay.ruleset_versions(of_type text)
returns text language sql stable
return (select coalesce(json_agg(json_build_object(
	'version', v.version,
	'author', v.author,
	'publishedAt', assay.time_text(v.created_at),
	'active', v.active,
	'shadow', v.shadow,
	'rules', v.rules) order by v.created_at desc, v.version desc),
	'[]')::text
    from (select * from assay.ruleset_version
	where event_type = of_type
	order by created_at desc, version desc limit 1000) v);

-- One version of a policy, and whether it is the active one.
create or replace function assay.policy_version_json(p assay.policy)
returns json language sql stable
return json_build_object(
    'version', (p).version,
    'author', (p).author,
    'publishedAt', assay.time_text((p).created_at),
    'active', exists (select from assay.policy_active a
	where a.event_type = (p).event_type and a.version = (p).version),
    'onError', (p).on_error,
    'bands', (p).bands);

-- The versions of a policy, newest first, at most 1000 of them.
create or replace function assay.policy_versions(policy_id text)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when t.of_type is null then 'POLICY_MISSING' end, (
	    select json_agg(assay.policy_version_json(v)
		order by (v).created_at desc, (v).version desc)::text
	    from (select p from assay.policy p where p.event_type = t.of_type
		order by p.created_at desc, p.version desc limit 1000) n(v))
	from (select assay.policy_type(policy_id)) t(of_type);
end;

-- One version of a policy.
create or replace function assay.policy_version(policy_id text, of_version text)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when t.of_type is null then 'POLICY_MISSING'
		when p.version is null then 'POLICY_VERSION_UNKNOWN' end,
		assay.policy_version_json(p)::text
	from (select assay.policy_type(policy_id)) t(of_type)
		left join assay.policy p on p.event_type = t.of_type
		    and p.version = of_version;
end;

-- How many decisions of the event type of a policy had each score from 0 to 100
-- in the last days, today included, as far as the companion has counted them.
create or replace function assay.policy_histogram(policy_id text, days bigint)
returns table (refusal text, body text) language sql stable
begin atomic
	with scored as (
		select c.name::int as score, sum(c.n) as n
		from assay.analytics_count c
		where c.kind = 'score'
			and c.event_type = assay.policy_type(policy_id)
			and c.day > (now() at time zone 'UTC')::date - days::int
		group by 1
	)
	select case when t.of_type is null then 'POLICY_MISSING' end,
		json_build_object('eventType', t.of_type, 'days', days, 'scores', (
		    select json_agg(coalesce(c.n, 0) order by g.score)
		    from generate_series(0, 100) g(score)
			left join scored c using (score)))::text
	from (select assay.policy_type(policy_id)) t(of_type);
end;

-- The versions of a policy, newest first.
create or replace function assay.policy_history(policy_id text)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when t.of_type is null then 'POLICY_MISSING' end, (
	    select json_agg(p.version order by p.created_at desc,
		p.version desc)::text
	    from assay.policy p where p.event_type = t.of_type)
	from (select assay.policy_type(policy_id) as of_type) t;
end;

-- Every active policy.
create or replace function assay.policy_list()
returns text language sql stable
return (select coalesce(json_agg(json_build_object(
	'eventType', p.event_type,
	'policy', json_build_object(
	    'id', p.id,
	    'version', p.version,
	    'onError', p.on_error,
	    'bands', p.bands)) order by p.event_type), '[]')::text
    from assay.policy_active a
	join assay.policy p using (event_type, version));
