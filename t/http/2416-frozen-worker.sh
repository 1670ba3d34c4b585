#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker that freezes while it is idle is found and replaced; the others answer
# meanwhile.  A pool that froze as a whole loses no worker.
. "$(dirname "$0")/lib.sh"

start_signed_in DECIDE_WORKERS=2 OPERATOR_WORKERS=2
event=$(login_event u-1)
# The oldest child of the master is a decide worker.
frozen=$(pgrep -o -P "$stack_pool_pid")
kill -s STOP "$frozen"
# shellcheck disable=SC2317 # stack_until calls it
is_killed() {
	http POST /v1/decisions "$event"
	[ "$STATUS" = 200 ] || echo "$STATUS" >>"$scratch/refused"
	grep -q "event=worker_killed group=decide worker_pid=$frozen\$" \
	    "$scratch/log/pool.log"
}
check "the watchdog kills an idle worker that froze" \
    stack_until 300 "$stack_pool_pid" is_killed
# shellcheck disable=SC2317 # stack_until calls it
workers_are_back() {
	[ "$(pgrep -c -P "$stack_pool_pid")" = 4 ]
}
check "beside a frozen worker every decision is answered" \
    test ! -e "$scratch/refused"
check "another worker takes its place" \
    stack_until 30 "$stack_pool_pid" workers_are_back

# The time goes on while the whole pool is frozen, as in a paused machine.
workers=$(pgrep -P "$stack_pool_pid" | sort)
kill -s STOP "$stack_pool_pid"
# shellcheck disable=SC2086 # process ids
kill -s STOP $workers
sleep 35
kill -s CONT "$stack_pool_pid"
sleep 1
# shellcheck disable=SC2086 # process ids
kill -s CONT $workers
http POST /v1/decisions "$event"
is "after a freeze of the whole pool a decision is scored" \
    "$STATUS $(json '.score >= 0')" "200 true"
is "the workers are the same" "$(pgrep -P "$stack_pool_pid" | sort)" "$workers"
finish
