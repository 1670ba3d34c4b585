#!/bin/sh
# SPDX-License-Identifier: ISC
# Starting: the probes, with the database missing, back, and gone again.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_pool
start_nginx

http GET /readyz
is "without a database nothing is ready" "$STATUS" 503
is_json "and it says so" .status not_ready
http GET /health
is "but the pool is alive" "$STATUS $(json .status)" "200 ok"
check "and so is its master" kill -0 "$stack_pool_pid"
http GET /metrics
is "and /metrics answers" "$STATUS" 200
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u"}}' \
    -H "X-API-Key: ak_live_$(printf '%048d' 7)"
is_error "a key that nobody ever verified is no reason to guess" \
    503 UNAVAILABLE
http GET /v1/auth/status
is_error "an operator hears it too" 503 UNAVAILABLE

start_database
wait_ready
http GET /readyz
is "with the database it is ready" "$STATUS $(json .status)" "200 ready"
is_json "and names its checks" '.checks | "\(.store) \(.redis)"' "ok skipped"
is_json "and its version" '.version | test("^[0-9]+[.][0-9]+[.][0-9]+$")' true
is "an answer has one correlation id" \
    "$(header x-correlation-id | grep -c '^cor_')" 1
http GET /health "" -H 'X-Correlation-Id: mine-7'
is "or the caller's" "$(header x-correlation-id)" mine-7
is "and may not be sniffed" "$(header x-content-type-options)" nosniff
is "or kept" "$(header cache-control)" no-store
is "the route is for the log only" "$(header x-route)" ""
http HEAD /health
is "HEAD is GET" "$STATUS $BODY" "200 "
http GET /v1/auth/status
is_json "operators are served" .needsBootstrap true

http GET /nowhere
is_error "an unknown path" 404 NOT_FOUND
http GET /health/
is_error "a trailing slash" 404 NOT_FOUND
http POST /health
is_error "a wrong method" 405 METHOD_NOT_ALLOWED
is "with what is allowed" "$(header allow)" "GET, HEAD"
http OPTIONS /v1/decisions
is_error "no CORS" 405 METHOD_NOT_ALLOWED

stop_database
http GET /readyz
is "when it has gone, so has readiness" "$STATUS" 503
start_database
wait_ready
ok "and it comes back by itself"

stop_pool
is "the pool leaves no socket that answers" \
    "$(http GET /health; echo "$STATUS")" 503
finish
