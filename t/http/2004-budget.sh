#!/bin/sh
# SPDX-License-Identifier: ISC
# The budget of a key is shared by all workers; keys and scopes are checked.
. "$(dirname "$0")/lib.sh"

start_signed_in DECIDE_WORKERS=4 RATE_LIMIT_DECISIONS_PER_MIN=20
admin=$TOKEN
TOKEN=
event='{"type":"account.login","subject":{"userId":"u-1"}}'

# Wait until all requests of the test fall into one minute.
[ "$(date +%S)" -lt 40 ] || sleep $((61 - $(date +%S | sed 's/^0//')))
http POST /v1/decisions "$event"
is "the first decision shows limit and rest" \
    "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)" \
    "200 20 19"
http POST /v1/decisions/batch "{\"events\":[$event,$event,$event]}"
is "a batch takes one request of the budget" \
    "$(header x-ratelimit-remaining)" 18
seq 30 | xargs -P 8 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -o /dev/null \
    -w '%{http_code}\n' "$BASE/v1/decisions" -d "$event" >"$scratch/codes"
is "parallel requests get exactly the budget" \
    "$(sort "$scratch/codes" | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 18 200; 12 429;"
http POST /v1/decisions "$event"
is_error "a decision over the budget answers 429" 429 RATE_LIMITED
check "a 429 says when to try again, within a minute" \
    test "$(header retry-after)" -ge 1 \
    -a "$(header retry-after)" -le 60
http POST /v1/decisions '{'
is_error "the budget is checked before the body" 429 RATE_LIMITED
http GET /v1/decisions/x
is_error "reading a decision takes nothing of the budget" 404 NOT_FOUND

# Invalid keys.
KEY=ak_live_000000000000000000000000000000000000000000000000
http POST /v1/decisions "$event"
is_error "an unknown key answers 401" 401 INVALID_API_KEY
http POST /v1/decisions '{'
is_error "an unknown key with bad JSON answers 401" 401 INVALID_API_KEY
KEY=nonsense
http POST /v1/decisions "$event"
is_error "a malformed key answers 401" 401 INVALID_API_KEY
KEY=
http POST /v1/decisions "$event"
is_error "a decision without a key answers 401" 401 INVALID_API_KEY
TOKEN=$admin
api_key '["labels"]'
TOKEN=
http POST /v1/decisions "$event"
is_error "a decision with a key of another scope answers 403" \
    403 INSUFFICIENT_SCOPE
http GET /v1/decisions/x
is_error "reading with a key of another scope answers 403" \
    403 INSUFFICIENT_SCOPE
KEY=
TOKEN=$admin
api_key '["decisions"]'
id=$(json .key.id)
TOKEN=
http POST /v1/decisions "$event"
is "a key with the scope decides" "$STATUS" 200
KEY_KEPT=$KEY KEY='' TOKEN=$admin
http POST "/v1/apikeys/$id/revoke"
KEY=$KEY_KEPT TOKEN=
http POST /v1/decisions "$event"
is_error "a revoked key answers 401 at once" 401 INVALID_API_KEY
http POST /v1/decisions/batch "{\"events\":[$event]}"
is_error "a batch with a revoked key answers 401" 401 INVALID_API_KEY
finish
