#!/bin/sh
# SPDX-License-Identifier: ISC
# Chargebacks that are no fraud, and chargebacks that are taken back: tags, totals,
# rates and explanations forget them, and the audit trail has them.
. "$(dirname "$0")/lib.sh"
use list labels

# chargeback EVENT [MEMBERS]: send one; prints status and label.
chargeback() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"${2:+,$2}}"
	echo "$STATUS $(json .label)"
}
# known EVENT: what explanations say about its label.
known() {
	http GET "/v1/decisions/$1/explain"
	json '.label | if . == null then "none" else "\(.outcome) \(.source)" end'
}
# totals: fraud, legit, analyst and chargeback of the analytics.
totals() {
	http GET /v1/analytics/summary
	json '.labels | "\(.fraud) \(.legit) \(.analyst) \(.chargeback)"'
}
# shellcheck disable=SC2317 # stack_until calls it
totals_are() {
	[ "$(totals)" = "$1" ]
}
# shellcheck disable=SC2317 # the same
rates_are() {
	[ "$(sql "select count(*) from assay.label
	    where risk_outcome is distinct from outcome
	    or calibrated_outcome is distinct from outcome")" = 0 ]
}
# calibrated: labels and frauds that the drift has counted.
calibrated() {
	sql "select sum(labels), sum(fraud) from assay.calibration"
}

is "the API description has each reason code of fraud" "$(sed -n \
    's/^REASON("\([^"]*\)".*/\1/p' "$srcdir/fcgi/ep/chargeback_reasons.tbl" |
    while read -r code; do
	grep -q "\b$code\b" "$srcdir/docs/openapi.json" || echo "$code"
    done)" ""

start_labels
decide_order e-1
decide_order e-2 watched
decide_order e-3
is "a reason of fraud labels the event" \
    "$(chargeback e-1 '"reasonCode":"10.4"')" "202 fraud"
is "letters of a reason code have any case" \
    "$(chargeback e-3 '"reasonCode":"ua02","outcome":"lost"')" "202 fraud"
is "goods that did not come are no fraud" \
    "$(chargeback e-2 '"reasonCode":"13.1"') $(known e-2)" "202 null none"
for body in '"outcome":"lose"' '"outcome":7' '"reasonCode":""' \
    '"outcome":null' '"reasonCode":"12345678901234567"' '"reasonCode":"10.4 "'; do
	chargeback e-1 "$body" >/dev/null
	http POST /v1/labels/chargeback "{\"eventId\":\"e-1\",$body}"
	is_error "a chargeback with $body answers 400" 400 INVALID_REQUEST
done
is "two frauds count for their tag" "$(tag_weights)" "amount 2/0 38"
check "analytics have both" stack_until 20 0 totals_are "2 0 0 2"
check "rates and drift count both" stack_until 20 0 rates_are
is "the drift has two labels, both fraud" "$(calibrated)" "2|2"

# Taken back: without an analyst's label, with one, before the event, twice.
is "a dispute that was won leaves no label" \
    "$(chargeback e-1 '"outcome":"won"') $(known e-1)" "202 null none"
is "the tag of the event loses the count" "$(tag_weights)" "amount 1/0 34"
check "analytics lose it too" stack_until 20 0 totals_are "1 0 0 1"
check "rates and drift take it back" stack_until 20 0 rates_are
is "the drift has one label left" "$(calibrated)" "1|1"
is "subscribers hear that it was taken back" "$(sql "select data::json ->> 'outcome'
    from assay.outbox where data::json ->> 'eventId' = 'e-1'
    order by number" | paste -sd ' ')" "fraud none"
http GET '/v1/audit?limit=1'
is_json "the audit trail says which key took it back" \
    '.entries[0] | "\(.actor) \(.role) \(.action) \(.params | tojson)"' \
    "key:$(printf %.16s "$KEY") service POST /v1/labels/chargeback {\"eventId\":\"e-1\",\"outcome\":\"won\"}"
entry=$(json '.entries[0].id')
chargeback e-1 '"outcome":"withdrawn"' >/dev/null
chargeback e-unknown '"outcome":"withdrawn"' >/dev/null
http GET '/v1/audit?limit=1'
is "without a chargeback a withdrawal changes nothing" \
    "$(json '.entries[0].id') $(sql "select count(*) from assay.label
	where event_id = 'e-unknown'")" "$entry 0"
http POST "/v1/cases/$(sql "select id from assay.review_case
    where event_id = 'e-2'")/resolve" '{"outcome":"legit"}'
chargeback e-2 >/dev/null
is "a chargeback that replaced an analyst's label gives it back" \
    "$(known e-2), $(chargeback e-2 '"outcome":"withdrawn"'), $(known e-2)" \
    "fraud chargeback, 202 null, legit analyst"
is "an event of what was taken back names no label" "$(sql "select
    data::json ->> 'outcome' from assay.outbox
    where data::json ->> 'eventId' = 'e-2' order by number desc limit 1")" none
is "both labels count for the tag" "$(tag_weights)" "amount 1/1 23"
chargeback e-early >/dev/null
chargeback e-early '"outcome":"withdrawn"' >/dev/null
is "a chargeback before its event leaves no row when it is taken back" \
    "$(sql "select count(*) from assay.label where event_id = 'e-early'")" 0
chargeback e-1 >/dev/null
is "another reason takes no label back" \
    "$(chargeback e-1 '"reasonCode":"4853"') $(known e-1)" "202 null fraud chargeback"
is "a chargeback can be sent again" "$(chargeback e-1) $(known e-1) $(tag_weights)" \
    "202 null fraud chargeback amount 2/1 28!"
check "analytics agree at the end" stack_until 20 0 totals_are "2 1 1 2"
check "rates and drift agree at the end" stack_until 20 0 rates_are
sql "select assay.analytics_outcomes()" >/dev/null
is "a rebuild of the totals finds the same" "$(totals)" "2 1 1 2"
finish
