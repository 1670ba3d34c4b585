#!/bin/sh
# SPDX-License-Identifier: ISC
# Every screen of the console, without data, with failing calls and with the sample,
# light, dark and in forced colours: no fault for axe-core, nothing wider than a narrow
# window, no motion for who wants none; and texts that are 40 % longer fit.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/chromium.sh
. "$(dirname "$0")/chromium.sh"

need_chromium
start_console
start_tcp_site

# visit STATE: check each screen.
visit() {
	run_steps a11y.mjs "$(screens_in "$1")" \
	    '{"email":"admin@example.com","password":"correct horse"}' "$1"
}
# screens_in STATE: how many checks that makes.
screens_in() {
	node --input-type=module -e "import screens, { mayFail } from
	    '$srcdir/t/node/screens.mjs';
	    console.log('$1' === 'full' ? 3 * screens.length :
	    screens.filter(({ empty }) => empty !== false).length +
	    screens.filter(mayFail).length)"
}
visit empty
API_KEY=$KEY "$scratch/bin/assayctl" replay --url "$site" \
    "$srcdir/sample/transactions.csv" >"$scratch/replay" 2>&1
check "the sample is decided" grep -q '300 events' "$scratch/replay"
http POST /v1/rules '{"eventType":"card.capture","version":"candidate",
    "shadow":true,
    "dsl":"rule big { when event.amount > 9 then score += 40, tag big }"}'
is "a shadow runs" "$STATUS" 200
http POST /v1/backtest '{"eventType":"card.authorize"}'
is "a backtest is kept" "$STATUS" 200
visit full
finish
