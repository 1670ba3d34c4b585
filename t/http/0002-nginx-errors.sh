#!/bin/sh
# SPDX-License-Identifier: ISC
# Errors that nginx itself answers have our envelope and the right status, also
# without a pool, and no log holds an address, a URL or a query.
. "$(dirname "$0")/lib.sh"

# letters COUNT: print that many letters.
letters() {
	head -c "$1" /dev/zero | tr '\0' a
}

start_stack

http POST /v1/decisions "{\"id\":\"$(letters 40000)\"}"
is_error "a decision over nginx's limit answers 413" 413 PAYLOAD_TOO_LARGE
http POST /v1/auth/login "{\"email\":\"$(letters 70000)\"}"
is_error "a login over nginx's limit answers 413" 413 PAYLOAD_TOO_LARGE
printf '%s' "{\"events\":\"$(letters 1060000)\"}" >"$scratch/batch"
http POST /v1/decisions/batch "@$scratch/batch"
is_error "a batch over nginx's limit answers 413" 413 PAYLOAD_TOO_LARGE

raw 'TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
is_error "TRACE answers 405" 405 METHOD_NOT_ALLOWED
raw 'nonsense\r\n\r\n'
is_error "a request without a request line answers 400" 400 INVALID_REQUEST
raw 'GET /a%%00b HTTP/1.1\r\nHost: a\r\n\r\n'
is_error "a NUL in the path answers 400" 400 INVALID_REQUEST
raw 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'
is_error "a request without a host answers 400" 400 INVALID_REQUEST
raw 'GET / HTTP/7.1\r\nHost: a\r\nConnection: close\r\n\r\n'
is_error "an unknown HTTP version answers 505" 505 INVALID_REQUEST
raw 'POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
is_error "a body with two lengths answers 400" 400 INVALID_REQUEST
raw 'POST /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n'
is_error "an unknown transfer encoding answers 501" 501 INVALID_REQUEST
raw 'GET /%s HTTP/1.1\r\nHost: a\r\n\r\n' "$(letters 9000)"
is_error "a long URL answers 414" 414 INVALID_REQUEST
raw 'GET / HTTP/1.1\r\nHost: a\r\nX-Long: %s\r\n\r\n' "$(letters 9000)"
is_error "a long header answers 431" 431 INVALID_REQUEST
http GET /assay-error
is_error "the path of nginx's error page answers 404" 404 NOT_FOUND

# nginx closes the connection of a slow client, which reads no answer.
raw 'POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n{"type":'
is "nginx closes the connection of a slow sender" "$STATUS" ""
check "the log has status 408 for the slow sender" stack_until 10 0 \
    grep -q ' status=408 ' "$scratch/log/nginx-access.log"
http GET /health
is "the pool answers after the slow sender" "$STATUS" 200

# Without the quickstart's exemption, more requests at once than the burst allows.  nginx
# answers these itself.
stop_nginx
start_nginx EXEMPT=no
for n in $(seq 150); do
	printf 'GET /docs/nowhere HTTP/1.1\r\nHost: a\r\nX-N: %s\r\n\r\n' "$n"
done >"$scratch/many"
raw '%s\r\n\r\n' "$(cat "$scratch/many")"
is "the first request of the burst is served" "$STATUS" 404
HEADERS=$(tr -d '\r' <"$scratch/answer" | sed 's/}HTTP/}\nHTTP/' |
    sed -n '/^HTTP.* 429/,/^$/p' | sed '/^$/q')
BODY=$(grep -o '{"error":true,"code":"RATE_LIMITED"[^}]*}' "$scratch/answer" |
    head -n 1)
STATUS=$(printf '%s\n' "$HEADERS" | sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p')
is_error "too many requests of one address answer 429" 429 RATE_LIMITED
is "a 429 says when to try again" "$(header retry-after)" 1
stop_nginx
start_nginx

stop_pool
secret=196.188.77.66
phone=251911223344
http GET "/v1/graph/ip/$secret?phone=$phone" "" -H "X-Forwarded-For: $secret"
is_error "without a pool the operator API answers 503" 503 UNAVAILABLE
is "a 503 says when to try again" "$(header retry-after)" 1
http POST "/v1/decisions?ip=$secret" \
    "{\"subject\":{\"ip\":\"$secret\",\"phone\":\"+$phone\"}}" \
    -H "Referer: http://x/$secret" -H "User-Agent: $phone" \
    -H 'X-Correlation-Id: mine-8'
is_error "without a pool a decision answers 503" 503 UNAVAILABLE
is "an error of nginx repeats the caller's correlation id" \
    "$(header x-correlation-id)" mine-8
rm -f "$scratch/run/decide.sock"
http GET "/health?ip=$secret"
is_error "without the pool's socket /health answers 503" 503 UNAVAILABLE
raw 'GET /%s HTTP/1.1\r\nHost: %s\r\nHost: b\r\n\r\n' "$secret" "$secret"
is_error "a request with two hosts answers 400" 400 INVALID_REQUEST

is "no log holds an address, a phone or a URL" \
    "$(grep -rlE "$secret|$phone|/v1/graph/ip/[0-9]|\\?ip=|unix:" \
    "$scratch/log" | sed 's,.*/,,')" ""
finish
