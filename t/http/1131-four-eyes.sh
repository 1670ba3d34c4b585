#!/bin/sh
# SPDX-License-Identifier: ISC
# Four eyes: while FOUR_EYES names a subject, its changes are proposals, which
# another admin approves; the approval makes the change and its audit entry.
. "$(dirname "$0")/lib.sh"
use eyes

start_stack FOUR_EYES=rules,lists
two_admins
rule='rule big { when event.amount > 100 then score += 40, tag big }'
ruleset="{\"eventType\":\"card.refund\",\"version\":\"v2\",\"dsl\":\"$rule\"}"
active() {
	sql "select version from assay.ruleset_active
	    where event_type = 'card.refund'"
}
seed=$(active)

as "$ann" GET /v1/auth/me
is_json "the session names the subjects of four eyes" '.fourEyes | join(" ")' \
    "rules lists"
as "$ann" POST /v1/rules "$ruleset"
is_error "a ruleset cannot be published at once" 409 APPROVAL_REQUIRED
as "$ann" POST /v1/rules/card.refund/rollback "{\"toVersion\":\"$seed\"}"
is_error "a ruleset cannot be rolled back at once" 409 APPROVAL_REQUIRED
as "$ann" POST /v1/rules '{"eventType":"card.refund","version":"trial","shadow":true,"dsl":"'"$rule"'"}'
is "a shadow ruleset needs no approval" "$STATUS" 200
as "$ann" POST /v1/model/shadow/promote '{"eventType":"card.refund"}'
is_error "a shadow ruleset cannot be promoted at once" 409 APPROVAL_REQUIRED
as "$ann" PUT /v1/config/retention '{"activity":30}'
is "a subject that the setting does not name needs no approval" "$STATUS" 200
is "the refused requests changed nothing" "$(active)" "$seed"

propose "$ann" "POST /v1/rules" "$ruleset"
first=$id
is_json "a proposal waits and names its author" '[.status, .subject, .target,
    .author, .decidedBy, .stale] | map(tostring) | join(" ")' \
    "pending rules card.refund admin@example.com null false"
is "a proposal changes nothing" "$(active) $(sql "select count(*)
    from assay.ruleset where version = 'v2'")" "$seed 0"
as "$ann" GET "/v1/proposals/$first"
is_json "a proposal has its body and the texts to compare" \
    '"\(.body.version) \(.after) \(.before | length > 100)"' \
    "v2 $rule true"
is_json "a proposal names the version that it publishes" \
    '"\(.version) \(.shadow)"' "v2 false"
as "$eve" GET "/v1/proposals/$first"
is_error "an analyst cannot see a proposal of another" 404 NOT_FOUND
propose "$eve" "POST /v1/rules" "$ruleset"
is_error "an analyst cannot propose rules" 403 FORBIDDEN

shadow="{\"eventType\":\"card.refund\",\"version\":\"trial-2\",\"shadow\":true,\"dsl\":\"$rule\"}"
make_operator liz@example.com author
propose "$made" "POST /v1/rules" "$shadow"
is_json "an author proposes a shadow, which its proposal names" \
    '"\(.version) \(.shadow)"' "trial-2 true"
as "$ann" GET "/v1/proposals/$id"
is_json "a shadow can be proposed, to compare with what is active" \
    '"\(.subject) \(.target) \(.after) \(.before | length > 100)"' \
    "rules card.refund $rule true"
shadows() {
	sql "select string_agg(version, ' ') from assay.shadow where slot = 'card.refund'"
}
is "a proposed shadow does not run" "$(shadows)" trial
approve "$bob"
is "an approved shadow runs and decides nothing" "$STATUS $(shadows) $(active)" \
    "200 trial-2 $seed"
as "$ann" GET /v1/model/shadow
is_json "a shadow names its author and its proposal" \
    '.[] | select(.version == "trial-2") | "\(.author) \(.proposal)"' \
    "liz@example.com $id"

id=$first
approve "$ann"
is_error "an operator cannot approve an own proposal" 409 OWN_PROPOSAL
approve "$eve"
is_error "an analyst cannot approve" 403 FORBIDDEN
as "$bob" POST "/v1/proposals/$first/withdraw"
is_error "only its author withdraws a proposal" 403 PROPOSAL_NOT_YOURS
is "a refused decision leaves the proposal pending" "$(status_of "$first")" pending

propose "$bob" "POST /v1/rules" "{\"eventType\":\"card.refund\",\"version\":\"v3\",\"dsl\":\"$rule\"}"
second=$id
id=$first
approve "$bob"
is "an approval answers like the action" "$STATUS $BODY" \
    '200 {"ok":true,"result":{"warnings":[],"ok" : true, "version" : "v2"}}'
is "an approval makes the change" "$(active)" v2
is "the proposal is approved" "$(status_of "$first")" approved
as "$ann" GET '/v1/audit?limit=1'
is_json "the audit entry of an approval names both operators" '.entries[0] |
    "\(.actor) \(.status) \(.params.author) \(.params.action) \(.params.body.version)"' \
    "bob@example.com 200 admin@example.com POST /v1/rules v2"
approve "$bob"
is_error "a proposal is decided once" 409 PROPOSAL_DECIDED
as "$ann" POST "/v1/proposals/$first/withdraw"
is_error "a decided proposal cannot be withdrawn" 409 PROPOSAL_DECIDED

as "$ann" GET '/v1/proposals?status=pending'
is_json "the other proposal for the same rules is stale" \
    'map("\(.id) \(.stale)") | join(",")' "$second true"
id=$second
approve "$ann"
is_error "a stale proposal cannot be approved" 409 PROPOSAL_STALE
is "a stale proposal changes nothing" "$(active)" v2
as "$ann" POST "/v1/proposals/$second/reject" '{"reason":"see v2"}'
is_json "a rejection has its reason" '"\(.status) \(.decisionReason)"' \
    "rejected see v2"
as "$ann" POST "/v1/proposals/$second/reject" '{}'
is_error "a rejection needs a reason" 400 INVALID_REQUEST

propose "$ann" "POST /v1/lists" '{"kind":"block","subject":"user","value":"u-1"}'
as "$ann" POST "/v1/proposals/$id/withdraw"
is_json "an author withdraws an own proposal" \
    '"\(.status) \(.target) \(.digest)"' "withdrawn null null"

# What is proposed is checked as if it were sent.
propose "$ann" "POST /v1/rules" "${ruleset%%rule *}rule\"}"
is_error "a ruleset with a mistake cannot be proposed" 400 RULESET_INVALID
propose "$ann" "POST /v1/rules" "$ruleset"
is_error "a version that exists cannot be proposed" 409 VERSION_EXISTS
propose "$ann" "POST /v1/apikeys" '{"name":"k"}'
is_error "an action without a subject cannot be proposed" 400 INVALID_REQUEST
propose "$ann" "GET /v1/rules" ''
is_error "a read cannot be proposed" 400 INVALID_REQUEST
propose "$ann" "DELETE /v1/lists/lst_none" ''
is_error "the removal of no entry cannot be proposed" 404 NOT_FOUND
propose "$ann" "POST /v1/rules" '"text"'
is_error "a body of the wrong type cannot be proposed" 400 INVALID_REQUEST
propose "$ann" "POST /v1/rules" "$(echo "$shadow" | sed 's/> 100/>/')"
is_error "a shadow with a mistake cannot be proposed" 400 RULESET_INVALID
propose "$ann" "POST /v1/config" '{"rehearse":true}'
is_error "a rehearsal, which changes nothing, cannot be proposed" 400 INVALID_REQUEST
as "$ann" POST /v1/proposals '{"action":"POST /v1/rules","body":'"$ruleset"'}'
is_error "a proposal needs a reason" 400 INVALID_REQUEST
is "refused proposals are not stored" "$(sql "select count(*)
    from assay.proposal")" 4
as "$ann" GET '/v1/proposals?status=open'
is_error "an unknown status answers 400" 400 INVALID_REQUEST
as "$ann" GET /v1/proposals/prp_none
is_error "an unknown proposal answers 404" 404 NOT_FOUND
finish
