#!/bin/sh
# SPDX-License-Identifier: ISC
# Two analysts work through the queue of the console, by keyboard alone: they never
# get the same case, and lose nothing when the other one is faster.
. "$(dirname "$0")/lib.sh"
use list chromium

need_chromium
start_console OPERATOR_WORKERS=4
add_analysts
list_user watch watched
for n in 1 2 3 4 5 6 7 8; do
	http POST /v1/decisions "{\"id\":\"<i>e-$n</i>\",\"type\":\"order.place\",
	    \"amount\":5000,\"currency\":\"EUR\",\"subject\":{\"userId\":\"watched\",
	    \"channel\":\"<img src=x onerror=document.title=1>\u202e\"},
	    \"attributes\":{\"note\":\"<script>document.title=2</script>\"}}"
	is "the event $n opens a case" "$STATUS $(json .verdict)" "200 review"
done
start_tcp_site
run_steps shift.mjs 21 '{"password":"correct horse"}'
is "the block that was approved is the analyst's" "$(sql "select kind, subject, value,
    created_by from assay.list_entry where kind = 'block'")" \
    "block|user|watched|ana@example.com"
is "each case has one outcome, and each outcome one analyst" "$(sql "select
    count(*) filter (where status = 'resolved'),
    count(*) filter (where status = 'resolved' and assigned_to is null)
    from assay.review_case")" "3|0"
finish
