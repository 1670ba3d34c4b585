#!/bin/sh
# SPDX-License-Identifier: ISC
# A backup has users who were erased after it: assayctl restored erases them again
# from the lines of the pool's log, and no other user.
. "$(dirname "$0")/lib.sh"
use erase

# restore_backup: replace the database by the dump.
restore_backup() {
	cluster_psql postgres postgres -c 'drop database assay with (force)' \
	    -c 'create database assay'
	"$(stack_pg_bin)/pg_restore" -h "$scratch/run" -U postgres -d assay \
	    "$scratch/dump" >"$scratch/log/restore.log" 2>&1
}

run_restored() {
	DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" restored --sql "$srcdir/sql" "$@" \
	    >"$scratch/did" 2>"$scratch/did.err"
}

# stored_of USER: details, states and entities of the user.
stored_of() {
	sql "select (select count(*) from assay.decision_detail
		where user_id = '$1'),
	    (select count(*) from assay.user_state where user_id = '$1'),
	    (select count(*) from assay.entity where kind = 1 and key = '$1')"
}

start_with_key
for user in u-gone u-stays u-back u-twice; do
	decide_order "o-$user" "$user" "\"deviceId\":\"d-$user\",\"ip\":\"196.188.7.8\""
	decide_order "p-$user" "$user"
done
TOKEN=$token
http POST /v1/views '{"screen":"decisions","name":"gone","query":{"userId":"u-gone"}}'
TOKEN=
erase_user u-back
decide_order o-again u-back '"deviceId":"d-again"'
back=$(stored_of u-back)
"$(stack_pg_bin)/pg_dump" -h "$scratch/run" -U postgres -Fc assay >"$scratch/dump"
erase_user u-gone
erase_user u-twice
erase_user u-twice
erase_user u-unknown
http GET /health "" -H 'X-Correlation-Id: event=user_erased x'
stop_pool

log=$scratch/log/pool.log
grep -h 'event=user_erased' "$log" >"$scratch/erased"
is "the log has a line for each erasure, and one that a caller forged" \
    "$(wc -l <"$scratch/erased") $(grep -c 'req="event=user_erased x"' "$log")" "6 1"
check "a line has a pseudonym and a time" grep -Eq \
    'event=user_erased hash=[0-9a-f]{64} at=[-0-9]{10}T[0-9:.]{12}Z$' \
    "$scratch/erased"
is "the log names no erased user" "$(grep -Ec 'u-(gone|twice|back)' "$log")" 0

restore_backup
is "the backup has the erased users" \
    "$(stored_of u-gone) $(stored_of u-twice)" "2|1|1 2|1|1"
whole="is not a whole line of the pool's log: event=user_erased hash=... at=..."
for change in 's/ at=.*//' 's/...Z$//' 's/$/x/'; do
	sed "2$change" "$scratch/erased" >"$scratch/cut"
	run_restored --erased "$scratch/cut"
	is "assayctl restored refuses a line after $change" \
	    "$? $(cat "$scratch/did.err")" \
	    "65 assayctl: restored: $scratch/cut:2: $whole"
done
sed 's/ at=2/ at=3/' "$scratch/erased" >"$scratch/cut"
run_restored --erased "$scratch/cut"
is "assayctl restored refuses an erasure of the future" "$? $(cat "$scratch/did.err")" \
    "65 assayctl: restored: $scratch/cut:1: is of the future; correct the clock of this host"
: >"$scratch/cut"
run_restored --erased "$scratch/cut"
is "assayctl restored refuses a list without erasures" "$? $(cat "$scratch/did.err")" \
    "65 assayctl: restored: $scratch/cut: has no line with event=user_erased that can be read; if no user was erased since the backup, leave out --erased"
run_restored --erased "$scratch/missing"
is "assayctl restored refuses a list that is missing" "$? $(cat "$scratch/did.err")" \
    "65 assayctl: restored: $scratch/missing: No such file or directory"
is "a refused list erases no user" "$(stored_of u-gone)" "2|1|1"

check "assayctl restored takes the whole log" run_restored --erased "$log"
is "assayctl restored says how many users it erased" \
    "$(grep '^read' "$scratch/did")" "read 5 erasures, erased 2 users again"
is "no saved view names an erased user" "$(sql 'select count(*) from assay.saved_view')" 0
is "the erased users are erased again" \
    "$(stored_of u-gone) $(stored_of u-twice)" "0|0|0 0|0|0"
is "other users are as in the backup" "$(stored_of u-stays)" "2|1|1"
is "a user who came back after an erasure stays" "$(stored_of u-back)" "$back"
is "later drains leave out the details of erased users" "$(sql "select
    assay.is_erased('u-gone', now() - interval '1 hour'),
    assay.is_erased('u-stays', now() - interval '1 hour')")" "t|f"
is "the audit trail says how many erasures were read" "$(sql "select params
    from assay.audit where action = 'assayctl restored'")" '{"erasures":"5"}'
check "assayctl restored takes the log again" run_restored --erased "$log"
is "a second run erases no user" \
    "$(grep '^read' "$scratch/did") $(stored_of u-back)" \
    "read 5 erasures, erased 0 users again $back"

start_pool
decide_order o-new u-gone '"deviceId":"d-u-gone"'
is "an erased user starts again as an unknown one" \
    "$STATUS $(stored_of u-gone)" "200 1|1|1"
finish
