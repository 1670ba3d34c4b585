#!/bin/sh
# SPDX-License-Identifier: ISC
# A step of publishing that waits for a lock for seconds: the next one follows soon.
. "$(dirname "$0")/lib.sh"
use lock publish

start_publish
subscribe_webhook verdict.reached.v1
decide_order e-0
start_cron "deliver --for 10m"
# shellcheck disable=SC2317 # stack_until calls it
queued_are() {
	[ "$(queued_for "$ID")" = "$1" ]
}
check "the companion publishes" stack_until 20 "$stack_cron_pid" queued_are e-0

# A rest of four times this would last 32 seconds.
hold_lock "lock table assay.alert_minute in share mode"
decide_order e-1
check "a step of publishing waits" stack_until 20 "$lock_pid" session_is \
    "wait_event_type = 'Lock' and query like '%publish_next%'"
sleep 8
release_lock
decide_order e-2
check "an event after the wait is published within seconds" \
    stack_until 10 "$stack_cron_pid" queued_are "e-0 e-1 e-2"
finish
