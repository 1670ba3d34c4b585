#!/bin/sh
# SPDX-License-Identifier: ISC
# Registration refuses bad input, and of several at once exactly one succeeds.
. "$(dirname "$0")/lib.sh"

start_stack

http GET /v1/auth/status
is "/v1/auth/status answers without a token" "$STATUS" 200
is_json "the service needs its first operator" .needsBootstrap true

# rejects_registration WHAT BODY: registration with it answers 400.
rejects_registration() {
	http POST /v1/auth/register "$2"
	is_error "registration with $1 answers 400" 400 INVALID_REQUEST
}
rejects_registration "no email" '{"password":"correct horse"}'
rejects_registration "no password" '{"email":"a@example.com"}'
rejects_registration "an email without @" \
    '{"email":"a.example.com","password":"correct horse"}'
rejects_registration "an email with two @" \
    '{"email":"a@b@example.com","password":"correct horse"}'
rejects_registration "nothing before the @" \
    '{"email":"@example.com","password":"correct horse"}'
rejects_registration "nothing after the @" \
    '{"email":"a@","password":"correct horse"}'
rejects_registration "a blank in the email" \
    '{"email":"a b@example.com","password":"correct horse"}'
rejects_registration "a line end in the email" \
    '{"email":"a@example.com\n","password":"correct horse"}'
rejects_registration "a password of 7 characters" \
    '{"email":"a@example.com","password":"1234567"}'
rejects_registration "a password of 7 characters in 8 bytes" \
    '{"email":"a@example.com","password":"123456é"}'
long=$(printf '%0257d' 0)
rejects_registration "a password of 257 characters" \
    "{\"email\":\"a@example.com\",\"password\":\"$long\"}"
rejects_registration "an email of 255 characters" \
    "{\"email\":\"a@${long#???}\",\"password\":\"correct horse\"}"
rejects_registration "a role" \
    '{"email":"a@example.com","password":"correct horse","role":"admin"}'
rejects_registration "an array" '[]'
http POST /v1/auth/register '{"email":'
is_error "registration with half a body answers 400" 400 INVALID_JSON
http GET /v1/auth/status
is_json "no refused registration made an operator" .needsBootstrap true

# Six registrations at once: all but one answer 403 or 503.
for i in 1 2 3 4 5 6; do
	curl -s -o "$scratch/answer.$i" -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" "$BASE/v1/auth/register" \
	    -H 'Content-Type: application/json' \
	    -d "{\"email\":\"r$i@example.com\",\"password\":\"correct horse\"}" \
	    >"$scratch/status.$i" &
	racers="${racers-} $!"
done
# shellcheck disable=SC2086 # pids
wait $racers
cat "$scratch"/status.* >"$scratch/statuses"
is "of six registrations at once one succeeds" \
    "$(grep -c 201 "$scratch/statuses")" 1
is "of six registrations at once the others answer 403 or 503" \
    "$(grep -cvE '201|403|503' "$scratch/statuses")" 0
is "six registrations at once make one operator, an admin" \
    "$(sql 'select count(*), min(role)
    from assay.operator')" "1|admin"

http POST /v1/auth/register '{"email":"late@example.com"}'
is_error "a bad registration answers 403 when registration is closed" \
    403 REGISTRATION_CLOSED
is "the password is stored as a scrypt hash" \
    "$(sql "select password ~ '^[\$]s1[\$]100802[\$]' from assay.operator")" t
finish
