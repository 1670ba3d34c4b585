-- SPDX-License-Identifier: ISC
-- How much is stored, estimated from the server's statistics: reads no table of
-- Assay.

-- About how many rows of each kind are stored: the server's count of live rows
-- or, where it has lost that, the estimate of the last analyze.  Activity and
-- samples share rows; their shares are estimates of analyze, too, which only a
-- role that may read the partitions sees.
create or replace function assay.storage_rows()
returns table (name text, rows bigint) language sql stable
    security definer
set search_path = pg_catalog, pg_temp
begin atomic
	select c.name, coalesce(sum(
	    coalesce(nullif(pg_stat_get_live_tuples(t.relid), 0),
		greatest(k.reltuples, 0)) * (1 - coalesce(s.null_frac, 0))), 0)::bigint
	from (values (1, 'verdicts', 'verdict_log', null),
		(2, 'activity', 'decision_detail', 'request'),
		(3, 'replay', 'decision_detail', 'sample'),
		(4, 'idempotency', 'idempotency', null),
		(5, 'deadLetter', 'dead_letter', null),
		(6, 'users', 'user_state', null),
		(7, 'entities', 'entity', null),
		(8, 'links', 'entity_link', null),
		(9, 'cases', 'review_case', null),
		(10, 'labels', 'label', null),
		(11, 'lists', 'list_entry', null),
		(12, 'rulesets', 'ruleset', null),
		(13, 'policies', 'policy', null),
		(14, 'operators', 'operator', null),
		(15, 'apikeys', 'service_key', null),
		(16, 'audit', 'audit', null),
		(17, 'outbox', 'outbox', null),
		(18, 'deliveries', 'delivery', null),
		(19, 'asyncQueue', 'async_queue', null))
	    as c(place, name, relation, part)
	join pg_class r on r.relname = c.relation
	    and r.relnamespace = (select n.oid from pg_namespace n
		where n.nspname = 'assay')
	cross join lateral (select r.oid where r.relkind = 'r'
	    union all
	    select i.inhrelid from pg_inherits i where i.inhparent = r.oid)
	    as t(relid)
	join pg_class k on k.oid = t.relid
	left join pg_stats s on s.schemaname = 'assay'
	    and s.tablename = k.relname and s.attname = c.part
	group by c.name, c.place
	order by c.place;
end;
