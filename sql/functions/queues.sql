-- SPDX-License-Identifier: ISC
-- Review queues: what waits in them, their targets, and the next case.

-- Every queue that has cases or a target: how many cases are open now, assigned,
-- snoozed, and past their target, snoozed or not, each counted up to 10000; how
-- many the analyst has; and since when the oldest open one waits.
create or replace function assay.queue_list(analyst text)
returns text language sql stable
set enable_seqscan = off set enable_bitmapscan = off
begin atomic
	select json_build_object('queues', coalesce(json_agg(json_build_object(
		'queue', q.name,
		'open', o.n - s.n,
		'assigned', a.n,
		'mine', m.n,
		'snoozed', s.n,
		'oldestAt', assay.time_text(f.opened_at),
		'targetMinutes', t.target_minutes,
		'breached', b.n) order by q.name), '[]'))::text
	from (select assay.case_queues() union select p.name
	    from assay.case_queue p) as q(name)
	left join assay.case_queue t on t.name = q.name
	cross join lateral (select count(*) as n from (
	    select from assay.review_case r
	    where r.queue = q.name and r.snoozed_until > now()
	    limit 10000) w) s
	cross join lateral (select count(*) as n from (
	    select from assay.review_case r
	    where r.queue = q.name and r.status = 'open'
	    limit 10000 + s.n) w) o
	cross join lateral (select count(*) as n from (
	    select from assay.review_case r
	    where r.queue = q.name and r.status = 'assigned'
	    limit 10000) w) a
	cross join lateral (select count(*) as n from (
	    select from assay.review_case r
	    where r.assigned_to = queue_list.analyst and r.queue = q.name
		and r.status = 'assigned' limit 10000) w) m
	left join lateral (select r.opened_at from assay.review_case r
	    where r.queue = q.name and r.status = 'open'
		and coalesce(r.snoozed_until <= now(), true)
	    order by r.opened_at, r.id limit 1) f on true
	cross join lateral (select count(*) as n from (
	    select from unnest(array['open', 'assigned']) as p(status),
		lateral (select from assay.review_case r
		    where r.queue = q.name and r.status = p.status
			and r.opened_at <= now()
			    - make_interval(mins => t.target_minutes::int)
		    limit 10000) w
	    limit 10000) w) b;
end;

-- Set the target of a queue; null removes it.
create or replace function assay.queue_put(queue text, target bigint)
returns text language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	delete from assay.case_queue q
	where q.name = queue_put.queue and queue_put.target is null;
	insert into assay.case_queue as q (name, target_minutes)
	select queue_put.queue, queue_put.target
	where queue_put.target is not null
	on conflict (name) do update set target_minutes = excluded.target_minutes;
	select json_build_object('queue', queue_put.queue,
	    'targetMinutes', queue_put.target)::text;
end;

-- Whether next may give a case to an analyst: it is open and not snoozed, or its
-- claim has expired.
create or replace function assay.case_is_free(c assay.review_case)
returns boolean language sql stable
return (c).status = 'open' and coalesce((c).snoozed_until <= now(), true)
    or (c).status = 'assigned' and (c).claim_expires_at <= now();

-- The first free cases of queues: those past their target, the earliest first;
-- then by score, if that is the order, and age.
create or replace function assay.case_candidates(queues text[],
    by_score boolean, max_cases bigint)
returns setof text language sql stable
set enable_seqscan = off set enable_bitmapscan = off
begin atomic
	select w.id
	from unnest(case_candidates.queues) as q(name)
	    left join assay.case_queue t on t.name = q.name
	    cross join lateral (
		(select r.id, r.score, r.opened_at from assay.review_case r
		where r.queue = q.name and r.status = 'open'
		    and coalesce(r.snoozed_until <= now(), true)
		order by r.opened_at, r.id limit max_cases)
		union
		(select r.id, r.score, r.opened_at from assay.review_case r
		where case_candidates.by_score
		    and r.queue = q.name and r.status = 'open'
		    and coalesce(r.snoozed_until <= now(), true)
		order by (- r.score), r.opened_at, r.id limit max_cases)
		union
		(select r.id, r.score, r.opened_at from assay.review_case r
		where r.queue = q.name and r.status = 'assigned'
		    and r.claim_expires_at <= now()
		order by r.claim_expires_at limit max_cases)) w
	    cross join lateral (select w.opened_at
		+ make_interval(mins => t.target_minutes::int)) as d(due)
	order by case when d.due <= now() then d.due end,
	    case when case_candidates.by_score then - w.score end,
	    w.opened_at, w.id
	limit max_cases;
end;

-- Give the next case of a queue, or of all, to an analyst.  A case that another
-- transaction has locked is being given to another analyst: take the next one.
create or replace function assay.case_next(queue text, by_score boolean,
    analyst text, claim_minutes bigint)
returns text language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	queues constant text[] := case when queue is null
	    then array(select assay.case_queues()) else array[queue] end;
	max_cases bigint := 16;
	tried bigint;
	candidate text;
	c assay.review_case;
begin
	loop
		tried := 0;
		for candidate in
			select assay.case_candidates(queues, by_score, max_cases)
		loop
			tried := tried + 1;
			select * into c from assay.review_case r
			where r.id = candidate and assay.case_is_free(r)
			for update skip locked;
			exit when found;
		end loop;
		exit when c.id is not null or tried < max_cases
		    or max_cases > 10000;
		max_cases := 4 * max_cases;
	end loop;
	if c.id is not null then
		perform assay.case_claim(c.id, analyst, claim_minutes);
		perform assay.case_trail_add(c.id, 'assigned', analyst,
		    'from ' || c.assigned_to);
	end if;
	return json_build_object('case', (select assay.case_json(r)
	    from assay.review_case r where r.id = c.id));
end
$$;
