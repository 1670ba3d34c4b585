-- SPDX-License-Identifier: ISC
-- Acts of an owner, which the current role tries.
create table assay.mine (n int);
create view assay.mine as select 1;
create type assay.mine as (n int);
create function assay.graph_count(bigint, int) returns bigint language sql
    return 1;
create function pg_temp.mine() returns trigger language plpgsql
    as 'begin return old; end';
create trigger mine before delete on assay.decision_detail
    for each row execute function pg_temp.mine();
create trigger mine before delete on assay.idempotency
    for each row execute function pg_temp.mine();
create rule mine as on insert to assay.verdict_log do nothing;
create temp table mine () inherits (assay.decision_detail);
alter table assay.verdict_log alter column xid set default '0';
alter table assay.idempotency add column mine int;
create index on assay.decision_detail (user_id);
alter function assay.erase_details(text, timestamptz, bigint)
    set search_path = mine;
