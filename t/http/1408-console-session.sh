#!/bin/sh
# SPDX-License-Identifier: ISC
# The session of a browser in the console: other sites cannot use it, it ends when
# it is idle or its operator is disabled, a wrong clock changes nothing, and what is
# pressed twice is done once.
. "$(dirname "$0")/lib.sh"
use list chromium

need_chromium
start_console OPERATOR_WORKERS=4
add_analysts
list_user watch watched
for n in 1 2 3 4; do
	http POST /v1/decisions "{\"id\":\"e-$n\",\"type\":\"order.place\",
	    \"amount\":50,\"currency\":\"EUR\",\"subject\":{\"userId\":\"watched\"}}"
	is "the event $n opens a case" "$STATUS $(json .verdict)" "200 review"
done
sql "update assay.review_case set opened_at = now() - interval '150 minutes'"
start_tcp_site
run_steps session.mjs 18 '{"password":"correct horse"}'
finish
