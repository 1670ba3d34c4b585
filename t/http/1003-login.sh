#!/bin/sh
# SPDX-License-Identifier: ISC
# Login: every wrong pair gets the same answer, sessions end, and logins have a
# budget.
. "$(dirname "$0")/lib.sh"

# With the real scrypt.
start_stack LD_PRELOAD=
admin_token
# The hash of "correct horse" with N=2^10, r=8, p=1.
# shellcheck disable=SC2016 # no variables
weak='$s1$0a0801$mPQi0CC0BGrglcbL8tskLw==$TYpHx0fNbrfXb/'
weak=$weak'KKtcwSjNynEmAwKr10+ypIU4QM4j4C0ONg06JKv5n+0JVvGg2a1ao36t16fTxS5b/nr9NI4A=='
first=$TOKEN
TOKEN=

# cpu_time: the processor time of the operator workers so far, in ns.
cpu_time() {
	for pid in $(worker_pids operator); do
		cat "/proc/$pid/schedstat"
	done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}
start=$(cpu_time)
log_in admin@example.com 'wrong horse'
took=$(($(cpu_time) - start))
wrong=$BODY
is_error "a login with a wrong password answers 401" 401 INVALID_CREDENTIALS
start=$(cpu_time)
log_in nobody@example.com 'correct horse'
check "a login with an unknown email takes about as long" \
    test $((($(cpu_time) - start) * 4)) -gt "$took"
is "a login with an unknown email gets the same answer" \
    "$STATUS $BODY" "401 $wrong"
log_in 'not an email' x
is "a login with a malformed email gets the same answer" \
    "$STATUS $BODY" "401 $wrong"
log_in ADMIN@Example.COM 'correct horse'
is "a login ignores the case of the email" "$STATUS" 200
is_json "a login answers with role and email of the operator" \
    '.user | "\(.role) \(.email)"' \
    "admin admin@example.com"
is "the answer to a login forbids caching" "$(header cache-control)" no-store
is_json "a token is HS256 with a key id" '.token | split(".")[0] |
    gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson |
    "\(.alg) \(.kid | test("^[0-9a-f]{16}$"))"' "HS256 true"
is_json "a token has the documented claims and ends after 12 hours" \
    '.token | split(".")[1] |
    gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson |
    "\(keys | join(" ")) \(.exp - .iat)"' \
    "at aud exp iat iss jti role sn sub 43200"

# A login replaces a weaker hash.
sql "update assay.operator set password = '$weak'"
log_in admin@example.com 'correct horse'
is "a password with a weaker hash opens a session" "$STATUS" 200
is "the login replaces the weaker hash" \
    "$(sql "select password ~ '^[\$]s1[\$]100802' from assay.operator")" t
log_in admin@example.com 'correct horse'
is "the password opens a session with the new hash" "$STATUS" 200

# A session ends alone, with all sessions of its operator, or with the operator.
TOKEN=$first
http GET /v1/apikeys
is "a token opens the operator API" "$STATUS" 200
sql "update assay.operator set role = 'analyst'"
http GET /v1/apikeys
is_error "a changed role applies to open sessions" 403 FORBIDDEN
sql "update assay.operator set role = 'admin', session_number = 2"
http GET /v1/apikeys
is_error "after the operator's sessions ended a token answers 401" \
    401 UNAUTHENTICATED
is "a 401 names the scheme Bearer" "$(header www-authenticate)" Bearer
open_session admin@example.com 'correct horse'
http GET /v1/apikeys
is "a new login opens a new session" "$STATUS" 200
jti=$(token_claim jti)
sql "insert into assay.revoked_token values ('$jti', now() + '1 day')"
http GET /v1/apikeys
is_error "a logged out token answers 401" 401 UNAUTHENTICATED

# Logins and registrations share one budget per client address.
stop_pool
start_pool RATE_LIMIT_LOGIN_PER_MIN=3
wait_ready
TOKEN=
second=$(date +%-S)
[ "$second" -lt 45 ] || sleep $((61 - second))
for i in 1 2; do
	http POST /v1/auth/login '{}'
	is_error "request $i of the login budget is not limited" \
	    400 INVALID_REQUEST
done
http POST /v1/auth/register '{}'
is_error "request 3 of the login budget may be a registration" \
    403 REGISTRATION_CLOSED
log_in admin@example.com 'correct horse'
is_error "request 4 of a login budget of 3 answers 429" 429 RATE_LIMITED
check "a 429 says when to try again, within a minute" \
    test "$(header retry-after)" -ge 1 -a "$(header retry-after)" -le 60
http POST /v1/auth/login x -H 'Content-Type: text/plain'
is_error "a request over the budget answers 429 before its type is checked" \
    429 RATE_LIMITED
http GET /v1/auth/status
is "other requests are served when the login budget is used up" "$STATUS" 200
finish
