#!/bin/sh
# SPDX-License-Identifier: ISC
# Admins create operators, and each role may do only its part.
. "$(dirname "$0")/lib.sh"

start_stack OPERATOR_WORKERS=3
http GET /v1/auth/users
is_error "listing operators without a token answers 401" 401 UNAUTHENTICATED
http POST /v1/auth/users '{"email":"a@example.com","password":"correct horse"}'
is_error "creating an operator without a token answers 401" 401 UNAUTHENTICATED
admin_token
admin=$TOKEN

http GET /v1/auth/users
is "the list has the first operator with all fields" \
    "$STATUS $(json 'map("\(.email) \(.role) \(keys |
    join(" "))") | join(", ")')" \
    "200 admin@example.com admin createdAt disabled email passwordTemporary role secondFactor"

# rejects_user WHAT BODY: creating an operator with it answers 400.
rejects_user() {
	http POST /v1/auth/users "$2"
	is_error "an operator with $1 answers 400" 400 INVALID_REQUEST
}
good='"email":"a@example.com","password":"correct horse"'
rejects_user "no email" '{"password":"correct horse"}'
rejects_user "no password" '{"email":"a@example.com"}'
rejects_user "a malformed email" '{"email":"a","password":"correct horse"}'
rejects_user "a password of 7 characters" \
    '{"email":"a@example.com","password":"1234567"}'
rejects_user "a password of 257 characters" \
    "{\"email\":\"a@example.com\",\"password\":\"$(printf '%0257d' 0)\"}"
rejects_user "an unknown role" "{$good,\"role\":\"owner\"}"
rejects_user "a role in capitals" "{$good,\"role\":\"ADMIN\"}"
rejects_user "null as role" "{$good,\"role\":null}"
rejects_user "a number as role" "{$good,\"role\":1}"
rejects_user "an unknown field" "{$good,\"rule\":\"admin\"}"
rejects_user "an array as body" "[{$good}]"
http POST /v1/auth/users '{"email"'
is_error "an operator with half a body answers 400" 400 INVALID_JSON
is "no refused request made an operator" \
    "$(sql 'select count(*) from assay.operator')" 1

http POST /v1/auth/users \
    '{"email":"Ana@Example.COM","password":"12345678"}'
is "creating an operator answers 201" "$STATUS" 201
is_json "an operator is an analyst by default, with the email in lower case" \
    '"\(.email) \(.role) \(keys | length)"' \
    "ana@example.com analyst 6"
is_json "a new operator has the time of its creation" \
    '.createdAt | test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$")' \
    true
http POST /v1/auth/users \
    "{\"email\":\"zoe@example.com\",\"password\":\"$(printf '%0256d' 0)\",
    \"role\":\"admin\"}"
is "an admin can be created" "$STATUS $(json .role)" "201 admin"
http POST /v1/auth/users '{"email":"ANA@example.com","password":"12345679"}'
is_error "creating an operator with a used email answers 409" 409 USER_EXISTS
http POST /v1/auth/users '{"email":"ADMIN@example.com","password":"12345679"}'
is_error "creating an operator with the first admin's email answers 409" \
    409 USER_EXISTS
http GET /v1/auth/users
is_json "operators are listed by email" \
    'map("\(.email) \(.role)") | join(", ")' \
    "admin@example.com admin, ana@example.com analyst, zoe@example.com admin"
is "the list holds no password hash" "$(printf '%s' "$BODY" | grep -c 's1')" 0
http GET /v1/audit
is_json "the audit trail names admin and operator, and redacts the password" \
    '.entries | map(select(.status == 201)) | map("\(.actor)
    \(.params.email) \(.params.password)") | .[0] | gsub("\\s+"; " ")' \
    "admin@example.com zoe@example.com [redacted]"

# What an analyst may do.
TOKEN=
http POST /v1/auth/login '{"email":"ana@example.com","password":"12345679"}'
is_error "the password of the refused second creation answers 401" \
    401 INVALID_CREDENTIALS
http POST /v1/auth/login '{"email":"ANA@example.com","password":"12345678"}'
is "the analyst logs in with the first password" \
    "$STATUS $(json .user.role)" "200 analyst"
TOKEN=$(json .token)
http GET /v1/auth/users
is_error "an analyst listing operators answers 403" 403 FORBIDDEN
http POST /v1/auth/users "{$good}"
is_error "an analyst creating an operator answers 403" 403 FORBIDDEN
http POST /v1/auth/users '{'
is_error "an analyst with bad JSON answers 403" 403 FORBIDDEN
http POST /v1/apikeys '{"name":"n"}'
is_error "an analyst creating a key answers 403" 403 FORBIDDEN
http POST /v1/auth/refresh
is "an analyst may refresh the token" "$STATUS $(json .user.role)" "200 analyst"
http POST /v1/auth/logout
is "an analyst may log out" "$STATUS" 200
http POST /v1/auth/register "{$good}"
is_error "registration stays closed" 403 REGISTRATION_CLOSED

# Two requests at once with the same email.
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
is "of two creations at once with one email exactly one succeeds" \
    "$(sort "$scratch"/status.[12] | tr '\n' ' ')" "201 409 "
finish
