#!/bin/sh
# SPDX-License-Identifier: ISC
# nginx serves /openapi.json and /docs to everyone, as a page that may load and
# run nothing else.
. "$(dirname "$0")/lib.sh"
stack_docs "$srcdir" "$scratch"

# serves_file LABEL PATH TYPE: it is served complete, with the usual headers.
serves_file() {
	http GET "$2"
	is "$1" "$STATUS $(header content-type) $(header \
	    x-content-type-options) $(header cache-control) $(header \
	    x-correlation-id | grep -c '^cor_')" "200 $3 nosniff no-cache 1"
}

# nginx answers alone: no pool runs.
start_nginx

serves_file "nginx serves /openapi.json" /openapi.json application/json
is "/openapi.json is the file docs/openapi.json" \
    "$BODY" "$(cat "$srcdir/docs/openapi.json")"
http GET /openapi.json "" -H "If-None-Match: $(header etag)"
is "/openapi.json with its ETag answers 304" "$STATUS" 304

http GET /docs
is "/docs redirects to /docs/" "$STATUS $(header location)" \
    "308 /docs/"
html="text/html; charset=utf-8"
serves_file "nginx serves /docs/" /docs/ "$html"
is "the page may load and run only its own files" \
    "$(header content-security-policy)" \
    "default-src 'none'; script-src 'self'; style-src 'self'; \
img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
form-action 'none'; frame-ancestors 'none'"
is "the page names no other host" "$(printf '%s' "$BODY" |
    grep -E '(src|href)="?([a-z]+:|//)')" ""
is "the page has no inline style or script" "$(printf '%s' "$BODY" |
    grep -E '<style|style=| on[a-z]+=|<script>')" ""
serves_file "nginx serves the page's script" /docs/docs.js "text/javascript; charset=utf-8"
serves_file "nginx serves the page's style" /docs/docs.css "text/css; charset=utf-8"
serves_file "nginx serves the page's icon" /docs/icon.svg image/svg+xml
serves_file "nginx serves swagger-ui" /docs/swagger-ui/swagger-ui-bundle.js \
    "text/javascript; charset=utf-8"
serves_file "nginx serves the style of swagger-ui" \
    /docs/swagger-ui/swagger-ui.css "text/css; charset=utf-8"
serves_file "nginx serves the licence of swagger-ui" \
    /docs/swagger-ui/LICENSE "text/plain; charset=utf-8"
http HEAD /docs/
is "HEAD /docs/ answers without a body" "$STATUS $BODY" "200 "

for path in /docs/ /openapi.json; do
	http POST "$path" '{}'
	is_error "POST $path answers 405" 405 METHOD_NOT_ALLOWED
	is "$path allows GET and HEAD" "$(header allow)" "GET, HEAD"
	http OPTIONS "$path"
	is_error "a CORS preflight for $path answers 405" 405 METHOD_NOT_ALLOWED
done

start_database
start_pool
wait_ready
http GET /v1/auth/status
is "an answer of the pool forbids caching and has no page policy" \
    "$(header cache-control)$(header content-security-policy)" no-store
for path in /docs/nothing /docs/swagger-ui /docs/swagger-ui/ \
    /docs/../nginx/render /docs/%2e%2e/nginx/render /openapi.json/ /openapi; do
	http GET "$path" "" --path-as-is
	is_error "$path answers 404" 404 NOT_FOUND
done

stop_nginx
start_nginx EXEMPT=no
for n in $(seq 150); do
	printf 'GET /docs/icon.svg HTTP/1.1\r\nHost: a\r\nX-N: %s\r\n\r\n' "$n"
done >"$scratch/many"
raw '%s\r\n\r\n' "$(cat "$scratch/many")"
check "too many requests for the page answer 429" \
    grep -q '"code":"RATE_LIMITED"' "$scratch/answer"
finish
