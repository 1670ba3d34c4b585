-- SPDX-License-Identifier: ISC
-- The history checker compares the requests and answers of a torture's clients
-- (t/torture/load.c) with the database.  Load the history into the table
-- history; pg_temp.findings() then returns each kind of fault with an example,
-- and no rows if there is none.
--
-- An event claims its Idempotency-Key, or its own id without one.  Of the
-- events with the same claim one is decided.  A decision is not degraded; a
-- scored decision is also not made by a list.
set client_min_messages = warning;
set jit = off;

create temp table history (line jsonb);

-- The history by event: its request and its answer.  The outcome is ok, fail
-- (certainly nothing was done) or unknown.
create function pg_temp.read_history() returns void language plpgsql as $$
begin
	create temp table sent on commit drop as
	with call as (
		select line->>'call' as call, (line->>'batch')::bool as batch,
			line->>'key' as key, line->'events' as events
		from history where line->>'op' = 'call'
	), answer as (
		select line->>'call' as call, (line->>'status')::int as status,
			(line->>'replay')::bool as replay, line->'body' as body
		from history where line->>'op' = 'answer'
	), entry as (
		select c.call, c.batch, c.key, e.event, a.status, a.replay,
			case when c.batch and a.status = 200 then e.said
			    else a.body end as said
		from call c left join answer a using (call), lateral rows from (
			jsonb_array_elements(c.events),
			jsonb_array_elements(case when c.batch and a.status = 200
			    then a.body->'results' end)) as e(event, said)
	), split as (
		select call, batch, key, event, replay, said,
			coalesce(status, 0) as status,
			case when batch then said->'decision' else said end as answer,
			case when batch and status = 200 then said->'error'
			    else said end->>'code' as code
		from entry
	)
	select *, event->>'id' as id, coalesce(key, event->>'id') as claims,
		case when status = 200 and answer->>'verdict' is not null
		    then 'ok'
		when status between 400 and 499 or code like 'INGEST%'
		    then 'fail'
		else 'unknown' end as outcome
	from split;
	analyze sent;
end
$$;

-- The stored verdicts, each with its event as it was sent, and the graph of
-- those events.
create function pg_temp.read_store() returns void language plpgsql as $$
begin
	create temp table stored on commit drop as
	select v.id, v.event_id, v.verdict, v.score, v.reasons::jsonb as reasons,
		v.policy_id, v.policy_version, v.review_queue, v.xid,
		assay.time_text(v.decided_at) as decided_at, v.event_type,
		v.score >= 0 as scored,
		v.reasons not like '%"engine.degraded"%' as decided,
		e.event, e.claims, e.possible, d.verdict_id is not null as detailed,
		d.user_id, d.request, d.sample::jsonb as sample
	from assay.verdict_log v
	left join (select s.id, min(claims) as claims,
		    (array_agg(event))[1] as event,
		    bool_or(outcome <> 'fail') as possible
		from sent s group by s.id) e on e.id = v.event_id
	left join assay.decision_detail d on d.verdict_id = v.id
	    and d.decided_at = v.decided_at;
	analyze stored;

	-- Entities of the scored events, with their rows, and links.
	create temp table carried on commit drop as
	select s.id, n.kind, n.key
	from stored s, lateral (values
		(1, event#>>'{subject,userId}'),
		(2, event#>>'{subject,deviceId}'),
		(3, event#>>'{subject,ip}'),
		(4, event#>>'{subject,phone}'),
		(5, event#>>'{subject,fingerprint}')) as n(kind, key)
	where s.scored and n.key is not null;
	create temp table node on commit drop as
	select row_number() over () as at, n.kind, n.key, e.id
	from (select distinct kind, key from carried) n
		left join assay.entity e using (kind, key);
	create unique index on node (at);
	analyze node;
	create temp table edge on commit drop as
	select distinct a.at as a, a.kind as a_kind, b.at as b, b.kind as b_kind
	from (select at, carried.id, kind from carried join node
		using (kind, key)) a
		join (select at, carried.id, kind from carried join node
		using (kind, key)) b using (id)
	where a.kind <> b.kind and (a.kind <> 5 or b.kind <= 2)
		and (b.kind <> 5 or a.kind <= 2);
	analyze edge;
end
$$;

-- The components of those links, without fingerprints: for each entity the
-- least one of its component.
create function pg_temp.find_components() returns void language plpgsql as $$
begin
	create temp table component on commit drop as
	select distinct a as at, a as least from edge where a_kind <> 5;
	analyze component;
	loop
		update component c set least = n.least
		from (select e.a as at, min(o.least) as least
			from edge e join component o on o.at = e.b group by e.a) n
		where n.at = c.at and n.least < c.least;
		exit when not found;
		-- Follow the least entity to its own least one.
		update component c set least = o.least from component o
		where o.at = c.least and o.least < c.least;
	end loop;
end
$$;

create function pg_temp.findings()
returns table (finding text, example text) language plpgsql as $$
begin
	perform pg_temp.read_history();
	perform pg_temp.read_store();
	perform pg_temp.find_components();

	-- Answers.
	return query select 'history: a call is made once and answered once',
		h.line->>'call' from history h
	group by h.line->>'call'
	having count(*) filter (where h.line->>'op' = 'call') <> 1
		or count(*) filter (where h.line->>'op' = 'answer') > 1;
	return query select 'answer: a decision, or an error in its envelope',
		concat_ws(' ', s.id, s.status, s.said) from sent s
	where s.status <> 0 and s.outcome <> 'ok' and not coalesce(
		case when s.batch and s.status = 200
		then s.said->>'ok' = 'false' and s.said#>>'{error,message}' <> ''
		else s.status >= 400 and s.said->>'error' = 'true'
		    and s.said->>'message' <> '' end and s.code <> '', false);
	return query select 'answer: it is stored',
		concat_ws(' ', s.id, s.answer) from sent s
	where s.outcome = 'ok'
		and not exists (select from stored v where v.id = s.answer->>'id');
	return query select 'answer: it is what is stored',
		concat_ws(' ', s.answer, to_jsonb(v) - 'event' - 'sample')
	from sent s join stored v on v.id = s.answer->>'id'
	where s.outcome = 'ok' and (v.claims is distinct from s.claims
		or v.verdict is distinct from s.answer->>'verdict'
		or v.score <> (s.answer->>'score')::int
		or v.reasons is distinct from s.answer->'reasons'
		or not s.batch and (
		    v.event_id is distinct from s.answer->>'eventId'
		    or v.policy_id is distinct from s.answer->>'policyId'
		    or v.policy_version is distinct from s.answer->>'policyVersion'
		    or v.decided_at is distinct from s.answer->>'decidedAt'));
	return query select 'answer: a key has one decision in all of them',
		s.claims
	from sent s join stored v on v.id = s.answer->>'id' and v.decided
	where s.outcome = 'ok'
	group by s.claims having count(distinct v.id) > 1;
	return query select 'answer: a replay is of a decision', s.id
	from sent s join stored v on v.id = s.answer->>'id'
	where s.replay and not v.decided;

	-- Verdicts.
	return query select 'verdict: its id is its own', v.id from stored v
	group by v.id having count(*) > 1;
	return query select 'verdict: a key is decided once', v.claims
	from stored v where v.decided group by v.claims having count(*) > 1;
	return query select 'verdict: its event was sent, and not refused',
		v.event_id from stored v
	where not coalesce(v.possible, false);
	return query select 'verdict: it is of the type that was sent', v.id
	from stored v where v.event_type <> v.event->>'type';
	return query select 'verdict: a degraded one has score -1', v.id
	from stored v where v.decided <> (v.reasons is distinct from
		'[{"tag": "engine.degraded", "points": 0}]'::jsonb)
		or not v.decided and v.score <> -1;
	return query select 'key: it is there for decisions and no others', v.id
	from stored v left join assay.idempotency i
		on i.verdict_id = v.id and i.event_id = v.event_id
	where (i.key is not null) <> v.decided or i.key <> v.claims;
	return query select 'key: it names a verdict', i.key
	from assay.idempotency i
	where not exists (select from stored v where v.id = i.verdict_id);

	-- Activity and samples.
	return query select 'detail: every verdict has its own', v.id from stored v
	where not v.detailed or v.request is null
		or v.user_id is distinct from v.event#>>'{subject,userId}';
	return query select 'detail: there is no other', d.verdict_id
	from assay.decision_detail d
	where not exists (select from stored v where v.id = d.verdict_id);
	return query select 'sample: scored verdicts have one, of that score', v.id
	from stored v where v.scored <> (v.sample is not null)
		or v.score <> (v.sample->>'score')::int
		or v.sample ? 'tags'; -- those are the reasons

	-- The signals of a user's events about the user's earlier events.  A
	-- user's transactions run one after another, in the order of their
	-- numbers, even if a clock goes back.
	return query with seen as (
		select v.*, s.signals,
			(s.signals->>'velocity.attemptsLast24h')::bigint as nth,
			v.event#>>'{subject,deviceId}' as device,
			v.event ? 'amount' and v.verdict <> 'deny' and v.event_type
			    not in ('card.capture', 'card.refund', 'account.login')
			    as sampled
		from stored v, signals(v.sample::text) as s(signals)
		where v.scored
	), met as (
		select v.*, v.device is not null and row_number() over (
		    partition by v.user_id, v.device order by v.xid, v.nth) = 1 as new
		from seen v
	), counted as (
		select v.*, row_number() over by_user - 1 as before,
			count(*) filter (where v.sampled) over (
			    partition by v.user_id, v.event->>'currency'
			    order by v.xid, v.nth rows unbounded preceding)
			    - v.sampled::int as samples,
			least(500, count(*) filter (where v.new) over (
			    by_user rows unbounded preceding)
			    - v.new::int) as devices
		from met v
		window by_user as (partition by v.user_id order by v.xid, v.nth)
	)
	select w.rule, concat_ws(' ', v.user_id, v.event_id, w.want, w.got)
	from counted v, lateral (values
		('user: attempts', v.before::text,
		    v.signals->>'velocity.attemptsLast24h'),
		('user: samples', case when v.event ? 'amount'
		    then v.samples end::text, v.signals->>'anomaly.samples'),
		('user: devices', v.devices::text,
		    v.signals->>'graph.devicesOnUser')) as w(rule, want, got)
	where w.want is distinct from w.got;
	return query select 'user: a state for each that was scored',
		coalesce(u.user_id, v.user_id)
	from (select distinct s.user_id from stored s where s.scored) v
		full join assay.user_state u using (user_id)
	where u.user_id is null or v.user_id is null;

	-- The graph, counted again from the events.
	return query select 'graph: entities', concat_ws(' ', e.kind, e.key, n.at)
	from (select * from node where at in (select a from edge)) n
		full join assay.entity e using (id)
	where e.id is null or n.id is null;
	return query select 'graph: links', concat_ws(' ', l.older, l.newer, w.a, w.b)
	from (select a.id as a, b.id as b from edge x
			join node a on a.at = x.a join node b on b.at = x.b
		where a.id < b.id) w
		full join assay.entity_link l on l.older = w.a and l.newer = w.b
	where l.ctid is null or w.a is null;
	return query select 'graph: counters',
		concat_ws(' ', e.kind, e.key, e.users, e.devices)
	from (select x.a as at,
			count(*) filter (where b_kind = 1 and a_kind <> 1) as users,
			count(*) filter (where b_kind = 2 and a_kind = 5) as devices,
			array_agg(o.id) filter (where b_kind = 2) as which
		from edge x join node o on o.at = x.b group by x.a) c
		join node n using (at) join assay.entity e using (id)
	where e.users <> least(500, c.users) or e.devices <> least(500, c.devices)
		or (e.first_device is null) <> (c.devices = 0)
		or e.first_device <> all (c.which);
	-- Components at the cap are not joined any more.
	return query with recursive up (id, at) as (
		select e.id, e.id from assay.entity e where e.kind <> 5
		union
		select up.id, e.parent from up join assay.entity e on e.id = up.at
		where e.parent is not null
	), top as (
		select up.id, r.id as root, r.size
		from up join assay.entity r on r.id = up.at and r.parent is null
	), root as (
		select c.least, t.root, t.size,
			count(*) over (partition by c.least) as entities
		from component c join node n using (at) left join top t using (id)
	)
	select 'graph: components', concat_ws(' ', r.least, min(r.entities),
		array_agg(distinct r.root), array_agg(distinct r.size))
	from root r group by r.least
	having bool_or(r.size is distinct from least(500, r.entities))
		or min(r.entities) < 500 and count(distinct r.root) > 1;
	return query select 'graph: a user''s place', u.user_id
	from assay.user_state u left join assay.entity e
		on e.kind = 1 and e.key = u.user_id
	where u.node is distinct from e.id
		or (u.root is null) <> (u.node is null)
		or u.root is not null
		and not exists (select from assay.entity r where r.id = u.root);

	-- Cases.
	return query select 'case: every review has one, and nothing else',
		coalesce(v.id, c.verdict_id)
	from (select * from stored s where s.scored and s.verdict = 'review') v
		full join assay.review_case c on c.verdict_id = v.id
		and c.event_id = v.event_id and c.queue = v.review_queue
		and c.score = v.score and c.status = 'open'
	group by v.id, c.verdict_id
	having count(v.id) <> 1 or count(c.id) <> 1;
	return query select 'case: it was opened once', c.id
	from assay.review_case c left join assay.case_trail t on t.case_id = c.id
	group by c.id having count(t.case_id) <> 1
		or min(t.action || t.actor) <> 'openedengine';

	drop table sent, stored, carried, node, edge, component;
end
$$;

-- One line: requests by outcome, and events by how they are stored.
create function pg_temp.summary() returns text language plpgsql as $$
declare
	said text;
begin
	perform pg_temp.read_history();
	select string_agg(concat_ws(' ', outcome, n), ', ' order by outcome)
	into said
	from (select outcome, count(*) as n from sent group by outcome) o;
	drop table sent;
	return said || (select format('; %s verdicts, %s of them degraded',
		count(*), count(*) filter (where score = -1))
	    from assay.verdict_log);
end
$$;
