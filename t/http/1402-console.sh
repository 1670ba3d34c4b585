#!/bin/sh
# SPDX-License-Identifier: ISC
# The console: nginx serves its files so that a browser keeps them and runs nothing
# else, and an operator can sign in, stay, and leave, in a browser.
. "$(dirname "$0")/lib.sh"
use chromium

stack_docs "$srcdir" "$scratch"
stack_console "$srcdir" "$scratch"
start_stack

http GET /console
is "/console redirects to /console/" "$STATUS $(header location)" "308 /console/"
http GET /console/
is "the page is checked again with each visit" "$STATUS $(header content-type) \
$(header cache-control)" "200 text/html; charset=utf-8 no-cache"
is "the page may run only its own files, and no text as code or HTML" \
    "$(header content-security-policy)" "default-src 'none'; script-src 'self'; \
style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
trusted-types 'none'"
is "the page shares nothing with other sites" "$(header \
    cross-origin-opener-policy) $(header cross-origin-resource-policy) $(header \
    referrer-policy) $(header x-content-type-options)" \
    "same-origin same-origin no-referrer nosniff"
is "the page uses no camera" "$(header permissions-policy | grep -o 'camera=()')" \
    "camera=()"
app=/console/$(printf '%s' "$BODY" | grep -o '[0-9a-f]*/core\.js')
http GET "$app"
is "a browser keeps the other files" "$STATUS $(header content-type) \
$(header cache-control)" "200 text/javascript; charset=utf-8 \
public, max-age=31536000, immutable"
is "core.js is the bundle" "$BODY" "$(cat "$scratch$app")"
http GET "$app" "" -H 'Accept-Encoding: gzip' --compressed
is "a compressed file is sent if it exists" "$(header content-encoding) \
$(header vary) $BODY" "gzip Accept-Encoding $(cat "$scratch$app")"
for path in /console/nothing "${app%core.js}nothing.js" /console/cases/1 \
    "${app%core.js}" /console/../nginx/render /console/index.html.in; do
	http GET "$path" "" --path-as-is
	is_error "$path answers 404" 404 NOT_FOUND
	is "$path is not kept" "$(header cache-control)" no-store
done
http POST /console/ '{}'
is_error "POST /console/ answers 405" 405 METHOD_NOT_ALLOWED
is "/console/ allows GET and HEAD" "$(header allow)" "GET, HEAD"

stop_nginx
start_nginx EXEMPT=no
for n in $(seq 180); do
	printf 'GET %s HTTP/1.1\r\nHost: a\r\nX-N: %s\r\n\r\n' "$app" "$n"
done >"$scratch/many"
raw '%s\r\n\r\n' "$(cat "$scratch/many")"
is "180 files at once are served" \
    "$(grep -c 'HTTP/1.1 429' "$scratch/answer")" 0
http GET /v1/auth/status
is "files do not count against the operators' limit" "$STATUS" 200

need_chromium
start_tcp_site
run_steps console.mjs 25 \
    '{"email":"admin@example.com","password":"correct horse"}'
finish
