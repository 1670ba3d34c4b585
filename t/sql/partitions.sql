-- SPDX-License-Identifier: ISC
-- Partitions are created ahead, once each, and there is no default partition.
\pset tuples_only on
\pset format unaligned
select assay.partitions_ahead(24);
select assay.partitions_ahead(26);
select count(*), count(distinct relname) from pg_inherits
	join pg_class on oid = inhrelid
where inhparent in ('assay.verdict_log'::regclass, 'assay.decision_detail'::regclass)
	and relispartition;

-- They belong to the owner of the schema and have the parent's indexes.
select distinct pg_get_userbyid(relowner) from pg_inherits
	join pg_class on oid = inhrelid
where inhparent in ('assay.verdict_log'::regclass, 'assay.decision_detail'::regclass);
select count(distinct indexes) from (
	select count(*) as indexes from pg_inherits join pg_index
		on indrelid = inhrelid
	where inhparent = 'assay.verdict_log'::regclass group by inhrelid) i;

-- A row of last year has no partition, which is an error.
insert into assay.verdict_log (decided_at, id, event_id, event_type, verdict,
	score, reasons, policy_id, policy_version, correlation_id)
values (now() - interval '1 year', 'v', 'e', 't', 'allow', 0, '[]', 'p', '1',
	'c');
