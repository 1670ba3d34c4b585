#!/bin/sh
# SPDX-License-Identifier: ISC
# The server ends the sessions of workers that are idle.  A decision that is the first
# to need a statement, which the lost session never had, is made all the same; a
# request whose new session waits for a lock is refused, and may be sent again.
. "$(dirname "$0")/lib.sh"
use lock

# end_sessions ROLE: print whether all of its sessions have ended.
end_sessions() {
	sql "select bool_and(pg_terminate_backend(pid, 60000)) from pg_stat_activity
	    where usename = '$1'"
}

start_signed_in DECIDE_WORKERS=1
event=$(login_event u-1)
http POST /v1/decisions "$event"
is "the session of the decide worker ends" "$(end_sessions assay_decide)" t
http POST /v1/decisions "$event" -H "X-Engine-Mode: shadow"
is "the first dry run after the session was lost is scored" \
    "$STATUS $(json '.score >= 0')" "200 true"

hold_lock "lock table assay.service_key"
is "the sessions of the operator workers end" "$(end_sessions assay_operator)" t
(
	http GET /v1/apikeys
	echo "$STATUS $(json .code)" >"$scratch/refused"
) &
request=$!
# shellcheck disable=SC2317 # stack_until calls it
is_cancelled() {
	sql "select pg_cancel_backend(pid) from pg_stat_activity
	    where usename = 'assay_operator' and wait_event_type = 'Lock'" >/dev/null
	stack_gone "$request"
}
check "the request waits for a lock, and is cancelled" stack_until 20 0 is_cancelled
release_lock
is "a request whose session is not ready in time answers 503" \
    "$(cat "$scratch/refused")" "503 UNAVAILABLE"
http GET /v1/apikeys
is "the same request succeeds after the lock" "$STATUS" 200
finish
