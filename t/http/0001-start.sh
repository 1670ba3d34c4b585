#!/bin/sh
# SPDX-License-Identifier: ISC
# The pool starts before PostgreSQL, serves once PostgreSQL is there, and
# survives its loss.
. "$(dirname "$0")/lib.sh"

start_pool
start_nginx

http GET /readyz
is "without a database /readyz answers 503" "$STATUS" 503
is_json "without a database /readyz says not_ready" .status not_ready
http GET /health
is "without a database /health answers 200" "$STATUS $(json .status)" "200 ok"
check "without a database the master runs" kill -0 "$stack_pool_pid"
http GET /metrics
is "without a database /metrics answers 200" "$STATUS" 200
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u"}}' \
    -H "X-API-Key: ak_live_$(printf '%048d' 7)"
is_error "a key that the pool never verified answers 503 without a database" \
    503 UNAVAILABLE
http GET /v1/auth/status
is_error "the operator API answers 503 without a database" 503 UNAVAILABLE

start_database
wait_ready
http GET /readyz
is "with the database /readyz answers 200" "$STATUS $(json .status)" "200 ready"
is_json "/readyz lists the checks of database and Redis" \
    '.checks | "\(.store) \(.redis)"' "ok skipped"
is_json "/readyz shows the version" \
    '.version | test("^[0-9]+[.][0-9]+[.][0-9]+$")' true
is "an answer has one correlation id" \
    "$(header x-correlation-id | grep -c '^cor_')" 1
http GET /health "" -H 'X-Correlation-Id: mine-7'
is "an answer repeats the caller's correlation id" \
    "$(header x-correlation-id)" mine-7
is "an answer forbids content sniffing" \
    "$(header x-content-type-options)" nosniff
is "an answer forbids caching" "$(header cache-control)" no-store
is "nginx removes X-Route from the answer" "$(header x-route)" ""
http HEAD /health
is "HEAD /health answers 200 without a body" "$STATUS $BODY" "200 "
http GET /v1/auth/status
is_json "the operator API answers with the database" .needsBootstrap true

http GET /nowhere
is_error "an unknown path answers 404" 404 NOT_FOUND
http GET /health/
is_error "a path with a trailing slash answers 404" 404 NOT_FOUND
http POST /health
is_error "a wrong method answers 405" 405 METHOD_NOT_ALLOWED
is "a 405 names the allowed methods" "$(header allow)" "GET, HEAD"
http OPTIONS /v1/decisions
is_error "a CORS preflight answers 405" 405 METHOD_NOT_ALLOWED

stop_database
http GET /readyz
is "/readyz answers 503 after the database stops" "$STATUS" 503
start_database
wait_ready
ok "the pool recovers when the database returns"

stop_pool
is "after the pool stops nginx answers 503" \
    "$(http GET /health; echo "$STATUS")" 503
finish
