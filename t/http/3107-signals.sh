#!/bin/sh
# SPDX-License-Identifier: ISC
# What authors of rules and policies look up: the signals, the attributes of the
# newest events, and the scores of the last days.
. "$(dirname "$0")/lib.sh"
use hosts

start_signed_in
n=0
for attributes in '{"plan":"gold","seats":3}' '{"plan":7,"trial":true}'; do
	n=$((n + 1))
	http POST /v1/decisions "{\"id\":\"e-$n\",\"type\":\"order.place\",
	    \"amount\":5,\"currency\":\"EUR\",\"subject\":{\"userId\":\"u\"},
	    \"attributes\":$attributes}"
	is "order $n is decided" "$STATUS" 200
done
analyst_token
http GET '/v1/signals?eventType=order.place'
is "the attributes of the newest orders have their types" \
    "$STATUS $(json '[.attributes[] | "\(.name) \(.type)"] | join(", ")')" \
    "200 plan number, plan text, seats number, trial boolean"
is "every signal of the table is listed" "$(json '.signals | length')" \
    "$(grep -c '^SIGNAL(' "$srcdir/core/signal/signals.tbl")"
is_json "a number has a range" \
    '.signals[] | select(.name == "graph.ringSize") | "\(.type) \(.min) \(.max)"' \
    "number 1 500"
is_json "a text has no range" \
    '.signals[] | select(.name == "geo.country") | "\(.type) \(.min) \(.meaning)"' \
    "text null country of the ip, ISO 3166"
is_json "the operators are listed" '.operators | length' 10
http GET '/v1/signals?eventType=account.login'
is_json "an event type without events has no attributes" \
    '.attributes | tostring' "[]"
http GET /v1/signals
is_json "without an event type there are no attributes" \
    '.attributes | tostring' "[]"
http GET '/v1/signals?eventType=order'
is_error "an unknown event type answers 400" 400 INVALID_REQUEST

sql "insert into assay.analytics_count (kind, day, event_type, name, n)
    select 'score', (now() at time zone 'UTC')::date - d, t, s, n
    from (values (40, 'wallet.withdraw', '0', 5), (6, 'wallet.withdraw', '0', 2),
	(0, 'wallet.withdraw', '100', 3), (0, 'card.refund', '100', 9))
	v(d, t, s, n)"
http GET /v1/policies/pol_wallet_withdraw/histogram
is "the histogram counts the scores of the last 28 days" \
    "$STATUS $(json '"\(.eventType) \(.days) \(.scores | length) \(.scores[0]) \(.scores[100]) \(.scores | add)"')" \
    "200 wallet.withdraw 28 101 2 3 5"
http GET '/v1/policies/pol_wallet_withdraw/histogram?days=90'
is_json "ninety days include older scores" '.scores[0]' 7
http GET '/v1/policies/pol_wallet_withdraw/histogram?days=6'
is_json "six days leave out the day before them" '.scores[0]' 0
for days in 0 91 x; do
	http GET "/v1/policies/pol_wallet_withdraw/histogram?days=$days"
	is_error "a histogram of $days days answers 400" 400 INVALID_REQUEST
done
http GET /v1/policies/pol_none/histogram
is_error "the histogram of an unknown policy answers 404" 404 POLICY_MISSING
TOKEN=
http GET /v1/signals
is_error "the signals need a token" 401 UNAUTHENTICATED
finish
