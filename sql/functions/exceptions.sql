-- SPDX-License-Identifier: ISC
-- Exceptions: rules and tags that are silenced for a value.

create or replace function assay.exception_state(e assay.rule_exception)
returns text language sql stable
return case when (e).ended_at is not null then 'ended'
    when (e).expires_at <= now() then 'expired' else 'active' end;

-- An exception as answers show it: with the number of decisions in which it
-- kept a rule from firing, and of those with another verdict because of that, among
-- the first 10000.
create or replace function assay.exception_json(e assay.rule_exception)
returns json language sql stable
return (select json_build_object(
    'id', (e).id,
    'eventType', (e).event_type,
    'kind', (e).kind,
    'name', (e).name,
    'subject', (e).subject,
    'value', (e).value,
    'reason', (e).reason,
    'state', assay.exception_state(e),
    'expiresAt', assay.time_text((e).expires_at),
    'createdBy', (e).created_by,
    'createdAt', assay.time_text((e).created_at),
    'endedBy', (e).ended_by,
    'endedAt', assay.time_text((e).ended_at),
    'decisions', count(*),
    'changed', count(*) filter (where u.verdict <> u.verdict_without))
    from (select w.verdict, w.verdict_without from assay.exception_use w
	where w.exception = (e).id limit 10000) u);

-- A page of the exceptions, newest first; of one state, or of all where that is
-- null.
create or replace function assay.exception_page(of_state text,
    page_limit bigint, page_offset bigint)
returns text language sql stable
return (select coalesce(json_agg(assay.exception_json(p.entry)
	order by p.id desc), '[]')::text
    from (select e.id, e as entry from assay.rule_exception e
	where of_state is null or assay.exception_state(e) = of_state
	order by e.id desc limit page_limit offset page_offset) p);

-- One exception, with the newest 50 decisions in which it silenced a rule.
create or replace function assay.exception_get(exception_id text)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when e.id is null then 'NOT_FOUND' end,
		case when e.id is not null then json_build_object(
		    'exception', assay.exception_json(e),
		    'uses', (select coalesce(json_agg(json_build_object(
			    'eventId', u.event_id,
			    'decidedAt', assay.time_text(u.decided_at),
			    'verdict', u.verdict,
			    'verdictWithout', u.verdict_without)
			    order by u.verdict_id desc), '[]')
			from (select * from assay.exception_use w
			    where w.exception = e.id
			    order by w.verdict_id desc limit 50) u))::text end
	from (select) as one left join assay.rule_exception e
		on e.id = exception_id;
end;

-- Add an exception, unless the same one or max_active are active.  It looks while it
-- holds the row of assay.epoch, so that of two calls the second sees the first.
create or replace function assay.exception_create(new_id text, of_type text,
    of_kind text, of_name text, of_subject text, of_value text,
    why text, ends timestamptz, operator text, max_active bigint)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	perform from assay.epoch for update;
	if exists (select from assay.rule_exception e
	    where e.ended_at is null and e.expires_at > now()
		and (e.kind, e.name, e.subject, e.value)
		    = (of_kind, of_name, of_subject, of_value)
		and e.event_type is not distinct from of_type) then
		return query select 'EXCEPTION_EXISTS', null;
		return;
	end if;
	if (select count(*) from assay.rule_exception e
	    where e.ended_at is null and e.expires_at > now()) >= max_active then
		return query select 'EXCEPTIONS_FULL', null;
		return;
	end if;
	update assay.epoch set exceptions = exceptions + 1;
	return query
	with made as (
		insert into assay.rule_exception (id, event_type, kind, name,
		    subject, value, reason, expires_at, created_by)
		values (new_id, of_type, of_kind, of_name, of_subject,
		    of_value, why, ends, operator)
		returning *
	)
	select null::text, assay.exception_json(m::assay.rule_exception)::text
	from made m;
end
$$;

-- End an exception now.  One that is over stays as it is.
create or replace function assay.exception_end(exception_id text,
    operator text)
returns table (refusal text, body text) language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.rule_exception e
	set ended_at = clock_timestamp(), ended_by = operator
	where e.id = exception_id and assay.exception_state(e) = 'active'
	returning assay.exception_json(e)::text into body;
	if body is not null then
		update assay.epoch set exceptions = exceptions + 1;
	else
		select assay.exception_json(e)::text into body
		from assay.rule_exception e where e.id = exception_id;
		refusal := case when body is null then 'NOT_FOUND' end;
	end if;
	return next;
end
$$;
