#!/bin/sh
# SPDX-License-Identifier: ISC
# Amounts in many currencies: none of them erases a baseline, and a currency
# that a user has no room for is unknown.
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

finish
