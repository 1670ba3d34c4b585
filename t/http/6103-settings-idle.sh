#!/bin/sh
# SPDX-License-Identifier: ISC
# A host without requests learns of a new limit by itself, so none of the requests
# that arrive together afterwards is counted against the old one.
. "$(dirname "$0")/lib.sh"

start_stack RATE_LIMIT_DECISIONS_PER_MIN=2
start_host 2 RATE_LIMIT_DECISIONS_PER_MIN=2
admin_token
api_key
decide() {
	on 2 POST /v1/decisions '{"type":"account.login","subject":{"userId":"u"}}'
	[ "$STATUS" = 429 ]
}
check "the second host refuses what is beyond the limit" \
    stack_until 20 "$stack_pool_pid" decide

http PUT /v1/config/rate-limits '{"decisionsPerMin":100}'
is "the first host takes a higher limit" "$STATUS" 200
stop_pool
epoch=$(sql 'select settings from assay.epoch')
check "the second host reads the settings without a request" stack_until 60 $$ \
    grep -q "event=settings_shared epoch=$epoch\$" "$scratch/log/pool2.log"
codes=$(seq 8 | xargs -P 8 -I{} curl -s -o /dev/null -w '%{http_code} ' \
    -H "X-API-Key: $KEY" --unix-socket "$scratch/run2/http.sock" \
    -H 'Content-Type: application/json' "$BASE/v1/decisions" \
    -d '{"type":"account.login","subject":{"userId":"u"}}')
is "eight requests at once are counted against the higher limit" \
    "$codes" "$(printf '200 %.0s' 1 2 3 4 5 6 7 8)"
finish
