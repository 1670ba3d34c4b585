#!/bin/sh
# SPDX-License-Identifier: ISC
# The maintenance of a host: a file switches it on and off, without a reload.
. "$(dirname "$0")/lib.sh"

start_signed_in
stop_nginx
start_nginx EXEMPT=no

decide() {
	http POST /v1/decisions \
	    '{"type":"account.login","subject":{"userId":"u-1"}}'
}
decide
is "before the maintenance an event is decided" "$STATUS" 200
touch "$scratch/run/maintenance"
decide
is_error "in maintenance a decision answers 503" 503 MAINTENANCE
is "in maintenance callers wait for a minute" "$(header retry-after)" 60
for path in /readyz /v1/rules /v1/auth/status /docs/ /console/ /openapi.json \
    /nowhere /health/ /v1/decisions/..%2F..%2Fhealth /assay-error/x; do
	http GET "$path" "" --path-as-is
	is_error "in maintenance $path answers 503" 503 MAINTENANCE
done
for path in /health /metrics '/health?x'; do
	http GET "$path"
	is "in maintenance $path is served" "$STATUS" 200
done
http POST /v1/decisions "{\"id\":\"$(head -c 40000 /dev/zero | tr '\0' a)\"}"
is_error "in maintenance a body that is too large answers 503" 503 MAINTENANCE
# More requests than the limits of an address allow.
for n in $(seq 300); do
	printf 'GET /v1/rules HTTP/1.1\r\nHost: a\r\nX-N: %s\r\n\r\n' "$n"
done >"$scratch/many"
raw '%s\r\n\r\n' "$(cat "$scratch/many")"
check "in maintenance the limits of an address do not count" \
    test "$(grep -ao MAINTENANCE "$scratch/answer" | wc -l)" -gt 290
stop_pool
http GET /health
is_error "in maintenance /health answers 503 without a pool" 503 UNAVAILABLE
is "without a pool callers wait for a second" "$(header retry-after)" 1
start_pool
rm "$scratch/run/maintenance"
wait_ready
decide
is "after the maintenance an event is decided" "$STATUS" 200
finish
