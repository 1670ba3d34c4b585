#!/bin/sh
# SPDX-License-Identifier: ISC
# Redis is killed, restarted or hangs: every decision is answered with the budgets
# of the host, and /readyz and one line of the log report it.
. "$(dirname "$0")/lib.sh"
use redis

start_redis_hosts
both_hosts_are "$redis_up"

# Redis is killed under load.
fresh_key
load_both_hosts killed stack_end "$redis_pid" KILL
both_hosts_are "$redis_down"
is "each host logs once that Redis is lost" \
    "$(redis_lines '' lost) $(redis_lines 2 lost)" "1 1"
check "the log says why Redis is lost" \
    grep -qE 'event=redis_lost why="(connect|send|receive): ' \
    "$scratch/log/pool.log"
fresh_key
http POST /v1/decisions "$event"
is "decisions are made with the host's budget without Redis" \
    "$STATUS $(header x-ratelimit-limit)" "200 50"
is "Redis stays lost without another line of the log" \
    "$(redis_lines '' lost) $(redis_lines 2 lost)" "1 1"

# Redis returns under load, without its counts.
fresh_key
load_both_hosts returning start_redis
both_hosts_are "$redis_up"
is "each host logs once that Redis is back" \
    "$(redis_lines '' recovered) $(redis_lines 2 recovered)" "1 1"
left=$((60 - $(date +%-S)))
[ "$left" -gt 5 ] || sleep "$left"
fresh_key
http POST /v1/decisions "$event"
is "the first host counts in Redis again" "$(header x-ratelimit-remaining)" 49
on 2 POST /v1/decisions "$event"
is "the second host counts in Redis again" "$(header x-ratelimit-remaining)" 48

# Redis restarts between two requests: a closed connection is not a failure.
redis shutdown nosave >/dev/null
stack_end "$redis_pid" KILL
start_redis
for want in 200 200 200 200 200 200; do
	http POST /v1/decisions "$event"
	[ "$STATUS" = "$want" ] || break
done
is "a restart of Redis between two requests is not a failure" \
    "$STATUS $(redis_lines '' lost)" "200 1"

# Redis hangs, with the default timeout: one request of each worker may wait, then
# one per second.
stop_pool
start_pool RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_URL="$redis_url"
wait_ready
fresh_key
http POST /v1/decisions "$event"
was=$(redis_calls failed)
from=$(date +%s)
kill -s STOP "$redis_pid"
load_both_hosts hanging true
both_hosts_are "$redis_down"
took=$(($(date +%s) - from))
check "few calls wait for a hanging Redis" \
    test $(($(redis_calls failed) - was)) -le $((4 + took + 1))
check "most calls skip a hanging Redis" test "$(redis_calls skipped)" -gt 30
kill -s CONT "$redis_pid"
both_hosts_are "$redis_up"
finish
