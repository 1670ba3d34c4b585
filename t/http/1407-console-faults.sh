#!/bin/sh
# SPDX-License-Identifier: ISC
# What goes wrong while operators use the console: the session ends, the service
# refuses or does not answer, and texts try to be HTML.  Nothing that is typed is
# lost, each screen says what is wrong, and the browser keeps no personal data.
# shellcheck disable=SC2016 # $text and $word are of jq
. "$(dirname "$0")/lib.sh"
use chromium hostile

need_chromium
command -v jq >/dev/null || skip_browser "jq is missing"
start_console OPERATOR_WORKERS=4
add_analysts

store_hostile
start_tcp_site
input=$(body "{password: \"correct horse\", text: \$text, case: \"$case_id\",
    exception: \"$exception\", proposal: \"$proposal\", backtest: \"$backtest\"}")
run_steps faults.mjs 20 "$input"
run_steps unknown.mjs 11 "$input"
run_steps addresses.mjs 12 "$input"
finish
