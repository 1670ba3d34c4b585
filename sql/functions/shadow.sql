-- SPDX-License-Identifier: ISC
-- Shadows: candidates that decide beside the active ruleset, model or scorer
-- without effect; what is counted of them, and how they end.
--
-- Functions that begin or end a shadow take assay.shadow_lock() first;
-- functions that count lock the rows of the shadows that they count for.  The
-- row of assay.epoch is locked last and until the commit, but before texts of
-- models, as assay.model_activate() does.

-- Let one transaction at a time begin and end shadows.
create or replace function assay.shadow_lock()
returns void language sql volatile
return pg_advisory_xact_lock(hashtextextended('assay shadow', 0));

-- Have every worker reload the shadows of a kind.
create or replace function assay.shadow_bump_epoch(of_kind text)
returns void language sql
begin atomic
	update assay.epoch
	set rules = rules + (of_kind = 'ruleset')::int,
		model = model + (of_kind = 'model')::int;
end;

-- Begin a shadow ruleset: a new version that is not activated.  It replaces the
-- shadow of its event type.
create or replace function assay.shadow_ruleset(of_type text,
    new_version text, new_text text, n_rules bigint, publisher text,
    new_id text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.shadow_lock();
	insert into assay.ruleset (event_type, version, text, rules, author,
	    created_at)
	values (of_type, new_version, new_text, n_rules, publisher,
	    clock_timestamp())
	on conflict do nothing;
	if not found then
		return query select 'VERSION_EXISTS', null;
		return;
	end if;
	delete from assay.shadow s where s.slot = of_type;
	insert into assay.shadow (slot, kind, id, version)
	values (of_type, 'ruleset', new_id, new_version);
	perform assay.shadow_bump_epoch('ruleset');
	return query select null, json_build_object('ok', true,
	    'version', new_version, 'id', new_id)::text;
end
$$;

-- Begin a shadow model in the same way.
create or replace function assay.shadow_model(new_hash text, new_body text,
    new_id text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.shadow_lock();
	perform from assay.epoch for update;
	insert into assay.model (hash, body) values (new_hash, new_body)
	on conflict do nothing;
	delete from assay.shadow s where s.slot = 'model';
	insert into assay.shadow (slot, kind, id, version, hash)
	values ('model', 'model', new_id, left(new_hash, 16), new_hash);
	perform assay.shadow_bump_epoch('model');
	return query select null, json_build_object('ok', true,
	    'version', left(new_hash, 16), 'id', new_id)::text;
end
$$;

-- The companion has trained a model that is better than the active one: begin it
-- as a shadow, and keep its card.  It replaces an earlier challenger that has
-- run for most_days, but no shadow that an operator began.  Returns what became
-- of it.
create or replace function assay.shadow_challenge(new_hash text,
    new_body text, new_card text, new_id text, most_days bigint)
returns text language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	running assay.shadow;
begin
	perform assay.shadow_lock();
	select * into running from assay.shadow s
	where s.slot = 'model' and s.ended_at is null;
	if running.hash = new_hash then
		perform assay.model_card_keep(new_hash, new_card);
		return 'same';
	elsif not running.challenger then
		return 'occupied';
	elsif running.started_at > clock_timestamp() - make_interval(
	    days => most_days::int) then
		return 'running';
	end if;
	perform assay.shadow_model(new_hash, new_body, new_id);
	update assay.shadow s set challenger = true where s.id = new_id;
	perform assay.model_card_keep(new_hash, new_card);
	return 'started';
end
$$;

-- End the shadow of this id in a slot.  The outcome 'promoted' activates the
-- ruleset or model, as publishing it would.
create or replace function assay.shadow_end(of_slot text, of_id text,
    new_outcome text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	ended assay.shadow;
begin
	perform assay.shadow_lock();
	update assay.shadow s
	set ended_at = clock_timestamp(), outcome = new_outcome
	where s.slot = of_slot and s.id = of_id and s.ended_at is null
	returning * into ended;
	if not found then
		return query select 'SHADOW_CHANGED', null;
		return;
	end if;
	if new_outcome = 'promoted' and ended.kind = 'ruleset' then
		perform assay.ruleset_activate(of_slot, ended.version);
	elsif new_outcome = 'promoted' then
		perform assay.model_activate('published', ended.hash, null);
	end if;
	perform assay.shadow_bump_epoch(ended.kind);
	return query select null, json_build_object('ok', true,
	    'version', ended.version, 'id', ended.id)::text;
end
$$;

-- A companion runs with this SCORER_SHADOW: count its scores from now on.  A
-- scorer that no companion ran with for a day starts again from zero.
create or replace function assay.shadow_scorer(name text)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	if exists (select from assay.shadow s where s.slot = name
	    and s.seen_at > clock_timestamp() - interval '1 hour') then
		return;
	end if;
	perform assay.shadow_lock();
	update assay.shadow s set seen_at = clock_timestamp()
	where s.slot = name
		and s.seen_at > clock_timestamp() - interval '1 day';
	if not found then
		delete from assay.shadow s where s.slot = name;
		insert into assay.shadow (slot, kind, id, version, seen_at)
		values (name, 'scorer', name, name, clock_timestamp());
	end if;
end
$$;

-- The numbers of the shadows that may have run at some time between two
-- moments, allowing a minute for clocks of hosts that differ.  Locks their rows
-- until the transaction ends, so that none is replaced.  Null if there is none.
create or replace function assay.shadow_lock_between(first timestamptz,
    last timestamptz)
returns bigint[] language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	slack constant interval := '1 minute';
	numbers bigint[];
begin
	with running as materialized (
		select s.number from assay.shadow s
		where s.started_at <= last + slack
			and (s.ended_at is null or s.ended_at >= first - slack)
			and (s.seen_at is null
			    or s.seen_at >= first - interval '1 day')
		for key share
	)
	select array_agg(r.number) into numbers from running r;
	return numbers;
end
$$;

-- What these shadows and the live side decided in some scored decisions, which lie
-- between two moments.
create or replace function assay.shadow_scored(numbers bigint[], ids text[],
    reasons_of text[], first timestamptz, last timestamptz)
returns table (number bigint, event_type text, verdict_id text, event_id text,
    decided_at timestamptz, reasons json, tags json, live_score text,
    shadow_score text, live text, shadow text)
language sql stable
begin atomic
	select s.number, d.event_type, d.verdict_id, d.event_id, d.decided_at,
		i.reasons::json, other.tags, live.score, other.score,
		live.verdict, other.verdict
	from unnest(ids, reasons_of) as i(id, reasons)
		join assay.decision_detail d on d.verdict_id = i.id
		    and d.decided_at >= first and d.decided_at <= last
		    and d.sample is not null
		cross join lateral json_to_record(d.sample::json)
		    as live(score text, verdict text, shadow json)
		cross join lateral json_to_record(live.shadow)
		    as other(id text, score text, verdict text, tags json)
		join assay.shadow s on s.id = other.id
		    and s.number = any(numbers)
	where live.shadow is not null;
end;

-- Count these decisions for these shadows, and remember the newest ones with another
-- verdict.
create or replace function assay.shadow_count_scored(numbers bigint[],
    ids text[], reasons text[], first timestamptz, last timestamptz)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	most_examples constant int := 20; -- of a shadow and event type
begin
	with scored as materialized (
		select s.* from assay.shadow_scored(numbers, ids, reasons,
		    first, last) s
	), examples as (
		insert into assay.shadow_example (number, event_type,
		    verdict_id, event_id, decided_at, live, shadow)
		select f.number, f.event_type, f.verdict_id, f.event_id,
			f.decided_at, f.live, f.shadow
		from (select s.*, row_number() over (
			partition by s.number, s.event_type
			order by s.decided_at desc, s.verdict_id desc)
			as position
		    from scored s where s.live <> s.shadow) f
		where f.position <= most_examples
		on conflict do nothing
	)
	insert into assay.shadow_count as c (number, event_type, kind, name, n,
	    points)
	select s.number, s.event_type, f.kind, f.name, count(*), sum(f.points)
	from scored s, lateral (
		values ('verdicts', s.live || '.' || s.shadow, 0),
			('live score', s.live_score, 0),
			('shadow score', s.shadow_score, 0)
		union all
		select t.kind, t.tag, t.points
		from (select 'live tag', l.* from json_to_recordset(s.reasons)
			as l(tag text, points int)
		    union all
		    select 'shadow tag', o.* from json_to_recordset(s.tags)
			as o(tag text, points int)) as t(kind, tag, points)
		where t.points > 0) as f(kind, name, points)
	group by 1, 2, 3, 4
	on conflict (number, event_type, kind, name) do update
	set n = c.n + excluded.n, points = c.points + excluded.points;
	delete from assay.shadow_example e
	using (select x.number, x.event_type, x.verdict_id, row_number() over (
		partition by x.number, x.event_type
		order by x.decided_at desc, x.verdict_id desc) as position
	    from assay.shadow_example x where x.number = any(numbers)) old
	where e.number = old.number and e.event_type = old.event_type
		and e.verdict_id = old.verdict_id
		and old.position > most_examples;
end
$$;

-- Count the log between two cursors for the shadows that ran then.
-- assay.analytics_project() calls this once for each piece of the log.  Details
-- are found by their times, an hour at a time, as in assay.risk_slot_events().
create or replace function assay.shadow_project(from_xid bigint,
    from_id text, to_xid bigint, to_id text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	hour record;
	numbers bigint[];
begin
	if not exists (select from assay.shadow) then
		return;
	end if;
	for hour in
		select array_agg(l.id) as ids, array_agg(l.reasons) as reasons,
			min(l.decided_at) as first, max(l.decided_at) as last
		from assay.log_between(from_xid, from_id, to_xid, to_id) l
		where l.score >= 0
		group by date_trunc('hour', l.decided_at)
	loop
		numbers := assay.shadow_lock_between(hour.first, hour.last);
		continue when numbers is null;
		perform assay.shadow_count_scored(numbers, hour.ids,
		    hour.reasons, hour.first, hour.last);
	end loop;
end
$$;

-- assay.risk_slot_labels() has counted a label, or counts it with another outcome
-- now: count it here for the same decision, if a shadow ran then.  The label
-- records the count, so that it can move when the sample is gone.
create or replace function assay.shadow_label()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
	numbers constant bigint[] := assay.shadow_lock_between(
	    new.risk_decided_at, new.risk_decided_at);
begin
	if old.risk_outcome is null and numbers is not null then
		select array[s.number::text, d.event_type,
			live.verdict || '.' || other.verdict]
		into new.shadow
		from assay.decision_detail d
			cross join lateral json_to_record(d.sample::json)
			    as live(verdict text, shadow json)
			cross join lateral json_to_record(live.shadow)
			    as other(id text, verdict text)
			join assay.shadow s on s.id = other.id
			    and s.number = any(numbers)
		where d.decided_at = new.risk_decided_at
			and d.verdict_id = new.risk_verdict_id
			and d.sample is not null and live.shadow is not null;
	end if;
	insert into assay.shadow_count as c (number, event_type, kind, name, n,
	    points)
	select s.number, new.shadow[2], w.outcome, new.shadow[3], w.n, 0
	from assay.shadow s, (values (old.risk_outcome, -1),
		(new.risk_outcome, 1)) as w(outcome, n)
	where s.number = new.shadow[1]::bigint
		and w.outcome in ('fraud', 'legit')
	for key share of s
	on conflict (number, event_type, kind, name) do update
	set n = c.n + excluded.n;
	return new;
end
$$;
select assay.trigger_make('assay.label', 'shadow',
    'before update of risk_outcome on assay.label for each row
    when (new.risk_outcome is distinct from old.risk_outcome)
    execute function assay.shadow_label()');

-- A shadow's decisions of an event type on one side, 'live' or 'shadow':
-- percentiles of the scores, and how well reviews and denials find the labelled
-- frauds.
create or replace function assay.shadow_side(of_number bigint,
    of_type text, side text)
returns json language sql stable
begin atomic
	with cumulative as (
		select c.name::int as score,
			sum(c.n) over (order by c.name::int) as n,
			sum(c.n) over () as total
		from assay.shadow_count c
		where c.number = of_number and c.event_type = of_type
			and c.kind = side || ' score'
	), labelled as (
		select c.kind, c.n, split_part(c.name, '.',
			case side when 'live' then 1 else 2 end)
			in ('review', 'deny') as flagged
		from assay.shadow_count c
		where c.number = of_number and c.event_type = of_type
			and c.kind in ('fraud', 'legit')
	), sums as (
		select coalesce(sum(m.n) filter (where m.kind = 'fraud'
			and m.flagged), 0)::bigint as caught,
			coalesce(sum(m.n) filter (where m.kind = 'fraud'
			and not m.flagged), 0)::bigint as missed,
			coalesce(sum(m.n) filter (where m.kind = 'legit'
			and m.flagged), 0)::bigint as wrong,
			coalesce(sum(m.n) filter (where m.kind = 'legit'
			and not m.flagged), 0)::bigint as passed
		from labelled m
	)
	select json_build_object(
	    'scores', (select json_object_agg('p' || q.p, (select min(u.score)
		    from cumulative u where u.n * 100 >= q.p * u.total) order by q.p)
		from unnest(array[5, 25, 50, 75, 95]) as q(p)),
	    'truePositives', s.caught,
	    'falsePositives', s.wrong,
	    'trueNegatives', s.passed,
	    'falseNegatives', s.missed,
	    'precision', coalesce(s.caught::float8
		/ nullif(s.caught + s.wrong, 0), 0),
	    'recall', coalesce(s.caught::float8
		/ nullif(s.caught + s.missed, 0), 0))
	from sums s;
end;

-- Decisions by live verdict and shadow verdict.
create or replace function assay.shadow_verdicts(of_number bigint,
    of_type text)
returns json language sql stable
begin atomic
	with verdict as (
		select v.name, v.severity
		from unnest(array['allow', 'challenge', 'review', 'deny'])
			with ordinality as v(name, severity)
	)
	select json_object_agg(l.name, (select json_object_agg(s.name,
		    coalesce(c.n, 0) order by s.severity)
		from verdict s left join assay.shadow_count c
			on c.number = of_number and c.event_type = of_type
			and c.kind = 'verdicts'
			and c.name = l.name || '.' || s.name) order by l.severity)
	from verdict l;
end;

-- The tags that gave points, live or in the shadow: in how many decisions, and
-- the sum of the points.
create or replace function assay.shadow_tags(of_number bigint, of_type text)
returns json language sql stable
begin atomic
	with tags as (
		select c.name,
			sum(c.n) filter (where c.kind = 'live tag') as live,
			sum(c.points) filter (where c.kind = 'live tag')
			    as live_points,
			sum(c.n) filter (where c.kind = 'shadow tag') as shadow,
			sum(c.points) filter (where c.kind = 'shadow tag')
			    as shadow_points
		from assay.shadow_count c
		where c.number = of_number and c.event_type = of_type
			and c.kind in ('live tag', 'shadow tag')
		group by c.name
	)
	select coalesce(json_agg(json_build_object(
	    'tag', t.name,
	    'live', json_build_object(
		'decisions', coalesce(t.live, 0),
		'points', coalesce(t.live_points, 0)),
	    'shadow', json_build_object(
		'decisions', coalesce(t.shadow, 0),
		'points', coalesce(t.shadow_points, 0)))
	    order by greatest(coalesce(t.live_points, 0),
		coalesce(t.shadow_points, 0)) desc, t.name), '[]')
	from tags t;
end;

-- The newest decisions of an event type on which a shadow disagrees.
create or replace function assay.shadow_examples(of_number bigint, of_type text)
returns json language sql stable
return (select coalesce(json_agg(json_build_object(
	'eventId', e.event_id,
	'decidedAt', assay.time_text(e.decided_at),
	'live', e.live,
	'shadow', e.shadow) order by e.decided_at desc, e.verdict_id desc), '[]')
    from assay.shadow_example e
    where e.number = of_number and e.event_type = of_type);

-- The labelled decisions.
create or replace function assay.shadow_labels(of_number bigint, of_type text)
returns json language sql stable
return (select json_build_object(
	'fraud', coalesce(sum(c.n) filter (where c.kind = 'fraud'), 0),
	'legit', coalesce(sum(c.n) filter (where c.kind = 'legit'), 0))
    from assay.shadow_count c
    where c.number = of_number and c.event_type = of_type);

-- The shadows of each event type, the one that scores its decisions now first.
-- scorer is SCORER_SHADOW or null.  An ended shadow is listed if it has decided
-- anything and no other shadow has taken its slot.
create or replace function assay.shadow_list(scorer text)
returns text language sql stable
begin atomic
	with candidate as (
		select s.number, s.kind, s.slot, s.id, s.version, s.started_at,
			s.ended_at, s.outcome,
			case s.kind
			when 'scorer' then s.slot is not distinct from scorer
			else s.ended_at is null end as running
		from assay.shadow s
		union all
		select null, 'scorer', scorer, scorer, scorer, null, null, null,
			true
		where scorer is not null and not exists (select
		    from assay.shadow s where s.slot = scorer)
	), by_type as (
		select a.event_type, k.*,
			array_position('{ruleset,model,scorer}', k.kind) as rank,
			coalesce((select sum(c.n) from assay.shadow_count c
			    where c.number = k.number and c.kind = 'verdicts'
				and c.event_type = a.event_type), 0) as decisions
		from assay.ruleset_active a join candidate k
			on k.kind <> 'ruleset' or k.slot = a.event_type
	), listed as (
		select o.*, row_number() over (partition by o.event_type
			order by o.running desc, o.rank, o.id) as position
		from by_type o where o.running or o.decisions > 0
	)
	select coalesce(json_agg(json_build_object(
	    'eventType', p.event_type,
	    'kind', p.kind,
	    'id', p.id,
	    'version', p.version,
	    'author', (select r.author from assay.ruleset r
		where p.kind = 'ruleset' and r.event_type = p.slot
		    and r.version = p.version),
	    'proposal', (select max(q.id) from assay.proposal q
		where p.kind = 'ruleset' and q.target = p.slot
		    and q.version = p.version and q.shadow
		    and q.status = 'approved'),
	    'state', case when not p.running then coalesce(p.outcome, 'ended')
		when p.position = 1 then 'active' else 'waiting' end,
	    'startedAt', assay.time_text(p.started_at),
	    'endedAt', assay.time_text(p.ended_at),
	    'decisions', p.decisions,
	    'agreement', coalesce((select sum(c.n) from assay.shadow_count c
		where c.number = p.number and c.event_type = p.event_type
		    and c.kind = 'verdicts' and split_part(c.name, '.', 1)
			= split_part(c.name, '.', 2))::float8
		/ nullif(p.decisions, 0), 0),
	    'verdicts', assay.shadow_verdicts(p.number, p.event_type),
	    'labels', assay.shadow_labels(p.number, p.event_type),
	    'live', assay.shadow_side(p.number, p.event_type, 'live'),
	    'shadow', assay.shadow_side(p.number, p.event_type, 'shadow'),
	    'tags', assay.shadow_tags(p.number, p.event_type),
	    'examples', assay.shadow_examples(p.number, p.event_type))
	    order by p.event_type, p.position), '[]')::text
	from listed p;
end;
