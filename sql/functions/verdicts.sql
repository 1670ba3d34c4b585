-- SPDX-License-Identifier: ISC
-- Pages of the logs, newest first.  The logs have no B-tree index on time,
-- which every decision would pay for, but a BRIN index, which finds the rows
-- between two times.  These functions forbid plans without it: they would read
-- whole months.

-- How many rows a log has between two times, counted up to a limit.
create or replace function assay.log_count(log regclass,
    since timestamptz, until timestamptz, limit_rows bigint)
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
	into n using since, until, limit_rows;
	return n;
end
$$;

-- The watermark of a log: it has no older rows; -infinity before the first
-- sweep. Emptied pages, and their summaries, remain until their month is
-- dropped, and must not be read.
create or replace function assay.log_retained_since(log regclass)
returns timestamptz language sql stable
set search_path = pg_catalog, pg_temp
return coalesce((select m.until from assay.retention_watermark m
    where m.collection = case log
	when 'assay.decision_detail'::regclass then 'activity'
	else 'verdicts' end), '-infinity');

-- A time from which on a log has the wanted number of rows before another time,
-- or a few more; the watermark if it has fewer.  Steps back with growing steps
-- until there are enough rows, then bisects the last step while there are far
-- too many: it reads little more than the wanted rows, however they are spread.
create or replace function assay.log_start_of(log regclass, wanted bigint,
    until timestamptz)
returns timestamptz language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	limit_rows constant bigint := 8 * wanted + 1000;
	first constant timestamptz := assay.log_retained_since(log);
	step interval := interval '1 second';
	near timestamptz := least(until, now()); -- too few since then
	far timestamptz := greatest(near - step, first);
	middle timestamptz;
	had bigint := assay.log_count(log, far, until, limit_rows);
	n bigint;
begin
	while had < wanted loop
		if far = first or step > interval '50 years' then
			return first;
		end if;
		step := 8 * step;
		near := far;
		far := greatest(near - step, first);
		had := assay.log_count(log, far, until, limit_rows);
	end loop;
	while had = limit_rows and near - far > interval '1 millisecond' loop
		middle := far + (near - far) / 2;
		n := assay.log_count(log, middle, until, limit_rows);
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

-- A page of the verdict log, newest first.  before is the last id of the
-- previous page, and until a time after it; null and infinity for the first
-- page.  Ids sort by time.
create or replace function assay.verdict_page(page_limit bigint, before text,
    until timestamptz)
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	-- Ids of one millisecond may be on the previous page.
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

-- A page of the activity log: decisions and dry runs with their requests,
-- unless these were erased or have expired.  If most of many rows have no
-- request any more, the page ends early.
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
