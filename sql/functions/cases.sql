-- SPDX-License-Identifier: ISC
-- Review cases.

-- The resolution of a case; null before it has one.
create or replace function assay.case_resolution(c assay.review_case)
returns json language sql stable
set search_path = pg_catalog, pg_temp
return case when (c).status = 'resolved' then
    json_strip_nulls(json_build_object(
	'outcome', (c).outcome,
	'analyst', (c).resolved_by,
	'note', (c).note,
	'at', assay.time_text((c).resolved_at))) end;

-- A case as answers show it, with its trail.
create or replace function assay.case_json(c assay.review_case)
returns json language sql stable
set search_path = pg_catalog, pg_temp
return json_build_object(
    'id', (c).id,
    'eventId', (c).event_id,
    'verdictId', (c).verdict_id,
    'queue', (c).queue,
    'verdict', 'review',
    'score', (c).score,
    'status', (c).status,
    'assignedTo', (c).assigned_to,
    'resolution', assay.case_resolution(c),
    'openedAt', assay.time_text((c).opened_at),
    'audit', (select coalesce(json_agg(json_strip_nulls(json_build_object(
	    'action', t.action,
	    'at', assay.time_text(t.at),
	    'actor', t.actor,
	    'detail', t.detail)) order by t.at), '[]')
	from assay.case_trail t where t.case_id = (c).id));

-- Every queue that has cases: one probe of the index per queue.
create or replace function assay.case_queues()
returns setof text language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	with recursive q(name) as (
		select min(r.queue) from assay.review_case r
		union all
		select (select min(r.queue) from assay.review_case r
		    where r.queue > q.name)
		from q where q.name is not null)
	select q.name from q where q.name is not null;
end;

-- The decisions that may have opened cases about an event or a user: the
-- verdicts "review" on the event, and the newest 10000 details of the user.
create or replace function assay.case_decisions(event text, of_user text)
returns table (id text, decided_at timestamptz) language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	select v.id, v.decided_at from assay.verdict_log v
	where v.event_id = case_decisions.event and v.verdict = 'review'
	union all
	(select d.verdict_id, d.decided_at from assay.decision_detail d
	where d.user_id = case_decisions.of_user
	order by d.decided_at desc limit 10000);
end;

-- A page of cases, newest first.  queue, status, event and of_user select
-- cases, null selects all; before is the last case of the previous page.  The
-- index is ordered within a queue and status, so each of these is read by
-- itself and no further than needed.
create or replace function assay.case_page(queue text, status text,
    event text, of_user text, page_limit bigint, page_offset bigint,
    before text)
returns table (refusal text, body text) language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	last_at timestamptz := 'infinity';
	last_id text := '';
	queues constant text[] := case when queue is null
	    then array(select assay.case_queues()) else array[queue] end;
	statuses constant text[] := case when status is null
	    then array['open', 'assigned', 'resolved'] else array[status] end;
begin
	if before is not null then
		select r.opened_at, r.id into last_at, last_id
		from assay.review_case r where r.id = before;
		if not found then
			return query select 'CASE_NOT_FOUND', null::text;
			return;
		end if;
	end if;
	return query select null::text, (
		select coalesce(json_agg(assay.case_json(p.hit)
		    order by p.opened_at desc, p.id desc), '[]')::text
		from (select c.hit, c.opened_at, c.id
		    from unnest(queues) as q(name),
			unnest(statuses) as s(name),
			lateral (select r as hit, r.opened_at, r.id
			    from assay.review_case r
			    where event is null and of_user is null
				and r.queue = q.name and r.status = s.name
				and (r.opened_at, r.id) < (last_at, last_id)
			    order by r.opened_at desc, r.id desc
			    limit page_limit + page_offset) c
		    union all
		    select r as hit, r.opened_at, r.id
		    from assay.case_decisions(event, of_user) d
			join assay.review_case r on r.queue = any (queues)
			    and r.status = any (statuses)
			    and r.opened_at = d.decided_at
			    and r.verdict_id = d.id
		    where (r.opened_at, r.id) < (last_at, last_id)
		    order by 2 desc, 3 desc
		    limit page_limit offset page_offset) p);
end
$$;

-- One case.
create or replace function assay.case_get(case_id text)
returns table (refusal text, body text) language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	select case when c.id is null then 'CASE_NOT_FOUND' end,
		case when c.id is not null then assay.case_json(c)::text end
	from (values (case_get.case_id)) as w(id)
		left join assay.review_case c on c.id = w.id;
end;

-- Add an entry to the trail of a case that the caller has locked.  Its time is
-- after the last entry's, even if the clock was set back.
create or replace function assay.case_trail_add(of_case text, new_action text,
    new_actor text, new_detail text)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	insert into assay.case_trail (case_id, at, action, actor, detail)
	select case_trail_add.of_case, greatest(clock_timestamp(),
		max(t.at) + interval '1 microsecond'), new_action,
		new_actor, new_detail
	from assay.case_trail t where t.case_id = case_trail_add.of_case;
end;

-- Why a case cannot be changed; null if it can.
create or replace function assay.case_refusal(c assay.review_case)
returns text language sql immutable
set search_path = pg_catalog, pg_temp
return case when (c).id is null then 'CASE_NOT_FOUND'
    when (c).status = 'resolved' then 'CASE_RESOLVED' end;

-- Assign a case to an analyst, even if another analyst has it.
create or replace function assay.case_assign(case_id text, analyst text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c assay.review_case;
begin
	select * into c from assay.review_case r where r.id = case_id
	for update;
	refusal := assay.case_refusal(c);
	if refusal is null then
		update assay.review_case
		set status = 'assigned', assigned_to = analyst
		where id = case_id;
		perform assay.case_trail_add(case_id, 'assigned', analyst,
		    'from ' || c.assigned_to);
		body := json_build_object('id', case_id, 'status', 'assigned',
		    'assignedTo', analyst);
	end if;
	return next;
end
$$;

-- Resolve a case; an open case is assigned first.  The outcome becomes the
-- event's label unless it is inconclusive.
create or replace function assay.case_resolve(case_id text, analyst text,
    outcome text, note text, correlation text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
	c assay.review_case;
begin
	select * into c from assay.review_case r
	where r.id = case_resolve.case_id
	for update;
	refusal := assay.case_refusal(c);
	if refusal is not null then
		return next;
		return;
	end if;

	if c.status = 'open' then
		perform assay.case_trail_add(c.id, 'assigned', analyst, null);
	end if;
	perform assay.case_trail_add(c.id, 'resolved', analyst,
	    case_resolve.outcome);
	update assay.review_case r
	set status = 'resolved', assigned_to = coalesce(assigned_to, analyst),
		outcome = case_resolve.outcome, note = case_resolve.note,
		resolved_by = analyst, resolved_at = clock_timestamp()
	where r.id = c.id
	returning r.* into c;

	perform assay.publish('case.resolved.v1'::text, json_strip_nulls(
	    json_build_object('caseId', c.id, 'eventId', c.event_id,
		'verdictId', c.verdict_id, 'outcome', c.outcome,
		'analyst', analyst, 'note', c.note)), correlation,
	    null::text);
	if c.outcome <> 'inconclusive' then
		perform assay.label_put(c.event_id, 'analyst', c.outcome,
		    correlation);
	end if;
	body := json_build_object('id', c.id, 'status', c.status,
	    'resolution', assay.case_resolution(c));
	return next;
end
$$;
