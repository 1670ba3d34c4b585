#!/bin/sh
# SPDX-License-Identifier: ISC
# TERM lets requests in progress finish; operator workers stop first, and decisions
# are made until they have stopped.
. "$(dirname "$0")/lib.sh"
use load

# shellcheck disable=SC2317 # called by name
pool_is_stopping() { grep -q ' event=pool_stopping' "$scratch/log/pool.log"; }
# shellcheck disable=SC2317
one_worker_left() { [ "$(worker_pids decide | grep -c .)" -eq 1 ]; }

start_with_key
hold_lock "lock table assay.operator"
post_later login /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
check "a login is in progress" \
    stack_until 5 "$stack_pool_pid" lock_waiters_are 1
kill -TERM "$stack_pool_pid"
check "the pool stops on TERM" stack_until 5 "$stack_pool_pid" pool_is_stopping
http POST /v1/decisions "$(login_of during)"
is "decisions are made while the pool stops" \
    "$STATUS $(json .eventId)" "200 during"
http GET /v1/auth/status
is_error "operators get 503 while the pool stops" 503 UNAVAILABLE
is "the 503 of a stopping pool says when to try again" "$(header retry-after)" 1
release_lock
await_answer login
is "the login in progress is answered" \
    "$STATUS $(json '.token | length > 9')" "200 true"
wait "$stack_pool_pid"
is "the pool ends with status 0 after the login" "$?" 0

start_pool
wait_ready
hold_lock "select pg_advisory_xact_lock($(user_lock held))"
post_later held /v1/decisions "$(login_of held)"
check "a decision is in progress" \
    stack_until 5 "$stack_pool_pid" lock_waiters_are 1
kill -TERM "$stack_pool_pid"
check "workers without a request stop at once" stack_until 5 "$stack_pool_pid" \
    one_worker_left
release_lock
await_answer held
is "the decision in progress is answered" "$STATUS $(json .eventId)" "200 held"
wait "$stack_pool_pid"
is "the pool ends with status 0 after the decision" "$?" 0
stack_pool_pid=
is "the master killed no worker" \
    "$(grep -c 'level=error' "$scratch/log/pool.log")" 0
is "the answered decisions are stored" "$(sql "select count(*)
    from assay.verdict_log where event_id in ('during', 'held')")" 2
finish
