#!/bin/sh
# SPDX-License-Identifier: ISC
# Labels: chargebacks, which of two labels counts, the counts and weights of
# tags, and labels that come before their event.
. "$(dirname "$0")/lib.sh"
use list labels

start_labels

http GET /v1/model
is "no tag has a learned weight at first" "$STATUS $(json tojson)" \
    '200 {"active":"weighted","weights":[]}'
decide_order e-1
send_chargeback e-1
is "a chargeback answers 202" "$STATUS $BODY" '202 {"recorded":true}'
is "a chargeback counts as fraud for the tags of its event" \
    "$(tag_weights)" "amount 1/0 34"
http GET /v1/model
is_json "GET /v1/model has the counts, the weight and the trust of a tag" \
    '.weights[0] | tojson' \
    '{"tag":"amount","fraud":1,"legit":0,"weight":34,"trusted":false}'
send_chargeback e-1
is "a second chargeback of an event counts no more" \
    "$STATUS $(tag_weights) $(label_events e-1)" "202 amount 1/0 34 1"
decide_order e-2
send_chargeback e-2
decide_order e-3
send_chargeback e-3
is "a tag with three labels is trusted" "$(tag_weights)" "amount 3/0 39!"

# An analyst says legit, then the bank sends a chargeback.
decide_order e-4 watched
http POST "/v1/cases/$(sql "select id from assay.review_case")/resolve" \
    '{"outcome":"legit"}'
is "an analyst's legit label counts for the tags of its event" \
    "$STATUS $(tag_weights)" "200 amount 3/1 32!"
http POST /v1/labels/chargeback '{"eventId":"e-4"}' -H 'X-Correlation-Id: cor-4'
is "a chargeback replaces an analyst's legit label" \
    "$(tag_weights) $(label_events e-4)" "amount 4/0 41! 2"
is "the event of a label has the caller's correlation id" \
    "$(sql "select data::jsonb from
    assay.outbox where correlation_id = 'cor-4'")" \
    '{"source": "chargeback", "eventId": "e-4", "outcome": "fraud"}'

# The chargeback comes first, then an analyst says legit.
decide_order e-5 watched
send_chargeback e-5
http POST "/v1/cases/$(sql "select id from assay.review_case
    where event_id = 'e-5'")/resolve" '{"outcome":"legit"}'
is "an analyst's legit label does not replace a chargeback" \
    "$(tag_weights) $(label_events e-5)" "amount 5/0 41! 2"
is "a label keeps both sources and the outcome that counts" \
    "$(sql "select analyst, chargeback, outcome
    from assay.label where event_id = 'e-5'")" 'legit|fraud|fraud'

# Labels before their events: of a scored event, of one that a list decides,
# of one without tags.
send_chargeback early
is "a chargeback of an unknown event answers 202" \
    "$STATUS $BODY $(label_events early)" '202 {"recorded":true} 1'
send_chargeback listed
send_chargeback quiet
decide_order quiet u 5
decide_order listed blocked
decide_order early
check "a label is matched with its event when that is decided" \
    stack_until 20 0 is_matched early
check "a label is matched with an event without tags" \
    stack_until 20 0 is_matched quiet
is "a matched label counts for the tags of its event" \
    "$(tag_weights)" "amount 6/0 42!"
is "a label of an event that a list decided has no tags" \
    "$(sql "select tags from assay.label
    where event_id = 'listed'")" ""
is "matching a label makes no second event" "$(label_events early)" 1
finish
