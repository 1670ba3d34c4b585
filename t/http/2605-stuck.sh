#!/bin/sh
# SPDX-License-Identifier: ISC
# The watchdog: the master kills and replaces a worker that hangs in a request.
# Only the caller of this request notices.
. "$(dirname "$0")/lib.sh"
use load

# shellcheck disable=SC2317 # called by name
two_workers_run() { [ "$(workers_running decide)" = 2 ]; }

start_with_key

# The first worker is stopped, so the second one gets the request.
first=$(worker_pids decide | sed -n 1p)
second=$(worker_pids decide | sed -n 2p)
hold_lock "select pg_advisory_xact_lock($(user_lock held))"
kill -STOP "$first"
event='{"id":"held","type":"account.login","subject":{"userId":"held"}}'
post_later held /v1/decisions "$event"
check "a decision is in progress in the second worker" \
    stack_until 5 "$stack_pool_pid" lock_waiters_are 1
kill -STOP "$second"
kill -CONT "$first"
release_lock

load_start 2
check "the other worker decides while one hangs" load_progresses
is "the hanging worker still has its request" \
    "$(kill -0 "$second" && workers_busy decide)" 2
await_answer held
is_error "the request of the killed worker answers 503" 503 UNAVAILABLE
is "the 503 of the killed worker says when to try again" \
    "$(header retry-after)" 1
check "the other worker decides after the kill" load_progresses
load_stop "beside a hanging worker"
check "the log names the worker that hung" grep -q \
    "level=error .*event=worker_killed group=decide worker_pid=$second" \
    "$scratch/log/pool.log"
check "the master replaces the killed worker" \
    stack_until 5 "$stack_pool_pid" two_workers_run
is "the restart of the worker is counted" \
    "$(metric 'engine_worker_restarts_total{group="decide"}')" 1
is "the other worker keeps running" "$(worker_pids decide | head -n 1)" "$first"
http POST /v1/decisions "$event"
is "the same event sent again is decided" "$STATUS $(json .score)" "200 0"
is "the event of the killed worker is decided once" \
    "$(sql "select count(*) from assay.verdict_log
    where event_id = 'held'")" 1
finish
