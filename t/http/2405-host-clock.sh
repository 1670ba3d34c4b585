#!/bin/sh
# SPDX-License-Identifier: ISC
# The clock of a host that is wrong: decisions without the database have its time
# all the same, and an erasure finds those that have another.
. "$(dirname "$0")/lib.sh"
use away erase

# The host with the pool and nginx is 400 days ahead.
cp "$builddir/t/http/clock.so" "$scratch/bin/"
start_database
start_pool DECIDE_WORKERS=1 CLOCK_AHEAD=34560000 LD_PRELOAD="$scratch/bin/clock.so" \
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1
# nginx drops other variables than those that its configuration names.
echo 'env CLOCK_AHEAD;' >>"$scratch/nginx/main.conf.in"
export CLOCK_AHEAD=34560000 LD_PRELOAD="$scratch/bin/clock.so"
start_nginx
unset CLOCK_AHEAD LD_PRELOAD
wait_ready
admin_token
api_key
token=$TOKEN
TOKEN=
decide_login u-1 before
is_json "a decision has the time of the database" \
    "(.decidedAt[:19] + \"Z\" | fromdate) - $(date +%s) | fabs < 600" true
refuse_pool
decide_login u-1 away
is_json "a decision without the database is degraded" .score -1
is_json "a degraded decision continues the time of the database" \
    "(.decidedAt[:19] + \"Z\" | fromdate) - $(date +%s) | fabs < 600" true
admit_pool
wait_drained
is "no record is quarantined" "$(metric engine_spool_quarantined_files)" 0
is "the decision is in the log with its request" "$(degraded_rows away) $(sql \
    "select count(request) from assay.decision_detail
    where event_id = 'away'")" "1 1"

# As a host did that has never seen the database: the log has the future.
sql "update assay.decision_detail set decided_at = decided_at + interval '150 s'
    where event_id = 'away'"
is "an erasure removes requests that a wrong clock has dated after it" \
    "$(erase_complete u-1) $(detail_rows u-1)" "200 true 0"
decide_login u-1 after
is "a decision after the erasure keeps its request" "$(detail_rows u-1)" 1
finish
