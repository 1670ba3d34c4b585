-- SPDX-License-Identifier: ISC
-- An ordered index of the verdict log by transaction, instead of BRIN: the readers of
-- the log find where they stopped, and the end of their next piece, without a look at
-- the pages that BRIN has not summarized yet.

-- The partition of this month is the last: decisions wait only for its index.
do $$
declare
	part record;
begin
	for part in
		select h.inhrelid::regclass as name
		from pg_inherits h join pg_class c on c.oid = h.inhrelid
		where h.inhparent = 'assay.verdict_log'::regclass
		order by c.relname = 'verdict_log_' || to_char(
		    now() at time zone 'UTC', 'YYYYMM')
	loop
		execute format('create index on %s ((xid::text::bigint))', part.name);
	end loop;
end
$$;
create index on assay.verdict_log ((xid::text::bigint));
do $$
declare
	brin regclass;
begin
	select i.indexrelid::regclass into strict brin
	from pg_index i join pg_class c on c.oid = i.indexrelid
		join pg_am a on a.oid = c.relam
	where i.indrelid = 'assay.verdict_log'::regclass and a.amname = 'brin'
		and i.indexprs is not null;
	execute format('drop index %s', brin);
end
$$;
