#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker that stands still with a request in hand is killed and replaced;
# its caller hears of it, and nobody else does.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"

# shellcheck disable=SC2317 # called by name
two_workers() { [ "$(workers decide)" = 2 ]; }

start_stack
admin_token
api_key
TOKEN=

# With the first worker standing still, the second one has the request.
first=$(pids decide | sed -n 1p)
second=$(pids decide | sed -n 2p)
hold "$(lock_of held)"
kill -STOP "$first"
event='{"id":"held","type":"account.login","subject":{"userId":"held"}}'
later held /v1/decisions "$event"
check "a decision is in hand" stack_until 5 "$stack_pool_pid" waits_are 1
kill -STOP "$second"
kill -CONT "$first"
release

load_start 2
check "others are served" load_goes_on
is "while the worker has it in hand" "$(kill -0 "$second" && busy decide)" 2
now held
is_error "its caller is told to try again" 503 UNAVAILABLE
is "soon" "$(header retry-after)" 1
check "others are served" load_goes_on
load_stop "meanwhile"
check "the master says so" grep -q \
    "level=error .*worker=stuck group=decide worker_pid=$second" \
    "$scratch/log/pool.log"
check "the worker is replaced" stack_until 5 "$stack_pool_pid" two_workers
is "and counted" "$(metric 'engine_worker_restarts_total{group="decide"}')" 1
is "the others stay" "$(pids decide | head -n 1)" "$first"
http POST /v1/decisions "$event"
is "trying again helps" "$STATUS $(json .score)" "200 0"
is "and decides once" "$(sql "select count(*) from assay.verdict_log
    where event_id = 'held'")" 1
finish
