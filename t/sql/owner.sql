-- SPDX-License-Identifier: ISC
-- No role of a program owns or creates anything in the owner's schema, because
-- its objects would run as the owner.
\pset tuples_only on
\pset format unaligned

-- The owners of tables, views, sequences, functions, types and the schema.
select c.relname, c.relowner::regrole from pg_class c
where c.relowner in (select oid from pg_roles where rolname ~ '^assay_');
select p.proname, p.proowner::regrole from pg_proc p
where p.proowner in (select oid from pg_roles where rolname ~ '^assay_');
select t.typname, t.typowner::regrole from pg_type t
where t.typowner in (select oid from pg_roles where rolname ~ '^assay_');
select n.nspname, n.nspowner::regrole from pg_namespace n
where n.nspowner in (select oid from pg_roles where rolname ~ '^assay_');

-- No grant allows a role to create objects there or triggers on the tables.
select r.rolname, has_schema_privilege(r.oid, 'assay', 'create')
from pg_roles r where r.rolname ~ '^assay_' order by 1;
select r.rolname, c.relname from pg_roles r, pg_class c
where r.rolname ~ '^assay_' and c.relnamespace = 'assay'::regnamespace
	and c.relkind in ('r', 'p', 'v')
	and has_table_privilege(r.oid, c.oid, 'trigger, truncate, references');

-- PUBLIC has no rights there.
select c.relname from pg_class c,
	aclexplode(c.relacl) a
where c.relnamespace = 'assay'::regnamespace and a.grantee = 0;
select p.oid::regprocedure
from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
where p.pronamespace = 'assay'::regnamespace and a.grantee = 0;
select n.nspname from pg_namespace n, aclexplode(n.nspacl) a
where n.nspname = 'assay' and a.grantee = 0;

-- Functions that run as the owner search names only where no other role can
-- create any, and the temporary schema last.  Functions without such a path
-- were resolved when they were created.
select p.oid::regprocedure from pg_proc p
where p.pronamespace = 'assay'::regnamespace
	and not coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig),
	    false)
	and (p.prosecdef or p.prosqlbody is null);

\connect - assay_decide
\i t/sql/owner/attempts.sql

\connect - assay_operator
\i t/sql/owner/attempts.sql

\connect - assay_companion
\i t/sql/owner/attempts.sql

\connect - assay_retain
\i t/sql/owner/attempts.sql

-- retain can remove months and batches of its collections, and nothing else.
select * from assay.retention_month('epoch', 'epoch', 'epoch');
select count(*) from assay.retention_month('infinity', 'epoch', 'epoch');
select * from assay.retention_batch('idempotency', 'assay.operator'::regclass::oid::bigint,
    0, now(), now());
select * from assay.retention_batch('verdicts', 'pg_authid'::regclass::oid::bigint,
    0, now(), now());
select * from assay.retention_batch('mine', 'pg_authid'::regclass::oid::bigint,
    0, now(), now());
select * from assay.retention_batch('idempotency',
    (select oid::bigint from pg_class where relname = 'idempotency'), 0, now(), now());
select assay.partitions_ahead(1000);
select assay.partitions_ahead(24);
delete from assay.verdict_log;
delete from assay.idempotency;
drop table assay.decision_detail;
alter table assay.idempotency set (autovacuum_enabled = off);
select assay.retention_vacuum();
select distinct regexp_replace(relname, '_[0-9]+', ''), reloptions
from pg_class where reloptions::text like '%autovacuum%' order by 1;

-- assay_retain owns tables and has made objects, as after a restore with wrong
-- owners: the next assayctl migrate takes all of it away.
\connect - postgres
grant create on schema assay to assay_retain;
alter table assay.verdict_log owner to assay_retain;
alter table assay.decision_detail owner to assay_retain;
alter table assay.idempotency owner to assay_retain;
alter function assay.partitions_ahead(int) owner to assay_retain;
\connect - assay_retain
create function assay.mine() returns trigger language plpgsql
    as 'begin return old; end';
create trigger mine before delete on assay.idempotency
    for each row execute function assay.mine();
create rule mine as on insert to assay.verdict_log do nothing;
create table assay.decision_detail_201001 (like assay.decision_detail);
\connect - postgres
set client_min_messages = warning;
\set ECHO none
\i sql/roles.sql
\set ECHO all
select c.relname, c.relowner::regrole from pg_class c
where c.relnamespace = 'assay'::regnamespace
	and c.relowner <> 'postgres'::regrole;
select p.proname from pg_proc p where p.pronamespace = 'assay'::regnamespace
	and (p.proname = 'mine' or p.proowner <> 'postgres'::regrole);
select count(*) from pg_trigger where tgname = 'mine';
select count(*) from pg_rewrite where rulename = 'mine';
select has_schema_privilege('assay_retain', 'assay', 'create');
