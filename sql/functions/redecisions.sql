-- SPDX-License-Identifier: ISC
-- Redecisions: which past events are decided again, and what that changes.

create or replace function assay.redecision_state(r assay.redecision)
returns text language sql immutable
return coalesce((r).outcome,
    case when (r).started_at is null then 'waiting' else 'running' end);

-- A redecision as answers show it.  progress is the part of its time that is decided.
create or replace function assay.redecision_json(r assay.redecision)
returns json language sql stable
return (select json_build_object(
    'id', (r).id,
    'state', assay.redecision_state(r),
    'why', (r).why,
    'since', assay.time_text((r).since),
    'until', assay.time_text((r).until),
    'progress', case when (r).outcome = 'done' then 1 else coalesce(trunc(
	(extract(epoch from (r).decided_until - (r).since)
	    / nullif(extract(epoch from (r).until - (r).since), 0))::numeric, 3),
	0) end,
    'act', (r).act_limit,
    'books', (select coalesce(json_agg(json_build_object(
	    'eventType', b.event_type, 'ruleset', b.ruleset,
	    'policyVersion', b.policy) order by b.event_type), '[]')
	from assay.redecision_book b where b.redecision = (r).id),
    'createdBy', (r).created_by,
    'createdAt', assay.time_text((r).created_at),
    'startedAt', assay.time_text((r).started_at),
    'endedAt', assay.time_text((r).ended_at),
    'decisions', coalesce(sum(c.decisions), 0),
    'moreSevere', coalesce(sum(c.decisions) filter (where c.change > 0), 0),
    'lessSevere', coalesce(sum(c.decisions) filter (where c.change < 0), 0),
    'unscored', (r).unscored,
    'unreadable', (r).unreadable,
    'acted', (r).acted,
    'cases', (r).cases)
    from (select w.decisions, assay.verdict_severity(w.verdict_to)
		- assay.verdict_severity(w.verdict_from) as change
	from assay.redecision_count w where w.redecision = (r).id) c);

-- The newest redecisions.
create or replace function assay.redecision_list()
returns text language sql stable
return (select coalesce(json_agg(assay.redecision_json(p.entry)
	order by p.id desc), '[]')::text
    from (select r.id, r as entry from assay.redecision r
	order by r.id desc limit 100) p);

-- The decisions of a redecision by pair of verdicts, with sums by currency.
create or replace function assay.redecision_pairs(of_redecision text)
returns json language sql stable
begin atomic
	with sums as (
		select c.event_type, c.verdict_from, c.verdict_to, c.currency,
			sum(c.decisions) as decisions,
			sum(c.decisions) filter (where c.label = 'fraud') as fraud,
			sum(c.decisions) filter (where c.label = 'legit') as legit,
			sum(c.amount) as amount,
			sum(c.amount) filter (where c.label = 'fraud')
			    as fraud_amount
		from assay.redecision_count c
		where c.redecision = of_redecision group by 1, 2, 3, 4
	), pairs as (
		select s.event_type, s.verdict_from, s.verdict_to,
			sum(s.decisions) as decisions,
			coalesce(sum(s.fraud), 0) as fraud,
			coalesce(sum(s.legit), 0) as legit,
			coalesce(json_object_agg(s.currency, s.amount::float8
			    order by s.currency) filter (where s.currency <> ''),
			    '{}') as amounts,
			coalesce(json_object_agg(s.currency,
			    s.fraud_amount::float8 order by s.currency)
			    filter (where s.currency <> '' and s.fraud > 0), '{}')
			    as fraud_amounts
		from sums s group by 1, 2, 3
	)
	select coalesce(json_agg(json_build_object(
		'eventType', p.event_type,
		'from', p.verdict_from,
		'to', p.verdict_to,
		'decisions', p.decisions,
		'fraud', p.fraud,
		'legit', p.legit,
		'amounts', p.amounts,
		'fraudAmounts', p.fraud_amounts)
	    order by p.event_type, assay.verdict_severity(p.verdict_from),
		assay.verdict_severity(p.verdict_to)), '[]')
	from pairs p;
end;

-- One redecision with its counts.
create or replace function assay.redecision_get(redecision_id text)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when r.id is null then 'NOT_FOUND' end,
		case when r.id is not null then json_build_object(
		    'redecision', assay.redecision_json(r),
		    'pairs', assay.redecision_pairs(r.id))::text end
	from (select) as one left join assay.redecision r
		on r.id = redecision_id;
end;

-- A page of the decisions that have another verdict now, newest first.
create or replace function assay.redecision_changes(redecision_id text,
    page_limit bigint, page_offset bigint)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when r.id is null then 'NOT_FOUND' end,
		case when r.id is not null then (
		    select coalesce(json_agg(json_build_object(
			'eventId', c.event_id,
			'verdictId', c.verdict_id,
			'eventType', c.event_type,
			'decidedAt', assay.time_text(c.decided_at),
			'from', c.verdict_from,
			'to', c.verdict_to,
			'fromScore', c.score_from,
			'toScore', c.score_to,
			'reasons', c.reasons::json,
			'caseId', c.case_id)
			order by c.decided_at desc, c.verdict_id desc), '[]')
		    from (select w.* from assay.redecision_change w
			where w.redecision = r.id
			order by w.decided_at desc, w.verdict_id desc
			limit page_limit offset page_offset) c)::text end
	from (select) as one left join assay.redecision r
		on r.id = redecision_id;
end;

-- Begin a redecision of these event types, or of all; of_ruleset is a version in place
-- of the active ruleset.  Refused if max_waiting have not ended.
create or replace function assay.redecision_create(new_id text, operator text,
    correlation text, types text[], begins timestamptz, ends timestamptz,
    of_ruleset text, most_acts bigint, max_waiting bigint)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	perform pg_advisory_xact_lock(hashtextextended('assay redecision', 0));
	if (select count(*) from assay.redecision r where r.ended_at is null)
		>= max_waiting then
		return query select 'REDECISIONS_FULL', null;
		return;
	end if;
	insert into assay.redecision (id, created_by, correlation_id, since, until,
	    act_limit, position)
	values (new_id, operator, correlation, begins, ends, most_acts,
	    assay.log_next());
	insert into assay.redecision_book (redecision, event_type, ruleset, policy)
	select new_id, p.event_type, coalesce(of_ruleset, a.version), p.version
	from assay.policy_active p
		left join assay.ruleset_active a using (event_type)
	where (types is null or p.event_type = any(types))
		and coalesce(of_ruleset, a.version) is not null;
	return query
	select null::text, assay.redecision_json(r)::text
	from assay.redecision r where r.id = new_id;
end
$$;

-- End a redecision before its time.  One that has ended stays as it is.
create or replace function assay.redecision_cancel(redecision_id text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
	update assay.redecision r
	set ended_at = clock_timestamp(), outcome = 'cancelled'
	where r.id = redecision_id and r.ended_at is null;
	return query select g.refusal, (g.body::json -> 'redecision')::text
	from assay.redecision_get(redecision_id) g;
end
$$;

-- Lease the oldest redecision that has not ended to a worker, and lock it until the
-- end of the transaction.  Returns no row if all have ended, if another worker has the
-- oldest one, or if transactions run that may add decisions to its time.
create or replace function assay.redecision_claim(of_worker text, lease_seconds bigint)
returns setof assay.redecision language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	found_one assay.redecision;
begin
	select r.* into found_one from assay.redecision r
	where r.id = (select min(o.id) from assay.redecision o
		where o.ended_at is null)
	    and r.ended_at is null
	for update skip locked;
	if found_one.id is null or found_one.position >= assay.log_watermark()
		or found_one.worker <> of_worker
		    and found_one.leased_until > clock_timestamp() then
		return;
	end if;
	-- An erasure waits until the slice is stored, or the slice leaves it out.
	perform pg_advisory_xact_lock_shared(assay.erasure_guard());
	return query update assay.redecision r
	set worker = of_worker,
	    leased_until = clock_timestamp() + make_interval(secs => lease_seconds),
	    started_at = coalesce(r.started_at, clock_timestamp())
	where r.id = found_one.id
	returning r.*;
end
$$;

-- A run of the companion takes a redecision up.  Returns how many have since a slice was
-- decided.
create or replace function assay.redecision_take_up(of_redecision text)
returns bigint language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.redecision r set runs = r.runs + 1
	where r.id = of_redecision returning r.runs;
end;

-- Let another worker have what this one has leased.
create or replace function assay.redecision_release(of_worker text)
returns void language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.redecision r set leased_until = '-infinity'
	where r.worker = of_worker and r.ended_at is null;
end;

-- What decides in a redecision: the texts of its rulesets and policies.
create or replace function assay.redecision_books(of_redecision text)
returns table (event_type text, ruleset_version text, rules text, policy_id text,
    policy_version text, policy text)
language sql stable security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select b.event_type, r.version, r.text, p.id, p.version,
		json_build_object('onError', p.on_error, 'bands', p.bands)::text
	from assay.redecision_book b
		join assay.ruleset r on r.event_type = b.event_type
		    and r.version = b.ruleset
		join assay.policy p on p.event_type = b.event_type
		    and p.version = b.policy
	where b.redecision = of_redecision
	order by b.event_type;
end;

-- The end of a slice of about max_rows decisions from a time on, at most until.
create or replace function assay.redecision_slice(begins timestamptz,
    until timestamptz, max_rows bigint)
returns timestamptz language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
begin
	return assay.log_end_after('assay.decision_detail', max_rows,
	    greatest(begins, assay.sample_first()), until);
end
$$;

-- The decisions of a slice in the order of time, with what keys are made of: of these
-- types or, where types is null, of all; none whose samples retention has removed.
-- The fingerprint only if it is wanted, because
-- reading it is slow.
create or replace function assay.redecision_events(begins timestamptz,
    ends timestamptz, types text[], fingerprints boolean)
returns table (decided_at timestamptz, verdict_id text, event_id text,
    event_type text, user_id text, sample text, device text, ip text,
    fingerprint text, live boolean)
language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
begin atomic
	select d.decided_at, d.verdict_id, d.event_id, d.event_type, d.user_id,
		d.sample, v.key, i.key, case when fingerprints then
		    d.request::json -> 'subject' ->> 'fingerprint' end,
		d.dry_run is null
	from assay.decision_detail d
		left join assay.entity v on v.id = d.device and v.kind = 2
		left join assay.entity i on i.id = d.ip and i.kind = 3
	where d.decided_at >= greatest(begins, assay.sample_first())
		and d.decided_at < ends
		and (types is null or d.event_type = any(types))
		and not assay.is_erased(d.user_id, d.decided_at)
	order by d.decided_at, d.verdict_id;
end;

-- Act on a decision that became more severe: publish it, and open a case unless it has
-- one or the event has a label.  The score of a case is 100 if an entry of a list denies
-- now.  Returns the new case.
create or replace function assay.redecision_act(r assay.redecision,
    d assay.redecided)
returns text language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	opened constant timestamptz := clock_timestamp();
	new_case text;
	old_case text;
begin
	insert into assay.verdict_revision as v (verdict_id, decided_at, verdict)
	values (d.verdict_id, d.decided_at, d.verdict_to)
	on conflict (verdict_id) do update set verdict = excluded.verdict
	returning v.case_id into old_case;
	if d.verdict_from <> 'review' and old_case is null
		and not exists (select from assay.label l
		    where l.event_id = d.event_id and l.outcome <> 'none') then
		new_case := assay.id_text('cse_', assay.id_prefixes(opened),
		    uuid_send(gen_random_uuid()));
		insert into assay.review_case (id, event_id, verdict_id, queue,
		    score, opened_at, event_type, amount, currency, tags)
		values (new_case, d.event_id, d.verdict_id, d.queue,
		    case when d.score_to < 0 then 100 else d.score_to end,
		    opened, d.event_type, d.amount, d.currency, d.tags);
		insert into assay.case_trail (case_id, at, action, actor, detail)
		values (new_case, opened, 'opened', 'engine', format(
		    'redecision %s: was %s, would be %s now', r.id,
		    d.verdict_from, d.verdict_to));
		update assay.verdict_revision v
		set case_id = new_case, case_opened_at = opened
		where v.verdict_id = d.verdict_id;
	end if;
	perform assay.publish('verdict.revised.v1'::text, json_build_object(
	    'redecisionId', r.id, 'verdictId', d.verdict_id,
	    'eventId', d.event_id, 'eventType', d.event_type,
	    'decidedAt', assay.time_text(d.decided_at),
	    'verdict', d.verdict_to, 'score', d.score_to,
	    'reasons', d.reasons::json,
	    'formerVerdict', d.verdict_from, 'formerScore', d.score_from,
	    'caseId', coalesce(new_case, old_case)),
	    r.correlation_id);
	return new_case;
end
$$;

-- Count the decisions of a slice.
create or replace function assay.redecision_count_add(of_redecision text,
    decided assay.redecided[])
returns void language sql
begin atomic
	insert into assay.redecision_count as c (redecision, event_type,
	    verdict_from, verdict_to, label, currency, decisions, amount)
	select of_redecision, d.event_type, d.verdict_from, d.verdict_to,
		coalesce(l.outcome, 'none'), coalesce(d.currency, ''), count(*),
		coalesce(sum(d.amount), 0)
	from unnest(decided) d
		left join assay.label l on l.event_id = d.event_id
		    and l.outcome <> 'none'
	group by d.event_type, d.verdict_from, d.verdict_to, l.outcome, d.currency
	on conflict (redecision, event_type, verdict_from, verdict_to, label,
	    currency)
	do update set decisions = c.decisions + excluded.decisions,
		amount = c.amount + excluded.amount;
end;

-- Store what a slice of a redecision, which the caller has claimed, has decided, up to
-- the time ends.  Returns how many decisions it acted on, and whether the redecision
-- is done.
create or replace function assay.redecision_store(of_redecision text,
    ends timestamptz, new_unscored bigint, new_unreadable bigint,
    decided assay.redecided[], out acted bigint, out done boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	max_kept constant bigint := 10000;
	r assay.redecision;
	d assay.redecided;
	more_severe boolean;
	acts boolean;
	new_case text;
begin
	select w.* into strict r from assay.redecision w where w.id = of_redecision;
	acted := 0;
	done := ends >= r.until;
	perform assay.redecision_count_add(of_redecision, decided);
	foreach d in array decided loop
		continue when d.verdict_from = d.verdict_to;
		more_severe := assay.verdict_severity(d.verdict_to)
		    > assay.verdict_severity(d.verdict_from);
		acts := more_severe and r.acted < r.act_limit
		    and not exists (select from assay.verdict_revision v
			where v.verdict_id = d.verdict_id
			    and assay.verdict_severity(v.verdict)
				>= assay.verdict_severity(d.verdict_to));
		new_case := case when acts then assay.redecision_act(r, d) end;
		acted := acted + acts::int;
		r.acted := r.acted + acts::int;
		r.cases := r.cases + (new_case is not null)::int;
		continue when not acts and max_kept <= case when more_severe
		    then r.kept_severe else r.kept_mild end;
		r.kept_severe := r.kept_severe + more_severe::int;
		r.kept_mild := r.kept_mild + (not more_severe)::int;
		insert into assay.redecision_change (redecision, decided_at,
		    verdict_id, event_id, event_type, verdict_from, verdict_to,
		    score_from, score_to, reasons, case_id)
		values (r.id, d.decided_at, d.verdict_id, d.event_id,
		    d.event_type, d.verdict_from, d.verdict_to, d.score_from,
		    d.score_to, d.reasons, new_case);
	end loop;
	update assay.redecision w
	set decided_until = ends, acted = r.acted, cases = r.cases,
	    kept_severe = r.kept_severe, kept_mild = r.kept_mild, runs = 0,
	    unscored = w.unscored + new_unscored,
	    unreadable = w.unreadable + new_unreadable,
	    ended_at = case when done then clock_timestamp() end,
	    outcome = case when done then 'done' end
	where w.id = of_redecision;
end
$$;

-- The same with a column of each for the decisions.
create or replace function assay.redecision_store_columns(of_redecision text,
    ends timestamptz, new_unscored bigint, new_unreadable bigint,
    verdict_ids text[], times timestamptz[], event_ids text[],
    event_types text[], verdicts_from text[], verdicts_to text[],
    scores_from bigint[], scores_to bigint[], amounts text[],
    currencies text[], queues text[], tags text[], reasons text[],
    out acted bigint, out done boolean)
language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select s.acted, s.done
	from assay.redecision_store(of_redecision, ends, new_unscored,
	    new_unreadable, array(select row(w.verdict_id, w.decided_at,
		    w.event_id, w.event_type, w.verdict_from, w.verdict_to,
		    w.score_from, w.score_to, w.amount::numeric, w.currency,
		    w.queue, string_to_array(w.tag, ','),
		    w.reason)::assay.redecided
		from unnest(verdict_ids, times, event_ids, event_types,
		    verdicts_from, verdicts_to, scores_from, scores_to, amounts,
		    currencies, queues, tags, reasons) with ordinality
		    as w(verdict_id, decided_at, event_id, event_type,
			verdict_from, verdict_to, score_from, score_to, amount,
			currency, queue, tag, reason, nth)
		order by w.nth)) s;
end;

-- End a redecision that cannot go on.
create or replace function assay.redecision_fail(of_redecision text, reason text)
returns void language sql security definer
set search_path = pg_catalog, pg_temp
begin atomic
	update assay.redecision r
	set ended_at = clock_timestamp(), outcome = 'failed', why = reason
	where r.id = of_redecision and r.ended_at is null;
end;
