#!/bin/sh
# SPDX-License-Identifier: ISC
# Overload: who waited over a second is sent away before costing anything,
# each by himself, operators before decisions, probes never.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"

# event ID
event() {
	printf '{"id":"%s","type":"account.login","subject":{"userId":"%s"}}' \
	    "$1" "$1"
}
# shellcheck disable=SC2317 # called by name
operators_back() {
	http GET /v1/auth/status
	[ "$STATUS" = 200 ]
}

start_stack DECIDE_WORKERS=1
admin_token
api_key
TOKEN=
http POST /v1/decisions "$(event before)"
is "decided before" "$STATUS" 200

# The only worker stands still, as if it had too much to do.
worker=$(pids decide)
kill -STOP "$worker"
for i in 1 2 3 4; do
	later "old$i" /v1/decisions "$(event "old-$i")"
done
later batch /v1/decisions/batch "{\"events\":[$(event old-5)]}"
later read /v1/decisions/before "" -G
later health /health "" -G
later metrics /metrics "" -G
later readyz /readyz "" -G
sleep 1.3
later fresh /v1/decisions "$(event fresh)"
sleep 0.1
kill -CONT "$worker"
now old1
is_error "who waited too long is sent away" 503 UNAVAILABLE
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
is_error "operators are sent away before decisions" 503 UNAVAILABLE
is "and may come back soon" "$(header retry-after)" 1
for name in old2 old3 old4 batch read; do
	now "$name"
	is_error "$name likewise" 503 UNAVAILABLE
done
is "and may come back soon" "$(header retry-after)" 1
is_json "and knows why" '.message' "too many requests are waiting; try again"
now fresh
is "who came last is served" "$STATUS $(json .eventId)" "200 fresh"
for name in health metrics readyz; do
	now "$name"
	is "/$name is" "$STATUS" 200
done
check "operators are served when nobody waits" \
    stack_until 5 "$stack_pool_pid" operators_back
is "what was sent away left no trace" "$(sql "
    select string_agg(event_id, ' ' order by event_id)
    from assay.verdict_log")" "before fresh"
is "it is counted" "$(metric 'engine_requests_shed_total{group="decide"}')" 6
check "for operators too" test \
    "$(metric 'engine_requests_shed_total{group="operator"}')" -ge 1
finish
