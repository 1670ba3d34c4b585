#!/bin/sh
# SPDX-License-Identifier: ISC
# Two pools with one Redis share the budgets of keys.  Redis is reached by unix
# socket and TCP, and holds only hashes.
. "$(dirname "$0")/lib.sh"
use redis

start_redis_tls

# The test does not measure speed: calls of Redis get much time.
limits="RATE_LIMIT_DECISIONS_PER_MIN=20 RATE_LIMIT_LOGIN_PER_MIN=1000"
limits="$limits REDIS_TIMEOUT_MS=900"
# shellcheck disable=SC2086 # words
start_stack $limits \
    REDIS_URL="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"
http GET /readyz
is_json "/readyz says that Redis is ready" \
    '"\(.status) \(.checks.redis)"' "ready ok"
# shellcheck disable=SC2086 # words
start_host 2 $limits REDIS_URL="redis://:$REDIS_PASSWORD@localhost:$tcp"
admin_token
api_key
first=$KEY
api_key
TOKEN=
event='{"type":"account.login","subject":{"userId":"u-1"}}'

same_minute
on "" POST /v1/decisions "$event"
is "the first decision shows limit and rest" \
    "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)" \
    "200 20 19"
on 2 POST /v1/decisions "$event"
is "the other host continues the budget" \
    "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)" \
    "200 20 18"
for n in '' 2; do
	seq 20 | xargs -P 4 -I{} curl -s -o /dev/null -w '%{http_code}\n' \
	    --unix-socket "$scratch/run$n/http.sock" -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' "$BASE/v1/decisions" \
	    -d "$event" >"$scratch/codes$n" &
	eval "load$n=$!"
done
# shellcheck disable=SC2154 # set by eval
wait "$load" "$load2"
is "both hosts together grant exactly the budget" \
    "$(sort "$scratch/codes" "$scratch/codes2" | uniq -c | tr -s ' ' |
    tr '\n' ';')" " 18 200; 22 429;"
for n in '' 2; do
	on "$n" POST /v1/decisions "$event"
	is_error "host ${n:-1} answers 429 over the budget" 429 RATE_LIMITED
	is "host ${n:-1} shows limit and rest over the budget" \
	    "$(header x-ratelimit-limit) $(
	    header x-ratelimit-remaining)" "20 0"
	check "host ${n:-1} says when to try again" \
	    test "$(header retry-after)" -ge 1 \
	    -a "$(header retry-after)" -le 60
done

# The other host has not seen this key yet.
same_minute
KEY=$first
while http POST /v1/decisions "$event" &&
    [ "$(header x-ratelimit-remaining)" -gt 0 ]; do
	:
done
is "one host alone grants the whole budget" \
    "$STATUS $(header x-ratelimit-remaining)" "200 0"
on 2 POST /v1/decisions "$event"
is_error "a host refuses the first request of a used up key" 429 RATE_LIMITED
on 2 POST /v1/decisions '{'
is_error "the budget is checked before the body" 429 RATE_LIMITED
KEY=ak_live_000000000000000000000000000000000000000000000000
on 2 POST /v1/decisions "$event"
is_error "an unknown key has no budget" 401 INVALID_API_KEY

# Redis gets hashes, for at most a minute.
http GET /readyz
http POST /v1/auth/login '{}'
is "Redis has only keys of these forms" "$(redis --scan | sed -E \
    's/:(key|login):[0-9a-f]{32}$/:\1:hash/' | LC_ALL=C sort -u |
    tr '\n' ' ')" \
    "assay:limit:key:hash assay:limit:login:hash assay:limit:nobody "
is "every key in Redis expires within a minute" \
    "$(redis --scan | while read -r redis_key; do
	ttl=$(redis ttl "$redis_key")
	[ "$ttl" -le 60 ] && [ "$ttl" -ne -1 ] || echo "$redis_key $ttl"
done)" ""
redis script flush >/dev/null
KEY=$first
on "" POST /v1/decisions "$event"
is_error "the budget holds after Redis has lost its scripts" 429 RATE_LIMITED

is "no log of the two pools holds the password of Redis" \
    "$(cat "$scratch"/log/* | grep -c "$REDIS_PASSWORD")" 0
finish
