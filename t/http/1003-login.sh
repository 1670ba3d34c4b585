#!/bin/sh
# SPDX-License-Identifier: ISC
# Login: one answer for every wrong pair, sessions that end, the budget.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
# "correct horse" at N=2^10, r=8, p=1.
# shellcheck disable=SC2016 # no variables
weak='$s1$0a0801$mPQi0CC0BGrglcbL8tskLw==$TYpHx0fNbrfXb/'
weak=$weak'KKtcwSjNynEmAwKr10+ypIU4QM4j4C0ONg06JKv5n+0JVvGg2a1ao36t16fTxS5b/nr9NI4A=='
first=$TOKEN
TOKEN=

# login EMAIL PASSWORD
login() {
	http POST /v1/auth/login "{\"email\":\"$1\",\"password\":\"$2\"}"
}

start=$(date +%s%N)
login admin@example.com 'wrong horse'
took=$(($(date +%s%N) - start))
wrong=$BODY
is_error "a wrong password" 401 INVALID_CREDENTIALS
start=$(date +%s%N)
login nobody@example.com 'correct horse'
check "an unknown email takes as long, or nearly" \
    test $((($(date +%s%N) - start) * 4)) -gt "$took"
is "and reads the same" "$STATUS $BODY" "401 $wrong"
login 'not an email' x
is "and so does what is none" "$STATUS $BODY" "401 $wrong"
login ADMIN@Example.COM 'correct horse'
is "the case of an email does not matter" "$STATUS" 200
is_json "the answer has the operator" '.user | "\(.role) \(.email)"' \
    "admin admin@example.com"
is "and is not to be stored" "$(header cache-control)" no-store
is_json "tokens are HS256 with a kid" '.token | split(".")[0] |
    gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson |
    "\(.alg) \(.kid | test("^[0-9a-f]{16}$"))"' "HS256 true"
is_json "with these claims, for 12 hours" '.token | split(".")[1] |
    gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson |
    "\(keys | join(" ")) \(.exp - .iat)"' \
    "at aud exp iat iss jti role sn sub 43200"

# A weaker hash of old is replaced when its password comes by.
sql "update assay.operator set password = '$weak'"
login admin@example.com 'correct horse'
is "a hash of old still opens" "$STATUS" 200
is "and is renewed" \
    "$(sql "select password ~ '^[\$]s1[\$]100802' from assay.operator")" t
login admin@example.com 'correct horse'
is "and still opens" "$STATUS" 200

# A session ends by its own token, by all of them, or with its operator.
TOKEN=$first
http GET /v1/apikeys
is "a token opens the operator plane" "$STATUS" 200
sql "update assay.operator set role = 'analyst'"
http GET /v1/apikeys
is_error "the role is the one of now" 403 FORBIDDEN
sql "update assay.operator set role = 'admin', session_number = 2"
http GET /v1/apikeys
is_error "all sessions were ended" 401 UNAUTHENTICATED
is "the scheme is named" "$(header www-authenticate)" Bearer
TOKEN=
login admin@example.com 'correct horse'
TOKEN=$(json .token)
http GET /v1/apikeys
is "a new one begins" "$STATUS" 200
jti=$(printf '%s' "$TOKEN" | jq -Rr 'split(".")[1] |
    gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson | .jti')
sql "insert into assay.revoked_token values ('$jti', now() + '1 day')"
http GET /v1/apikeys
is_error "this one was logged out" 401 UNAUTHENTICATED

# The budget is one for login and registration, by client address.
stop_pool
start_pool RATE_LIMIT_LOGIN_PER_MIN=3
wait_ready
TOKEN=
second=$(date +%-S)
[ "$second" -lt 45 ] || sleep $((61 - second))
for i in 1 2; do
	http POST /v1/auth/login '{}'
	is_error "try $i" 400 INVALID_REQUEST
done
http POST /v1/auth/register '{}'
is_error "try 3 is a registration" 403 REGISTRATION_CLOSED
login admin@example.com 'correct horse'
is_error "the fourth is too many" 429 RATE_LIMITED
check "and is told when to come back" \
    test "$(header retry-after)" -ge 1 -a "$(header retry-after)" -le 60
http POST /v1/auth/login x -H 'Content-Type: text/plain'
is_error "the budget comes before the type" 429 RATE_LIMITED
http GET /v1/auth/status
is "the rest goes on" "$STATUS" 200
finish
