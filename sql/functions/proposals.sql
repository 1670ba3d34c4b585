-- SPDX-License-Identifier: ISC
-- Proposals: requests that one operator makes and another one approves.  Only
-- these functions of the owner write proposals.  They hold the rules of four
-- eyes: no operator approves an own proposal, each is decided once, and none is
-- approved after what it was based on has changed.

-- A policy as text, its bands one a line.
create or replace function assay.proposal_policy(p assay.policy)
returns text language sql stable
return (select string_agg(l.line, e'\n' order by l.n)
    from (select 0::bigint as n, 'onError ' || (p).on_error as line
	union all
	select b.n, concat_ws(' ', b.band ->> 'verdict', b.band ->> 'min',
	    b.band ->> 'max', b.band ->> 'reviewQueue')
	from jsonb_array_elements((p).bands) with ordinality as b(band, n)) l);

-- The list entry that a target names.
create or replace function assay.proposal_entry(of_target text)
returns setof assay.list_entry language sql stable
begin atomic
	select l.* from assay.list_entry l where l.id = of_target
	union all
	select l.* from assay.list_entry l
	where l.kind = split_part(of_target, ' ', 1)
		and l.subject = split_part(of_target, ' ', 2)
		and l.value = substr(of_target, 3
		    + length(split_part(of_target, ' ', 1))
		    + length(split_part(of_target, ' ', 2)));
end;

-- What is active now: base identifies it, state is its text.  Null if there is
-- nothing, or nothing that an action of the subject replaces.
create or replace function assay.proposal_state(of_subject text,
    of_target text, out base text, out state text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	shadow assay.shadow;
begin
	if of_subject = 'policies' then
		select p.version, assay.proposal_policy(p) into base, state
		from assay.policy_active a
			join assay.policy p using (event_type, version)
		where p.id = of_target;
	elsif of_subject = 'retention' then
		select coalesce(string_agg(s.name || ' ' || s.value, e'\n'
			order by s.name), 'no overrides')
		into state
		from assay.setting s where s.name like 'retention.%';
		base := state;
	elsif of_subject = 'lists' then
		select concat_ws(e'\n', l.kind || ' ' || l.subject || ' ' || l.value,
			'reason ' || l.reason,
			'expiresAt ' || assay.time_text(l.expires_at)),
		    l.id
		into state, base
		from assay.proposal_entry(of_target) l;
		base := base || e'\n' || state;
	elsif of_subject in ('rules', 'shadow') then
		select a.version, r.text into base, state
		from assay.ruleset_active a
			join assay.ruleset r using (event_type, version)
		where a.event_type = of_target;
	elsif of_subject = 'config' then
		base := assay.config_etag();
		state := assay.config_text();
	end if;
	if of_subject = 'shadow' and of_target = 'model' then
		select coalesce(a.hash, 'bundled'), coalesce(a.hash, 'bundled')
		into base, state
		from assay.model_activation a order by a.number desc limit 1;
	end if;
	if of_subject = 'shadow' then
		select * into shadow from assay.shadow s
		where s.slot = of_target and s.ended_at is null;
		base := concat_ws(' ', shadow.id, nullif(shadow.percent, 0), base);
		if shadow.percent > 0 then
			state := format('# For %s %% of the users the shadow %s '
			    'decides instead.', shadow.percent, shadow.version)
			    || e'\n' || state;
		end if;
	end if;
end
$$;

-- Lock what an action replaces until the transaction ends, and return what is
-- active: the second of two changes of one thing waits and then sees the first.
create or replace function assay.proposal_lock(of_subject text,
    of_target text)
returns text language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	perform pg_advisory_xact_lock(hashtextextended(concat_ws(' ',
	    'assay proposal', of_subject, of_target), 0));
	-- A proposal about rules may begin a shadow.
	if of_subject in ('rules', 'shadow') then
		perform assay.shadow_lock();
	end if;
	if of_subject = 'shadow' and of_target = 'model' then
		perform from assay.epoch for update;
	elsif of_subject in ('rules', 'shadow') then
		perform from assay.ruleset_active a
		where a.event_type = of_target for update;
	elsif of_subject = 'policies' then
		perform from assay.policy_active a
		where a.event_type = assay.policy_type(of_target) for update;
	elsif of_subject = 'retention' then
		lock table assay.setting in share row exclusive mode;
	elsif of_subject = 'lists' then
		perform from assay.list_entry l
		where l.id = (select e.id from assay.proposal_entry(of_target) e)
		for update;
	elsif of_subject = 'config' then
		perform assay.config_lock();
	end if;
	return (select s.base
	    from assay.proposal_state(of_subject, of_target) s);
end
$$;

-- Whether an operator has at least this role and is not disabled, until the
-- transaction ends.
create or replace function assay.proposal_role(operator_email text,
    least_role text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	roles constant text[] := '{analyst,author,admin}';
begin
	perform from assay.operator o
	where o.email = operator_email and o.disabled_at is null
		and array_position(roles, o.role)
		    >= array_position(roles, least_role)
	for share;
	return found;
end
$$;

-- Whether an operator sees the proposals of others.
create or replace function assay.proposal_sees_all(viewer text)
returns boolean language sql stable
return exists (select from assay.operator o
    where o.email = viewer and o.role in ('author', 'admin'));

-- The status of a proposal.  It expires after 30 days.  A run of more than 15
-- minutes was interrupted.
create or replace function assay.proposal_status(p assay.proposal)
returns text language sql stable
return case when (p).status not in ('pending', 'running', 'failed')
	then (p).status
    when (p).created_at < clock_timestamp() - interval '30 days'
	then 'expired'
    when (p).status = 'running'
	and (p).decided_at < clock_timestamp() - interval '15 minutes'
	then 'failed'
    else (p).status end;

-- A proposal as answers show it.
create or replace function assay.proposal_json(p assay.proposal)
returns json language sql stable
return json_build_object(
    'id', (p).id,
    'action', (p).action,
    'subject', (p).subject,
    'target', (p).target,
    'version', (p).version,
    'shadow', (p).shadow,
    'reason', (p).reason,
    'author', (p).author,
    'createdAt', assay.time_text((p).created_at),
    'status', assay.proposal_status(p),
    'decidedBy', (p).decided_by,
    'decidedAt', assay.time_text((p).decided_at),
    'decisionReason', (p).decision_reason,
    'digest', (p).digest,
    'stale', assay.proposal_status(p) in ('pending', 'failed')
	and (p).base is distinct from (select s.base
	    from assay.proposal_state((p).subject, (p).target) s));

-- A page of the proposals that an operator sees, newest first.  A status of null
-- selects all; before is the last id of the previous page, or null.
create or replace function assay.proposal_page(of_status text,
    page_limit bigint, before text, viewer text)
returns text language sql stable
begin atomic
	with page as (
		select p as proposal, p.id
		from assay.proposal p
		where (p.author = viewer
			or (select assay.proposal_sees_all(viewer)))
			and (proposal_page.before is null
			    or p.id < proposal_page.before)
			and (of_status is null
			    or of_status = assay.proposal_status(p))
		order by p.id desc limit page_limit
	)
	select coalesce(json_agg(assay.proposal_json(g.proposal)
		order by g.id desc), '[]')::text
	from page g;
end;

-- One proposal that an operator sees, with its body and the texts to compare.
create or replace function assay.proposal_get(proposal_id text, viewer text)
returns table (refusal text, body text) language sql stable
begin atomic
	select case when p.id is null then 'NOT_FOUND' end,
		left(assay.proposal_json(p)::text, -1)
		    || ',"body":' || coalesce(p.body, 'null')
		    || ',"before":' || coalesce(to_json(p.before)::text, 'null')
		    || ',"after":' || coalesce(to_json(p.after)::text, 'null')
		    || '}'
	from (select 1) one
		left join assay.proposal p on p.id = proposal_get.proposal_id
		    and (p.author = viewer or assay.proposal_sees_all(viewer));
end;

-- Remove what a proposal no longer needs.
create or replace function assay.proposal_clear(proposal_id text)
returns void language sql
begin atomic
	update assay.proposal p
	set target = case when p.subject <> 'lists' then p.target end,
		base = case when p.subject <> 'lists' then p.base end,
		body = null, digest = null, before = null, after = null
	where p.id = proposal_id;
end;

-- The version that a request publishes, activates or promotes, or null.
create or replace function assay.proposal_version(of_subject text,
    of_target text, of_body text)
returns text language sql stable
return case
    when of_subject in ('rules', 'policies')
	then coalesce(of_body::json ->> 'version', of_body::json ->> 'toVersion')
    when of_subject = 'shadow'
	then (select s.version from assay.shadow s
	    where s.slot = of_target and s.ended_at is null)
    end;

-- Mark proposals that have expired, and remove their contents.
create or replace function assay.proposal_expire()
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	expired text;
begin
	-- One at a time, so that two cannot wait for each other's rows.
	perform pg_advisory_xact_lock(hashtextextended('assay.proposal', 0));
	for expired in
		update assay.proposal p set status = 'expired'
		where p.status in ('pending', 'running', 'failed')
			and assay.proposal_status(p) = 'expired'
		returning p.id
	loop
		perform assay.proposal_clear(expired);
	end loop;
end
$$;

-- Store a proposal.  At most 1000 wait at a time, and 100 of one author; the
-- lock of assay.proposal_expire() keeps two calls from passing these bounds.
create or replace function assay.proposal_create(new_id text, new_action text,
    new_subject text, new_target text, new_body text, new_digest text,
    new_after text, new_reason text, new_author text, new_least_role text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	waiting record;
	now_active record;
	made assay.proposal;
begin
	perform assay.proposal_expire();
	select count(*) as n,
		count(*) filter (where p.author = new_author) as own
	into waiting
	from assay.proposal p
	where p.status in ('pending', 'running', 'failed');
	if not assay.proposal_role(new_author, new_least_role) then
		refusal := 'FORBIDDEN';
	elsif waiting.n >= 1000 or waiting.own >= 100 then
		refusal := 'PROPOSALS_FULL';
	else
		select * into now_active
		from assay.proposal_state(new_subject, new_target);
		insert into assay.proposal (id, action, subject, target, version,
		    shadow, body, digest, base, before, after, reason, author,
		    least_role)
		values (new_id, new_action, new_subject, new_target,
		    assay.proposal_version(new_subject, new_target, new_body),
		    case when new_subject = 'rules' then coalesce(
			new_body::json ->> 'shadow' = 'true', false) else false
			end,
		    new_body, new_digest, now_active.base, now_active.state,
		    new_after, new_reason, new_author, new_least_role)
		returning * into made;
		body := assay.proposal_json(made)::text;
	end if;
	return next;
end
$$;

-- Begin the run of a proposal that another operator approves.  The caller runs
-- it in this transaction and then calls assay.proposal_end().
create or replace function assay.proposal_begin(proposal_id text,
    approver text, why text)
returns table (refusal text, action text, body text, author text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	p assay.proposal;
begin
	select * into p from assay.proposal q where q.id = proposal_id
	for update;
	if not found then
		refusal := 'NOT_FOUND';
	elsif not assay.proposal_role(approver, 'admin') then
		refusal := 'FORBIDDEN';
	elsif p.author = approver then
		refusal := 'OWN_PROPOSAL';
	elsif assay.proposal_status(p) not in ('pending', 'failed') then
		refusal := 'PROPOSAL_DECIDED';
	elsif not assay.proposal_role(p.author, p.least_role) then
		refusal := 'PROPOSAL_ORPHANED';
	elsif p.base is distinct from
	    assay.proposal_lock(p.subject, p.target) then
		refusal := 'PROPOSAL_STALE';
	else
		update assay.proposal q
		set status = 'running', decided_by = approver,
			decided_at = clock_timestamp(), decision_reason = why
		where q.id = proposal_id;
		action := p.action;
		body := p.body;
		author := p.author;
	end if;
	return next;
end
$$;

-- End a run as 'approved' or 'failed'.  A run that failed can be approved again.
-- Returns whether the proposal was running.
create or replace function assay.proposal_end(proposal_id text,
    new_status text)
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	ended assay.proposal;
begin
	update assay.proposal p
	set status = new_status, decided_at = clock_timestamp()
	where p.id = proposal_id and p.status = 'running'
		and new_status in ('approved', 'failed')
	returning * into ended;
	if ended.status = 'approved' and ended.subject in ('erasure', 'lists') then
		perform assay.proposal_clear(proposal_id);
	end if;
	return ended.id is not null;
end
$$;

-- Reject a proposal, or withdraw an own one.
create or replace function assay.proposal_close(proposal_id text,
    decider text, new_status text, why text)
returns table (refusal text, body text) language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	p assay.proposal;
begin
	select * into p from assay.proposal q where q.id = proposal_id
	for update;
	if not found or p.author <> decider
	    and not assay.proposal_sees_all(decider) then
		refusal := 'NOT_FOUND';
	elsif new_status = 'withdrawn' and p.author <> decider then
		refusal := 'PROPOSAL_NOT_YOURS';
	elsif not assay.proposal_role(decider, case new_status
	    when 'rejected' then 'admin' when 'withdrawn' then 'analyst' end) then
		refusal := 'FORBIDDEN';
	elsif assay.proposal_status(p) not in ('pending', 'failed') then
		refusal := 'PROPOSAL_DECIDED';
	else
		update assay.proposal q
		set status = new_status, decided_by = decider,
			decided_at = clock_timestamp(), decision_reason = why
		where q.id = proposal_id;
		if new_status = 'withdrawn'
		    or p.subject in ('erasure', 'lists') then
			perform assay.proposal_clear(proposal_id);
		end if;
		select assay.proposal_json(q)::text into body
		from assay.proposal q where q.id = proposal_id;
	end if;
	return next;
end
$$;

-- The user whom a proposal is to erase, or to make an exception for; or null.
create or replace function assay.proposal_user(p assay.proposal)
returns text language sql stable
return case when (p).subject = 'erasure' then (p).body::json ->> 'userId'
    when (p).action = 'POST /v1/exceptions'
	and (p).body::json ->> 'subject' = 'user'
    then (p).body::json ->> 'value' end;

-- A user is being erased: end the other proposals to do so, and those of exceptions
-- for the user.  One that is being decided now is locked and ends by itself.
create or replace function assay.proposal_erase(who text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
	other text;
begin
	for other in
		select p.id from assay.proposal p
		where p.status in ('pending', 'failed')
			and assay.proposal_user(p) = who
		for update skip locked
	loop
		update assay.proposal p set status = 'expired'
		where p.id = other;
		perform assay.proposal_clear(other);
	end loop;
end
$$;
