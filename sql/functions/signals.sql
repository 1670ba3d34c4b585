-- SPDX-License-Identifier: ISC
-- The attributes that callers send, for those who write rules.

-- The names and types of the attributes in the newest 500 samples of an event
-- type, at most 500 of them.
create or replace function assay.attributes_seen(of_type text)
returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
	since constant timestamptz := assay.sample_start(of_type, 500, 20000);
begin
	return (
	with newest as materialized (
		select d.sample from assay.decision_detail d
		where d.decided_at >= since and d.event_type = of_type
			and d.sample is not null limit 500
	), seen as (
		select distinct substr(a.key, length('attr.') + 1) as name,
			json_typeof(a.value) as type
		from newest n, json_each(n.sample::json -> 'signals') a
		where a.key like 'attr.%'
		order by 1, 2 limit 500
	)
	select coalesce(json_agg(json_build_object('name', s.name,
	    'type', case s.type when 'string' then 'text' else s.type end)
	    order by s.name, s.type), '[]')::text
	from seen s);
end
$$;
