-- SPDX-License-Identifier: ISC
-- Probation: what decides without effect beside what serves, what is counted
-- of it, and how it ends.  Who begins or ends one takes assay.shadow_turn()
-- first; who counts holds the rows that it counts for, and then each waits for
-- the other.  The row of assay.epoch is locked last, and until the commit; but
-- before the texts of models, as assay.model_serve() does.

-- One at a time begins and ends probations, until its transaction ends.
create or replace function assay.shadow_turn()
returns void language sql volatile
set search_path = pg_catalog, pg_temp
return pg_advisory_xact_lock(hashtextextended('assay shadow', 0));

-- Tell every worker that what is on probation in a place has changed.
create or replace function assay.shadow_moved(of_kind text)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.epoch
	set rules = rules + (of_kind = 'ruleset')::int,
		model = model + (of_kind = 'model')::int;
end;

-- A candidate ruleset: a version that does not serve, in place of what was on
-- probation for its event type.
create or replace function assay.shadow_ruleset(of_type text,
    new_version text, new_text text, new_id text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.shadow_turn();
	insert into assay.ruleset (event_type, version, text, created_at)
	values (of_type, new_version, new_text, clock_timestamp())
	on conflict do nothing;
	if not found then
		return query select 'VERSION_EXISTS', null;
		return;
	end if;
	delete from assay.shadow s where s.place = of_type;
	insert into assay.shadow (place, kind, id, version)
	values (of_type, 'ruleset', new_id, new_version);
	perform assay.shadow_moved('ruleset');
	return query select null, json_build_object('ok', true,
	    'version', new_version, 'id', new_id)::text;
end
$$;

-- A candidate model, likewise; its text is stored as those that serve are.
create or replace function assay.shadow_model(new_hash text, new_body text,
    new_id text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.shadow_turn();
	perform from assay.epoch for update;
	insert into assay.model (hash, body) values (new_hash, new_body)
	on conflict do nothing;
	delete from assay.shadow s where s.place = 'model';
	insert into assay.shadow (place, kind, id, version, hash)
	values ('model', 'model', new_id, left(new_hash, 16), new_hash);
	perform assay.shadow_moved('model');
	return query select null, json_build_object('ok', true,
	    'version', left(new_hash, 16), 'id', new_id)::text;
end
$$;

-- End the probation of that id in a place; promoted, it serves from the next
-- decision on, as if it had been published.
create or replace function assay.shadow_over(at_place text, of_id text,
    new_outcome text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	was assay.shadow;
begin
	perform assay.shadow_turn();
	update assay.shadow s
	set ended_at = clock_timestamp(), outcome = new_outcome
	where s.place = at_place and s.id = of_id and s.ended_at is null
	returning * into was;
	if not found then
		return query select 'SHADOW_CHANGED', null;
		return;
	end if;
	if new_outcome = 'promoted' and was.kind = 'ruleset' then
		perform assay.ruleset_activate(at_place, was.version);
	elsif new_outcome = 'promoted' then
		perform assay.model_serve('published', was.hash, null);
	end if;
	perform assay.shadow_moved(was.kind);
	return query select null, json_build_object('ok', true,
	    'version', was.version, 'id', was.id)::text;
end
$$;

-- A companion was told of SCORER_SHADOW: what it scores is counted from now
-- on, if it is not yet.  After a day in which none was told, anew.
create or replace function assay.shadow_scorer(name text)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	if exists (select from assay.shadow s where s.place = name
	    and s.seen_at > clock_timestamp() - interval '1 hour') then
		return;
	end if;
	perform assay.shadow_turn();
	update assay.shadow s set seen_at = clock_timestamp()
	where s.place = name
		and s.seen_at > clock_timestamp() - interval '1 day';
	if not found then
		delete from assay.shadow s where s.place = name;
		insert into assay.shadow (place, kind, id, version, seen_at)
		values (name, 'scorer', name, name, clock_timestamp());
	end if;
end
$$;

-- The numbers of what was on probation some time between two moments, or may
-- have been, as far as the clock of those who decided can tell.  They are held
-- until the transaction ends: none is replaced meanwhile.
create or replace function assay.shadow_hold(first timestamptz,
    last timestamptz)
returns bigint[] language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	slack constant interval := '1 minute';
	held bigint[];
begin
	with h as materialized (
		select s.number from assay.shadow s
		where s.started_at <= last + slack
			and (s.ended_at is null or s.ended_at >= first - slack)
			and (s.seen_at is null
			    or s.seen_at >= first - interval '1 day')
		for key share
	)
	select array_agg(h.number) into held from h;
	return held;
end
$$;

-- Count a piece of the log, after one cursor and up to another, for what was
-- on probation then: once, with the cursor of assay.analytics_project(), which
-- calls this.  Details are read while there is something, and found by their
-- times, an hour at a time, as assay.risk_events() finds them.
create or replace function assay.shadow_project(from_xid bigint,
    from_id text, to_xid bigint, to_id text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
	hour record;
	held bigint[];
begin
	if not exists (select from assay.shadow) then
		return;
	end if;
	for hour in
		select array_agg(l.id) as ids, array_agg(l.reasons) as reasons,
			min(l.decided_at) as first, max(l.decided_at) as last
		from assay.verdict_log l
		where l.xid::text::bigint >= from_xid
			and l.xid::text::bigint <= to_xid
			and (l.xid::text::bigint > from_xid or l.id > from_id)
			and (l.xid::text::bigint < to_xid or l.id <= to_id)
			and l.score >= 0
		group by date_trunc('hour', l.decided_at)
	loop
		held := assay.shadow_hold(hour.first, hour.last);
		continue when held is null;
		with seen as materialized (
			select s.number, d.event_type, i.reasons::json as reasons,
				r.score as live, r.verdict || '.' || w.verdict
				    as verdicts, w.score, w.tags
			from unnest(hour.ids, hour.reasons) as i(id, reasons)
				join assay.detail d on d.verdict_id = i.id
				    and d.decided_at >= hour.first
				    and d.decided_at <= hour.last
				    and d.replay is not null
				cross join lateral json_to_record(d.replay::json)
				    as r(score text, verdict text, shadow json)
				cross join lateral json_to_record(r.shadow)
				    as w(id text, score text, verdict text,
					tags json)
				join assay.shadow s on s.id = w.id
				    and s.number = any(held)
			where r.shadow is not null
		), facts as (
			select s.number, s.event_type, 'verdicts' as kind,
				s.verdicts as name, 0 as points
			from seen s
			union all
			select s.number, s.event_type, 'live score', s.live, 0
			from seen s
			union all
			select s.number, s.event_type, 'shadow score', s.score, 0
			from seen s
			union all
			select s.number, s.event_type, 'live tag', t.tag, t.points
			from seen s, json_to_recordset(s.reasons)
				as t(tag text, points int)
			where t.points > 0
			union all
			select s.number, s.event_type, 'shadow tag', t.tag,
				t.points
			from seen s, json_to_recordset(s.tags)
				as t(tag text, points int)
			where t.points > 0
		)
		insert into assay.shadow_count as c (number, event_type, kind,
		    name, n, points)
		select f.number, f.event_type, f.kind, f.name, count(*),
			sum(f.points)
		from facts f group by 1, 2, 3, 4
		on conflict (number, event_type, kind, name) do update
		set n = c.n + excluded.n, points = c.points + excluded.points;
	end loop;
end
$$;

-- A label is counted for devices and ips, or counts as another now
-- (assay.risk_labels()): it is counted with the same decision here, if
-- something was on probation then.  What it was counted as stays in its row, so
-- that it can move when the sample is gone.
create or replace function assay.shadow_label()
returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
	held constant bigint[] := assay.shadow_hold(new.risk_at, new.risk_at);
begin
	if old.risk is null and held is not null then
		select array[s.number::text, d.event_type,
			r.verdict || '.' || w.verdict]
		into new.shadow
		from assay.detail d
			cross join lateral json_to_record(d.replay::json)
			    as r(verdict text, shadow json)
			cross join lateral json_to_record(r.shadow)
			    as w(id text, verdict text)
			join assay.shadow s on s.id = w.id
			    and s.number = any(held)
		where d.decided_at = new.risk_at
			and d.verdict_id = new.risk_id
			and d.replay is not null and r.shadow is not null;
	end if;
	insert into assay.shadow_count as c (number, event_type, kind, name, n,
	    points)
	select s.number, new.shadow[2], w.outcome, new.shadow[3], w.n, 0
	from assay.shadow s, (values (old.risk, -1), (new.risk, 1))
		as w(outcome, n)
	where s.number = new.shadow[1]::bigint and w.outcome is not null
	for key share of s
	on conflict (number, event_type, kind, name) do update
	set n = c.n + excluded.n;
	return new;
end
$$;
select assay.trigger_make('assay.label', 'shadow', 'before update of risk
    on assay.label for each row
    when (new.risk is distinct from old.risk)
    execute function assay.shadow_label()');

-- What a probation's decisions came to by one side, live or shadow: the scores
-- at or below which so many of a hundred are, exact since each whole score is
-- counted; and how good reviews and denials are on those with labels.
create or replace function assay.shadow_side(of_number bigint,
    of_type text, side text)
returns json language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	with upto as (
		select c.name::int as score,
			sum(c.n) over (order by c.name::int) as n,
			sum(c.n) over () as total
		from assay.shadow_count c
		where c.number = of_number and c.event_type = of_type
			and c.kind = side || ' score'
	), marks as (
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
		from marks m
	)
	select json_build_object(
	    'scores', (select json_object_agg('p' || q.p, (select min(u.score)
		    from upto u where u.n * 100 >= q.p * u.total) order by q.p)
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

-- Decisions by the verdict of what served and that of a probation.
create or replace function assay.shadow_verdicts(of_number bigint,
    of_type text)
returns json language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	with verdict as (
		select v.name, v.place
		from unnest(array['allow', 'challenge', 'review', 'deny'])
			with ordinality as v(name, place)
	)
	select json_object_agg(l.name, (select json_object_agg(s.name,
		    coalesce(c.n, 0) order by s.place)
		from verdict s left join assay.shadow_count c
			on c.number = of_number and c.event_type = of_type
			and c.kind = 'verdicts'
			and c.name = l.name || '.' || s.name) order by l.place)
	from verdict l;
end;

-- The tags that gave points, by what served or by a probation: in how many
-- decisions, and how many in all.
create or replace function assay.shadow_tags(of_number bigint, of_type text)
returns json language sql stable
set search_path = pg_catalog, pg_temp
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

-- Every probation of each event type, the one that scores its decisions now
-- first; scorer is SCORER_SHADOW, or null.  Those that are over are there as
-- long as they have their place and were of any decision.
create or replace function assay.shadow_list(scorer text)
returns text language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
	with known as (
		select s.number, s.kind, s.place, s.id, s.version, s.started_at,
			s.ended_at, s.outcome,
			case when s.kind = 'scorer' then s.place
				is not distinct from scorer
			else s.ended_at is null end as goes_on
		from assay.shadow s
		union all
		select null, 'scorer', scorer, scorer, scorer, null, null, null,
			true
		where scorer is not null and not exists (select
		    from assay.shadow s where s.place = scorer)
	), one as (
		select a.event_type, k.*, array_position(array['ruleset',
			'model', 'scorer'], k.kind) as rank,
			coalesce((select sum(c.n) from assay.shadow_count c
			    where c.number = k.number
				and c.event_type = a.event_type
				and c.kind = 'verdicts'), 0) as decisions
		from assay.ruleset_active a join known k
			on k.kind <> 'ruleset' or k.place = a.event_type
	), placed as (
		select o.*, row_number() over (partition by o.event_type
			order by o.goes_on desc, o.rank, o.id) as place_in_type
		from one o where o.goes_on or o.decisions > 0
	)
	select coalesce(json_agg(json_build_object(
	    'eventType', p.event_type,
	    'kind', p.kind,
	    'id', p.id,
	    'version', p.version,
	    'state', case when not p.goes_on then coalesce(p.outcome, 'ended')
		when p.place_in_type = 1 then 'active' else 'waiting' end,
	    'startedAt', assay.time_text(p.started_at),
	    'endedAt', assay.time_text(p.ended_at),
	    'decisions', p.decisions,
	    'agreement', coalesce((select sum(c.n) from assay.shadow_count c
		where c.number = p.number and c.event_type = p.event_type
		    and c.kind = 'verdicts' and split_part(c.name, '.', 1)
			= split_part(c.name, '.', 2))::float8
		/ nullif(p.decisions, 0), 0),
	    'verdicts', assay.shadow_verdicts(p.number, p.event_type),
	    'labels', (select json_build_object(
		    'fraud', coalesce(sum(c.n) filter (where
			c.kind = 'fraud'), 0),
		    'legit', coalesce(sum(c.n) filter (where
			c.kind = 'legit'), 0))
		from assay.shadow_count c
		where c.number = p.number and c.event_type = p.event_type),
	    'live', assay.shadow_side(p.number, p.event_type, 'live'),
	    'shadow', assay.shadow_side(p.number, p.event_type, 'shadow'),
	    'tags', assay.shadow_tags(p.number, p.event_type))
	    order by p.event_type, p.place_in_type), '[]')::text
	from placed p;
end;
