#!/bin/sh
# SPDX-License-Identifier: ISC
# Dry runs and live decisions in one transaction; refused modes, erasure, and a
# database that is away.
. "$(dirname "$0")/lib.sh"
use dryrun

start_signed_in DECIDE_WORKERS=1 ALLOW_PRIVATE_TARGETS=true
worker=$(pgrep -P "$stack_pool_pid" -o)
decide_live e-1 u-1 20
dry_run s-1 u-1 9000.25
is "a dry run of the user is stored" "$(sql "select count(*)
    from assay.decision_detail where user_id = 'u-1'")" 2

# Dry runs and live decisions in one transaction.
mkdir "$scratch/set"
kill -STOP "$worker"
pids=
for n in 1 2 3 4 5 6; do
	mode=live
	[ $((n % 2)) -eq 0 ] || mode=shadow
	curl -sS --max-time 20 --unix-socket "$scratch/run/http.sock" \
	    -o "$scratch/set/$n" -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' -H "X-Engine-Mode: $mode" \
	    --data-binary "$(event_body "t-$n" "u-t$n" 9000 ',"fingerprint":"f"')" \
	    "$BASE/v1/decisions" &
	pids="$pids $!"
done
# shellcheck disable=SC2317 # called by stack_until
six_wait() {
	[ "$(grep -c "$scratch/run/decide.sock" /proc/net/unix)" -gt 6 ]
}
stack_until 20 "$stack_pool_pid" six_wait || not_ok "six requests wait"
kill -CONT "$worker"
for pid in $pids; do
	wait "$pid"
done
is "all six requests get a verdict" "$(grep -c '"verdict"' "$scratch"/set/* |
    cut -d: -f2 | paste -sd ' ')" "1 1 1 1 1 1"
is "only the live decisions are logged" "$(sql "select string_agg(event_id, ' '
    order by event_id) from assay.verdict_log where event_id ~ '^t-'")" \
    "t-2 t-4 t-6"
is "only the live decisions change the user's state" \
    "$(sql "select string_agg(user_id, ' '
    order by user_id) from assay.user_state where user_id ~ '^u-t'")" \
    "u-t2 u-t4 u-t6"

# Refused modes.
table_digests >"$scratch/before"
for mode in ';' ': SHADOW' ': shadow, live' ': on'; do
	http POST /v1/decisions "$(event_body r-1 u-1 1)" -H "X-Engine-Mode$mode"
	is_error "the mode$mode answers 400" 400 INVALID_REQUEST
done
http POST /v1/decisions "$(event_body r-1 u-1 1)" -H 'X-Engine-Mode: live' \
    -H 'X-Engine-Mode: shadow'
is_error "two modes answer 400" 400 INVALID_REQUEST
for mode in ': shadow' ': enforce' ': live' ';'; do
	http POST /v1/decisions "$(event_body r-1 u-1 1)" -H "X-Verdict-Mode$mode"
	is_error "X-Verdict-Mode$mode answers 400" 400 INVALID_REQUEST
	is "the error about X-Verdict-Mode$mode names X-Engine-Mode" \
	    "$(json .message)" \
	    "X-Verdict-Mode is not known here: use X-Engine-Mode, live or shadow"
done
http POST /v1/decisions/batch "{\"events\":[$(event_body r-1 u-1 1)]}" \
    -H 'X-Verdict-Mode: shadow'
is_error "X-Verdict-Mode with a batch answers 400" 400 INVALID_REQUEST
http POST /v1/decisions/async "$(event_body r-2 u-1 1)" -H 'X-Verdict-Mode: shadow'
is_error "X-Verdict-Mode with an async event answers 400" 400 INVALID_REQUEST
http POST /v1/decisions/async "$(event_body r-2 u-1 1)" -H 'X-Engine-Mode: shadow'
is_error "an async dry run answers 400" 400 INVALID_REQUEST
KEY_KEPT=$KEY
KEY=ak_live_000000000000000000000000000000000000000000000000
dry_run r-3 u-1 1
is_error "a dry run without a valid key answers 401" 401 INVALID_API_KEY
KEY=$KEY_KEPT
table_digests >"$scratch/after"
check "refused requests change no table" diff "$scratch/before" "$scratch/after"
is "refused requests leave no detail" "$(sql "select count(*) from assay.decision_detail
    where event_id ~ '^r-'")" 0

# An erasure removes dry runs.
http POST /v1/privacy/erase '{"userId":"u-1"}'
is "an erased user has no dry run" "$STATUS $(sql "select count(*)
    from assay.decision_detail where user_id = 'u-1'")" "200 0"

# A dry run is never degraded.
stop_database
dry_run a-1 u-1 1
is_error "a dry run without the database answers 503" 503 UNAVAILABLE
is "a dry run is not spooled" \
    "$(find "$scratch/spool" -type f -size +0 ! -name write.lock)" ""
start_database
wait_ready
finish
