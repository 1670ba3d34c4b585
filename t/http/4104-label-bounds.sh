#!/bin/sh
# SPDX-License-Identifier: ISC
# Labels have a budget by key, and those of events that were never seen are
# bounded in number.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack DECIDE_WORKERS=4 RATE_LIMIT_LABELS_PER_MIN=20 \
    RATE_LIMIT_DECISIONS_PER_MIN=50
admin_token
api_key '["labels"]'
admin=$TOKEN
labels=$KEY
KEY=
api_key
both=$KEY
TOKEN=

# label EVENT
label() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"}"
}

limits() {
	echo "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)"
}

# Not across the end of a minute.
[ "$(date +%S)" -lt 40 ] || sleep $((61 - $(date +%S | sed 's/^0//')))
KEY=$labels
label e-1
is "the first label says what is left of its key's budget" "$(limits)" \
    "202 20 19"
seq 30 | xargs -P 8 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -o /dev/null \
    -w '%{http_code}\n' "$BASE/v1/labels/chargeback" \
    -d '{"eventId":"many-{}"}' >"$scratch/codes"
is "exactly the budget of labels is granted" \
    "$(sort "$scratch/codes" | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 19 202; 11 429;"
label e-2
is_error "a label over the budget is refused" 429 RATE_LIMITED
is "it says what is left" "$(limits)" "429 20 0"
check "it says when the next minute begins" test "$(header retry-after)" -ge 1 \
    -a "$(header retry-after)" -le 60
is "a refused label is not stored" \
    "$(sql "select count(*) from assay.label")" 20
KEY=$both
http POST /v1/decisions \
    '{"id":"e-3","type":"account.login","subject":{"userId":"u-1"}}'
is "another key has its own, and decisions have theirs" "$(limits)" "200 50 49"
label e-3
is "a label takes nothing from decisions" "$(limits)" "202 20 19"
KEY=ak_live_000000000000000000000000000000000000000000000000
label e-4
is_error "a stranger has no budget" 401 INVALID_API_KEY
is "nor a header" "$(header x-ratelimit-limit)" ""
KEY=$both
is "refused labels are counted" "$(http GET /metrics
    printf '%s\n' "$BODY" |
    awk '/^engine_rate_limited_total.budget="labels"/ { print $2 }')" 12
TOKEN=$admin
http GET /v1/config/rate-limits
is_json "the rate limits that can be set are those of the specification" \
    'keys | join(" ")' "decisionsPerMin loginPerMin overridden windowMs"
TOKEN=

# Labels whose events were never seen.
stop_pool
start_pool LABELS_WAITING_MAX=22
wait_ready
# The eight clients above may have passed each other over: count now.
recount() {
	sql "update assay.label_load
	    set counted_at = now() - interval '2 minutes'" >/dev/null
}
recount
label e-5
is "a label may wait while there is room" "$STATUS" 202
is "as many wait as the setting says" "$(sql "select count(*)
    from assay.label where credited is null")" 22
label e-6
is_error "one more is refused" 429 LABELS_FULL
is "it says when to try again" "$(header retry-after)" 60
is "it is not stored" "$(sql "select count(*) from assay.label
    where event_id = 'e-6'")" 0
# shellcheck disable=SC2317 # called by stack_until
gauge_is() {
	http GET /metrics
	[ "$(printf '%s\n' "$BODY" |
	    awk '$1 == "engine_labels_waiting" { print $2 }')" = "$1" ]
}
check "a metric says how many wait" stack_until 20 0 gauge_is 22
label e-5
is "a label that is there is accepted again" "$STATUS" 202
http POST /v1/decisions \
    '{"id":"e-7","type":"account.login","subject":{"userId":"u-1"}}'
label e-7
is "a label of a decided event is accepted" "$STATUS" 202
sql "delete from assay.label where credited is null" >/dev/null
recount
label e-6
is "when there is room again a label is accepted" "$STATUS" 202
finish
