#!/bin/sh
# SPDX-License-Identifier: ISC
# MASKED_ATTRIBUTES: a full card number in these attributes is masked before anything
# reads or stores it, and the event is decided; anywhere else it is refused.
. "$(dirname "$0")/lib.sh"

start_signed_in MASKED_ATTRIBUTES=memo,order SCORER=weighted
card='4111 1111 1111 1111'
# pay ID ATTRIBUTES: decide on a payment.
pay() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"payment.authorize\",
	    \"amount\":5,\"currency\":\"EUR\",\"subject\":{\"userId\":\"u-1\"},
	    \"attributes\":{$2}}"
}

http POST /v1/rules '{"eventType":"payment.authorize","version":"v1",
    "dsl":"rule masked { when attr.memo == \"to **** **** **** 1111\" then score += 7, tag masked }"}'
is "a rule names the masked text" "$STATUS" 200
pay p-1 "\"memo\":\"to $card\",\"order\":4111111111111111,\"n\":7"
is "a payment with card numbers in these attributes is decided by their masks" \
    "$STATUS $(json '"\(.score) \(.reasons[0].tag)"')" "200 7 masked"
http GET /v1/decisions/p-1/explain
is_json "the stored request has the masks, and the number as a string" \
    '.request.attributes | tojson' \
    '{"memo":"to **** **** **** 1111","order":"************1111","n":7}'
pay p-2 '"order":4.111111111111111e15'
http GET /v1/decisions/p-2/explain
is_json "no digit of a number with an exponent is shown" \
    .request.attributes.order '****'
pay p-3 '"order":"A-4711","memo":12'
is "a payment without card numbers is decided" "$STATUS" 200
http POST /v1/decisions/batch "{\"events\":[{\"id\":\"p-4\",
    \"type\":\"payment.authorize\",\"amount\":5,\"currency\":\"EUR\",
    \"subject\":{\"userId\":\"u-1\"},\"attributes\":{\"memo\":\"to $card\"}}]}"
is_json "a batch masks, too" '.results[0].decision.score' 7
http POST /v1/decisions/async "{\"id\":\"p-5\",\"type\":\"payment.authorize\",
    \"amount\":5,\"currency\":\"EUR\",\"subject\":{\"userId\":\"u-1\"},
    \"attributes\":{\"memo\":\"to $card\"}}"
is "the queue takes such an event" "$STATUS" 202
cron "decide --once"
is "the companion decides it by the mask" "$(sql "select score
    from assay.verdict_log where event_id = 'p-5'")" 7
is "the events with a masked number are counted" \
    "$(metric engine_cards_masked_total)" 4

for attributes in "\"note\":\"$card\"" "\"memo\":{\"a\":\"$card\"}" \
    "\"Memo\":\"$card\"" "\"memo\":\"x\",\"$card\":1"; do
	pay p-6 "$attributes"
	is "card numbers are refused as before: $(printf '%s' "$attributes" |
	    tr -d 1)" "$STATUS" 400
done
http POST /v1/decisions "{\"type\":\"payment.authorize\",\"memo\":\"$card\",
    \"subject\":{\"userId\":\"u-1\"}}"
is_error "a card number outside the attributes is refused" 400 INGEST_PAN_REJECTED
is "no table has the number" "$("$(stack_pg_bin)/pg_dump" -h "$scratch/run" \
    -U postgres assay | grep -c -e "$card" -e 4111111111111111)" 0
finish
