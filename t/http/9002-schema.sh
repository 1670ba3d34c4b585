#!/bin/sh
# SPDX-License-Identifier: ISC
# Ready is who could decide: with the schema that the program needs, rules and
# policies, and a database that may be written.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by name
says() {
	http GET /readyz
	[ "$STATUS $(json "$1")" = "$2" ]
}

logged() {
	grep -c "$1" "$scratch/log/pool.log"
}

# again SQL [SETTING ...]: a new pool after a change of the database.
again() {
	stop_pool
	sql "$1"
	shift
	: >"$scratch/log/pool.log"
	start_pool "$@"
}

start_stack
admin_token
api_key
http GET /readyz
is "a pool that can decide is ready" "$STATUS $BODY" \
    "200 $(printf '{"status":"ready","version":"%s","checks":{"store":"ok","redis":"skipped"}}' \
    "$(json .version)")"
known=$(sql "select max(number) from assay.migration")
http GET /metrics
is "metrics tell of schema and policies" "$(printf '%s\n' "$BODY" | sed -n \
    's/^engine_\(policies_loaded\|schema_needed\|schema_version\|database_restored\) //p' |
    paste -sd ' ')" "7 $known $known 0"

# A migration is missing, though all that is prepared is there.
again "update assay.migration set number = -1 where number = $known"
missing="migration $(printf %04d "$known") is missing; run assayctl migrate"
check "with a migration missing it is not ready, and says which" \
    stack_until 10 "$stack_pool_pid" says .checks.schema "503 $missing"
is_json "the server answers, though" .checks.store ok
for _ in 1 2 3 4 5; do http GET /readyz; done
is "the log says it once" "$(logged "level=error .*readyz=not_ready why=\"$missing\"")" 1
http GET /metrics
check "and metrics by numbers" test "$(printf '%s\n' "$BODY" |
    sed -n 's/^engine_schema_version //p')" -lt "$known"
again "update assay.migration set number = $known where number = -1;
    alter function assay.session_refusal(bigint) rename to gone;
    update assay.migration set number = -1 where number = $known"
check "it is so when a session cannot begin, too" \
    stack_until 10 "$stack_pool_pid" says .checks.schema "503 $missing"
check "the log said so at the start" stack_until 10 0 \
    grep -q "readyz=not_ready why=\"$missing\"" "$scratch/log/pool.log"
sql "alter function assay.gone(bigint) rename to session_refusal;
    update assay.migration set number = $known where number = -1"
check "migrated, it is ready without a restart" \
    stack_until 10 "$stack_pool_pid" says .status "200 ready"
check "which the log says" grep -q 'readyz=ready' "$scratch/log/pool.log"

# No policies, or none that can be loaded.
again "create table public.kept as table assay.policy_active;
    create table public.kept_rules as table assay.ruleset_active;
    delete from assay.policy_active; delete from assay.ruleset_active"
check "without policies it is not ready" \
    stack_until 10 "$stack_pool_pid" says .status "503 not_ready"
is_json "and says so" '.checks.engine | test("^no rules and policies")' true
sql "insert into assay.policy_active table public.kept;
    insert into assay.ruleset_active table public.kept_rules"
check "with policies it is, though nobody asked for a decision" \
    stack_until 10 "$stack_pool_pid" says .status "200 ready"

# A database that needs a newer program.
again "update assay.schema_state set required_migration = 9000"
check "a database that needs a newer program is refused" \
    stack_until 10 "$stack_pool_pid" says .checks.schema \
    "503 the database needs a newer program than this"
KEY='' http POST /v1/auth/login '{"email":"admin@example.com","password":"correct horse"}'
is "by operator workers, too" "$STATUS" 503
cron project || :
check "and by the companion" grep -q 'needs a newer program' \
    "$scratch/log/cron.log"
sql "update assay.schema_state set required_migration = 0"

# Read-only.
again "alter database assay set default_transaction_read_only = on"
check "a database that cannot be written is not ready" \
    stack_until 10 "$stack_pool_pid" says .status "503 not_ready"
cluster_psql postgres postgres \
    -c 'alter database assay reset default_transaction_read_only'
again "select"
check "written again, it is" \
    stack_until 10 "$stack_pool_pid" says .status "200 ready"
finish
