-- SPDX-License-Identifier: ISC
-- Review cases.  The next case of an analyst is in queues.sql.

-- The resolution of a case; null before it has one.
create or replace function assay.case_resolution(c assay.review_case)
returns json language sql stable
return case when (c).status = 'resolved' then
    json_strip_nulls(json_build_object(
	'outcome', (c).outcome,
	'analyst', (c).resolved_by,
	'note', (c).note,
	'at', assay.time_text((c).resolved_at))) end;

-- When a case is due: its queue's target after it was opened.  Null if the
-- queue has no target, or the case is resolved.
create or replace function assay.case_due(c assay.review_case)
returns timestamptz language sql stable
return (select (c).opened_at + make_interval(mins => q.target_minutes::int)
    from assay.case_queue q
    where q.name = (c).queue and (c).status <> 'resolved');

-- A note as answers show it.
create or replace function assay.case_note_json(n assay.case_note)
returns json language sql stable
return json_build_object('id', (n).id, 'text', (n).text,
    'author', (n).author, 'at', assay.time_text((n).at));

-- A case as answers show it, with its trail and notes.
create or replace function assay.case_json(c assay.review_case)
returns json language sql stable
return json_build_object(
    'id', (c).id,
    'eventId', (c).event_id,
    'verdictId', (c).verdict_id,
    'queue', (c).queue,
    'verdict', 'review',
    'score', (c).score,
    'eventType', (c).event_type,
    'amount', (c).amount,
    'currency', (c).currency,
    'tags', coalesce((c).tags, '{}'),
    'status', (c).status,
    'assignedTo', (c).assigned_to,
    'claimExpiresAt', assay.time_text((c).claim_expires_at),
    'snoozedUntil', case when (c).snoozed_until > now()
	then assay.time_text((c).snoozed_until) end,
    'dueAt', assay.time_text(assay.case_due(c)),
    'resolution', assay.case_resolution(c),
    'openedAt', assay.time_text((c).opened_at),
    'notes', (select coalesce(json_agg(assay.case_note_json(n)
	    order by n.at, n.id), '[]')
	from assay.case_note n where n.case_id = (c).id),
    'audit', (select coalesce(json_agg(json_strip_nulls(json_build_object(
	    'action', t.action,
	    'at', assay.time_text(t.at),
	    'actor', t.actor,
	    'detail', t.detail)) order by t.at), '[]')
	from assay.case_trail t where t.case_id = (c).id));

-- Every queue that has cases: one probe of the index per queue.
create or replace function assay.case_queues()
returns setof text language sql stable
begin atomic
	with recursive q(name) as (
		select min(r.queue) from assay.review_case r
		union all
		select (select min(r.queue) from assay.review_case r
		    where r.queue > q.name)
		from q where q.name is not null)
	select q.name from q where q.name is not null;
end;

-- The decisions that may have opened cases about an event or a user, and when: the
-- verdicts "review" on the event, and the newest 10000 details of the user.  A
-- redecision opens a case later.
drop function if exists assay.case_decisions(text, text);
create or replace function assay.case_decisions(event text, of_user text)
returns table (id text, opened_at timestamptz) language sql stable
begin atomic
	with decision as (
		select v.id, v.decided_at, v.verdict = 'review' as has_case
		from assay.verdict_log v
		where v.event_id = case_decisions.event
		union all
		(select d.verdict_id, d.decided_at, true
		from assay.decision_detail d
		where d.user_id = case_decisions.of_user
		order by d.decided_at desc limit 10000)
	)
	select d.id, d.decided_at from decision d where d.has_case
	union all
	select d.id, r.case_opened_at
	from decision d join assay.verdict_revision r on r.verdict_id = d.id
	where r.case_id is not null;
end;

-- Whether a case passes a filter; the queue, status, event and user are selected
-- when it is read.
create or replace function assay.case_fits(f assay.case_filter,
    c assay.review_case)
returns boolean language sql stable
return ((f).assignee is null or (f).assignee = 'none'
	or (c).assigned_to = (f).assignee)
    and ((f).event_type is null or (c).event_type = (f).event_type)
    and ((f).currency is null or (c).currency = (f).currency)
    and ((f).min_amount is null or (c).amount >= (f).min_amount)
    and ((f).max_amount is null or (c).amount <= (f).max_amount)
    and ((f).tag is null or (f).tag = any ((c).tags))
    and ((f).min_score is null or (c).score >= (f).min_score)
    and ((f).max_score is null or (c).score <= (f).max_score)
    and ((f).opened_after is null or (c).opened_at >= (f).opened_after)
    and ((f).opened_before is null or (c).opened_at < (f).opened_before)
    and ((f).snoozed is null
	or (f).snoozed = coalesce((c).snoozed_until > now(), false));

-- The cases that a page is made of, in its order: of each of these queues and
-- statuses at most max_rows, numbered by n; or those of an event or a user.
--
-- The query is put together from the words below, so that it says no more than
-- the order and filters need and PostgreSQL plans it for an index; values are
-- parameters.
create or replace function assay.case_scan(f assay.case_filter, ordering text,
    last assay.review_case, queues text[], statuses text[], max_rows bigint)
returns table (hit assay.review_case, n bigint) language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
	by_score constant boolean := ordering = 'score';
	order_by constant text := case ordering
	    when 'newest' then 'r.opened_at desc, r.id desc'
	    when 'oldest' then 'r.opened_at, r.id'
	    else '(- r.score), r.opened_at, r.id' end;
	later constant text := case when last.id is null then '' when by_score
	    then 'and ((- r.score), r.opened_at, r.id)
		> (- ($5).score, ($5).opened_at, ($5).id) '
	    else 'and (r.opened_at, r.id) '
		|| case ordering when 'newest' then '<' else '>' end
		|| ' (($5).opened_at, ($5).id) ' end;
	-- What the scan of an index stops at.
	range constant text := case when by_score
	    then 'and (- r.score) between - coalesce(($4).max_score, 32767)
		and - coalesce(($4).min_score, -32767) '
	    else 'and r.opened_at >= coalesce(($4).opened_after, ''-infinity'')
		and r.opened_at < coalesce(($4).opened_before, ''infinity'') '
	    end || case when by_score or coalesce(f.assignee, 'none') = 'none'
		then '' else 'and r.assigned_to = ($4).assignee ' end
	    || case when f.snoozed and not by_score
		then 'and r.snoozed_until > now() '
		when not f.snoozed then 'and coalesce(r.snoozed_until
		    <= now(), true) ' else '' end;
begin
	return query execute format(case
	    when f.event_id is null and f.user_id is null then
		'select r.hit, r.n from unnest($1) as q(name),
		    unnest($2) as s(name),
		    lateral (select r as hit, r.score, r.opened_at, r.id,
			row_number() over (order by %1$s) as n
			from assay.review_case r
			where r.queue = q.name and r.status = s.name %2$s
			order by %1$s limit $3) r
		order by %1$s'
	    else
		'select r, 0::bigint
		from assay.case_decisions(($4).event_id, ($4).user_id) d
		    join assay.review_case r on r.queue = any ($1)
			and r.status = any ($2)
			and r.opened_at = d.opened_at
			and r.verdict_id = d.id %2$s
		order by %1$s'
	    end, order_by, range || later)
	using queues, statuses, max_rows, f, last;
end
$$;

-- A page of cases, in the order newest, oldest or score: the highest score, and
-- the oldest of equals, first.  after is the last case of the previous page.
--
-- The indexes are ordered within a queue and status, so each of these is read by
-- itself: no further than the page needs or, with a filter that no index
-- answers, 20000 cases in all.  If that ends a page early, read_until is the
-- case up to which all were read: the next page is after it.
create or replace function assay.case_page(f assay.case_filter,
    page_limit bigint, page_offset bigint, after text, ordering text)
returns table (refusal text, body text, read_until text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	last assay.review_case;
	queues constant text[] := case when f.queue is null
	    then array(select assay.case_queues()) else array[f.queue] end;
	-- Exactly the open cases have no assignee.
	statuses constant text[] := array(select w.status
	    from unnest(array['open', 'assigned', 'resolved']) as w(status)
	    where w.status = coalesce(f.status, w.status)
		and (f.assignee is distinct from 'none' or w.status = 'open'));
	-- What other cases of the index are read past.
	passes_over constant boolean := num_nonnulls(f.event_type, f.currency,
	    f.min_amount, f.max_amount, f.tag) > 0
	    or case when ordering = 'score'
		then num_nonnulls(nullif(f.assignee, 'none'), f.opened_after,
		    f.opened_before) > 0 or coalesce(f.snoozed, false)
		else num_nonnulls(f.min_score, f.max_score) > 0 end;
	read_max constant bigint := greatest(page_limit + page_offset,
	    case when passes_over then 20000 / greatest(1,
		cardinality(queues) * cardinality(statuses)) end);
begin
	if after is not null then
		select * into last from assay.review_case r where r.id = after;
		if not found then
			refusal := 'CASE_NOT_FOUND';
			return next;
			return;
		end if;
	end if;
	return query with read as materialized (
		select r.* from assay.case_scan(f, ordering, last, queues,
		    statuses, read_max) with ordinality as r(hit, n, place)
	), stop as (
		select r.* from read r where r.n = read_max
		order by r.place limit 1
	), page as (
		select r.* from read r
		where r.place <= coalesce((select s.place from stop s), r.place)
		    and assay.case_fits(f, r.hit)
		order by r.place limit page_limit offset page_offset
	)
	select null, (select coalesce(json_agg(assay.case_json(r.hit)
		order by r.place), '[]')::text from page r),
	    (select (s.hit).id from stop s
	    where (select count(*) from page) < page_limit);
end
$$;

-- One case.
create or replace function assay.case_get(case_id text)
returns table (refusal text, body text) language sql stable
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
return case when (c).id is null then 'CASE_NOT_FOUND'
    when (c).status = 'resolved' then 'CASE_RESOLVED' end;

-- Lock a case, to change it.  All its columns are null if there is none.
create or replace function assay.case_lock(case_id text)
returns assay.review_case language sql
begin atomic
	select r.* from assay.review_case r where r.id = case_lock.case_id
	for update;
end;

-- Give a locked case to an analyst until the claim expires.
create or replace function assay.case_claim(case_id text, analyst text,
    claim_minutes bigint)
returns void language sql
begin atomic
	update assay.review_case r
	set status = 'assigned', assigned_to = case_claim.analyst,
		claim_expires_at = clock_timestamp()
		    + make_interval(mins => case_claim.claim_minutes::int),
		snoozed_until = null
	where r.id = case_claim.case_id;
end;

-- What the answer to a change of a case says.
create or replace function assay.case_changed_json(case_id text)
returns text language sql
return (select json_build_object('id', r.id, 'status', r.status,
	'assignedTo', r.assigned_to)::text
    from assay.review_case r where r.id = case_id);

-- Assign a case to an analyst, even if another analyst has it.
create or replace function assay.case_assign(case_id text, analyst text,
    claim_minutes bigint default 30)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c constant assay.review_case := assay.case_lock(case_id);
begin
	refusal := assay.case_refusal(c);
	if refusal is null then
		perform assay.case_claim(case_id, analyst, claim_minutes);
		perform assay.case_trail_add(case_id, 'assigned', analyst,
		    'from ' || c.assigned_to);
		body := assay.case_changed_json(case_id);
	end if;
	return next;
end
$$;

-- Hand a case over to another operator, who must be able to log in.
create or replace function assay.case_hand_over(case_id text, actor text,
    receiver text, claim_minutes bigint)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c constant assay.review_case := assay.case_lock(case_id);
begin
	refusal := assay.case_refusal(c);
	if refusal is null and not exists (select from assay.operator o
	    where o.email = receiver and o.disabled_at is null) then
		refusal := 'USER_MISSING';
	end if;
	if refusal is null then
		perform assay.case_claim(case_id, receiver, claim_minutes);
		perform assay.case_trail_add(case_id, 'handed_over', actor,
		    'to ' || receiver);
		body := assay.case_changed_json(case_id);
	end if;
	return next;
end
$$;

-- Why an operator cannot give up a case; null if the operator can.
create or replace function assay.case_keep_refusal(c assay.review_case,
    actor text, is_admin boolean)
returns text language sql immutable
return coalesce(assay.case_refusal(c), case when (c).assigned_to <> actor
    and not is_admin then 'CASE_NOT_YOURS' end);

-- Give up a case: it is open again.
create or replace function assay.case_release(case_id text, actor text,
    is_admin boolean)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c constant assay.review_case := assay.case_lock(case_id);
begin
	refusal := assay.case_keep_refusal(c, actor, is_admin);
	if refusal is null then
		if c.status = 'assigned' then
			update assay.review_case r
			set status = 'open', assigned_to = null,
				claim_expires_at = null
			where r.id = case_id;
			perform assay.case_trail_add(case_id, 'released',
			    actor, 'from ' || c.assigned_to);
		end if;
		body := assay.case_changed_json(case_id);
	end if;
	return next;
end
$$;

-- Snooze a case until a time, or wake it with null.  The case is open.
create or replace function assay.case_snooze(case_id text, actor text,
    is_admin boolean, until timestamptz)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c constant assay.review_case := assay.case_lock(case_id);
begin
	refusal := assay.case_keep_refusal(c, actor, is_admin);
	if refusal is null then
		update assay.review_case r
		set status = 'open', assigned_to = null,
			claim_expires_at = null, snoozed_until = until
		where r.id = case_id;
		perform assay.case_trail_add(case_id, case when until is null
		    then 'woken' else 'snoozed' end, actor,
		    'until ' || assay.time_text(until));
		body := json_build_object('id', case_id, 'status', 'open',
		    'assignedTo', null,
		    'snoozedUntil', assay.time_text(until));
	end if;
	return next;
end
$$;

-- Add a note to a case, at most 100.
create or replace function assay.case_note_add(case_id text, note_id text,
    actor text, note text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c constant assay.review_case := assay.case_lock(case_id);
	added assay.case_note;
begin
	if c.id is null then
		refusal := 'CASE_NOT_FOUND';
	elsif (select count(*) from assay.case_note n
	    where n.case_id = c.id) >= 100 then
		refusal := 'NOTES_FULL';
	else
		insert into assay.case_note (id, case_id, at, author, text)
		values (note_id, c.id, clock_timestamp(), actor, note)
		returning * into added;
		perform assay.case_trail_add(c.id, 'noted', actor, null);
		body := assay.case_note_json(added);
	end if;
	return next;
end
$$;

-- Resolve a locked case; an open case is assigned first.
create or replace function assay.case_close(c assay.review_case, analyst text,
    outcome text, note text, correlation text)
returns assay.review_case language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
	if c.status = 'open' then
		perform assay.case_trail_add(c.id, 'assigned', analyst, null);
	end if;
	perform assay.case_trail_add(c.id, 'resolved', analyst,
	    case_close.outcome);
	update assay.review_case r
	set status = 'resolved', assigned_to = coalesce(assigned_to, analyst),
		claim_expires_at = null, snoozed_until = null,
		outcome = case_close.outcome, note = case_close.note,
		resolved_by = analyst, resolved_at = clock_timestamp()
	where r.id = c.id
	returning r.* into c;
	perform assay.publish('case.resolved.v1'::text, json_strip_nulls(
	    json_build_object('caseId', c.id, 'eventId', c.event_id,
		'verdictId', c.verdict_id, 'outcome', c.outcome,
		'analyst', analyst, 'note', c.note)), correlation,
	    null::text);
	return c;
end
$$;

-- Resolve a case.  The outcome becomes the event's label unless it is
-- inconclusive.
create or replace function assay.case_resolve(case_id text, analyst text,
    outcome text, note text, correlation text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c assay.review_case := assay.case_lock(case_id);
begin
	refusal := assay.case_refusal(c);
	if refusal is null then
		c := assay.case_close(c, analyst, outcome, note, correlation);
		if outcome <> 'inconclusive' then
			perform assay.label_put(c.event_id, 'analyst', outcome,
			    correlation);
		end if;
		body := json_build_object('id', c.id, 'status', c.status,
		    'resolution', assay.case_resolution(c));
	end if;
	return next;
end
$$;

-- Resolve several cases with one outcome and note.  Returns a row for each id,
-- in their order: a case that cannot be resolved does not keep the others from
-- it.  Locks all cases first, then all labels, then the tags, each in their
-- order, so that two such calls do not wait for each other.
create or replace function assay.cases_resolve(ids text[], analyst text,
    outcome text, note text, correlation text)
returns table (id text, refusal text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
	c assay.review_case;
	refusals text[] := array_fill(null::text, array[cardinality(ids)]);
	events text[] := '{}';
	labelled text[] := '{}';
	found_id record;
	event text;
begin
	for found_id in
		select w.id, w.n from unnest(ids) with ordinality as w(id, n)
		order by w.id collate "C", w.n
	loop
		c := assay.case_lock(found_id.id);
		refusals[found_id.n] := assay.case_refusal(c);
		if refusals[found_id.n] is null then
			c := assay.case_close(c, analyst, outcome, note,
			    correlation);
			events := events || c.event_id;
		end if;
	end loop;
	if outcome <> 'inconclusive' then
		for event in
			select distinct w.e collate "C"
			from unnest(events) as w(e) order by 1
		loop
			if assay.label_record(event, 'analyst', outcome,
			    correlation) then
				labelled := labelled || event;
			end if;
		end loop;
		perform assay.label_try_credit(labelled);
	end if;
	return query select w.id, w.refusal
	from unnest(ids, refusals) with ordinality as w(id, refusal, n)
	order by w.n;
end
$$;

-- Open a resolved case again.  Its resolution goes: the note moves to the notes,
-- and the outcome to the trail.  The event's label stays until a resolution
-- gives it another.
create or replace function assay.case_reopen(case_id text, actor text,
    note_ids text[], note text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	c constant assay.review_case := assay.case_lock(case_id);
begin
	refusal := case when c.id is null then 'CASE_NOT_FOUND'
	    when c.status <> 'resolved' then 'CASE_NOT_RESOLVED' end;
	if refusal is null then
		insert into assay.case_note (id, case_id, at, author, text)
		select w.id, case_id, w.at, w.author, w.text
		from (values (note_ids[1], c.resolved_at, c.resolved_by, c.note),
		    (note_ids[2], clock_timestamp(), actor, note))
		    as w(id, at, author, text)
		where w.text is not null;
		update assay.review_case r
		set status = 'open', assigned_to = null, outcome = null,
			note = null, resolved_by = null, resolved_at = null
		where r.id = case_id;
		perform assay.case_trail_add(case_id, 'reopened', actor,
		    'from ' || c.outcome);
		body := assay.case_changed_json(case_id);
	end if;
	return next;
end
$$;
