#!/bin/sh
# SPDX-License-Identifier: ISC
# A pool that is asked to stop says so in /readyz, and takes requests until its delay is
# over or it is asked again.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by name
announced() { grep -q ' event=pool_stop_announced' "$scratch/log/pool.log"; }

start_signed_in STOP_DELAY_SECONDS=600
kill -TERM "$stack_pool_pid"
check "the log says when the pool will stop" \
    stack_until 5 "$stack_pool_pid" announced
http GET /readyz
is "the pool is not ready" "$STATUS $(json \
    '"\(.status) \(.checks.store) \(.checks.pool)"')" "503 not_ready ok stopping"
http GET /metrics
is "the metric says so, too" "$(metric engine_ready)" 0
http POST /v1/decisions '{"id":"during","type":"account.login",
    "subject":{"userId":"u-1"}}'
is_json "a decision is scored" ".score >= 0" true
http GET "/v1/verdicts?limit=1"
is "an operator is answered" "$STATUS" 200
http GET /health
is "the pool is alive" "$STATUS" 200
kill -TERM "$stack_pool_pid"
wait "$stack_pool_pid"
is "asked again, the pool stops at once, with status 0" "$?" 0

: >"$scratch/log/pool.log"
start_pool STOP_DELAY_SECONDS=1
wait_ready
kill -TERM "$stack_pool_pid"
wait "$stack_pool_pid"
is "after its delay the pool stops, with status 0" "$?" 0
is "the pool announced its stop before it stopped" "$(sed -n \
    's/.* event=\(pool_stop[a-z_]*\).*/\1/p' "$scratch/log/pool.log" | paste -sd ' ')" \
    "pool_stop_announced pool_stopping pool_stopped"
stack_pool_pid=
finish
