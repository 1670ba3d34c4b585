#!/bin/sh
# SPDX-License-Identifier: ISC
# Registration: what is no operator, and of many at once exactly one.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack

http GET /v1/auth/status
is "the status is public" "$STATUS" 200
is_json "nobody is there yet" .needsBootstrap true

# bad WHAT BODY: is refused for its contents.
bad() {
	http POST /v1/auth/register "$2"
	is_error "$1" 400 INVALID_REQUEST
}
bad "no email" '{"password":"correct horse"}'
bad "no password" '{"email":"a@example.com"}'
bad "an email without @" '{"email":"a.example.com","password":"correct horse"}'
bad "an email with two" '{"email":"a@b@example.com","password":"correct horse"}'
bad "nothing before it" '{"email":"@example.com","password":"correct horse"}'
bad "nothing behind it" '{"email":"a@","password":"correct horse"}'
bad "a space" '{"email":"a b@example.com","password":"correct horse"}'
bad "a line end" '{"email":"a@example.com\n","password":"correct horse"}'
bad "a password of 7" '{"email":"a@example.com","password":"1234567"}'
bad "seven characters in eight bytes" \
    '{"email":"a@example.com","password":"123456é"}'
long=$(printf '%0257d' 0)
bad "a password of 257" "{\"email\":\"a@example.com\",\"password\":\"$long\"}"
bad "an email of 255" \
    "{\"email\":\"a@${long#???}\",\"password\":\"correct horse\"}"
bad "a role that nobody asked for" \
    '{"email":"a@example.com","password":"correct horse","role":"admin"}'
bad "an array" '[]'
http POST /v1/auth/register '{"email":'
is_error "half a body" 400 INVALID_JSON
http GET /v1/auth/status
is_json "none of which is an operator" .needsBootstrap true

# Six at once; who comes too late is told so, or to try again.
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
is "one of six becomes admin" "$(grep -c 201 "$scratch/statuses")" 1
is "the others are refused" \
    "$(grep -cvE '201|403|503' "$scratch/statuses")" 0
is "and there is one operator" "$(sql 'select count(*), min(role)
    from assay.operator')" "1|admin"

http POST /v1/auth/register '{"email":"late@example.com"}'
is_error "closed comes before what is wrong" 403 REGISTRATION_CLOSED
is "the password is a scrypt hash" \
    "$(sql "select password ~ '^[\$]s1[\$]100802[\$]' from assay.operator")" t
finish
