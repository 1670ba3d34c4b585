#!/bin/sh
# SPDX-License-Identifier: ISC
# Several changes of the configuration and four eyes: one proposal has them all.
. "$(dirname "$0")/lib.sh"
use eyes config

# restart NAME=VALUE: the pool with this setting.
restart() {
	stop_pool
	start_pool "$1"
	wait_ready
}
active() {
	sql "select version from assay.ruleset_active
	    where event_type = 'card.refund'"
}

start_stack
two_admins
TOKEN=$ann
make_changes
config
# A proposal is based on the whole configuration.
propose "$ann" "POST /v1/config" "{\"etag\":\"$etag\",\"changes\":[$(rules v5 500),$days]}"
is_json "several changes are one proposal" '"\(.status) \(.subject)"' \
    "pending config"
first=$id
as "$bob" GET "/v1/proposals/$first"
is_json "the proposal shows the text of what it changes" \
    '[(.before | test("amount > 500")), (.after | test("\nrules card.refund v5\nrule big .*amount > 500"))] | tojson' \
    "[false,true]"
propose "$ann" "POST /v1/config" "{\"etag\":\"$etag\",\"changes\":[$hook]}"
is_error "a webhook cannot be proposed" 400 INVALID_REQUEST
propose "$ann" "POST /v1/config" "{\"etag\":\"$etag\",\"changes\":[{\"action\":\"POST /v1/webhooks/whk_1/revoke\"}]}"
is_error "the end of a webhook cannot be proposed" 400 INVALID_REQUEST
propose "$ann" "POST /v1/config" "{\"etag\":\"$etag\",\"changes\":[$rates]}"
second=$id
id=$first
approve "$bob"
is "an approval makes all changes" "$STATUS $(active)" "200 v5"
is "an approval has one audit entry" "$(sql "select action
    from assay.audit order by id desc limit 1")" \
    "POST /v1/proposals/$first/approve"
id=$second
approve "$bob"
is_error "a proposal of an older configuration is stale" 409 PROPOSAL_STALE

restart FOUR_EYES=policies
config
apply "$rates,$policy"
is_error "a change that needs a second person is refused" 409 APPROVAL_REQUIRED
is_json "the error names the change that needs it" \
    '.message | test("^changes.1.")' true
apply "$rates,$policy" ',"rehearse":true'
is "a rehearsal needs no approval" "$STATUS" 200
restart FOUR_EYES=config
apply "$rates"
is_error "the subject config needs a second person for any change" 409 APPROVAL_REQUIRED
finish
