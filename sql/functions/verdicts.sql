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
return coalesce((select m.until from assay.retention_watermark m
    where m.collection = case log
	when 'assay.decision_detail'::regclass then 'activity'
	else 'verdicts' end), '-infinity');

-- The time of the newest row of a log, or null: of the last pages of its newest
-- partition that has any, where rows are added.  An old row that was changed may be
-- there, too.
create or replace function assay.log_newest(log regclass)
returns timestamptz language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	newest timestamptz;
	month timestamptz;
	pages bigint;
begin
	select b.begins, b.pages into month, pages
	from pg_inherits i join pg_class c on c.oid = i.inhrelid
	    cross join lateral (select pg_relation_size(c.oid) /
		    current_setting('block_size')::bigint,
		substring(pg_get_expr(c.relpartbound, c.oid)
		    from 'FROM \(''([^'']*)''\)')::timestamptz) b (pages, begins)
	where i.inhparent = log and b.pages > 0
	order by b.begins desc nulls last limit 1;
	execute format('select max(decided_at) from %s
	    where decided_at >= $1 and ctid >= $2', log)
	into newest
	using coalesce(month, '-infinity'),
	    format('(%s,0)', greatest(0, pages - 8))::tid;
	return newest;
end
$$;

-- A time from which on a log has the wanted number of rows before another time,
-- or up to a quarter and a thousand more; the time first if it has fewer.  Begins at
-- the newest row, reaches as far back as the rows counted so far suggest, 1.5 to 8
-- times as far, until there are enough, and bisects the last stretch while there are
-- too many: it reads few more than the wanted rows, however they are spread.
create or replace function assay.log_start_after(log regclass, wanted bigint,
    until timestamptz, first timestamptz)
returns timestamptz language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	limit_rows constant bigint := wanted + wanted / 4 + 1000;
	newest constant timestamptz := least(until, now(),
	    assay.log_newest(log));
	reach interval := interval '1 second';
	near timestamptz := least(until, now()); -- too few since then
	had_near bigint := 0;
	far timestamptz := greatest(newest - reach, first);
	had bigint := assay.log_count(log, far, until, limit_rows);
	middle timestamptz;
	n bigint;
begin
	while had < wanted loop
		if far = first or reach > interval '50 years' then
			return first;
		end if;
		reach := reach * greatest(1.5, least(8.0,
		    1.1 * wanted / greatest(had, 1)));
		near := far;
		had_near := had;
		far := greatest(newest - reach, first);
		had := had_near + assay.log_count(log, far, near,
		    limit_rows - had_near);
	end loop;
	while had = limit_rows and near - far > interval '1 millisecond' loop
		middle := far + (near - far) / 2;
		n := had_near + assay.log_count(log, middle, near,
		    limit_rows - had_near);
		if n < wanted then
			near := middle;
			had_near := n;
		else
			far := middle;
			had := n;
		end if;
	end loop;
	return far;
end
$$;

-- The same; the watermark if the log has fewer rows.
create or replace function assay.log_start_of(log regclass, wanted bigint,
    until timestamptz)
returns timestamptz language sql stable
return assay.log_start_after(log, wanted, until, assay.log_retained_since(log));

-- A time up to which a log has the wanted number of rows from another time on, or up to
-- a quarter and a hundred more; at most until.  Reaches on as log_start_after() reaches
-- back.
create or replace function assay.log_end_after(log regclass, wanted bigint,
    since timestamptz, until timestamptz)
returns timestamptz language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	limit_rows constant bigint := wanted + wanted / 4 + 100;
	reach interval := interval '1 second';
	near timestamptz := since; -- too few until then
	had_near bigint := 0;
	far timestamptz := least(since + reach, until);
	had bigint := assay.log_count(log, since, far, limit_rows);
	middle timestamptz;
	n bigint;
begin
	while had < wanted and far < until loop
		reach := reach * greatest(1.5, least(8.0,
		    1.1 * wanted / greatest(had, 1)));
		near := far;
		had_near := had;
		far := least(since + reach, until);
		had := had_near + assay.log_count(log, near, far,
		    limit_rows - had_near);
	end loop;
	while had = limit_rows and far - near > interval '1 millisecond' loop
		middle := near + (far - near) / 2;
		n := had_near + assay.log_count(log, near, middle,
		    limit_rows - had_near);
		if n < wanted then
			near := middle;
			had_near := n;
		else
			far := middle;
			had := n;
		end if;
	end loop;
	return far;
end
$$;

-- Whether a page shows a decision: its filters fit, and it is older than the
-- last entry of the previous page.  The activity log leaves out decisions
-- without a request, and the verdict log dry runs.
create or replace function assay.log_fits(f assay.log_filter,
    d assay.decision_detail, v assay.verdict_log)
returns boolean language sql stable
return case when (f).activity
	then (d).request is not null
	    and ((v).id is not null or (d).dry_run is not null)
	else (v).id is not null end
    and ((f).before is null
	or coalesce((v).id, (d).verdict_id) < (f).before)
    and ((f).event_type is null
	or coalesce((v).event_type, (d).event_type) = (f).event_type)
    and ((f).verdict is null
	or coalesce((v).verdict, (d).dry_run::json ->> 'verdict') = (f).verdict)
    and ((f).min_score is null
	or coalesce((v).score, ((d).dry_run::json ->> 'score')::int)
	    >= (f).min_score)
    and ((f).max_score is null
	or coalesce((v).score, ((d).dry_run::json ->> 'score')::int)
	    <= (f).max_score)
    and ((f).tag is null
	-- The first test is fast and leaves few reasons to parse.
	or strpos(coalesce((v).reasons, (d).dry_run), (f).tag) > 0
	    and coalesce((v).reasons, (d).dry_run::json ->> 'reasons')::jsonb
		@> jsonb_build_array(jsonb_build_object('tag', (f).tag)));

-- A decision as its log shows it.
create or replace function assay.log_item(f assay.log_filter,
    d assay.decision_detail, v assay.verdict_log)
returns json language sql stable
return case when (f).activity then json_build_object(
    'id', (d).verdict_id,
    'mode', case when (d).dry_run is null then 'live' else 'shadow' end,
    'eventId', (d).event_id,
    'eventType', (d).event_type,
    'request', (d).request::json,
    'verdict', coalesce((v).verdict, (d).dry_run::json ->> 'verdict'),
    'score', coalesce((v).score, ((d).dry_run::json ->> 'score')::int),
    'reasons', coalesce((v).reasons::json, (d).dry_run::json -> 'reasons'),
    'policyId', coalesce((v).policy_id, (d).dry_run::json ->> 'policyId'),
    'policyVersion',
	coalesce((v).policy_version, (d).dry_run::json ->> 'policyVersion'),
    'decidedAt', assay.time_text((d).decided_at))
else json_build_object(
    'id', (v).id,
    'eventId', (v).event_id,
    'eventType', (v).event_type,
    'verdict', (v).verdict,
    'score', (v).score,
    'tags', (select coalesce(json_agg(r.reason -> 'tag'), '[]')
	from json_array_elements((v).reasons::json) as r(reason)),
    'decidedAt', assay.time_text((v).decided_at)) end;

-- The newest entries of a page between two times, from the verdict log alone.
create or replace function assay.log_verdicts(f assay.log_filter,
    since timestamptz, until timestamptz, max_rows bigint)
returns setof json language sql stable
set enable_seqscan = off
begin atomic
	select assay.log_item(f, null, p.verdict)
	from (select v as verdict, v.id from assay.verdict_log v
	    where v.decided_at >= log_verdicts.since
		and v.decided_at < log_verdicts.until
		and assay.log_fits(f, null, v)
	    order by v.id desc limit max_rows) p
	order by p.id desc;
end;

-- The same from the details and their verdicts.  A hash join reads each log
-- once.
create or replace function assay.log_details(f assay.log_filter,
    since timestamptz, until timestamptz, max_rows bigint)
returns setof json language sql stable
set enable_seqscan = off set enable_nestloop = off set enable_mergejoin = off
begin atomic
	select assay.log_item(f, p.detail, p.verdict)
	from (select d as detail, v as verdict, d.verdict_id
	    from assay.decision_detail d
		left join assay.verdict_log v on d.dry_run is null
		    and v.id = d.verdict_id and v.decided_at = d.decided_at
		    and v.decided_at >= log_details.since
		    and v.decided_at < log_details.until
	    where d.decided_at >= log_details.since
		and d.decided_at < log_details.until
		and ((f).user_id is null or d.user_id = (f).user_id)
		and assay.log_fits(f, d, v)
	    order by d.verdict_id desc limit max_rows) p
	order by p.verdict_id desc;
end;

-- The same of one user, by the index.
create or replace function assay.log_details_of_user(f assay.log_filter,
    since timestamptz, until timestamptz, max_rows bigint)
returns setof json language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
-- The BRIN index would find the decisions of all users.
set enable_bitmapscan = off
begin atomic
	select assay.log_item(f, p.detail, p.verdict)
	from (select d as detail, v as verdict, d.verdict_id
	    from assay.decision_detail d
		left join assay.verdict_log v on d.dry_run is null
		    and v.event_id = d.event_id
		    and v.decided_at = d.decided_at and v.id = d.verdict_id
	    where d.user_id = (f).user_id
		and d.decided_at >= log_details_of_user.since
		and d.decided_at < log_details_of_user.until
		and assay.log_fits(f, d, v)
	    order by d.verdict_id desc limit max_rows) p
	order by p.verdict_id desc;
end;

-- Whether a user has few decisions, so that the index finds them faster than a
-- walk through the log.
create or replace function assay.log_user_is_quiet(of_user text)
returns boolean language sql stable
set enable_seqscan = off set enable_bitmapscan = off
return (select count(*) from (select from assay.decision_detail d
	where d.user_id = of_user limit 5001) as counted) <= 5000;

-- A page of a log, newest first, of the decisions from since up to until.
--
-- The walk steps back through the log until the page is full.  It ends after
-- 100,000 rows: then read_until is the time from which on it has read all, else
-- null.  Steps begin at whole milliseconds, so that decisions of one
-- millisecond, whose ids are in any order, are in one step.
create or replace function assay.log_page(f assay.log_filter,
    page_limit bigint, since timestamptz, until timestamptz)
returns table (body text, read_until timestamptz) language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	log constant regclass := case when f.activity or f.user_id is not null
	    then 'assay.decision_detail' else 'assay.verdict_log' end;
	first constant timestamptz :=
	    greatest(since, assay.log_retained_since(log));
	-- Ids of one millisecond may be on the previous page.
	wanted bigint := page_limit
	    + case when f.before is null then 0 else 1000 end;
	near timestamptz := until;
	far timestamptz;
	items json[] := '{}';
	rows_read bigint := 0;
begin
	if f.user_id is not null and assay.log_user_is_quiet(f.user_id) then
		items := array(select assay.log_details_of_user(f, since,
		    until, page_limit));
		near := first;
	end if;
	while near > first and cardinality(items) < page_limit loop
		if rows_read >= 100000 then
			read_until := near;
			exit;
		end if;
		far := greatest(first, date_trunc('milliseconds',
		    assay.log_start_of(log, wanted, near)));
		rows_read := rows_read
		    + assay.log_count(log, far, near, 100000);
		if log = 'assay.verdict_log'::regclass then
			items := items || array(select assay.log_verdicts(f,
			    far, near, page_limit - cardinality(items)));
		else
			items := items || array(select assay.log_details(f,
			    far, near, page_limit - cardinality(items)));
		end if;
		near := far;
		wanted := least(4 * wanted, 5000);
	end loop;
	body := array_to_json(items)::text;
	return next;
end
$$;
