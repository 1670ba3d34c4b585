#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/analytics/rules: how often each active rule fires, and how well it finds
# fraud.
. "$(dirname "$0")/lib.sh"
use ctl past

start_signed_in
login admin@example.com 'correct horse'
http POST /v1/rules "$(jq -n '{ eventType: "order.place", version: "v1", dsl: "
    rule big { when event.amount > 100 then score += 5, tag amount }
    rule huge { when event.amount > 1000 then score += 60, tag amount }
    rule never { when event.amount > 1000000 then score += 1, tag never }" }')"
is "the rules are published" "$STATUS" 200
http GET '/v1/analytics/rules?eventType=order.place'
is_json "without samples no rule has a precision" \
    '"\(.days) \(.decisions) \(.overlap) \(.rules | map("\(.id) \(.fired) \(
    .precision) \(.neverFired)") | join(", "))"' \
    "30 0 [] big 0 null true, huge 0 null true, never 0 null true"

# decide_order EVENT AMOUNT [CURRENCY]: decide an order.
decide_order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":$2,\"currency\":\"${3-EUR}\",
	    \"subject\":{\"userId\":\"u-$1\"}}"
}
decide_order o-1 50
decide_order o-2 500
decide_order o-3 5000
decide_order o-4 7000 USD
decide_order o-5 600
http POST /v1/decisions '{"id":"other","type":"card.authorize","amount":5000,
    "currency":"EUR","subject":{"userId":"u-1"}}'
http POST /v1/decisions '{"id":"dry","type":"order.place","amount":5000,
    "currency":"EUR","subject":{"userId":"u-1"}}' -H 'X-Engine-Mode: shadow'
for event in o-3 o-4; do
	http POST /v1/labels/chargeback "{\"eventId\":\"$event\"}"
done
sql "insert into assay.label (event_id, analyst) values ('o-2', 'legit')"

# rule_is ID WANT LABEL: fired, share, labels and precision of a rule.
rule_is() {
	http GET '/v1/analytics/rules?eventType=order.place&days=1'
	is_json "$3" ".rules[] | select(.id == \"$1\") | \"\\(.fired) \\(.share
	    ) \\(.labels.fraud) \\(.labels.legit) \\(.precision)\"" "$2"
}
rule_is big "4 0.8 2 1 0.6666666666666666" "a rule has its labels and precision"
is_json "a precision has its interval" '.rules[0] |
    "\(.low * 1000 | floor) \(.high * 1000 | floor)"' "207 938"
is_json "a rule has the amounts of fraud by currency" \
    '.rules[0].amountFraud | to_entries | sort_by(.key) | from_entries | tojson' '{"EUR":5000,"USD":7000}'
is_json "a rule has the amounts of false alarms by currency" \
    '.rules[0].amountLegit | tojson' '{"EUR":500}'
is_json "decisions of other types and dry runs are no samples" .decisions 5
is_json "all samples have their labels" '.labels | tojson' '{"fraud":2,"legit":1}'
is_json "a rule finds a share of the fraud" \
    '.rules | map("\(.id) \(.recall)") | join(", ")' "big 1, huge 1, never 0"
is_json "only the rule that makes a verdict stricter is decisive" \
    '.rules | map("\(.id) \(.decisive.samples) \(.decisive.labels.fraud)") |
    join(", ")' "big 0 0, huge 2 2, never 0 0"
is_json "a decisive rule has the money that it catches" \
    '.rules[1].decisive.amountFraud | to_entries | sort_by(.key) | from_entries |
    tojson' '{"EUR":5000,"USD":7000}'
is_json "a rule names those that always fire with it" \
    '.rules | map("\(.id) \(.alwaysWith | join(" "))") | join(", ")' \
    "big , huge big, never "
is_json "no sample of today is mature" '"\(.mature.decisions) \(
    .rules[0].mature.fired) \(.rules[0].mature.precision)"' "0 0 null"
rule_is huge "2 0.4 2 0 1" "a stricter rule has a higher precision"
rule_is never "0 0 0 0 null" "a rule that never fires has no precision"
is_json "rules that fire together overlap" '.overlap | tojson' \
    '[{"a":"big","b":"huge","both":2,"share":1}]'
is_json "the samples of today are the last day" '.byDay[-1]' 5
is_json "a rule has how often it fired on each day" \
    '.rules | map("\(.id) \(.byDay | add) \(.byDay | length)") | unique | join(", ")' \
    "big 4 2, huge 2 2, never 0 2"
ctl rules quality order.place
check "assayctl rules quality prints the rules" prints '5 samples since.*huge .*2'

add_months 1
sql "update assay.decision_detail set decided_at = now() - interval '8 days'
    where event_id = 'o-3'"
http GET '/v1/analytics/rules?eventType=order.place&days=10'
is_json "a sample that has waited LABEL_DELAY_DAYS is mature" \
    '"\(.mature.decisions) \(.mature.labels.fraud) \(.rules[0].mature.fired
    ) \(.rules[0].mature.precision) \(.matureUntil < (now - 6 * 86400 | todate))"' \
    "1 1 1 1 true"
sql "update assay.decision_detail set decided_at = now() where event_id = 'o-3'"

# The active rules are evaluated, not those of that time.
http POST /v1/rules '{"eventType":"order.place","version":"v2","dsl":
    "rule small { when event.amount < 100 then score += 5, tag small }"}'
rule_is small "1 0.2 0 0 null" "a new rule is evaluated on earlier samples"

# Older samples, and many of them.
sql "update assay.decision_detail set sample = null where event_id = 'o-5'"
rule_is small "1 0.25 0 0 null" "a removed sample does not count"
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id,
	event_type, user_id, sample)
    select now() - n * interval '1 ms', 'vd_m' || n, 'm-' || n, 'order.place',
	'u', d.sample
    from generate_series(1, 30000) n, (select sample from assay.decision_detail
	where event_id = 'o-1') d" >/dev/null
http GET '/v1/analytics/rules?eventType=order.place'
is_json "11,000 to 15,000 of many samples count" \
    '.decisions >= 11000 and .decisions <= 15000' true
check "many samples are counted within the time of a request" \
    test "$STATUS" = 200

for query in '' eventType= eventType=none 'eventType=order.place&days=0' \
    'eventType=order.place&days=91' 'eventType=order.place&day=1'; do
	http GET "/v1/analytics/rules?$query"
	is_error "GET /v1/analytics/rules with ${query:-nothing} answers 400" \
	    400 INVALID_REQUEST
done
sql "update assay.operator set role = 'analyst'"
http GET '/v1/analytics/rules?eventType=order.place'
is "an analyst may read the quality of rules" "$STATUS" 200
TOKEN=
http GET '/v1/analytics/rules?eventType=order.place'
is_error "the quality of rules answers 401 without a token" 401 UNAUTHENTICATED
finish
