#!/bin/sh
# SPDX-License-Identifier: ISC
# REDIS_URL names several servers that a sentinel watches: both hosts count on the
# primary, whichever it is.
. "$(dirname "$0")/lib.sh"
use redis doctor

start_redis_node 1
start_redis_node 2 --replicaof 127.0.0.1 "$redis_port_1"
check "node 2 has copied node 1" \
    stack_until 20 "$redis_node_2" redis_says 2 slave role
start_sentinel

# The second host names the replica first.
first=127.0.0.1:$redis_port_1
second=127.0.0.1:$redis_port_2
limits="RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_TIMEOUT_MS=900"
event='{"type":"account.login","subject":{"userId":"u-1"}}'
# shellcheck disable=SC2086 # words
start_stack $limits REDIS_URL="redis://:$REDIS_PASSWORD@$first,$second"
# shellcheck disable=SC2086 # words
start_host 2 $limits REDIS_URL="redis://:$REDIS_PASSWORD@$second,$first"
admin_token
admin=$TOKEN
both_hosts_are "$redis_up"

# shared_budget WHERE: both hosts count the decisions of one key together.
shared_budget() {
	same_minute
	fresh_key
	on "" POST /v1/decisions "$event"
	left=$(header x-ratelimit-remaining)
	on 2 POST /v1/decisions "$event"
	is "both hosts count together on $1" \
	    "$left $(header x-ratelimit-remaining)" "49 48"
}
shared_budget "the first primary"
is "a replica before the primary is not a failure" \
    "$(redis_lines '' lost) $(redis_lines 2 lost)" "0 0"
check "the log says that another server than the first one counts" grep -q \
    "event=redis_moved host=127.0.0.1 port=$redis_port_1" "$scratch/log/pool2.log"
: >"$scratch/conf"
doctor REDIS_URL="redis://:$REDIS_PASSWORD@$second,$first"
check "the doctor finds the primary and its replica" \
    finds redis ok "the primary answers, and 1 replicas"

# A replica that has the count of a used up key does not refuse it.
same_minute
fresh_key
counter=assay:limit:key:$(printf '%s' "$KEY" | sha256sum | cut -c 1-32)
redis_at 1 setex "$counter" 60 50 >/dev/null
check "the replica has the count of a used up key" \
    stack_until 10 "$redis_node_2" redis_says 2 50 get "$counter"
on 2 POST /v1/decisions "$event"
is_error "a used up key is refused" 429 RATE_LIMITED
stop_pool
# shellcheck disable=SC2086 # words
start_pool $limits REDIS_URL="redis://:$REDIS_PASSWORD@$second,$first"
on "" POST /v1/decisions "$event"
is_error "a used up key is refused by a host that asks the replica first" \
    429 RATE_LIMITED
fresh_key
on "" POST /v1/decisions "$event"
is "another key is counted by a host that asked the replica first" \
    "$STATUS $(redis_lines '' lost)" "200 0"

# The primary is killed under load.
fresh_key
load_both_hosts replicated stack_end "$redis_node_1" KILL
on "" POST /v1/decisions "$event"
check "the sentinel promotes node 2" \
    stack_until 60 "$redis_node_2" redis_says 2 master role
both_hosts_are "$redis_up"
check "the log says which server was lost" grep -qE \
    "event=redis_lost host=127.0.0.1 port=$redis_port_1 why=" \
    "$scratch/log/pool.log"
check "the log says which server counts now" \
    grep -q "event=redis_recovered host=127.0.0.1 port=$redis_port_2" \
    "$scratch/log/pool.log"
shared_budget "the promoted replica"
doctor REDIS_URL="redis://:$REDIS_PASSWORD@$first,$second"
check "the doctor names the server that is gone" \
    finds redis warn "$first: connect: "

# The former primary returns, and takes writes until the sentinel sees it.
check "the sentinel has noted that node 2 is the primary" stack_until 60 \
    "$sentinel_pid" sentinel_says 'get-master-addr-by-name assay' "^$redis_port_2\$"
stack_end "$sentinel_pid" KILL
start_redis_node 1
shared_budget "the promoted replica beside the former primary"
check "the former primary takes writes meanwhile" redis_says 1 master role
run_sentinel
check "the sentinel makes node 1 a replica" \
    stack_until 90 "$redis_node_1" redis_says 1 slave role

# The new primary freezes.
kill -s STOP "$redis_node_2"
check "the sentinel promotes node 1 again" \
    stack_until 60 "$redis_node_1" redis_says 1 master role
both_hosts_are "$redis_up"
kill -s CONT "$redis_node_2"
shared_budget "the first node again"

# Two primaries, and none.
stack_end "$sentinel_pid" KILL
redis_at 2 replicaof no one >/dev/null
doctor REDIS_URL="redis://:$REDIS_PASSWORD@$first,$second"
check "the doctor warns of two primaries" \
    finds redis warn "2 servers take writes and count apart"
redis_at 2 replicaof 127.0.0.1 "$redis_port_1" >/dev/null
doctor REDIS_URL="redis://:$REDIS_PASSWORD@$second"
check "the doctor warns of a replica alone" finds redis warn "only replicas answer"
finish
