-- SPDX-License-Identifier: ISC
-- Shadows: candidates that decide beside the active ruleset, model or scorer,
-- without effect or, as rollouts, for some of the users; what is counted of
-- them, and how they end.
--
-- Functions that begin or end a shadow, or change the active ruleset or model, take
-- assay.shadow_lock() first; functions that count lock the rows of the shadows
-- that they count for.  The row of assay.epoch is locked last and until the
-- commit, but before texts of models, as assay.model_activate() does.

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

-- Whether the shadow of a slot decides for some of the users.
create or replace function assay.rollout_runs(of_slot text)
returns boolean language sql stable
return exists (select from assay.shadow s
    where s.slot = of_slot and s.ended_at is null and s.percent > 0);

-- What decides has changed: a rollout in this slot would be compared with
-- something else, so its shadow decides for no one now.
create or replace function assay.rollout_stop(of_slot text)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.shadow_lock();
	update assay.shadow s set percent = 0
	where s.slot = of_slot and s.ended_at is null and s.percent > 0;
end
$$;

-- Begin a shadow ruleset: a new version that is not activated.  It replaces the
-- shadow of its event type, but no rollout.
create or replace function assay.shadow_ruleset(of_type text,
    new_version text, new_text text, n_rules bigint, publisher text,
    new_id text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.shadow_lock();
	if assay.rollout_runs(of_type) then
		return query select 'SHADOW_ROLLED_OUT', null;
		return;
	end if;
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
	if assay.rollout_runs('model') then
		return query select 'SHADOW_ROLLED_OUT', null;
		return;
	end if;
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
-- run for most_days, but no shadow that an operator began or rolled out.  Returns
-- what became of it.
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
	elsif not running.challenger or running.percent > 0 then
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

-- The shadow of this id in a slot decides for this percentage of the users from
-- now on; for 0 it has no effect.
create or replace function assay.shadow_rollout(of_slot text, of_id text,
    new_percent bigint)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	changed assay.shadow;
begin
	perform assay.shadow_lock();
	update assay.shadow s set percent = new_percent
	where s.slot = of_slot and s.id = of_id and s.ended_at is null
	returning * into changed;
	if not found then
		return query select 'SHADOW_CHANGED', null;
		return;
	end if;
	perform assay.shadow_bump_epoch(changed.kind);
	return query select null, json_build_object('ok', true,
	    'version', changed.version, 'id', changed.id,
	    'percent', changed.percent)::text;
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

-- Earlier releases had this function with another result.
drop function if exists assay.shadow_scored(bigint[], text[], text[],
    timestamptz, timestamptz);

-- What these shadows and the live side would have decided in some scored
-- decisions, which lie between two moments; in the arm 'shadow' the shadow
-- decided.
create or replace function assay.shadow_scored(numbers bigint[], ids text[],
    reasons_of text[], first timestamptz, last timestamptz)
returns table (number bigint, event_type text, arm text,
    verdict_id text, event_id text, decided_at timestamptz, live_tags json,
    shadow_tags json, live_score text, shadow_score text, live text,
    shadow text)
language sql stable
begin atomic
	select s.number, d.event_type, coalesce(other.arm, 'none'),
		d.verdict_id, d.event_id, d.decided_at,
		case when w.swapped then other.tags else i.reasons::json end,
		case when w.swapped then i.reasons::json else other.tags end,
		case when w.swapped then other.score else made.score end,
		case when w.swapped then made.score else other.score end,
		case when w.swapped then other.verdict else made.verdict end,
		case when w.swapped then made.verdict else other.verdict end
	from unnest(ids, reasons_of) as i(id, reasons)
		join assay.decision_detail d on d.verdict_id = i.id
		    and d.decided_at >= first and d.decided_at <= last
		    and d.sample is not null
		cross join lateral json_to_record(d.sample::json)
		    as made(score text, verdict text, shadow json)
		cross join lateral json_to_record(made.shadow)
		    as other(id text, arm text, score text, verdict text,
			tags json)
		cross join lateral (select other.arm is not distinct from 'shadow')
		    as w(swapped)
		join assay.shadow s on s.id = other.id
		    and s.number = any(numbers)
	where made.shadow is not null;
end;

-- The kind of a count in an arm, see assay.shadow_tally.
create or replace function assay.arm_kind(arm text, kind text)
returns text language sql immutable
return case arm when 'none' then kind else arm || ' arm ' || kind end;

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
	select s.number, s.event_type, assay.arm_kind(s.arm, f.kind), f.name,
		count(*), sum(f.points)
	from scored s, lateral (
		values ('verdicts', s.live || '.' || s.shadow, 0),
			('live score', s.live_score, 0),
			('shadow score', s.shadow_score, 0)
		union all
		select t.kind, t.tag, t.points
		from (select 'live tag', l.* from json_to_recordset(s.live_tags)
			as l(tag text, points int)
		    union all
		    select 'shadow tag', o.* from json_to_recordset(s.shadow_tags)
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

-- The standard error of (more - less) / n, if each of n decisions counts in more,
-- in less or in neither.
create or replace function assay.rollout_error(more float8, less float8,
    n bigint)
returns float8 language sql immutable
return sqrt(greatest((more + less) / n - ((more - less) / n) ^ 2, 0) / n);

-- What each rollout has decided since its window began: in how many decisions it
-- denied or reviewed an event that the live side would not have, or the other way
-- around.  total is the same since it began.
create or replace function assay.rollout_windows(out number bigint,
    out event_type text, out n bigint, out total assay.rollout_window,
    out denied float8, out reviewed float8, out denied_error float8,
    out reviewed_error float8)
returns setof record language sql stable
begin atomic
	with pairs as (
		select c.number, c.event_type, c.n,
			split_part(c.name, '.', 1) as live,
			split_part(c.name, '.', 2) as shadow
		from assay.shadow_tally c join assay.shadow s using (number)
		where c.arm = 'shadow' and c.kind = 'verdicts'
			and s.ended_at is null and s.percent > 0
	), totals as (
		select p.number, p.event_type, sum(p.n)::bigint as decisions,
			coalesce(sum(p.n) filter (where p.shadow = 'deny'
			    and p.live <> 'deny'), 0)::bigint as denied_more,
			coalesce(sum(p.n) filter (where p.live = 'deny'
			    and p.shadow <> 'deny'), 0)::bigint as denied_less,
			coalesce(sum(p.n) filter (where p.shadow = 'review'
			    and p.live <> 'review'), 0)::bigint as reviewed_more,
			coalesce(sum(p.n) filter (where p.live = 'review'
			    and p.shadow <> 'review'), 0)::bigint
			    as reviewed_less
		from pairs p group by p.number, p.event_type
	), since as (
		select t.number, t.event_type, row(t.*)::assay.rollout_window
			as total,
			t.decisions - coalesce(w.decisions, 0) as n,
			(t.denied_more - coalesce(w.denied_more, 0))::float8 as dm,
			(t.denied_less - coalesce(w.denied_less, 0))::float8 as dl,
			(t.reviewed_more - coalesce(w.reviewed_more, 0))::float8
			    as rm,
			(t.reviewed_less - coalesce(w.reviewed_less, 0))::float8
			    as rl
		from totals t left join assay.rollout_window w
			using (number, event_type)
	)
	select s.number, s.event_type, s.n, s.total,
		(s.dm - s.dl) / s.n, (s.rm - s.rl) / s.n,
		assay.rollout_error(s.dm, s.dl, s.n),
		assay.rollout_error(s.rm, s.rl, s.n)
	from since s where s.n > 0;
end;

-- Publish that a rollout has ended by itself.
create or replace function assay.rollout_alert(rollout assay.shadow,
    event_type text, decisions bigint, denied float8, reviewed float8,
    correlation text)
returns void language sql
begin atomic
	select assay.publish('alert.rollout.v1'::text, json_build_object(
	    'shadowId', (rollout).id,
	    'version', (rollout).version,
	    'eventType', event_type,
	    'percent', (rollout).percent,
	    'decisions', decisions,
	    'denyPoints', round(denied::numeric * 100, 2),
	    'reviewPoints', round(reviewed::numeric * 100, 2)), correlation,
	    null::text);
end;

-- Of how many users the newest events with another verdict are.
create or replace function assay.rollout_users(of_number bigint, of_type text)
returns bigint language sql stable
begin atomic
	select count(distinct d.user_id)
	from assay.shadow_example e join assay.decision_detail d
		on d.decided_at = e.decided_at and d.verdict_id = e.verdict_id
	where e.number = of_number and e.event_type = of_type;
end;

-- End each rollout whose denials or reviews differ from what the live side would
-- have decided about the same events by more than this many percentage points and
-- by more than three standard errors, and send an alert.  A window has at least 50
-- decisions, and after 5000 a new one begins; the newest events with another
-- verdict are of five users at least, so that no single one ends a rollout.
-- Returns how many have ended.
create or replace function assay.rollout_guard(points bigint,
    correlation text)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	w record;
	rollout assay.shadow;
	ended bigint := 0;
begin
	if not exists (select from assay.shadow s
	    where s.ended_at is null and s.percent > 0) then
		return 0;
	end if;
	perform assay.shadow_lock();
	for w in
		select * from assay.rollout_windows() r where r.n >= 50
		order by r.number, r.event_type
	loop
		if (abs(w.denied) > greatest(points / 100.0, 3 * w.denied_error)
		    or abs(w.reviewed) > greatest(points / 100.0,
			3 * w.reviewed_error))
		    and assay.rollout_users(w.number, w.event_type) >= 5 then
			select * into rollout from assay.shadow s
			where s.number = w.number and s.ended_at is null;
			continue when not found;
			perform assay.shadow_end(rollout.slot, rollout.id,
			    'guarded');
			perform assay.audit_write('companion', 'none',
			    'POST /v1/model/shadow/end', 200, json_build_object(
			    'eventType', w.event_type, 'id', rollout.id,
			    'version', rollout.version, 'guarded', true)::text);
			perform assay.rollout_alert(rollout, w.event_type, w.n,
			    w.denied, w.reviewed, correlation);
			ended := ended + 1;
		elsif w.n >= 5000 then
			insert into assay.rollout_window values ((w.total).*)
			on conflict (number, event_type) do update
			set (decisions, denied_more, denied_less, reviewed_more,
			    reviewed_less) = row((w.total).decisions,
			    (w.total).denied_more, (w.total).denied_less,
			    (w.total).reviewed_more, (w.total).reviewed_less);
		end if;
	end loop;
	return ended;
end
$$;

-- What a label of a decision counts for, if one of these shadows ran then: the
-- number of the shadow, the event type, the verdicts of both sides, and the arm.
create or replace function assay.shadow_labelled(numbers bigint[],
    at timestamptz, of_verdict text)
returns text[] language sql stable
begin atomic
	select array[s.number::text, d.event_type,
		case when other.arm = 'shadow'
		    then other.verdict || '.' || made.verdict
		    else made.verdict || '.' || other.verdict end,
		coalesce(other.arm, 'none')]
	from assay.decision_detail d
		cross join lateral json_to_record(d.sample::json)
		    as made(verdict text, shadow json)
		cross join lateral json_to_record(made.shadow)
		    as other(id text, arm text, verdict text)
		join assay.shadow s on s.id = other.id
		    and s.number = any(numbers)
	where d.decided_at = at and d.verdict_id = of_verdict
		and d.sample is not null and made.shadow is not null;
end;

-- Count the amount of a labelled event so many times for the shadow that its label
-- records.  Once the request is gone, its amount stays where it was counted.
create or replace function assay.shadow_label_amount(l assay.label,
    of_outcome text, times bigint)
returns void language sql
begin atomic
	insert into assay.shadow_count as c (number, event_type, kind, name, n,
	    points, amount)
	select s.number, (l).shadow[2],
		assay.arm_kind(coalesce((l).shadow[4], 'none'),
		    of_outcome || ' amount'),
		(l).shadow[3] || '.' || event.currency, times, 0,
		times * event.amount
	from assay.shadow s, assay.decision_detail d
		cross join lateral json_to_record(d.request::json)
		    as event(currency text, amount numeric)
	where s.number = (l).shadow[1]::bigint
		and d.decided_at = (l).risk_decided_at
		and d.verdict_id = (l).risk_verdict_id
		and of_outcome in ('fraud', 'legit')
		and event.currency is not null and event.amount is not null
	for key share of s
	on conflict (number, event_type, kind, name) do update
	set n = c.n + excluded.n, amount = c.amount + excluded.amount;
end;

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
		new.shadow := assay.shadow_labelled(numbers,
		    new.risk_decided_at, new.risk_verdict_id);
	end if;
	if new.shadow is null then
		return new;
	end if;
	insert into assay.shadow_count as c (number, event_type, kind, name, n,
	    points)
	select s.number, new.shadow[2],
		assay.arm_kind(coalesce(new.shadow[4], 'none'), w.outcome),
		new.shadow[3], w.n, 0
	from assay.shadow s, (values (old.risk_outcome, -1),
		(new.risk_outcome, 1)) as w(outcome, n)
	where s.number = new.shadow[1]::bigint
		and w.outcome in ('fraud', 'legit')
	for key share of s
	on conflict (number, event_type, kind, name) do update
	set n = c.n + excluded.n;
	perform assay.shadow_label_amount(new, old.risk_outcome, -1);
	perform assay.shadow_label_amount(new, new.risk_outcome, 1);
	return new;
end
$$;
select assay.trigger_make('assay.label', 'shadow',
    'before update of risk_outcome on assay.label for each row
    when (new.risk_outcome is distinct from old.risk_outcome)
    execute function assay.shadow_label()');

-- The amounts of labelled events, by currency, and what one side, 'live' or
-- 'shadow', did with them; in one arm of a rollout, or in all (null).
create or replace function assay.shadow_amounts(of_number bigint,
    of_type text, side text, of_arm text)
returns json language sql stable
begin atomic
	with labelled as (
		select split_part(c.name, '.', 3) as currency, c.kind,
			c.amount, split_part(c.name, '.',
			case side when 'live' then 1 else 2 end)
			in ('review', 'deny') as flagged
		from assay.shadow_tally c
		where c.number = of_number and c.event_type = of_type
			and c.kind in ('fraud amount', 'legit amount')
			and (of_arm is null or c.arm = of_arm)
	), sums as (
		select m.currency,
			coalesce(sum(m.amount) filter (where m.flagged
			    and m.kind = 'fraud amount'), 0) as caught,
			coalesce(sum(m.amount) filter (where not m.flagged
			    and m.kind = 'fraud amount'), 0) as missed,
			coalesce(sum(m.amount) filter (where m.flagged
			    and m.kind = 'legit amount'), 0) as held
		from labelled m group by m.currency
	)
	select coalesce(json_object_agg(s.currency, json_build_object(
	    'caught', trim_scale(s.caught),
	    'missed', trim_scale(s.missed),
	    'held', trim_scale(s.held)) order by s.currency), '{}')
	from sums s;
end;

-- Decisions of an event type on one side, 'live' or 'shadow', in one arm of a
-- rollout or in all (null): percentiles of the scores, and how well
-- reviews and denials find the labelled frauds.
create or replace function assay.shadow_side(of_number bigint,
    of_type text, side text, of_arm text)
returns json language sql stable
begin atomic
	with cumulative as (
		select c.name::int as score,
			sum(c.n) over (order by c.name::int) as n,
			sum(c.n) over () as total
		from assay.shadow_tally c
		where c.number = of_number and c.event_type = of_type
			and c.kind = side || ' score'
			and (of_arm is null or c.arm = of_arm)
	), labelled as (
		select c.kind, c.n, split_part(c.name, '.',
			case side when 'live' then 1 else 2 end)
			in ('review', 'deny') as flagged
		from assay.shadow_tally c
		where c.number = of_number and c.event_type = of_type
			and c.kind in ('fraud', 'legit')
			and (of_arm is null or c.arm = of_arm)
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
		/ nullif(s.caught + s.missed, 0), 0),
	    'amounts', assay.shadow_amounts(of_number, of_type, side, of_arm))
	from sums s;
end;

-- The decisions of one arm, 'live' or 'shadow', which that side made.
create or replace function assay.rollout_arm(of_number bigint,
    of_type text, side text)
returns json language sql stable
begin atomic
	with made as (
		select v.name, v.severity, coalesce(sum(c.n), 0) as n
		from unnest(array['allow', 'challenge', 'review', 'deny'])
			with ordinality as v(name, severity)
			left join assay.shadow_tally c
			on c.number = of_number and c.event_type = of_type
			and c.arm = side and c.kind = 'verdicts'
			and split_part(c.name, '.',
			    case side when 'live' then 1 else 2 end) = v.name
		group by v.name, v.severity
	)
	select json_build_object(
	    'decisions', sum(m.n),
	    'verdicts', json_object_agg(m.name, m.n order by m.severity),
	    'results', assay.shadow_side(of_number, of_type, side, side))
	from made m;
end;

-- Both arms, or null if there was no rollout.
create or replace function assay.rollout_arms(of_number bigint, of_type text)
returns json language sql stable
return (select json_build_object(
	'live', assay.rollout_arm(of_number, of_type, 'live'),
	'shadow', assay.rollout_arm(of_number, of_type, 'shadow'))
    from assay.shadow s
    where s.number = of_number and (s.percent > 0 or exists (
	select from assay.shadow_tally c
	where c.number = of_number and c.event_type = of_type
	    and c.arm <> 'none')));

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
		    (select coalesce(sum(c.n), 0)
			from assay.shadow_tally c
			where c.number = of_number and c.event_type = of_type
			and c.kind = 'verdicts'
			and c.name = l.name || '.' || s.name)
		    order by s.severity)
		from verdict s) order by l.severity)
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
		from assay.shadow_tally c
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
    from assay.shadow_tally c
    where c.number = of_number and c.event_type = of_type);

-- In how many decisions both sides have the same verdict.
create or replace function assay.shadow_agreed(of_number bigint, of_type text)
returns bigint language sql stable
return (select sum(c.n) from assay.shadow_tally c
    where c.number = of_number and c.event_type = of_type
	and c.kind = 'verdicts'
	and split_part(c.name, '.', 1) = split_part(c.name, '.', 2));

-- The shadows of each event type, the one that scores its decisions now first.
-- scorer is SCORER_SHADOW or null.  An ended shadow is listed if it has decided
-- anything and no other shadow has taken its slot.
create or replace function assay.shadow_list(scorer text)
returns text language sql stable
begin atomic
	with candidate as (
		select s.number, s.kind, s.slot, s.id, s.version, s.percent,
			s.started_at, s.ended_at, s.outcome,
			case s.kind
			when 'scorer' then s.slot is not distinct from scorer
			else s.ended_at is null end as running
		from assay.shadow s
		union all
		select null, 'scorer', scorer, scorer, scorer, 0, null, null,
			null, true
		where scorer is not null and not exists (select
		    from assay.shadow s where s.slot = scorer)
	), by_type as (
		select a.event_type, k.*,
			array_position('{ruleset,model,scorer}', k.kind) as rank,
			coalesce((select sum(c.n) from assay.shadow_tally c
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
	    'percent', p.percent,
	    'startedAt', assay.time_text(p.started_at),
	    'endedAt', assay.time_text(p.ended_at),
	    'decisions', p.decisions,
	    'agreement', coalesce(assay.shadow_agreed(p.number, p.event_type)
		/ nullif(p.decisions, 0)::float8, 0),
	    'verdicts', assay.shadow_verdicts(p.number, p.event_type),
	    'labels', assay.shadow_labels(p.number, p.event_type),
	    'live', assay.shadow_side(p.number, p.event_type, 'live', null),
	    'shadow', assay.shadow_side(p.number, p.event_type, 'shadow', null),
	    'arms', assay.rollout_arms(p.number, p.event_type),
	    'tags', assay.shadow_tags(p.number, p.event_type),
	    'examples', assay.shadow_examples(p.number, p.event_type))
	    order by p.event_type, p.position), '[]')::text
	from listed p;
end;

-- Functions of earlier releases.
drop function if exists assay.shadow_side(bigint, text, text);
