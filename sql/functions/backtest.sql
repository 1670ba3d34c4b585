-- SPDX-License-Identifier: ISC
-- Backtests: where the newest samples begin, in which pieces the log is read in the
-- order of time, and the results that are kept.

-- Retention has removed all samples before this time; -infinity before the first sweep.
create or replace function assay.sample_first()
returns timestamptz language sql stable
return coalesce((select m.until from assay.retention_watermark m
    where m.collection = 'replay'), '-infinity');

-- A time from which on an event type has the wanted number of samples, or a few
-- more of the same microsecond.  Walks back through the log in steps, as pages of
-- the log do, until it has them or has looked at max_rows decisions of all types.
create or replace function assay.sample_start(of_type text, wanted bigint,
    max_rows bigint)
returns timestamptz language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	log constant regclass := 'assay.decision_detail';
	first constant timestamptz := assay.sample_first();
	near timestamptz := 'infinity'; -- too few since then
	far timestamptz;
	since timestamptz;
	step bigint := least(greatest(wanted, 1000), 50000);
	missing bigint := wanted;
	looked bigint := 0;
	n bigint;
	n_rows bigint;
begin
	loop
		far := assay.log_start_after(log, step, near, first);
		select count(*) filter (where w.fits), count(*),
			max(w.decided_at) filter (where w.fits and w.nth = missing)
		into n, n_rows, since
		from (select d.decided_at, f.fits, row_number() over (
			partition by f.fits order by d.decided_at desc) as nth
		    from assay.decision_detail d
			cross join lateral (select d.event_type = of_type
			    and d.sample is not null) as f (fits)
		    where d.decided_at >= far and d.decided_at < near) w;
		if n >= missing then
			return since;
		end if;
		missing := missing - n;
		looked := looked + n_rows;
		near := far;
		if near = first or looked >= max_rows then
			return near;
		end if;
		step := least(4 * step, 50000);
	end loop;
end
$$;

-- The time of the first sample to read, so that a velocity with a window of span
-- microseconds is known in all samples since a time; span 0 is a velocity over all.
-- max_rows limits how many decisions are read, about; 0 is no limit.  whole: no older
-- sample is stored.
create or replace function assay.sample_reach(since timestamptz, span bigint,
    max_rows bigint, out start timestamptz, out whole boolean)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
	first constant timestamptz := assay.sample_first();
begin
	start := greatest(first, case when span = 0 then '-infinity'
	    else since - make_interval(secs => span / 1e6) end);
	if max_rows > 0 then
		start := least(since, greatest(start, assay.log_start_after(
		    'assay.decision_detail', max_rows, 'infinity', first)));
	end if;
	whole := start <= first;
end
$$;

-- The log since a time in pieces, each of which can be sorted by time.  A month has one
-- piece for each 100,000 rows, at most 16, as its statistics estimate them.
create or replace function assay.log_pieces(log regclass, since timestamptz)
returns table (far timestamptz, near timestamptz)
language sql stable security definer
set search_path = pg_catalog, pg_temp set datestyle = 'ISO'
begin atomic
	with month as (
		select b.begins, h.bounds, cardinality(h.bounds) - 1 as last,
			least(16, ceil(c.reltuples / 100000))::int as pieces
		from pg_inherits i join pg_class c on c.oid = i.inhrelid
		    cross join lateral (select substring(
			pg_get_expr(c.relpartbound, c.oid)
			from 'FROM \(''([^'']*)''\)')::timestamptz) b (begins)
		    left join lateral (
			select s.histogram_bounds::text::timestamptz[] as bounds
			from pg_stats s
			where s.schemaname = 'assay' and not s.inherited
			    and s.tablename = c.relname
			    and s.attname = 'decided_at') h on true
		where i.inhparent = log
	), bound (at) as (
		select since
		union select m.begins from month m
		union select m.bounds[1 + k * m.last / m.pieces]
		from month m, generate_series(1, m.pieces - 1) k
	)
	select b.at, lead(b.at, 1, 'infinity') over (order by b.at)
	from bound b where b.at >= since
	order by b.at;
end;

-- Keep a result, and the last 50 of all.
create or replace function assay.backtest_keep(new_id text, of_type text,
    runner text, result text)
returns void language sql
begin atomic
	insert into assay.backtest_result (id, event_type, author, body)
	values (new_id, of_type, runner, result)
	on conflict do nothing;
	delete from assay.backtest_result r
	where r.id in (select o.id from assay.backtest_result o
	    order by o.id desc offset 50);
end;

-- The kept results without their contents, newest first.
create or replace function assay.backtest_kept()
returns text language sql stable
return (select coalesce(json_agg(json_build_object(
	'id', r.id,
	'eventType', r.event_type,
	'author', r.author,
	'finishedAt', assay.time_text(r.finished_at),
	'sampleSize', r.body::json -> 'sampleSize') order by r.id desc),
	'[]')::text
    from assay.backtest_result r);
