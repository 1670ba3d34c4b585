#!/bin/sh
# SPDX-License-Identifier: ISC
# Analysts propose list entries and nothing else, see and withdraw only their own
# proposals, and approve none.
. "$(dirname "$0")/lib.sh"
use eyes

start_stack OPERATOR_WORKERS=3
two_admins
make_operator liz@example.com author
liz=$made
entry='{"kind":"block","subject":"device","value":"d-7"}'
entries() { sql "select string_agg(value || ' ' || created_by, ',') from assay.list_entry"; }

as "$eve" POST /v1/lists "$entry"
is_error "an analyst cannot block a device alone" 403 FORBIDDEN
propose "$eve" "POST /v1/lists" "$entry"
eves=$id
is_json "an analyst proposes to block it" '"\(.status) \(.author) \(.target)"' \
    "pending eve@example.com block device d-7"
is "a proposed entry blocks nothing" "$STATUS $(entries)" "201 "
propose "$eve" "POST /v1/lists" '{"kind":"block","subject":"ip","value":"no"}'
is_error "a wrong entry cannot be proposed" 400 INVALID_REQUEST
is_json "the refusal names the member" '.message | test("^value ")' true

# Every other request that can be proposed.
rule='rule big { when event.amount > 100 then score += 40, tag big }'
while read -r method path body; do
	propose "$eve" "$method $path" "$body"
	is_error "an analyst cannot propose $method $path" 403 FORBIDDEN
done <<END
POST /v1/rules {"eventType":"card.refund","version":"v2","dsl":"$rule"}
POST /v1/rules {"eventType":"card.refund","version":"v2","shadow":true,"dsl":"$rule"}
POST /v1/rules/card.refund/rollback {"toVersion":"none"}
POST /v1/policies {"id":"pol_card_refund"}
POST /v1/policies/pol_card_refund/rollback {"toVersion":"none"}
POST /v1/model/shadow/promote {"eventType":"card.refund"}
PUT /v1/config/retention {"activity":30}
POST /v1/config/retention/run
POST /v1/privacy/erase {"userId":"u-1"}
POST /v1/config {"changes":[]}
POST /v1/lists/import "kind,subject,value"
DELETE /v1/lists/lst_none
END
is_json "the refusal names the role" .message "action needs a role above analyst"
propose "$eve" "POST /v1/apikeys" '{"name":"k"}'
is_error "what no role proposes is no proposal of an analyst" 400 INVALID_REQUEST

# The proposals of others.
propose "$ann" "POST /v1/rules" \
    "{\"eventType\":\"card.refund\",\"version\":\"v2\",\"dsl\":\"$rule\"}"
anns=$id
propose "$liz" "POST /v1/lists" '{"kind":"watch","subject":"user","value":"u-1"}'
lizs=$id
as "$eve" GET '/v1/proposals?limit=200'
is_json "an analyst lists only own proposals" 'map(.id) | join(" ")' "$eves"
as "$eve" GET "/v1/proposals?before=$lizs"
is_json "a later page has only own proposals, too" 'map(.id) | join(" ")' "$eves"
as "$eve" GET "/v1/proposals/$eves"
is_json "an analyst reads an own proposal" '"\(.body.value) \(.stale)"' \
    "d-7 false"
for other in "$anns" "$lizs"; do
	as "$eve" GET "/v1/proposals/$other"
	got=$BODY
	is_error "an analyst cannot read the proposal of another" 404 NOT_FOUND
	as "$eve" GET /v1/proposals/prp_none
	is "the proposal of another is answered as none" "$got" "$BODY"
	as "$eve" POST "/v1/proposals/$other/withdraw"
	is_error "an analyst cannot withdraw the proposal of another" 404 NOT_FOUND
	id=$other
	approve "$eve"
	is_error "an analyst cannot approve" 403 FORBIDDEN
	as "$eve" POST "/v1/proposals/$other/reject" '{"reason":"no"}'
	is_error "an analyst cannot reject" 403 FORBIDDEN
done
id=$eves
approve "$eve"
is_error "an analyst cannot approve an own proposal" 403 FORBIDDEN
for token in "$liz" "$ann"; do
	as "$token" GET /v1/proposals
	is_json "authors and admins list all proposals" \
	    'map(.id) | join(" ")' "$lizs $anns $eves"
	as "$token" GET "/v1/proposals/$eves"
	is "authors and admins read that of an analyst" "$STATUS" 200
	as "$token" POST "/v1/proposals/$eves/withdraw"
	is_error "authors and admins do not withdraw it" 403 PROPOSAL_NOT_YOURS
done

# What becomes of them.
id=$eves
approve "$bob"
is "an admin approves the proposal of an analyst" "$STATUS $(entries)" \
    "200 d-7 eve@example.com"
as "$ann" GET '/v1/audit?limit=1'
is_json "the audit entry names both" \
    '.entries[0] | "\(.actor) \(.params.author) \(.params.action)"' \
    "bob@example.com eve@example.com POST /v1/lists"
as "$eve" GET /v1/proposals
is_json "an analyst sees what became of it" \
    'map("\(.status) \(.decidedBy)") | join(",")' "approved bob@example.com"
propose "$eve" "POST /v1/lists" '{"kind":"watch","subject":"user","value":"u-2"}'
as "$eve" POST "/v1/proposals/$id/withdraw"
is_json "an analyst withdraws an own proposal" .status withdrawn

# The role counts when the proposal is approved.
propose "$liz" "POST /v1/lists/import" '"kind,subject,value\nblock,user,u-3\n"'
import=$id
TOKEN=$ann
http PATCH /v1/auth/users/liz%40example.com '{"role":"analyst"}'
approve "$bob"
is_error "an import by an author who is an analyst now is not approved" \
    409 PROPOSAL_ORPHANED
id=$lizs
approve "$bob"
is "an entry by an author who is an analyst now is approved" \
    "$STATUS $(entries)" "200 d-7 eve@example.com,u-1 liz@example.com"
as "$liz" GET /v1/proposals
is_json "who is an analyst now sees the own proposals of before" \
    'map(.id) | join(" ")' "$import $lizs"
propose "$eve" "POST /v1/lists" '{"kind":"block","subject":"user","value":"u-4"}'
http PATCH /v1/auth/users/eve%40example.com '{"disabled":true}'
approve "$bob"
is_error "the proposal of a disabled analyst is not approved" \
    409 PROPOSAL_ORPHANED
finish
