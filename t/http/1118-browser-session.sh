#!/bin/sh
# SPDX-License-Identifier: ISC
# A browser's session: its token is in a cookie, only the console's own pages can
# use it, and it ends when it is idle, when the operator logs out and
# SESSION_MAX_HOURS after the password.
. "$(dirname "$0")/lib.sh"
use browser lock tls

secret=0a1b9c7d5e3f2468ace013579bdf2468
start_stack AUTH_SECRET=$secret SESSION_IDLE_MINUTES=2
admin_token
bearer=$TOKEN
TOKEN=

log_in_browser 'correct horse'
is_json "a browser's login answers with user and end, and no token" \
    '"\(keys | join(" ")) \(.idleSeconds) \(.user.email)"' \
    "expiresAt idleSeconds user 120 admin@example.com"
is "scripts cannot read the cookie and other sites cannot send it" \
    "$(header set-cookie | sed 's/=[^;]*/=TOKEN/')" \
    "assay=TOKEN; Path=/; HttpOnly; SameSite=Strict"
is "the answer of a browser's login is not cached" "$(header cache-control)" \
    no-store
first=$cookie

browse GET /v1/auth/me
is_json "GET /v1/auth/me shows the operator and the kind of session" \
    '"\(.email) \(.role) \(.session) \(.passwordTemporary)"' \
    "admin@example.com admin cookie false"
is_json "a browser's session ends SESSION_IDLE_MINUTES after the login" \
    '((.expiresAt | sub("\\.[0-9]+Z$"; "Z") | fromdate) -
	(.authenticatedAt | sub("\\.[0-9]+Z$"; "Z") | fromdate)) | . >= 119 and
	. <= 120' true
TOKEN=$bearer
http GET /v1/auth/me
is_json "GET /v1/auth/me says token for a bearer token" .session token
TOKEN=

# What another site could send: it cannot set Assay-Session, and a browser sets
# Sec-Fetch-Site itself.
http POST /v1/auth/logout "" -H "Cookie: $cookie"
is_error "a request with the cookie but without Assay-Session answers 403" \
    403 CROSS_SITE
http POST /v1/auth/logout "" -H "Cookie: $cookie" -H 'Assay-Session: yes'
is_error "another value of Assay-Session answers 403" 403 CROSS_SITE
for site in cross-site same-site none; do
	http GET /v1/cases "" -H "Cookie: $cookie" \
	    -H 'Assay-Session: cookie' -H "Sec-Fetch-Site: $site"
	is_error "Sec-Fetch-Site: $site with the cookie answers 403" \
	    403 CROSS_SITE
done
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}' \
    -H 'Assay-Session: cookie' -H 'Sec-Fetch-Site: cross-site'
is_error "another site cannot log a browser in" 403 CROSS_SITE
http GET /v1/cases "" -H "Cookie: $cookie" -H 'Assay-Session: cookie'
is "a client without Sec-Fetch-Site may use the cookie" "$STATUS" 200

# A token works only where it belongs.
TOKEN=${cookie#assay=}
http GET /v1/cases
is_error "a browser's token as a bearer token answers 401" 401 UNAUTHENTICATED
TOKEN=
cookie=assay=$bearer
browse GET /v1/cases
is_error "a bearer token in the cookie answers 401" 401 UNAUTHENTICATED
cookie="$first; assay=x"
browse GET /v1/cases
is_error "two session cookies answer 401" 401 UNAUTHENTICATED
cookie=__Host-$first
browse GET /v1/cases
is_error "over plain HTTP the cookie with a prefix answers 401" \
    401 UNAUTHENTICATED
cookie=$first

browse POST /v1/auth/refresh
is_json "a refresh of a browser's session answers without a token" \
    'keys | join(" ")' "expiresAt idleSeconds user"
take_cookie
check "a refresh sets another cookie" test "$cookie" != "$first"
browse GET /v1/cases
is "the refreshed session works" "$STATUS" 200
browse POST /v1/auth/logout
is "logout deletes the cookie" "$(header set-cookie)" \
    "assay=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
browse GET /v1/cases
is_error "after logout the cookie answers 401" 401 UNAUTHENTICATED
cookie=$first
browse GET /v1/cases
is_error "after logout the cookie before the refresh answers 401" \
    401 UNAUTHENTICATED
http GET '/v1/auth/me?x=1'
is_error "GET /v1/auth/me without a session answers 401" 401 UNAUTHENTICATED

stop_pool
start_pool AUTH_SECRET=$secret SESSION_IDLE_MINUTES=2 SESSION_MAX_HOURS=1
log_in_browser 'correct horse'
browse POST /v1/auth/password \
    '{"password":"correct horse","newPassword":"correct horse 2"}'
is_json "a new password answers a browser without a token" 'keys | join(" ")' \
    "expiresAt idleSeconds user"
take_cookie
browse GET '/v1/auth/me?x=1'
is_error "GET /v1/auth/me with an unknown parameter answers 400" \
    400 INVALID_REQUEST
fresh=$cookie
aged_cookie 3600 $secret
browse GET /v1/auth/me
is_error "a session ends SESSION_MAX_HOURS after its password" \
    401 UNAUTHENTICATED
cookie=$fresh

# While sealing locks the trail, no change is answered with a cookie.
hold_lock "lock table assay.audit in share row exclusive mode"
browse POST /v1/auth/logout-all
is "a logout that fails keeps the cookie" "$STATUS $(header set-cookie)" "503 "
release_lock
browse POST /v1/auth/logout-all
is "logout-all deletes the cookie" "$STATUS $(header set-cookie |
    grep -c Max-Age=0)" "200 1"
browse GET /v1/auth/me
is_error "after logout-all the cookie answers 401" 401 UNAUTHENTICATED

# Over TLS.
stop_nginx
start_tls_site SERVER_NAME=Assay.example
curl -sk --max-time 20 --unix-socket "$scratch/run/tls.sock" -D "$scratch/got" \
    -o "$scratch/sent/body" -H 'Assay-Session: cookie' \
    -H 'Content-Type: application/json' \
    -d '{"email":"admin@example.com","password":"correct horse 2"}' \
    https://assay.example/v1/auth/login
is "over TLS the cookie has the prefix __Host- and is Secure" \
    "$(sed -n 's/\r$//; s/^[Ss]et-[Cc]ookie: \([^=]*\)=[^;]*/\1/p' \
    "$scratch/got")" "__Host-assay; Path=/; HttpOnly; SameSite=Strict; Secure"
cookie=$(sed -n 's/\r$//; s/^[Ss]et-[Cc]ookie: \([^;]*\).*/\1/p' "$scratch/got")
printf '%s\n' "$cookie" >"$scratch/sent/cookie"
is "over TLS the session works" "$(curl -sk --max-time 20 \
    --unix-socket "$scratch/run/tls.sock" -H 'Assay-Session: cookie' \
    -H "Cookie: $cookie" https://assay.example/v1/auth/me | jq -r .session)" \
    cookie
finish
