# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Review cases.  Sourced after lib.sh and list.sh.
# shellcheck disable=SC2034 # CASE and me are for the scenarios

# The address of the administrator.
me=admin@example.com

# The stack, a webhook for the events of cases, and a user whose events all
# open a case.
start_cases() {
	start_signed_in OPERATOR_WORKERS=4
	sql "insert into assay.webhook_endpoint (id, url, events, secret,
	    created_by)
	    values ('whk_1', 'https://example.com',
		array['case.resolved.v1', 'label.recorded.v1'], 's', 'me')"
	list_user watch watched
}

# open_case EVENT: decide an event that opens a case, whose id is in CASE.
open_case() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":5000,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"watched\"}}"
	CASE=$(sql "select id from assay.review_case where event_id = '$1'")
}

# case_trail: who did what to the last body's case.
case_trail() {
	json '.audit | map("\(.action) \(.actor)\(
	    if .detail then " (\(.detail))" else "" end)") | join(", ")'
}
