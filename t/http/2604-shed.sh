#!/bin/sh
# SPDX-License-Identifier: ISC
# Load shedding: a request that waited for over a second is refused before it costs
# anything; operators are refused before decisions, probes never.
. "$(dirname "$0")/lib.sh"
use load together

# shellcheck disable=SC2317 # called by name
operators_are_served() {
	http GET /v1/auth/status
	[ "$STATUS" = 200 ]
}

start_with_key DECIDE_WORKERS=1
http POST /v1/decisions "$(login_of before)"
is "an event is decided before the overload" "$STATUS" 200

# The only worker is stopped, as if it were overloaded.
worker=$(worker_pids decide)
kill -STOP "$worker"
for i in 1 2 3 4; do
	post_later "old$i" /v1/decisions "$(login_of "old-$i")"
done
post_later batch /v1/decisions/batch "{\"events\":[$(login_of old-5)]}"
post_later read /v1/decisions/before "" -G
post_later health /health "" -G
post_later metrics /metrics "" -G
post_later readyz /readyz "" -G
check "nine requests wait for the stopped worker" \
    stack_until 20 "$stack_pool_pid" connections_are 9
sleep 1.3
post_later fresh /v1/decisions "$(login_of fresh)"
sleep 0.1
kill -CONT "$worker"
await_answer old1
is_error "a decision that waited too long answers 503" 503 UNAVAILABLE
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
is_error "operators get 503 while decisions are shed" 503 UNAVAILABLE
is "the 503 for operators says when to try again" "$(header retry-after)" 1
for waiting in old2 old3 old4 batch read; do
	await_answer "$waiting"
	is_error "$waiting that waited too long answers 503" 503 UNAVAILABLE
done
is "a shed request says when to try again" "$(header retry-after)" 1
is_json "a shed request says that too many wait" \
    '.message' "too many requests are waiting; try again"
await_answer fresh
is "the newest decision is made" "$STATUS $(json .eventId)" "200 fresh"
for waiting in health metrics readyz; do
	await_answer "$waiting"
	is "/$waiting answers 200 in an overload" "$STATUS" 200
done
check "operators are served after the overload" \
    stack_until 5 "$stack_pool_pid" operators_are_served
is "a shed decision writes nothing" "$(sql "
    select string_agg(event_id, ' ' order by event_id)
    from assay.verdict_log")" "before fresh"
is "shed decisions are counted" \
    "$(metric 'engine_requests_shed_total{group="decide"}')" 6
check "shed requests of operators are counted" test \
    "$(metric 'engine_requests_shed_total{group="operator"}')" -ge 1
finish
