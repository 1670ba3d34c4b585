#!/bin/sh
# SPDX-License-Identifier: ISC
# Every screen of the console with the sample: no fault for axe-core, nothing wider than
# a narrow window, no motion for who wants none.  With TEST_ALL=yes also without data,
# with failing calls, dark, in forced colours, with texts that are 40 % longer, and with
# hostile texts in every field.
# Then the lists with values as long as they can be, and the way back to a row.
. "$(dirname "$0")/lib.sh"
use list chromium hostile

need_chromium
start_console
start_tcp_site

# visit STATE PASS ...: check each screen in these passes.
visit() {
	visit_state=$1
	shift
	for pass; do
		run_steps a11y.mjs "$(screens_in "$visit_state" "$pass")" \
		    '{"email":"admin@example.com","password":"correct horse"}' \
		    "$visit_state" "$pass"
	done
}
# screens_in STATE PASS: how many checks that makes.
screens_in() {
	node --input-type=module -e "import { screensIn } from
	    '$srcdir/t/node/screens.mjs';
	    console.log(screensIn('$1', '$2').length)"
}
[ "${TEST_ALL:-}" != yes ] || visit empty light failing
API_KEY=$KEY "$scratch/bin/assayctl" replay --url "$site" \
    "$srcdir/sample/transactions.csv" >"$scratch/replay" 2>&1
check "the sample is decided" grep -q '300 events' "$scratch/replay"
http POST /v1/rules '{"eventType":"card.capture","version":"candidate",
    "shadow":true,
    "dsl":"rule big { when event.amount > 9 then score += 40, tag big }"}'
is "a shadow runs" "$STATUS" 200
http POST /v1/backtest '{"eventType":"card.authorize"}'
is "a backtest is kept" "$STATUS" 200
http POST /v1/exceptions "{\"kind\":\"tag\",\"name\":\"velocity\",
    \"subject\":\"device\",\"value\":\"d-1\",\"reason\":\"a shop that tests\",
    \"expiresAt\":\"$(date -u -d '7 days' +%Y-%m-%dT%H:%M:%SZ)\"}"
is "an exception is made" "$STATUS" 201
visit full light
[ "${TEST_ALL:-}" != yes ] || visit full dark longer

user=$(printf 'u-%0126d' 7)
event=$(printf 'ev-%0125d' 1)
list_user watch "$user"
http POST /v1/decisions/batch "{\"events\":[$(for n in $(seq 40); do
	printf '%s{"id":"ev-%0125d","type":"payment.authorize","currency":"JPY",
	    "amount":999999999999.99,"subject":{"userId":"%s"}}' \
	    "$([ "$n" -eq 1 ] || echo ,)" "$n" "$user"
done)]}"
is "events with long ids are decided" "$STATUS" 200
sql "update assay.review_case set queue = rpad('queue', 128, 'q'),
    event_type = repeat('x', 40), tags = array[repeat('t', 64), repeat('u', 64), 'v']
    where right(event_id, 1) = '2'"
sql "update assay.review_case set status = 'assigned', assigned_to = 'someone-with-a-' ||
    repeat('long', 40) || '@example.com' where event_id like 'ev-%3'"
http POST /v1/webhooks "{\"url\":\"https://example.com/$user\",
    \"events\":[\"case.resolved.v1\"]}"
is "a webhook has a long address" "$STATUS" 201
http POST /v1/backtest '{"eventType":"payment.authorize","flips":20,
    "dsl":"rule big { when event.amount > 9 then score += 90, tag big }"}'
is "a backtest has verdicts that differ" "$STATUS $(json '.active.flips > 9')" "200 true"
run_steps fits.mjs 13 "{\"email\":\"admin@example.com\",
    \"password\":\"correct horse\",\"user\":\"$user\",\"event\":\"$event\",
    \"backtest\":\"$(json .id)\"}"
if [ "${TEST_ALL:-}" = yes ]; then
	add_analysts
	store_hostile
	visit full light dark
fi
finish
