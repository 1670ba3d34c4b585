#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl doctor: each check of the database is broken on purpose.
# shellcheck disable=SC2119 # arguments that may be left out
. "$(dirname "$0")/lib.sh"
use ctl doctor

start_healthy -c wal_level=replica
start_with_key
http POST /v1/decisions "$(login_event u-1)"
http POST /v1/decisions/async '{"id":"e-2","type":"account.login",
    "subject":{"userId":"u-2"}}'

# The server.
doctor
for name in database postgresql schema durability replication slots connections \
    size partitions clock audit analytics retention deliveries queue; do
	check "a healthy server is ok: $name" finds "$name" ok ''
done
check "the version is shown" finds postgresql ok "version [1-9][0-9]\."
check "commits are durable whatever the server's default" \
    finds durability ok "synchronous_commit is on"
sql "alter system set fsync = off"
stop_database
start_database -c full_page_writes=on
doctor
check "a server without fsync is critical" finds durability critical 'fsync is off'
is "a critical check exits 2" "$STATUS" 2
stop_database
start_database -c fsync=on -c full_page_writes=off
doctor
check "a server that writes pages in part is critical" \
    finds durability critical 'full_page_writes is off'
stop_database
start_database -c fsync=on -c full_page_writes=on -c max_connections=20
wait_ready
doctor
check "too few connections for the pool are critical" \
    finds connections critical 'DATABASE_POOL_MAX and the companion make 26'
change_setting synchronous_standby_names other
doctor
check "a synchronous standby that is missing is critical" \
    finds replication critical 'no standby is connected'
check "the required standbys are shown" finds durability ok "names is 'other'"
change_setting synchronous_standby_names ""

# A slot whose reader is gone: first it holds WAL, then that is removed.
sql "select pg_create_physical_replication_slot('gone', true)" >/dev/null
doctor
check "a slot is named with what it holds" finds slots ok 'gone holds [0-9]* MiB'
change_setting max_slot_wal_keep_size 4MB
for _ in 1 2 3 4 5 6; do
	sql "create table public.t as select 1; drop table public.t;
	    select pg_switch_wal()" >/dev/null
done
sql checkpoint
doctor
check "a slot that has lost WAL is critical" finds slots critical 'have lost WAL'
sql "select pg_drop_replication_slot('gone')" >/dev/null

# The schema.
sql "alter database assay set default_transaction_read_only = on"
doctor
check "a database that cannot be written is critical" \
    finds schema critical 'cannot be written'
cluster_psql postgres postgres -c \
    "alter database assay reset default_transaction_read_only"
sql "insert into assay.migration (number, name, checksum) values (9999, 'n', '')"
doctor
check "a migration that this program does not know warns" \
    finds schema warn 'migration 9999'
sql "update assay.migration set number = 0 where number = 9"
doctor
check "a migration that is missing is critical" \
    finds schema critical 'lacks migration 9'
sql "update assay.migration set number = 9 where number = 0;
    delete from assay.migration where number = 9999"

# What waits.
for change in "audit:update assay.audit set at = at - interval '6 min'" \
    "analytics:update assay.verdict_log
	set decided_at = decided_at - interval '6 min'" \
    "retention:update assay.retention_sweep
	set finished_at = clock_timestamp() - interval '3 hours'" \
    "deliveries:insert into assay.outbox (event, data, correlation_id, occurred_at)
	values ('e', '{}', 'c', clock_timestamp() - interval '6 min')" \
    "queue:update assay.async_queue
	set accepted_at = accepted_at - interval '6 min'"; do
	sql "${change#*:}"
	doctor
	check "what waits too long warns: ${change%%:*}" finds "${change%%:*}" warn ' s'
done
sql "update assay.retention_sweep
    set started_at = '-infinity', finished_at = '-infinity'"
doctor
check "a retention that has never run warns" finds retention warn 'no sweep has run'
month=$(sql "select to_char(now() at time zone 'UTC' + interval '1 month', 'YYYYMM')")
sql "drop table assay.verdict_log_$month"
doctor
check "a missing partition of next month is critical" finds partitions critical '0 months'

# The clock: this server says that an hour has passed.
sql "alter function assay.doctor_facts() rename to true_facts;
    create table assay.facts as select * from assay.true_facts();
    update assay.facts set now = now + interval '1 hour';
    create function assay.doctor_facts() returns setof assay.facts
	language sql stable security definer as 'table assay.facts';
    grant execute on function assay.doctor_facts() to assay_operator"
doctor
check "a clock that is an hour ahead is critical" \
    finds clock critical '35[0-9]\{5\} ms ahead of'
sql "drop function assay.doctor_facts()"
doctor
check "a database of an older version is one critical line" \
    finds database critical 'assayctl migrate'
finish
