#!/bin/sh
# SPDX-License-Identifier: ISC
# /openapi.json and /docs, as nginx serves them: files of ours, for anybody,
# in a page that may load and run nothing else.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
stack_docs "$srcdir" "$scratch"

# asked WHAT PATH TYPE: it is served, whole and with what every page has.
asked() {
	http GET "$2"
	is "$1" "$STATUS $(header content-type) $(header \
	    x-content-type-options) $(header cache-control) $(header \
	    x-correlation-id | grep -c '^cor_')" "200 $3 nosniff no-cache 1"
}

# The pool is not asked: it does not even run.
start_nginx

asked "the description" /openapi.json application/json
is "is the file" "$BODY" "$(cat "$srcdir/docs/openapi.json")"
http GET /openapi.json "" -H "If-None-Match: $(header etag)"
is "and need not be sent twice" "$STATUS" 304

http GET /docs
is "/docs is /docs/, wherever that is" "$STATUS $(header location)" \
    "308 /docs/"
html="text/html; charset=utf-8"
asked "the page" /docs/ "$html"
is "may run and load nothing but ours" "$(header content-security-policy)" \
    "default-src 'none'; script-src 'self'; style-src 'self'; \
img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
form-action 'none'; frame-ancestors 'none'"
is "and names no other place" "$(printf '%s' "$BODY" |
    grep -E '(src|href)="?([a-z]+:|//)')" ""
is "and has nothing inline" "$(printf '%s' "$BODY" |
    grep -E '<style|style=| on[a-z]+=|<script>')" ""
asked "its script" /docs/docs.js "text/javascript; charset=utf-8"
asked "its style" /docs/docs.css "text/css; charset=utf-8"
asked "its icon" /docs/icon.svg image/svg+xml
asked "swagger-ui" /docs/swagger-ui/swagger-ui-bundle.js \
    "text/javascript; charset=utf-8"
asked "and its style" /docs/swagger-ui/swagger-ui.css "text/css; charset=utf-8"
asked "and its licence" /docs/swagger-ui/LICENSE "text/plain; charset=utf-8"
http HEAD /docs/
is "HEAD is GET" "$STATUS $BODY" "200 "

for path in /docs/ /openapi.json; do
	http POST "$path" '{}'
	is_error "$path cannot be changed" 405 METHOD_NOT_ALLOWED
	is "and takes" "$(header allow)" "GET, HEAD"
	http OPTIONS "$path"
	is_error "nor asked from elsewhere" 405 METHOD_NOT_ALLOWED
done

start_database
start_pool
wait_ready
http GET /v1/auth/status
is "an answer of the pool may not be kept" \
    "$(header cache-control)$(header content-security-policy)" no-store
for path in /docs/nothing /docs/swagger-ui /docs/swagger-ui/ \
    /docs/../nginx/render /docs/%2e%2e/nginx/render /openapi.json/ /openapi; do
	http GET "$path" "" --path-as-is
	is_error "no $path" 404 NOT_FOUND
done

stop_nginx
start_nginx EXEMPT=no
for n in $(seq 150); do
	printf 'GET /docs/icon.svg HTTP/1.1\r\nHost: a\r\nX-N: %s\r\n\r\n' "$n"
done >"$scratch/many"
raw '%s\r\n\r\n' "$(cat "$scratch/many")"
check "an address has its limit here too" \
    grep -q '"code":"RATE_LIMITED"' "$scratch/answer"
finish
