#!/bin/sh
# SPDX-License-Identifier: ISC
# Settings that admins change: what they take, and that limits are felt at
# once on this host, soon on others, and while the database is away.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

set -- RATE_LIMIT_DECISIONS_PER_MIN=50 RATE_LIMIT_LOGIN_PER_MIN=40 \
    RETENTION_REPLAY_DAYS=45 RETENTION_SWEEP_MINUTES=15
start_stack "$@"
start_host 2 "$@"
pages='rate-limits alerts retention'
for page in $pages; do
	http GET "/v1/config/$page"
	is_error "$page without a token" 401 UNAUTHENTICATED
	http PUT "/v1/config/$page" '{}'
	is_error "... nor changed" 401 UNAUTHENTICATED
done
admin_token
sql "update assay.operator set role = 'analyst'"
for page in $pages; do
	http GET "/v1/config/$page"
	is_error "an analyst does not see $page" 403 FORBIDDEN
	http PUT "/v1/config/$page" '{}'
	is_error "... nor change it" 403 FORBIDDEN
done
sql "update assay.operator set role = 'admin'"
epoch() {
	sql 'select settings from assay.epoch'
}

# Without overrides the environment holds.
http GET /v1/config/rate-limits
is "rate limits" "$STATUS $BODY" '200 {"windowMs":60000,"decisionsPerMin":50,"loginPerMin":40,"overridden":{"decisionsPerMin":false,"loginPerMin":false}}'
http GET /v1/config/alerts
is "alerts" "$STATUS $BODY" \
    '200 {"anomalyZScore":3,"overridden":{"anomalyZScore":false}}'
http GET /v1/config/retention
is "retention" "$STATUS $BODY" '200 {"sweepMinutes":15,"days":{"verdicts":365,"activity":90,"replay":45,"idempotency":7,"deadLetter":30},"overridden":{"verdicts":false,"activity":false,"replay":false,"idempotency":false,"deadLetter":false}}'

# bad PAGE BODY: is refused for its contents.
bad() {
	http PUT "/v1/config/$1" "$2"
	is_error "$1 $2" 400 INVALID_REQUEST
}
for value in 0 -1 2147483648 1.5 1e10 '"600"' true '[1]' '{}'; do
	bad rate-limits "{\"decisionsPerMin\":$value}"
	bad rate-limits "{\"decisionsPerMin\":9,\"loginPerMin\":$value}"
done
bad rate-limits '{"windowMs":1000}'
bad rate-limits '{"decisionsPerMinute":1}'
bad rate-limits '{"anomalyZScore":4}'
bad rate-limits '[]'
for value in 0 0.0000001 -3 1000.5 1e300 '"3"' false '[]'; do
	bad alerts "{\"anomalyZScore\":$value}"
done
bad alerts '{"anomalyZscore":3}'
for value in -1 36501 0.5 '"7"' true; do
	bad retention "{\"verdicts\":10,\"deadLetter\":$value}"
done
bad retention '{"days":{"verdicts":1}}'
bad retention '{"sweepMinutes":1}'
bad retention '{"dead_letter":1}'
for page in $pages; do
	http PUT "/v1/config/$page" '{"'
	is_error "half a body for $page" 400 INVALID_JSON
	http DELETE "/v1/config/$page"
	is_error "$page stays" 405 METHOD_NOT_ALLOWED
done
http PUT /v1/config/alerts '{}'
is "a body that has nothing" "$STATUS $(json .anomalyZScore)" "200 3"
is "none of which changed anything" \
    "$(epoch) $(sql 'select count(*) from assay.setting')" "1 0"

# A body has what it changes; null reverts.
http PUT /v1/config/retention '{"verdicts":0,"replay":1e1,"deadLetter":36500}'
is "retention changes" "$STATUS $BODY" '200 {"sweepMinutes":15,"days":{"verdicts":0,"activity":90,"replay":10,"idempotency":7,"deadLetter":36500},"overridden":{"verdicts":true,"activity":false,"replay":true,"idempotency":false,"deadLetter":true}}'
is "under a new epoch" "$(epoch)" 2
http PUT /v1/config/retention '{"replay":null,"activity":null,"idempotency":45}'
is "and reverts" "$STATUS $(json '"\(.days.replay) \(.overridden.replay)
    \(.days.verdicts) \(.days.idempotency)" | gsub("\\s+"; " ")')" \
    "200 45 false 0 45"
for value in 2.5 1000 0.000001 3; do
	http PUT /v1/config/alerts "{\"anomalyZScore\":$value}"
	is_json "a threshold of $value" ".anomalyZScore == $value" true
done
is_json "an override that says the same is one" .overridden.anomalyZScore true
http PUT /v1/config/alerts '{"anomalyZScore":null}'
is "and ends" "$BODY" \
    '{"anomalyZScore":3,"overridden":{"anomalyZScore":false}}'
on 2 GET /v1/config/retention
is_json "another host says the same" .days.deadLetter 36500
http GET '/v1/audit?limit=1'
is_json "the trail has who, what and null" '.entries[0] |
    "\(.actor) \(.action) \(.params | tojson)"' \
    'admin@example.com PUT /v1/config/alerts {"anomalyZScore":null}'

# A change whose entry cannot be written is none.
before=$(epoch)
sql 'alter table assay.audit add constraint never check (status <> 200)
    not valid'
http PUT /v1/config/rate-limits '{"decisionsPerMin":7}'
is_error "a change that cannot be told" 500 INTERNAL
sql 'alter table assay.audit drop constraint never'
is "is not made" "$(epoch)" "$before"

# Limits are felt.
limits() {
	http PUT /v1/config/rate-limits "$1"
}
decide() {
	on "$1" POST /v1/decisions \
	    '{"type":"account.login","subject":{"userId":"u"}}'
}
stand() {
	echo "$STATUS $(header x-ratelimit-limit)"
}
api_key
second=$(date +%-S)
[ "$second" -lt 40 ] || sleep $((61 - second))
decide ""
is "the limit of the environment" "$(stand)" "200 50"
decide 2
is "on the other host too" "$(stand)" "200 50"
limits '{"decisionsPerMin":2}'
is_json "a lower one" '"\(.decisionsPerMin) \(.loginPerMin) \(.overridden |
    tojson)"' '2 40 {"decisionsPerMin":true,"loginPerMin":false}'
decide ""
is "is felt by the next request" "$(stand)" "200 2"
decide ""
is "and refuses" "$(stand) $(header x-ratelimit-remaining)" "429 2 0"
decide 2
decide 2
is "the other host knows it from its first decision on" "$(stand)" "429 2"
limits '{"decisionsPerMin":100}'
decide ""
is "a higher one, too, is felt at once" "$(stand)" "200 100"
# shellcheck disable=SC2317 # called by name
again() {
	decide 2
	[ "$(stand)" = "200 100" ]
}
check "and soon where requests are refused" \
    stack_until 10 "$stack_pool_pid" again

TOKEN_KEPT=$TOKEN
limits '{"loginPerMin":1}'
TOKEN=
http POST /v1/auth/login '{}'
http POST /v1/auth/login '{}'
is_error "logins have their limit" 429 RATE_LIMITED
on 2 POST /v1/auth/login '{}'
# shellcheck disable=SC2317 # called by name
limited() {
	on 2 POST /v1/auth/login '{}'
	[ "$STATUS" = 429 ]
}
check "on the other host soon" stack_until 10 "$stack_pool_pid" limited
TOKEN=$TOKEN_KEPT
limits '{"loginPerMin":null}'
TOKEN=
http POST /v1/auth/login '{}'
is_error "and are open again" 400 INVALID_REQUEST
TOKEN=$TOKEN_KEPT

# A pool that starts has the limits of now; without a database they stay.
stop_pool
start_pool "$@"
wait_ready
decide ""
is "a new pool begins with the override" "$(stand)" "200 100"
stop_database
decide ""
is "which holds while the database is away" "$(stand)" "200 100"
start_database
wait_ready
limits '{"decisionsPerMin":null}'
is_json "until it is reverted" .decisionsPerMin 50
decide ""
is "at once" "$(stand)" "200 50"
finish
