#!/bin/sh
# SPDX-License-Identifier: ISC
# An analyst types faster than the service answers, through slow, refused, failing and
# lost answers: what is stored is what was meant.  With TEST_ALL=yes for 200 cases.
. "$(dirname "$0")/lib.sh"
use list chromium

need_chromium
start_console OPERATOR_WORKERS=4 RATE_LIMIT_DECISIONS_PER_MIN=1000
add_analysts
list_user watch watched
cases=10
[ "${TEST_ALL:-}" != yes ] || cases=200
for n in $(seq "$cases"); do
	http POST /v1/decisions "{\"id\":\"e-$n\",\"type\":\"order.place\",
	    \"amount\":5000,\"currency\":\"EUR\",\"subject\":{\"userId\":\"watched\",
	    \"deviceId\":\"d-$n\"}}"
	[ "$STATUS $(json .verdict)" = "200 review" ] ||
	    not_ok "the event $n opens a case, not $STATUS $BODY"
done
start_tcp_site
run_steps typing.mjs 8 '{"password":"correct horse"}' "$cases"
is "the trail of the cases has nothing else" "$(sql "select
    string_agg(distinct action, ' ' order by action) from assay.case_trail")" \
    "assigned opened resolved"
is "no list has a new entry" "$(sql "select count(*) from assay.list_entry")" 1
finish
