#!/bin/sh
# SPDX-License-Identifier: ISC
# Every screen of the console with the sample: no fault for axe-core, nothing wider than
# a narrow window, no motion for who wants none.  With TEST_ALL=yes also without data,
# with failing calls, dark, in forced colours, and with texts that are 40 % longer.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/chromium.sh
. "$(dirname "$0")/chromium.sh"

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
visit full light
[ "${TEST_ALL:-}" != yes ] || visit full dark longer
finish
