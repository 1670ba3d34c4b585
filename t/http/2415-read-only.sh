#!/bin/sh
# SPDX-License-Identifier: ISC
# The only server takes no writes for a while: each role logs it once, with its end,
# however many sessions begin meanwhile, and a refused write says what it is.
. "$(dirname "$0")/lib.sh"
use away

start_signed_in
event=$(login_event u-1)

# read_only VALUE: whether the server takes no writes, from the next statement on.
read_only() {
	sql "alter system set default_transaction_read_only = $1" \
	    2>/dev/null || PGOPTIONS='-c default_transaction_read_only=off' \
	    sql "alter system set default_transaction_read_only = $1"
	await_setting default_transaction_read_only "$1"
}

# lines EVENT [KIND]: how many the decide role has, and how many the operators'.
lines() {
	for role in assay_decide assay_operator; do
		grep -c "event=$1 .*user=$role${2:+ kind=$2 }" \
		    "$scratch/log/pool.log"
	done | tr '\n' ' '
}

# both_logged EVENT [KIND]: after a write of each role, each has logged it once.
# shellcheck disable=SC2317 # stack_until calls it
both_logged() {
	http POST /v1/decisions "$event"
	http PUT /v1/config/alerts '{"anomalyZScore":4}'
	[ "$(lines "$@")" = "1 1 " ]
}

read_only on
check "each role logs that the server takes no writes" \
    stack_until 20 "$stack_pool_pid" both_logged \
    database_connect_failed readonly
for n in 1 2 3 4 5 6 7 8; do
	http POST /v1/decisions "$event"
	is "decision $n is degraded" "$(brief_answer)" \
	    "200 allow -1 engine.degraded"
	http PUT /v1/config/alerts "{\"anomalyZScore\":$n}"
	is_error "write $n of an operator answers 503" 503 UNAVAILABLE
	is_json "write $n says that the database takes no writes" .message \
	    "the database takes no writes; try again"
	http GET /v1/config/alerts
	is "reading $n is answered" "$STATUS $(json .anomalyZScore)" "200 3"
done
is "the log has one failure of each role" \
    "$(lines database_connect_failed)" "1 1 "
is "no role is logged as connected meanwhile" "$(lines database_connected)" \
    "0 0 "

read_only off
check "each role logs once that the server takes writes again" \
    stack_until 20 "$stack_pool_pid" both_logged database_connected
http PUT /v1/config/alerts '{"anomalyZScore":5}'
is "writes of operators are taken again" "$STATUS" 200
check "decisions are scored again" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$event"
is "no more was logged" \
    "$(lines database_connect_failed)$(lines database_connected)" "1 1 1 1 "
finish
