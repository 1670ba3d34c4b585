#!/bin/sh
# SPDX-License-Identifier: ISC
# Amounts in many currencies: none of them erases a baseline, and a currency
# that a user has no room for is unknown.  Which codes there are, and null.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key
TOKEN=

# pay ID USER CURRENCY AMOUNT [TYPE]
pay() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"${5:-order.place}\",
	    \"amount\":$4,\"currency\":\"$3\",\"subject\":{\"userId\":\"$2\"}}"
}

# signals ID: what the rules knew of amounts.
signals() {
	sql "select coalesce(s ->> 'velocity.amountLast1h', '-'),
	    coalesce(s ->> 'anomaly.samples', '-'),
	    coalesce(s ->> 'anomaly.amountMean', '-'),
	    coalesce(s ->> 'anomaly.amountZScore', '-')
	    from (select replay::json -> 'signals' s from assay.detail
		where event_id = '$1') d"
}

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	pay "base-$i" saver USD 11.$((i % 3))
done
for currency in EUR GBP SEK NOK DKK CHF PLN CZK HUF RON BGN ISK; do
	pay "small-$currency" saver $currency 1
done
pay spike saver USD 900
is "twelve currencies later the baseline and the hour are still there" \
    "$(signals spike | cut -d'|' -f1,2)" "222.1|20"
is_json "an amount far from it is seen" \
    '[.reasons[].tag] | index("amount_spike") != null' true
pay lost saver EUR 1
is "a currency that made room is unknown" "$(signals lost)" "-|-|-|-"
pay kept saver ISK 1
is "one that is kept is known" "$(signals kept)" "1|1|1|0"
pay fresh other ISK 1
is "as is the first of a user who has room" "$(signals fresh)" "0|0|0|0"

# ISO 4217 and 3166.
pay typo other UDS 1
is_error "a mistyped currency is refused" 400 INGEST_INVALID
is "with its path and what is taken" "$(json .message)" \
    "currency must be the three letters of a currency in ISO 4217; XTS and XXX name none"
for currency in XXX XTS ZZZ EURO; do
	pay wrong other $currency 1
	is_error "$currency is no currency" 400 INGEST_INVALID
done
for currency in xau HRK usn; do
	pay "fine-$currency" coder $currency 1
	is "$currency is one" "$STATUS" 200
done
http POST /v1/decisions '{"type":"order.place","subject":{"userId":"other"},
    "instrument":{"issuerCountry":"ZZ"}}'
is_error "a country that does not exist is refused" 400 INGEST_INVALID
is "with its path" "$(json '.message | split(" ")[0]')" \
    instrument.issuerCountry
http POST /v1/decisions '{"type":"order.place","subject":{"userId":"other"},
    "instrument":{"issuerCountry":"xk"}}'
is "Kosovo is a country, as in lists" "$STATUS" 200

# null is absence.
nulls='"type":"order.place","amount":null,"currency":null,"subject":{
    "userId":"none","deviceId":null,"fingerprint":null,"ip":null,"phone":null,
    "channel":null},"instrument":null,"attributes":{"plan":null}'
http POST /v1/decisions "{\"id\":null,$nulls}"
is "null for optional fields is as leaving them out" "$STATUS" 200
is "and is not kept" "$(sql "select request::json ->> 'subject', request like
    '%null%', request like '%plan%' from assay.detail where user_id = 'none'")" \
    '{"userId":"none"}|f|f'
http POST /v1/decisions/batch "{\"events\":[{\"id\":\"n-1\",$nulls},
    {\"id\":null,\"type\":null,\"subject\":null},
    {\"type\":\"order.place\",\"subject\":{\"userId\":null}}]}"
is_json "in a batch too, and what is required is missed" \
    '[.results[] | .ok, .error.code, .error.message] | map(tostring) | join("|")' \
    "true|null|null|false|INGEST_UNKNOWN_TYPE|type is missing or unknown|false|INGEST_INVALID|subject.userId is required"
http POST /v1/decisions/async "{\"id\":\"n-2\",$nulls}"
is "and asynchronously" "$STATUS" 202
http POST /v1/decisions/async "{\"id\":null,$nulls}"
is_error "where the id is required" 400 INGEST_INVALID
finish
