#!/bin/sh
# SPDX-License-Identifier: ISC
# After a restore that lost the rights of the roles, assayctl migrate gives them again
# before anything is decided.
. "$(dirname "$0")/lib.sh"
use away

start_signed_in
rights() {
	sql "select count(*) from information_schema.role_routine_grants
	    where routine_schema = 'assay' and grantee like 'assay\\_%'"
}
before=$(rights)
check "the roles may call functions" test "$before" -gt 100
sql "revoke all on all functions in schema assay from assay_decide, assay_operator,
    assay_companion, assay_retain"
is "the roles have lost their rights" "$(rights)" 0
sql "update assay.schema_state set log_base = log_base - 1000000000"
is "the database looks restored" "$(sql 'select assay.log_restored()')" t
check "assayctl migrate exits 0" env ADMIN_DATABASE_URL="host=$scratch/run \
    dbname=assay user=postgres" "$scratch/bin/assayctl" migrate --sql "$srcdir/sql"
is "assayctl migrate gives the roles their rights and orders the log" \
    "$(rights) $(sql 'select assay.log_restored()')" "$before f"
check "events are decided" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$(login_event u-1)"
finish
