#!/bin/sh
# SPDX-License-Identifier: ISC
# Amounts in many currencies: the baseline of a user stays, and the signals of a
# currency that does not fit into the user's state are unknown.  Invalid codes are
# refused; null means absent.
. "$(dirname "$0")/lib.sh"

start_with_key

# pay ID USER CURRENCY AMOUNT [TYPE]
pay() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"${5:-order.place}\",
	    \"amount\":$4,\"currency\":\"$3\",\"subject\":{\"userId\":\"$2\"}}"
}

# amount_signals ID: print the signals about amounts of that decision.
amount_signals() {
	sql "select coalesce(s ->> 'velocity.amountLast1h', '-'),
	    coalesce(s ->> 'anomaly.samples', '-'),
	    coalesce(s ->> 'anomaly.amountMean', '-'),
	    coalesce(s ->> 'anomaly.amountZScore', '-')
	    from (select signals(sample) s from assay.decision_detail
		where event_id = '$1') d"
}

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	pay "base-$i" saver USD 11.$((i % 3))
done
for currency in EUR GBP SEK NOK DKK CHF PLN CZK HUF RON BGN ISK; do
	pay "small-$currency" saver $currency 1
done
pay spike saver USD 900
is "twelve other currencies keep baseline and hour of the first" \
    "$(amount_signals spike | cut -d'|' -f1,2)" "222.1|20"
is_json "an amount far from the baseline is tagged" \
    '[.reasons[].tag] | index("amount_spike") != null' true
pay lost saver EUR 1
is "a currency that lost its room is unknown" "$(amount_signals lost)" "-|-|-|-"
pay kept saver ISK 1
is "a currency with room is known" "$(amount_signals kept)" "1|1|1|0"
pay fresh other ISK 1
is "the first amount of a user with room is known" \
    "$(amount_signals fresh)" "0|0|0|0"

# ISO 4217 and 3166.
pay typo other UDS 1
is_error "an unknown currency answers 400" 400 INGEST_INVALID
is "the message names field and standard of the currency" "$(json .message)" \
    "currency must be the three letters of a currency in ISO 4217; XTS and XXX name none"
for currency in XXX XTS ZZZ EURO; do
	pay wrong other $currency 1
	is_error "the code $currency answers 400" 400 INGEST_INVALID
done
for currency in xau HRK usn; do
	pay "fine-$currency" coder $currency 1
	is "the code $currency is accepted" "$STATUS" 200
done
http POST /v1/decisions '{"type":"order.place","subject":{"userId":"other"},
    "instrument":{"issuerCountry":"ZZ"}}'
is_error "an unknown country answers 400" 400 INGEST_INVALID
is "the message names the field of the country" \
    "$(json '.message | split(" ")[0]')" \
    instrument.issuerCountry
http POST /v1/decisions '{"type":"order.place","subject":{"userId":"other"},
    "instrument":{"issuerCountry":"xk"}}'
is "XK is accepted as a country" "$STATUS" 200

# null means absent.
nulls='"type":"order.place","amount":null,"currency":null,"subject":{
    "userId":"none","deviceId":null,"fingerprint":null,"ip":null,"phone":null,
    "channel":null},"instrument":null,"attributes":{"plan":null}'
http POST /v1/decisions "{\"id\":null,$nulls}"
is "null in optional fields answers 200" "$STATUS" 200
is "null is not stored" "$(sql "select request::json ->> 'subject', request like
    '%null%', request like '%plan%' from assay.decision_detail where user_id = 'none'")" \
    '{"userId":"none"}|f|f'
http POST /v1/decisions/batch "{\"events\":[{\"id\":\"n-1\",$nulls},
    {\"id\":null,\"type\":null,\"subject\":null},
    {\"type\":\"order.place\",\"subject\":{\"userId\":null}}]}"
is_json "a batch accepts null only in optional fields" \
    '[.results[] | .ok, .error.code, .error.message] | map(tostring) | join("|")' \
    "true|null|null|false|INGEST_UNKNOWN_TYPE|type is missing or unknown|false|INGEST_INVALID|subject.userId is required"
http POST /v1/decisions/async "{\"id\":\"n-2\",$nulls}"
is "an asynchronous event accepts null in optional fields" "$STATUS" 202
http POST /v1/decisions/async "{\"id\":null,$nulls}"
is_error "an asynchronous event with null as id answers 400" 400 INGEST_INVALID
finish
