#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure of users whose decisions are in this host's spool.
. "$(dirname "$0")/lib.sh"
use away erase lock

start_with_key
wait_loaded

decide_login u-here l-0
is "an erasure is complete while the spool is empty" \
    "$(erase_complete u-here)" \
    "200 true"

refuse_pool
for i in 1 2 3; do
	decide_login u-gone "g-$i"
	decide_login u-stays "s-$i"
done
# A drain that cannot begin renames the active file, perhaps at this moment.
# shellcheck disable=SC2317 # called by stack_until
spool_has() {
	[ "$(cat "$scratch"/spool/* | grep -c "\"userId\":\"$1\"")" = "$2" ]
}
check "decisions go to the spool while the database refuses the pool" \
    stack_until 10 "$stack_pool_pid" spool_has u-gone 3
is "an erasure is not complete while the spool has records" \
    "$(erase_complete u-gone)" "200 false"
is "the record of an erasure does not name the user" "$(sql "select count(*)
    from assay.erasure e where e::text like '%u-gone%'")" 0
admit_pool
wait_drained
is "the drained verdicts are in the log" \
    "$(degraded_rows 'g-%') $(degraded_rows 's-%')" "3 3"
is "the drain writes no detail of the erased user" "$(detail_rows u-gone)" 0
is "the drain writes the detail of other users" "$(detail_rows u-stays)" 3
TOKEN=$token
http GET '/v1/activity?limit=200'
TOKEN=
is "the activity log does not show the erased user" \
    "$(printf '%s' "$BODY" | grep -c 'u-gone')" 0
is "the same erasure is complete after the drain" \
    "$(erase_complete u-gone)" "200 true"

# An erasure does not apply to later decisions.
sql "update assay.erasure set erased_at = erased_at - interval '2 minutes'" \
    >/dev/null
refuse_pool
decide_login u-gone g-later
admit_pool
wait_drained
is "a spooled decision made after the erasure keeps its detail" \
    "$(detail_rows u-gone)" 1
is "the next erasure removes that detail" \
    "$(erase_complete u-gone) $(detail_rows u-gone)" \
    "200 true 0"

# Erase users while the drain writes their records.
refuse_pool
for i in 1 2 3 4 5 6 7 8; do
	decide_login "u-$i" "m-$i"
done
admit_pool
for i in 1 2 3 4 5 6 7 8; do
	erase_complete "u-$i" >/dev/null
done
wait_drained
is "users erased during the drain have no detail" \
    "$(degraded_rows 'm-%') $(sql "select count(*) from assay.decision_detail
    where user_id like 'u-_'")" "8 0"

# The pool writes a degraded decision directly when the database answers late.
hold_lock "lock table assay.user_state"
decide_login u-slow w-1
release_lock
wait_drained
is "a degraded decision is logged" "$(degraded_rows w-1)" 1
is "the detail of a degraded decision is erased" \
    "$(erase_complete u-slow) $(detail_rows u-slow)" "200 true 0"
finish
