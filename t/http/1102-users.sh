#!/bin/sh
# SPDX-License-Identifier: ISC
# Operators: who makes them, of what, and what each role may.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack OPERATOR_WORKERS=3
http GET /v1/auth/users
is_error "nobody lists operators" 401 UNAUTHENTICATED
http POST /v1/auth/users '{"email":"a@example.com","password":"correct horse"}'
is_error "nor makes one" 401 UNAUTHENTICATED
admin_token
admin=$TOKEN

http GET /v1/auth/users
is "the first stands alone" "$STATUS $(json 'map("\(.email) \(.role) \(keys |
    join(" "))") | join(", ")')" \
    "200 admin@example.com admin createdAt disabled email passwordTemporary role"

# bad WHAT BODY: is refused for its contents.
bad() {
	http POST /v1/auth/users "$2"
	is_error "$1" 400 INVALID_REQUEST
}
good='"email":"a@example.com","password":"correct horse"'
bad "no email" '{"password":"correct horse"}'
bad "no password" '{"email":"a@example.com"}'
bad "an email that is none" '{"email":"a","password":"correct horse"}'
bad "a password of 7" '{"email":"a@example.com","password":"1234567"}'
bad "a password of 257" \
    "{\"email\":\"a@example.com\",\"password\":\"$(printf '%0257d' 0)\"}"
bad "an unknown role" "{$good,\"role\":\"owner\"}"
bad "a role in capitals" "{$good,\"role\":\"ADMIN\"}"
bad "a role that is null" "{$good,\"role\":null}"
bad "a role that is no string" "{$good,\"role\":1}"
bad "a field that there is not" "{$good,\"rule\":\"admin\"}"
bad "an array" "[{$good}]"
http POST /v1/auth/users '{"email"'
is_error "half a body" 400 INVALID_JSON
is "none of which is an operator" \
    "$(sql 'select count(*) from assay.operator')" 1

http POST /v1/auth/users \
    '{"email":"Ana@Example.COM","password":"12345678"}'
is "an operator more" "$STATUS" 201
is_json "an analyst, in lower case" '"\(.email) \(.role) \(keys | length)"' \
    "ana@example.com analyst 5"
is_json "with a time" '.createdAt | test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$")' \
    true
http POST /v1/auth/users \
    "{\"email\":\"zoe@example.com\",\"password\":\"$(printf '%0256d' 0)\",
    \"role\":\"admin\"}"
is "another admin" "$STATUS $(json .role)" "201 admin"
http POST /v1/auth/users '{"email":"ANA@example.com","password":"12345679"}'
is_error "an email that is taken" 409 USER_EXISTS
http POST /v1/auth/users '{"email":"ADMIN@example.com","password":"12345679"}'
is_error "... also by the first" 409 USER_EXISTS
http GET /v1/auth/users
is_json "they are listed by email" 'map("\(.email) \(.role)") | join(", ")' \
    "admin@example.com admin, ana@example.com analyst, zoe@example.com admin"
is "without their passwords" "$(printf '%s' "$BODY" | grep -c 's1')" 0
http GET /v1/audit
is_json "the trail has who made whom, and no password" \
    '.entries | map(select(.status == 201)) | map("\(.actor)
    \(.params.email) \(.params.password)") | .[0] | gsub("\\s+"; " ")' \
    "admin@example.com zoe@example.com [redacted]"

# What an analyst may.
TOKEN=
http POST /v1/auth/login '{"email":"ana@example.com","password":"12345679"}'
is_error "the second password is not hers" 401 INVALID_CREDENTIALS
http POST /v1/auth/login '{"email":"ANA@example.com","password":"12345678"}'
is "her own is" "$STATUS $(json .user.role)" "200 analyst"
TOKEN=$(json .token)
http GET /v1/auth/users
is_error "an analyst sees no operators" 403 FORBIDDEN
http POST /v1/auth/users "{$good}"
is_error "makes none" 403 FORBIDDEN
http POST /v1/auth/users '{'
is_error "nor is told what is wrong with one" 403 FORBIDDEN
http POST /v1/apikeys '{"name":"n"}'
is_error "makes no keys" 403 FORBIDDEN
http POST /v1/auth/refresh
is "but goes on" "$STATUS $(json .user.role)" "200 analyst"
http POST /v1/auth/logout
is "and leaves" "$STATUS" 200
http POST /v1/auth/register "{$good}"
is_error "registration is closed" 403 REGISTRATION_CLOSED

# Of two at once with one email one is made.
TOKEN=$admin
for i in 1 2; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" "$BASE/v1/auth/users" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' \
	    -d '{"email":"twin@example.com","password":"correct horse"}' \
	    >"$scratch/status.$i" &
	racers="${racers-} $!"
done
# shellcheck disable=SC2086 # pids
wait $racers
is "twins" "$(sort "$scratch"/status.[12] | tr '\n' ' ')" "201 409 "
finish
