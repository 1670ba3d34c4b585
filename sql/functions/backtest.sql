-- SPDX-License-Identifier: ISC
-- Backtests: where the newest samples begin, and the results that are kept.

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
	first constant timestamptz := assay.log_retained_since(log);
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
		far := assay.log_start_of(log, step, near);
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
