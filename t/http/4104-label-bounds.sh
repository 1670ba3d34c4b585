#!/bin/sh
# SPDX-License-Identifier: ISC
# Labels have a budget for each key; labels of unknown events are bounded in
# number.
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

# send_label EVENT: send a chargeback.
send_label() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"}"
}

budget_headers() {
	echo "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)"
}

# The next 20 seconds are of one minute.
[ "$(date +%S)" -lt 40 ] || sleep $((61 - $(date +%S | sed 's/^0//')))
KEY=$labels
send_label e-1
is "the first label has the limit and the rest of its key's budget" \
    "$(budget_headers)" "202 20 19"
seq 30 | xargs -P 8 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -o /dev/null \
    -w '%{http_code}\n' "$BASE/v1/labels/chargeback" \
    -d '{"eventId":"many-{}"}' >"$scratch/codes"
is "of 30 concurrent labels the rest of the budget is accepted" \
    "$(sort "$scratch/codes" | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 19 202; 11 429;"
send_label e-2
is_error "a label over the budget answers 429" 429 RATE_LIMITED
is "a label over the budget has no rest" "$(budget_headers)" "429 20 0"
check "a label over the budget has the seconds to the next minute" \
    test "$(header retry-after)" -ge 1 -a "$(header retry-after)" -le 60
is "a label over the budget is not stored" \
    "$(sql "select count(*) from assay.label")" 20
KEY=$both
http POST /v1/decisions \
    '{"id":"e-3","type":"account.login","subject":{"userId":"u-1"}}'
is "a decision has another budget than labels of another key" \
    "$(budget_headers)" "200 50 49"
send_label e-3
is "a label takes nothing from the budget of decisions" \
    "$(budget_headers)" "202 20 19"
KEY=ak_live_000000000000000000000000000000000000000000000000
send_label e-4
is_error "an unknown key answers 401" 401 INVALID_API_KEY
is "an unknown key has no budget" "$(header x-ratelimit-limit)" ""
KEY=$both
is "a metric counts the labels over the budget" "$(http GET /metrics
    printf '%s\n' "$BODY" |
    awk '/^engine_rate_limited_total.budget="labels"/ { print $2 }')" 12
TOKEN=$admin
http GET /v1/config/rate-limits
is_json "the rate limits that can be set are those of the specification" \
    'keys | join(" ")' "decisionsPerMin loginPerMin overridden windowMs"
TOKEN=

# Labels of unknown events.
stop_pool
start_pool LABELS_WAITING_MAX=22
wait_ready
# recount_labels: have the next label count those that wait.  The eight clients
# above can have left the count too small.
recount_labels() {
	sql "update assay.label_backlog
	    set counted_at = now() - interval '2 minutes'" >/dev/null
}
recount_labels
send_label e-5
is "a label of an unknown event is accepted below the bound" "$STATUS" 202
is "as many labels wait as LABELS_WAITING_MAX allows" "$(sql "select count(*)
    from assay.label where credited_outcome is null")" 22
send_label e-6
is_error "one label more answers 429" 429 LABELS_FULL
is "a label over the bound can be sent again after a minute" \
    "$(header retry-after)" 60
is "a label over the bound is not stored" \
    "$(sql "select count(*) from assay.label
    where event_id = 'e-6'")" 0
# shellcheck disable=SC2317 # called by stack_until
gauge_is() {
	http GET /metrics
	[ "$(printf '%s\n' "$BODY" |
	    awk '$1 == "engine_labels_waiting" { print $2 }')" = "$1" ]
}
check "a gauge has the number of waiting labels" stack_until 20 0 gauge_is 22
send_label e-5
is "a waiting label is accepted again at the bound" "$STATUS" 202
http POST /v1/decisions \
    '{"id":"e-7","type":"account.login","subject":{"userId":"u-1"}}'
send_label e-7
is "a label of a decided event is accepted at the bound" "$STATUS" 202
sql "delete from assay.label where credited_outcome is null" >/dev/null
recount_labels
send_label e-6
is "a label is accepted when fewer labels wait" "$STATUS" 202
finish
