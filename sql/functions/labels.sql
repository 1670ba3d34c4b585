-- SPDX-License-Identifier: ISC
-- Labels, and their credit to the tags that fired.

-- Reasons of a decision that are tags of rules, sorted: neither what a model
-- gives for one, nor that something is being watched.
create or replace function assay.rule_tags(reasons json)
returns text[] language sql immutable
set search_path = pg_catalog, pg_temp
return array(select distinct r.tag
    from json_to_recordset(reasons) as r(tag text)
    where r.tag <> 'list.watch' and not starts_with(r.tag, 'ml:')
    order by r.tag);

-- The tags that the newest scored decision of an event fired, or null while it
-- has none.  Of one that a model made, the rules that fired are known from its
-- sample alone.  To find that takes a look at all samples of its minutes, so
-- null it is, too, unless there is time to look deep.
create or replace function assay.label_tags(event text, deep boolean)
returns text[] language sql stable
set search_path = pg_catalog, pg_temp
return (select coalesce(nullif(assay.rule_tags(v.reasons::json), '{}'),
	    case when deep then coalesce((
		select assay.rule_tags(d.sample::json -> 'tags')
		from assay.decision_detail d
		where d.decided_at = v.decided_at and d.verdict_id = v.id
		    and d.sample is not null), '{}') end)
	from assay.verdict_log v
	where v.event_id = label_tags.event and v.score >= 0
	order by v.decided_at desc, v.id desc limit 1);

-- Credit the labels of these events, which the caller has locked, to their
-- tags, or move the credit to what the label says by now.  The rows of tags
-- are locked in one order by everybody, after those of labels and before the
-- one that tells the workers.
create or replace function assay.label_credit(events text[], deep boolean)
returns void language sql
set search_path = pg_catalog, pg_temp
begin atomic
	with due as materialized (
		select l.event_id, l.outcome, l.credited_outcome,
			coalesce(l.tags, assay.label_tags(l.event_id,
			    label_credit.deep)) as tags
		from assay.label l
		where l.event_id = any(label_credit.events)
		    and l.credited_outcome is distinct from l.outcome
	), moved as (
		update assay.label l set tags = d.tags, credited_outcome = d.outcome
		from due d
		where l.event_id = d.event_id and d.tags is not null
	), counted as (
		insert into assay.tag_count as c (tag, fraud, legit)
		select t.tag,
			sum((d.outcome = 'fraud')::int
			    - coalesce(d.credited_outcome = 'fraud', false)::int),
			sum((d.outcome = 'legit')::int
			    - coalesce(d.credited_outcome = 'legit', false)::int)
		from due d, unnest(d.tags) as t(tag)
		group by t.tag
		order by t.tag
		on conflict (tag) do update
		set fraud = c.fraud + excluded.fraud,
			legit = c.legit + excluded.legit
		returning 1
	)
	update assay.tag_epoch set number = number + 1
	where (select count(*) from counted) > 0;
end;

-- Record what a source says of an event, publish it, and give the tags of the
-- event their credit if it was decided on; that is left to labels_match() if
-- somebody holds them for longer than we may wait, or if they are not easily
-- found.  The same again does nothing.
create or replace function assay.label_put(event text, source text,
    outcome text, correlation text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
	insert into assay.label as l (event_id, analyst, chargeback)
	values (event, case source when 'analyst' then label_put.outcome end,
	    case source when 'chargeback' then label_put.outcome end)
	on conflict (event_id) do update
	set analyst = coalesce(excluded.analyst, l.analyst),
		chargeback = coalesce(excluded.chargeback, l.chargeback),
		outcome_at = case when l.outcome <> coalesce(
		    excluded.chargeback, l.chargeback, excluded.analyst)
		    then clock_timestamp() else l.outcome_at end,
		match_after = clock_timestamp()
	where (coalesce(excluded.analyst, l.analyst),
	    coalesce(excluded.chargeback, l.chargeback))
	    is distinct from (l.analyst, l.chargeback);
	if not found then
		return;
	end if;
	perform assay.publish('label.recorded.v1'::text, json_build_object(
	    'eventId', event,
	    'outcome', label_put.outcome,
	    'source', source), correlation, null::text);
	begin
		perform assay.label_credit(array[event], false);
	exception when lock_not_available then
		null;
	end;
end
$$;

-- Whether so many labels wait for their events.  They are counted about once a
-- minute, in their index, and no further; in between each that comes is added.
-- Nobody waits here: whoever counts or adds at the same time is passed over,
-- and the next count puts it right.
create or replace function assay.label_backlog_full(at_most bigint)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
begin
	perform from assay.label_backlog l
	where l.counted_at <= clock_timestamp() - interval '1 minute'
		or l.counted_at > clock_timestamp()
	for update skip locked;
	if found then
		update assay.label_backlog
		set counted_at = clock_timestamp(),
			waiting = (select count(*) from (
				select from assay.label l
				where l.credited_outcome is null
				limit at_most) counted);
	end if;
	return (select l.waiting >= at_most from assay.label_backlog l);
end
$$;

-- A chargeback: somebody paid for fraud.  It is recorded where decisions are
-- made, so it waits for nobody's locks for long.  False when its event was
-- never seen and so many labels of such events wait already.
create or replace function assay.chargeback_put(event text, correlation text,
    at_most bigint)
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
declare
	known boolean := exists (select from assay.label l
	    where l.event_id = event);
begin
	if not known and assay.label_backlog_full(at_most)
	    and not exists (select from assay.verdict_log v
		where v.event_id = event) then
		return false;
	end if;
	perform assay.label_put(event, 'chargeback', 'fraud', correlation);
	if not known and exists (select from assay.label l
	    where l.event_id = event and l.credited_outcome is null) then
		perform from assay.label_backlog for update skip locked;
		if found then
			update assay.label_backlog set waiting = waiting + 1;
		end if;
	end if;
	return true;
end
$$;

-- Look for the decisions of labelled events that had none so far, and give
-- credit that had to wait: of at most so many, those whose turn it is.  A
-- label waits an eighth of its age for the next look, at least a second and at
-- most an hour, so that the ones that never get a decision cost next to
-- nothing.  How many were looked at.
create or replace function assay.labels_match(most bigint)
returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s'
as $$
declare
	events text[];
begin
	events := array(select l.event_id from assay.label l
	    where (l.credited_outcome is null or l.credited_outcome <> l.outcome)
		and l.match_after <= statement_timestamp()
	    order by l.match_after limit most
	    for update skip locked);
	if cardinality(events) > 0 then
		perform assay.label_credit(events, true);
		update assay.label
		set match_after = clock_timestamp() + greatest(interval '1 second',
		    least(interval '1 hour',
			(clock_timestamp() - labelled_at) / 8))
		where event_id = any(events) and credited_outcome is null;
	end if;
	return cardinality(events);
end
$$;

-- What the labels teach of each tag that has any: points from 0 to 45, the
-- share of fraud smoothed by one label, half of it fraud, halves up.
create or replace function assay.tag_weights_json(active text)
returns text language sql stable
set search_path = pg_catalog, pg_temp
return json_build_object(
    'active', active,
    'weights', (select coalesce(json_agg(json_build_object(
	    'tag', c.tag,
	    'fraud', c.fraud,
	    'legit', c.legit,
	    'weight', (45 * (2 * c.fraud + 1) + (c.fraud + c.legit + 1))
		/ (2 * (c.fraud + c.legit + 1)),
	    'trusted', c.fraud + c.legit >= 3) order by c.tag), '[]')
	from assay.tag_count c))::text;
