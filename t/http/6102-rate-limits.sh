#!/bin/sh
# SPDX-License-Identifier: ISC
# A changed rate limit takes effect at once on this host, soon on others, and
# holds while the database is away.
. "$(dirname "$0")/lib.sh"

set -- RATE_LIMIT_DECISIONS_PER_MIN=50 RATE_LIMIT_LOGIN_PER_MIN=40
start_stack "$@"
start_host 2 "$@"
admin_token
api_key

change_limits() {
	http PUT /v1/config/rate-limits "$1"
}
decide_on() {
	on "$1" POST /v1/decisions \
	    '{"type":"account.login","subject":{"userId":"u"}}'
}
limit_seen() {
	echo "$STATUS $(header x-ratelimit-limit)"
}
second=$(date +%-S)
[ "$second" -lt 40 ] || sleep $((61 - second))
decide_on ""
is "this host enforces the limit of the environment" "$(limit_seen)" "200 50"
decide_on 2
is "the other host enforces the limit of the environment" \
    "$(limit_seen)" "200 50"
change_limits '{"decisionsPerMin":2}'
is_json "the changed limit is shown as an override" \
    '"\(.decisionsPerMin) \(.loginPerMin) \(.overridden |
    tojson)"' '2 40 {"decisionsPerMin":true,"loginPerMin":false}'
decide_on ""
is "the next decision on this host sees the lower limit" "$(limit_seen)" "200 2"
decide_on ""
is "a decision over the lower limit answers 429" \
    "$(limit_seen) $(header x-ratelimit-remaining)" "429 2 0"
decide_on 2
# The worker shares what it has read with the others after its answer.
stack_until 10 "$stack_pool_pid" grep -q 'event=settings_shared epoch=2' \
    "$scratch/log/pool2.log"
decide_on 2
is "the other host sees the lower limit after its next decision" \
    "$(limit_seen)" "429 2"
change_limits '{"decisionsPerMin":100}'
decide_on ""
is "the next decision on this host sees the higher limit" \
    "$(limit_seen)" "200 100"
# shellcheck disable=SC2317 # called by name
raised_limit_seen() {
	decide_on 2
	[ "$(limit_seen)" = "200 100" ]
}
check "the other host sees the higher limit soon, although it answers 429" \
    stack_until 10 "$stack_pool_pid" raised_limit_seen

TOKEN_KEPT=$TOKEN
change_limits '{"loginPerMin":1}'
TOKEN=
http POST /v1/auth/login '{}'
http POST /v1/auth/login '{}'
is_error "a login over the lower limit answers 429" 429 RATE_LIMITED
on 2 POST /v1/auth/login '{}'
# shellcheck disable=SC2317 # called by name
login_limited() {
	on 2 POST /v1/auth/login '{}'
	[ "$STATUS" = 429 ]
}
check "the other host sees the login limit soon" \
    stack_until 10 "$stack_pool_pid" login_limited
TOKEN=$TOKEN_KEPT
change_limits '{"loginPerMin":null}'
TOKEN=
http POST /v1/auth/login '{}'
is_error "logins are allowed again without the override" 400 INVALID_REQUEST
TOKEN=$TOKEN_KEPT

# A pool that starts reads the overrides; without a database it keeps them.
stop_pool
start_pool "$@"
wait_ready
wait_loaded
decide_on ""
is "a new pool starts with the overridden limit" "$(limit_seen)" "200 100"
stop_database
decide_on ""
is "the overridden limit holds while the database is away" \
    "$(limit_seen)" "200 100"
start_database
wait_ready
change_limits '{"decisionsPerMin":null}'
is_json "null restores the limit of the environment" .decisionsPerMin 50
decide_on ""
is "the next decision sees the restored limit" "$(limit_seen)" "200 50"
finish
