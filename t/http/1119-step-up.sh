#!/bin/sh
# SPDX-License-Identifier: ISC
# A browser's session must have entered its password within 5 minutes before it
# changes keys, users, rules and other dangerous things; bearer tokens need not.
. "$(dirname "$0")/lib.sh"
use browser

secret=0a1b9c7d5e3f2468ace013579bdf2468
start_stack AUTH_SECRET=$secret
admin_token
bearer=$TOKEN
TOKEN=
log_in_browser 'correct horse'
browse POST /v1/apikeys '{"name":"one"}'
is "a session that has just begun may create a key" "$STATUS" 201

aged_cookie 240 $secret
browse POST /v1/apikeys '{"name":"early"}'
is "a session of 4 minutes may create a key" "$STATUS" 201
aged_cookie 61 $secret
browse GET /v1/apikeys
is "an older session may still read" "$STATUS" 200
browse POST /v1/apikeys '{"name":"two"}'
is_error "an older session may not create a key" 403 REAUTH_REQUIRED
old=$cookie
TOKEN=$bearer
http POST /v1/apikeys '{"name":"three"}'
is "a bearer token needs no confirmation" "$STATUS" 201
TOKEN=

browse POST /v1/auth/confirm '{"password":"wrong horse"}'
is_error "a wrong password confirms nothing" 403 PASSWORD_WRONG
browse POST /v1/auth/confirm '{"passwort":"correct horse"}'
is_error "a confirmation with an unknown field answers 400" 400 INVALID_REQUEST
browse POST /v1/auth/confirm '{"password":"correct horse"}'
is_json "a confirmation answers like a refresh" 'keys | join(" ")' \
    "expiresAt idleSeconds user"
take_cookie
browse POST /v1/apikeys '{"name":"four"}'
is "a confirmed session may create a key" "$STATUS" 201
browse POST /v1/auth/refresh
take_cookie
browse POST /v1/apikeys '{"name":"five"}'
is "a refresh keeps the confirmation" "$STATUS" 201
cookie=$old
browse GET /v1/auth/me
is_error "the session's token before the confirmation is refused" \
    401 UNAUTHENTICATED

# Every route that the table marks.
log_in_browser 'correct horse'
aged_cookie 301 $secret
awk -F ', *' '/^ROUTE\(.* PASSWORD,/ {
	gsub(/^ROUTE\(|"/, "")
	gsub(/{[A-Za-z]*}/, "some-id", $2)
	print $1, $2
}' "$srcdir/fcgi/http/routes.tbl" >"$scratch/rows"
while read -r method path; do
	browse "$method" "$path" '{}' </dev/null
	[ "$STATUS $(json .code)" = "403 REAUTH_REQUIRED" ] ||
	    echo "$method $path: $STATUS $(json .code)"
done <"$scratch/rows" >"$scratch/wrong"
is "every marked route refuses an older session" \
    "$(wc -l <"$scratch/rows" | tr -d ' ') $(cat "$scratch/wrong")" "31 "
finish
