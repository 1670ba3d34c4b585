-- SPDX-License-Identifier: ISC
-- The logs, newest first.  They are partitioned by month and have no index in
-- the order of time, which every decision would pay for, but a summary of each
-- megabyte's times: that finds the rows of a stretch of time.  A plan without
-- it would read whole months, so these functions allow none.

-- How many rows a log has of a stretch of time; counts up to so many.
create or replace function assay.log_count(log regclass,
    since timestamptz, until timestamptz, most bigint)
returns bigint language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	n bigint;
begin
	execute format('select count(*)
	    from (select from %s l
		where l.decided_at >= $1 and l.decided_at < $2
		limit $3) as counted', log)
	into n using since, until, most;
	return n;
end
$$;

-- Before when retention has left nothing in a log, -infinity if it took nothing
-- yet.  What it has emptied keeps its pages, and their summaries, until the
-- month is over: nobody should look there.
create or replace function assay.log_retained_since(log regclass)
returns timestamptz language sql stable
set search_path = pg_catalog, pg_temp
return coalesce((select m.until from assay.retention_watermark m
    where m.collection = case log when 'assay.decision_detail'::regclass then 'activity'
	else 'verdicts' end), '-infinity');

-- Since when a log has had so many rows before a time, or a few more;
-- logged_first() if there are not as many.  Goes back in steps that grow until
-- there are enough, then halves the last one while there are far too many, so
-- that it reads little more than it was asked for, however they are spread.
create or replace function assay.log_start_of(log regclass, wanted bigint,
    until timestamptz)
returns timestamptz language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	most constant bigint := 8 * wanted + 1000;
	first constant timestamptz := assay.log_retained_since(log);
	step interval := interval '1 second';
	near timestamptz := least(until, now()); -- too few since then
	far timestamptz := greatest(near - step, first);
	middle timestamptz;
	had bigint := assay.log_count(log, far, until, most);
	n bigint;
begin
	while had < wanted loop
		if far = first or step > interval '50 years' then
			return first;
		end if;
		step := 8 * step;
		near := far;
		far := greatest(near - step, first);
		had := assay.log_count(log, far, until, most);
	end loop;
	while had = most and near - far > interval '1 millisecond' loop
		middle := far + (near - far) / 2;
		n := assay.log_count(log, middle, until, most);
		if n < wanted then
			near := middle;
		else
			far := middle;
			had := n;
		end if;
	end loop;
	return far;
end
$$;

-- A page of the verdict log, newest first.  before is the id of the last one
-- of the page before, whose time is less than until; null and infinity for
-- the first page.  Ids sort by time.
create or replace function assay.verdict_page(page_limit bigint, before text,
    until timestamptz)
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	-- Those of the last millisecond may be on the page before.
	since constant timestamptz := assay.log_start_of('assay.verdict_log',
	    page_limit + case when before is null then 0 else 1000 end, until);
begin
	return (select coalesce(json_agg(json_build_object(
		'id', p.id,
		'eventId', p.event_id,
		'eventType', p.event_type,
		'verdict', p.verdict,
		'score', p.score,
		'tags', (select coalesce(json_agg(r.reason->'tag'), '[]')
		    from json_array_elements(p.reasons::json) as r(reason)),
		'decidedAt', assay.time_text(p.decided_at))
		    order by p.id desc), '[]')::text
	    from (select * from assay.verdict_log v
		where v.decided_at >= since and v.decided_at < until
		    and (before is null or v.id < before)
		order by v.id desc limit page_limit) p);
end
$$;

-- Likewise of the activity log: decisions and shadows with what was asked, as
-- far as that was not erased or its time is not over.  Where so much is gone
-- that there is little in many of them, the page ends early.
create or replace function assay.activity_page(page_limit bigint, before text,
    until timestamptz)
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
	depth bigint := page_limit
	    + case when before is null then 0 else 1000 end;
	since timestamptz;
	page text;
	n bigint;
begin
	loop
		since := assay.log_start_of('assay.decision_detail', depth, until);
		select coalesce(json_agg(json_build_object(
			'id', d.verdict_id,
			'mode', case when d.dry_run is null then 'live'
			    else 'shadow' end,
			'eventId', d.event_id,
			'eventType', d.event_type,
			'request', d.request::json,
			'verdict', coalesce(v.verdict, s.verdict),
			'score', coalesce(v.score, s.score),
			'reasons', coalesce(v.reasons::json, s.reasons),
			'policyId', coalesce(v.policy_id, s."policyId"),
			'policyVersion',
			    coalesce(v.policy_version, s."policyVersion"),
			'decidedAt', assay.time_text(d.decided_at))
			    order by d.verdict_id desc), '[]')::text, count(*)
		into page, n
		from (select * from assay.decision_detail d
			where d.decided_at >= since and d.decided_at < until
			    and (before is null or d.verdict_id < before)
			    and d.request is not null
			order by d.verdict_id desc limit page_limit) d
		    left join assay.verdict_log v on d.dry_run is null
			and v.event_id = d.event_id
			and v.decided_at = d.decided_at and v.id = d.verdict_id
		    left join lateral json_to_record(d.dry_run::json) as s(
			verdict text, score int, reasons json, "policyId" text,
			"policyVersion" text) on true
		where v.id is not null or d.dry_run is not null;
		exit when n = page_limit or depth >= 10000
		    or since = assay.log_retained_since('assay.decision_detail');
		depth := 10 * depth;
	end loop;
	return page;
end
$$;
