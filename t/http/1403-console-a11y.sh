#!/bin/sh
# SPDX-License-Identifier: ISC
# Every screen of the console, without data and with the sample, light and dark: no
# fault for axe-core, nothing wider than a narrow window, no motion for who wants
# none.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/chromium.sh
. "$(dirname "$0")/chromium.sh"

need_chromium
stack_docs "$srcdir" "$scratch"
stack_console "$srcdir" "$scratch"
start_stack
admin_token
api_key
start_tcp_site

# visit STATE: check each screen.
visit() {
	run_steps a11y.mjs "$(screens_in "$1")" \
	    '{"email":"admin@example.com","password":"correct horse"}' "$1"
}
# screens_in STATE: how many checks that makes.
screens_in() {
	node --input-type=module -e "import screens from '$srcdir/t/node/screens.mjs';
	    console.log(2 * screens.filter(({ empty }) => '$1' === 'full' ||
	    empty !== false).length)"
}
visit empty
API_KEY=$KEY "$scratch/bin/assayctl" replay --url "$site" \
    "$srcdir/sample/transactions.csv" >"$scratch/replay" 2>&1
check "the sample is decided" grep -q '300 events' "$scratch/replay"
visit full
finish
