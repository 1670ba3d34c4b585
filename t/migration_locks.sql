-- SPDX-License-Identifier: ISC
-- What the migration :file locks of the tables that are there before it, in the form of
-- its own lines "-- locks:" (CONTRIBUTING.md).  Changes nothing.
create temp table relations_before as
select c.oid, c.relfilenode, c.relispartition, r.relname as name
from pg_class c left join pg_index i on i.indexrelid = c.oid
	join pg_class r on r.oid = coalesce(pg_partition_root(coalesce(i.indrelid, c.oid)),
	    i.indrelid, c.oid)
where c.relnamespace = 'assay'::regnamespace;
create temp table columns_before as
select attrelid, attnum from pg_attribute where not attnotnull;
create temp table constraints_before as
select oid from pg_constraint where convalidated;

begin;
\i :file
with lock as (
	select t.name, l.mode
	from pg_locks l join relations_before t on t.oid = l.relation
	where l.pid = pg_backend_pid()
), blocked as (
	select k.name, case when bool_or(k.mode = 'AccessExclusiveLock') then 'all'
	    when bool_or(k.mode in ('ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock'))
		then 'writes'
	    when bool_or(k.mode in ('RowExclusiveLock', 'RowShareLock')) then 'rows'
	    else 'nothing' end as what
	from lock k group by 1
), work as (
	select t.name, case c.relkind when 'i' then 'index' else 'rewrite' end as what
	from relations_before t join pg_class c on c.oid = t.oid
	where c.relfilenode <> t.relfilenode
	union select t.name, 'index'
	from relations_before t join pg_index i on i.indrelid = t.oid
	where not exists (select from relations_before b where b.oid = i.indexrelid)
	union select t.name, 'scan'
	from relations_before t join pg_class c on c.oid = t.oid
	where c.relispartition and not t.relispartition
	union select t.name, 'scan'
	from relations_before t join pg_constraint c on c.conrelid = t.oid
	where c.convalidated and c.contype in ('c', 'f')
		and not exists (select from constraints_before b where b.oid = c.oid)
	union select t.name, 'scan'
	from relations_before t join pg_attribute a on a.attrelid = t.oid
		join columns_before b on b.attrelid = a.attrelid and b.attnum = a.attnum
	where a.attnotnull
	union select k.name, 'rows' from lock k where k.mode = 'RowExclusiveLock'
), done as (
	select w.name, w.what from work w
	-- A table that is copied gets new indexes.
	where w.what <> 'index' or not exists (select from work r
	    where r.name = w.name and r.what = 'rewrite')
	union select t.name, 'scan'
	from relations_before t join pg_stat_xact_all_tables x on x.relid = t.oid
	where x.seq_scan > 0 and not exists (select from work w where w.name = t.name)
)
select '-- locks: ' || coalesce(b.name || format(' %s %s', b.what,
	coalesce(w.what, 'moment')), 'nothing')
from (values (1)) as one(n)
	left join (blocked b left join done w on w.name = b.name)
	on b.what <> 'nothing' or w.what is not null
order by 1;
rollback;
