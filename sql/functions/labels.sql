-- SPDX-License-Identifier: ISC
-- Labels, and the counts of labelled events by tag.

-- The tags of rules among a decision's reasons, sorted: without a model's
-- reasons and list.watch.
create or replace function assay.rule_tags(reasons json)
returns text[] language sql immutable
return array(select distinct r.tag
    from json_to_recordset(reasons) as r(tag text)
    where r.tag <> 'list.watch' and not starts_with(r.tag, 'ml:')
    order by r.tag);

-- The tags of the newest scored decision of an event; null while there is none.
-- The rules behind a model's decision are only in its sample, and finding that
-- reads all samples of the same minutes; with_samples false returns null
-- instead.
create or replace function assay.label_tags(event text, with_samples boolean)
returns text[] language sql stable
return (select coalesce(nullif(assay.rule_tags(v.reasons::json), '{}'),
	    case when with_samples then coalesce((
		select assay.rule_tags(d.sample::json -> 'tags')
		from assay.decision_detail d
		where d.decided_at = v.decided_at and d.verdict_id = v.id
		    and d.sample is not null), '{}') end)
	from assay.verdict_log v
	where v.event_id = label_tags.event and v.score >= 0
	order by v.decided_at desc, v.id desc limit 1);

-- Count the labels of these events for their tags, or move the count when the
-- outcome has changed.  The caller has locked the labels.  Every transaction
-- locks labels first, then tags in their order, then assay.tag_epoch.
create or replace function assay.label_credit(events text[],
    with_samples boolean)
returns void language sql
begin atomic
	with due as materialized (
		select l.event_id, l.outcome, l.credited_outcome,
			coalesce(l.tags, assay.label_tags(l.event_id,
			    label_credit.with_samples)) as tags
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

-- Record a source's label of an event, and publish it.  Returns whether it is
-- new: repeating a label does nothing.
create or replace function assay.label_record(event text, source text,
    outcome text, correlation text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
	insert into assay.label as l (event_id, analyst, chargeback)
	values (event, case source when 'analyst' then label_record.outcome end,
	    case source when 'chargeback' then label_record.outcome end)
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
		return false;
	end if;
	perform assay.publish('label.recorded.v1'::text, json_build_object(
	    'eventId', event,
	    'outcome', label_record.outcome,
	    'source', source), correlation, null::text);
	return true;
end
$$;

-- Count new labels for their events' tags.  If the tags are locked for longer
-- than lock_timeout, or only in the sample, labels_match() counts them later.
create or replace function assay.label_try_credit(events text[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	perform assay.label_credit(events, false);
exception when lock_not_available then
	null;
end
$$;

-- Record a label, and count it.
create or replace function assay.label_put(event text, source text,
    outcome text, correlation text)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	if assay.label_record(event, source, outcome, correlation) then
		perform assay.label_try_credit(array[event]);
	end if;
end
$$;

-- Whether at least max_waiting labels wait for their events.  The labels are
-- counted about once a minute, by an index and no further than the limit; in
-- between each new label adds to the count.  No transaction waits here: it
-- skips a count that another transaction has locked, and the next count
-- corrects that.
create or replace function assay.label_backlog_full(max_waiting bigint)
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
				limit max_waiting) counted);
	end if;
	return (select l.waiting >= max_waiting from assay.label_backlog l);
end
$$;

-- Record a chargeback.  It waits for a lock at most 100 ms, because decisions
-- queue behind it.  Returns false if the event is unknown and max_waiting
-- labels of unknown events are waiting already.
create or replace function assay.chargeback_put(event text, correlation text,
    max_waiting bigint)
returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
declare
	had_label boolean := exists (select from assay.label l
	    where l.event_id = event);
begin
	if not had_label and assay.label_backlog_full(max_waiting)
	    and not exists (select from assay.verdict_log v
		where v.event_id = event) then
		return false;
	end if;
	perform assay.label_put(event, 'chargeback', 'fraud', correlation);
	if not had_label and exists (select from assay.label l
	    where l.event_id = event and l.credited_outcome is null) then
		perform from assay.label_backlog for update skip locked;
		if found then
			update assay.label_backlog set waiting = waiting + 1;
		end if;
	end if;
	return true;
end
$$;

-- Take a chargeback back.  If anything has counted it, the audit trail notes which
-- key did.  It waits for a lock at most 100 ms.  Without a chargeback it does
-- nothing.
create or replace function assay.chargeback_withdraw(event text,
    correlation text, key_prefix text, params text)
returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
begin
	update assay.label l
	set chargeback = null, analyst = coalesce(l.analyst, 'none'),
		outcome_at = case when l.analyst = 'fraud' then l.outcome_at
		    else clock_timestamp() end,
		match_after = clock_timestamp()
	where l.event_id = event and l.chargeback is not null;
	if not found then
		return;
	end if;
	perform assay.publish('label.recorded.v1'::text, json_build_object(
	    'eventId', event,
	    'outcome', 'none',
	    'source', 'chargeback'), correlation, null::text);
	delete from assay.label l
	where l.event_id = event and l.outcome = 'none'
		and l.credited_outcome is null;
	if not found then
		perform assay.audit_write('key:' || key_prefix, 'service',
		    'POST /v1/labels/chargeback', 202, params);
		perform assay.label_try_credit(array[event]);
		return;
	end if;
	perform from assay.label_backlog for update skip locked;
	if found then
		update assay.label_backlog
		set waiting = greatest(0, waiting - 1);
	end if;
end
$$;

-- Search the decisions of at most max_labels labels whose search is due: labels
-- of events without a decision so far, and labels that label_put() could not
-- count.  Count the labels that are found.  The next search of a label is due
-- after an eighth of its age, at least a second and at most an hour, so that
-- labels that never get a decision cost little.  Returns how many labels were
-- searched.
create or replace function assay.labels_match(max_labels bigint)
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
	    order by l.match_after limit max_labels
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

-- The tag weights: for each labelled tag 0 to 45 points, proportional to its
-- share of fraud; one imaginary label that is half fraud smooths the share.
create or replace function assay.tag_weights_json(active text)
returns text language sql stable
return json_build_object(
    'active', active,
    'weights', (select coalesce(json_agg(json_build_object(
	    'tag', c.tag,
	    'fraud', c.fraud,
	    'legit', c.legit,
	    'weight', (45 * (2 * c.fraud + 1) + (c.fraud + c.legit + 1))
		/ (2 * (c.fraud + c.legit + 1)),
	    'trusted', c.fraud + c.legit >= 3) order by c.tag), '[]')
	from assay.tag_count c where c.fraud + c.legit > 0))::text;
