#!/bin/sh
# SPDX-License-Identifier: ISC
# A pool is ready if it can decide: the schema is new enough, there are rules
# and policies, and the database is writable.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by name
ready_says() {
	http GET /readyz
	[ "$STATUS $(json "$1")" = "$2" ]
}

# log_lines PATTERN: print how many lines of the pool's log match.
log_lines() {
	grep -c "$1" "$scratch/log/pool.log"
}

# restart_after SQL [SETTING ...]: change the database and start a new pool.
restart_after() {
	stop_pool
	sql "$1"
	shift
	: >"$scratch/log/pool.log"
	start_pool "$@"
}

start_signed_in
http GET /readyz
is "a pool that can decide is ready" "$STATUS $BODY" \
    "200 $(printf '{"status":"ready","version":"%s","checks":{"store":"ok","redis":"skipped","geoip":"none"}}' \
    "$(json .version)")"
known=$(sql "select max(number) from assay.migration")
http GET /metrics
is "metrics show policies and schema numbers" \
    "$(printf '%s\n' "$BODY" | sed -n \
    's/^engine_\(policies_loaded\|schema_needed\|schema_version\|database_restored\) //p' |
    paste -sd ' ')" "7 $known $known 0"

# The database does not list a migration, although its objects exist.
restart_after "update assay.migration set number = -1 where number = $known"
missing="migration $(printf %04d "$known") is missing; run assayctl migrate"
check "a pool is not ready without the newest migration" \
    stack_until 10 "$stack_pool_pid" ready_says .checks.schema "503 $missing"
is_json "the store is ok although a migration is missing" .checks.store ok
for _ in 1 2 3 4 5; do http GET /readyz; done
is "the log has the missing migration once" \
    "$(log_lines "level=error .*event=pool_not_ready why=\"$missing\"")" 1
http GET /metrics
is "a metric shows the missing migration" "$(metric engine_schema_missing)" \
    "$known"
is "a metric shows that the pool is not ready" "$(metric engine_ready)" 0
check "a metric shows the older schema number" test "$(printf '%s\n' "$BODY" |
    sed -n 's/^engine_schema_version //p')" -lt "$known"
restart_after "update assay.migration set number = $known where number = -1;
    alter function assay.session_refusal(bigint) rename to gone;
    update assay.migration set number = -1 where number = $known"
check "a pool is not ready if it cannot begin a session" \
    stack_until 10 "$stack_pool_pid" ready_says .checks.schema "503 $missing"
check "the log has the missing migration at the start" stack_until 10 0 \
    grep -q "event=pool_not_ready why=\"$missing\"" "$scratch/log/pool.log"
sql "alter function assay.gone(bigint) rename to session_refusal;
    update assay.migration set number = $known where number = -1"
check "the pool is ready after the migration without a restart" \
    stack_until 10 "$stack_pool_pid" ready_says .status "200 ready"
check "the log has the change to ready" \
    grep -q 'event=pool_ready' "$scratch/log/pool.log"

# No rules and policies.
restart_after "create table public.kept as table assay.policy_active;
    create table public.kept_rules as table assay.ruleset_active;
    delete from assay.policy_active; delete from assay.ruleset_active"
check "a pool is not ready without policies" \
    stack_until 10 "$stack_pool_pid" ready_says .status "503 not_ready"
is_json "readyz says that there are no rules and policies" \
    '.checks.engine | test("^no rules and policies")' true
sql "insert into assay.policy_active table public.kept;
    insert into assay.ruleset_active table public.kept_rules"
check "the pool is ready once there are policies" \
    stack_until 10 "$stack_pool_pid" ready_says .status "200 ready"

# The database needs a newer program.
restart_after "update assay.schema_state set required_migration = 9000"
check "a pool is not ready if the database needs a newer program" \
    stack_until 10 "$stack_pool_pid" ready_says .checks.schema \
    "503 the database needs a newer program than this"
KEY='' http POST /v1/auth/login '{"email":"admin@example.com","password":"correct horse"}'
is "operator workers refuse such a database" "$STATUS" 503
cron project || :
check "the companion refuses such a database" grep -q 'needs a newer program' \
    "$scratch/log/cron.log"
sql "update assay.schema_state set required_migration = 0"

# A read-only database.
restart_after "alter database assay set default_transaction_read_only = on"
check "a pool is not ready if the database is read-only" \
    stack_until 10 "$stack_pool_pid" ready_says .status "503 not_ready"
cluster_psql postgres postgres \
    -c 'alter database assay reset default_transaction_read_only'
restart_after "select"
check "the pool is ready when the database is writable again" \
    stack_until 10 "$stack_pool_pid" ready_says .status "200 ready"
finish
