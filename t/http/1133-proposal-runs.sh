#!/bin/sh
# SPDX-License-Identifier: ISC
# Proposals about erasure, retention, lists and shadows: runs of several
# transactions, runs that fail or are killed, and what stays of the bodies.
. "$(dirname "$0")/lib.sh"
use load eyes

start_stack FOUR_EYES=erasure,retention,lists,shadow,policies
two_admins
api_key
for user in gone-1 gone-2; do
	http POST /v1/decisions "{\"id\":\"$user\",\"type\":\"account.login\",\"subject\":{\"userId\":\"$user\"}}"
done
KEY=
details_of() {
	sql "select count(*) from assay.decision_detail where user_id = '$1'"
}
# propose_erasure USER: propose to erase the user.
propose_erasure() {
	propose "$ann" "POST /v1/privacy/erase" "{\"userId\":\"$1\"}"
}

as "$ann" POST /v1/privacy/erase '{"userId":"gone-1"}'
is_error "a user cannot be erased at once" 409 APPROVAL_REQUIRED
propose "$ann" "POST /v1/privacy/erase" '{"userId":""}'
is_error "an erasure of no user cannot be proposed" 400 INVALID_REQUEST
propose_erasure gone-1
other=$id
propose_erasure gone-1
is "a proposed erasure erases nothing" "$STATUS $(details_of gone-1) $(sql \
    "select count(*) from assay.erasure")" "201 1 0"
approve "$bob"
is_json "an approved erasure answers as the erasure" \
    '"\(.ok) \(.result.userId) \(.result.activityEntriesRemoved)"' \
    "true gone-1 1"
is "an approved erasure erases" "$(details_of gone-1)" 0
is "no proposal has the id of an erased user" "$(status_of "$id") $(status_of \
    "$other") $(sql "select count(*) from assay.proposal p
    where p::text like '%gone-1%'")" "approved expired 0"

# A run that fails after its first transaction.
propose_erasure gone-2
sql 'revoke execute on function assay.erase_details(text, timestamptz, bigint)
    from assay_operator' >/dev/null
approve "$bob"
is_error "an erasure that fails in the middle answers its error" 500 INTERNAL
as "$ann" GET '/v1/audit?limit=2'
is_json "the trail has the begin and the failure of the run" \
    '[.entries[] | "\(.status) \(.params.author)"] | join(", ")' \
    "500 admin@example.com, 200 admin@example.com"
is "the proposal of a run that failed is failed" "$(status_of "$id")" failed
sql 'grant execute on function assay.erase_details(text, timestamptz, bigint)
    to assay_operator' >/dev/null
approve "$ann"
is_error "an author cannot approve the own run again" 409 OWN_PROPOSAL

# A run that is killed.
hold_lock "select pg_advisory_xact_lock($(user_lock gone-2))"
post_later killed "/v1/proposals/$id/approve" '{}' -H "Authorization: Bearer $bob"
stack_until 20 "$lock_pid" lock_waiters_are 1
is "an erasure that has begun is running" "$(status_of "$id")" running
approve "$bob"
is_error "a running proposal cannot be approved" 409 PROPOSAL_DECIDED
as "$ann" POST "/v1/proposals/$id/withdraw"
is_error "a running proposal cannot be withdrawn" 409 PROPOSAL_DECIDED
sql "update assay.proposal set decided_at = now() - interval '16 minutes'
    where id = '$id'" >/dev/null
is "a run without an end counts as failed" "$(status_of "$id")" failed
sql "select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and not granted" >/dev/null
await_answer killed
release_lock
is_error "a killed run answers 503" 503 UNAVAILABLE
approve "$bob"
is "a killed run can be approved again" \
    "$STATUS $(details_of gone-2) $(status_of "$id")" "200 0 approved"

# Retention: the run commits before it begins.
hold_lock "select pg_advisory_xact_lock(hashtextextended('assay.retain', 0))"
propose "$ann" "POST /v1/config/retention/run" ""
approve "$bob"
is_error "a sweep beside another one is refused" 503 UNAVAILABLE
is "the proposal of a refused sweep is failed" "$(status_of "$id")" failed
release_lock
approve "$bob"
is "the same sweep runs later" "$STATUS $(json '.result | has("pruned")')" \
    "200 true"
propose "$ann" "PUT /v1/config/retention" '{"activity":30}'
as "$ann" GET "/v1/proposals/$id"
is_json "settings have texts to compare" '"\(.before), \(.after)"' \
    "no overrides, retention.activity 30"
is "proposed settings do not change" "$(sql "select count(*)
    from assay.setting")" 0
approve "$bob"
is_json "approved settings are in effect" .result.days.activity 30

# Lists: entries belong to the author; a file is a string.
propose "$ann" "POST /v1/lists" \
    '{"kind":"block","subject":"user","value":"list-7","reason":"fraud"}'
as "$ann" GET "/v1/proposals/$id"
is_json "a list entry has a target and a text" '"\(.target): \(.after)"' \
    "block user list-7: block user list-7
reason fraud"
approve "$bob"
is_json "an approved entry is the author's" .result.createdBy admin@example.com
entry=$(json .result.id)
propose "$ann" "DELETE /v1/lists/$entry" ""
sql "update assay.list_entry set reason = 'other'" >/dev/null
approve "$bob"
is_error "the removal of an entry that has changed is stale" 409 PROPOSAL_STALE
propose "$ann" "DELETE /v1/lists/$entry" ""
approve "$bob"
is "an approved removal removes the entry" "$STATUS $(sql "select count(*)
    from assay.list_entry")" "200 0"
propose "$ann" "POST /v1/lists/import" \
    '"kind,subject,value\nblock,phone,+251912345678\nallow,user,list-8\n"'
approve "$bob"
is_json "an approved import answers with its counts" .result.added 2
as "$ann" GET '/v1/audit?limit=2'
is_json "the trail has the counts of an import, not the file" \
    '[.entries[].params.body | tojson] | join(" ")' \
    '{"added":2,"updated":0,"unchanged":0,"expired":0} "…"'
propose "$ann" "POST /v1/lists/import" '"kind,subject\nblock,user\n"'
is_error "a file with a mistake cannot be proposed" 400 INVALID_REQUEST
is "no decided proposal has a value of the lists" "$(sql "select count(*)
    from assay.proposal p where p::text like '%list-%'
	and status = 'approved'")" 0

# A shadow that another one replaces.
shadow='"dsl":"rule big { when event.amount > 9 then score += 40, tag big }"'
as "$ann" POST /v1/rules "{\"eventType\":\"card.refund\",\"version\":\"s1\",\"shadow\":true,$shadow}"
propose "$ann" "POST /v1/model/shadow/promote" '{"eventType":"card.refund"}'
as "$ann" POST /v1/rules "{\"eventType\":\"card.refund\",\"version\":\"s2\",\"shadow\":true,$shadow}"
approve "$bob"
is_error "the promotion of a shadow that was replaced is stale" \
    409 PROPOSAL_STALE
finish
