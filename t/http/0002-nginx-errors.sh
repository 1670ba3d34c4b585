#!/bin/sh
# SPDX-License-Identifier: ISC
# What nginx itself refuses comes in our envelope with its status, and no log
# holds an address, a URL or a query, also with the pool away.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# repeat COUNT: so many letters.
repeat() {
	head -c "$1" /dev/zero | tr '\0' a
}

start_stack

http POST /v1/decisions "{\"id\":\"$(repeat 40000)\"}"
is_error "a decision over nginx's limit" 413 PAYLOAD_TOO_LARGE
http POST /v1/auth/login "{\"email\":\"$(repeat 70000)\"}"
is_error "a login over it" 413 PAYLOAD_TOO_LARGE
printf '%s' "{\"events\":\"$(repeat 1060000)\"}" >"$scratch/batch"
http POST /v1/decisions/batch "@$scratch/batch"
is_error "a batch over it" 413 PAYLOAD_TOO_LARGE

raw 'TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
is_error "TRACE" 405 METHOD_NOT_ALLOWED
raw 'nonsense\r\n\r\n'
is_error "no request line" 400 INVALID_REQUEST
raw 'GET /a%%00b HTTP/1.1\r\nHost: a\r\n\r\n'
is_error "a NUL in the path" 400 INVALID_REQUEST
raw 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'
is_error "no host" 400 INVALID_REQUEST
raw 'GET / HTTP/7.1\r\nHost: a\r\nConnection: close\r\n\r\n'
is_error "a version that nobody speaks" 505 INVALID_REQUEST
raw 'POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
is_error "two lengths" 400 INVALID_REQUEST
raw 'POST /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n'
is_error "a transfer encoding that nobody speaks" 501 INVALID_REQUEST
raw 'GET /%s HTTP/1.1\r\nHost: a\r\n\r\n' "$(repeat 9000)"
is_error "a long URL" 414 INVALID_REQUEST
raw 'GET / HTTP/1.1\r\nHost: a\r\nX-Long: %s\r\n\r\n' "$(repeat 9000)"
is_error "a long header" 431 INVALID_REQUEST
http GET /assay-error
is_error "the error page is no page" 404 NOT_FOUND

# nginx closes on who is slow; there is nobody to read an answer.
raw 'POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n{"type":'
is "a slow sender is cut off" "$STATUS" ""
check "as a 408 in the log" grep -q ' status=408 ' \
    "$scratch/log/nginx-access.log"
http GET /health
is "while others are served" "$STATUS" 200

# Without the exemption of the quickstart: more at once than the burst takes.
stop_nginx
start_nginx EXEMPT=no
for n in $(seq 150); do
	printf 'GET /nowhere HTTP/1.1\r\nHost: a\r\nX-N: %s\r\n\r\n' "$n"
done >"$scratch/many"
raw '%s\r\n\r\n' "$(cat "$scratch/many")"
is "the burst is served" "$STATUS" 404
HEADERS=$(tr -d '\r' <"$scratch/answer" | sed 's/}HTTP/}\nHTTP/' |
    sed -n '/^HTTP.* 429/,/^$/p' | sed '/^$/q')
BODY=$(grep -o '{"error":true,"code":"RATE_LIMITED"[^}]*}' "$scratch/answer" |
    head -n 1)
STATUS=$(printf '%s\n' "$HEADERS" | sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p')
is_error "too many from one address" 429 RATE_LIMITED
is "and when to come back" "$(header retry-after)" 1
stop_nginx
start_nginx

stop_pool
secret=196.188.77.66
phone=251911223344
http GET "/v1/graph/ip/$secret?phone=$phone" "" -H "X-Forwarded-For: $secret"
is_error "the pool is away, for operators" 503 UNAVAILABLE
is "and when to come back" "$(header retry-after)" 1
http POST "/v1/decisions?ip=$secret" \
    "{\"subject\":{\"ip\":\"$secret\",\"phone\":\"+$phone\"}}" \
    -H "Referer: http://x/$secret" -H "User-Agent: $phone" \
    -H 'X-Correlation-Id: mine-8'
is_error "and for callers" 503 UNAVAILABLE
is "with their correlation id" "$(header x-correlation-id)" mine-8
rm -f "$scratch/run/decide.sock"
http GET "/health?ip=$secret"
is_error "with its socket removed" 503 UNAVAILABLE
raw 'GET /%s HTTP/1.1\r\nHost: %s\r\nHost: b\r\n\r\n' "$secret" "$secret"
is_error "two hosts" 400 INVALID_REQUEST

is "no log holds address, phone or URL" \
    "$(grep -rlE "$secret|$phone|/v1/graph/ip/[0-9]|\\?ip=|unix:" \
    "$scratch/log" | sed 's,.*/,,')" ""
finish
