#!/bin/sh
# SPDX-License-Identifier: ISC
# Proposals under races: two admins who approve one proposal, or two proposals
# for one ruleset, and changes of base, author and approver in between.
. "$(dirname "$0")/lib.sh"
use load eyes

start_stack OPERATOR_WORKERS=4
two_admins
make_operator cat@example.com admin
cat=$made
make_operator dan@example.com author
dan=$made

# propose_rules TOKEN VERSION: propose to publish a ruleset.
propose_rules() {
	propose "$1" "POST /v1/rules" "{\"eventType\":\"card.refund\",\"version\":\"$2\",\"dsl\":\"rule big { when event.amount > 100 then score += 40, tag big }\"}"
}
active() {
	sql "select version from assay.ruleset_active
	    where event_type = 'card.refund'"
}
# approve_later NAME TOKEN ID: approve in the background.
approve_later() {
	post_later "$1" "/v1/proposals/$3/approve" '{}' -H "Authorization: Bearer $2"
}

# Two admins approve one proposal at the same moment.
propose_rules "$dan" v1
is "an author may propose" "$STATUS" 201
one=$id
hold_lock "select from assay.proposal where id = '$one' for update"
approve_later first "$bob" "$one"
approve_later second "$cat" "$one"
stack_until 20 0 lock_waiters_are 2
release_lock
await_answer first
answers=$STATUS
await_answer second
is "of two approvals of one proposal one is refused" \
    "$(printf '%s\n' "$answers" "$STATUS" | sort | paste -sd ' ')" "200 409"
is "the change was made once" "$(active) $(sql "select count(*)
    from assay.audit where action like '%/approve' and status = 200")" "v1 1"
as "$dan" GET "/v1/proposals/$one"
is "an author sees proposals" "$STATUS" 200
approve "$dan"
is_error "an author cannot approve" 403 FORBIDDEN

# Two admins approve two proposals for one ruleset at the same moment.
propose_rules "$ann" v2
two=$id
propose_rules "$bob" v3
three=$id
hold_lock "select from assay.ruleset_active
    where event_type = 'card.refund' for update"
approve_later first "$cat" "$two"
approve_later second "$ann" "$three"
stack_until 20 0 lock_waiters_are 2
release_lock
await_answer first
answers=$STATUS
await_answer second
is "of two proposals for one ruleset the second is stale" \
    "$(printf '%s\n' "$answers" "$STATUS" | sort | paste -sd ' ')
$(sql "select count(*) from assay.proposal where status = 'pending'")" "200 409
1"

# A ruleset is published while an approval waits for it.
sql "update assay.proposal set status = 'withdrawn' where status = 'pending'" \
    >/dev/null
propose_rules "$ann" v4
hold_lock "insert into assay.ruleset (event_type, version, text)
    select 'card.refund', 'owner', text from assay.ruleset
    where event_type = 'card.refund' limit 1;
    update assay.ruleset_active set version = 'owner'
    where event_type = 'card.refund'"
approve_later first "$bob" "$id"
stack_until 20 0 lock_waiters_are 1
release_lock
await_answer first
is_error "an approval after another publication is refused" 409 PROPOSAL_STALE
is "the other publication is still active" "$(active)" owner

# The author, or the approver, loses the role while an approval waits.
propose_rules "$dan" v5
hold_lock "update assay.operator set role = 'analyst'
    where email = 'dan@example.com'"
approve_later first "$bob" "$id"
stack_until 20 0 lock_waiters_are 1
release_lock
await_answer first
is_error "a proposal of an author who lost the role is refused" \
    409 PROPOSAL_ORPHANED
as "$ann" POST "/v1/proposals/$id/reject" '{"reason":"left"}'
is_json "a proposal without its author can be rejected" .status rejected
propose_rules "$ann" v6
hold_lock "update assay.operator set role = 'author'
    where email = 'cat@example.com'"
approve_later first "$cat" "$id"
stack_until 20 0 lock_waiters_are 1
release_lock
await_answer first
is_error "an approver who lost the role is refused" 403 FORBIDDEN
is "refused approvals changed nothing" "$(active) $(status_of "$id")" \
    "owner pending"

# An approval whose request fails, or whose audit entry cannot be written.
sql "insert into assay.ruleset (event_type, version, text)
    values ('card.refund', 'v6', 'x')" >/dev/null
approve "$bob"
is_error "an approval fails as its request does" 409 VERSION_EXISTS
is "a proposal whose request is refused stays pending" \
    "$(status_of "$id")" pending
sql "delete from assay.ruleset where version = 'v6';
    alter table assay.audit add constraint never
	check (action not like '%/approve' or status <> 200) not valid" >/dev/null
approve "$bob"
is_error "an approval whose entry cannot be written fails" 500 INTERNAL
is "an approval that failed changed nothing" "$(active) $(status_of "$id")" \
    "owner pending"
sql 'alter table assay.audit drop constraint never' >/dev/null
approve "$bob"
is "the same approval succeeds later" "$STATUS $(active)" "200 v6"

# A shadow that another one replaces while cat, an author, proposes its promotion.
shadow='"eventType":"card.refund","shadow":true,"dsl":"rule big { when event.amount > 9 then score += 40, tag big }"'
as "$cat" POST /v1/rules "{$shadow,\"version\":\"s1\"}"
hold_lock "select pg_advisory_xact_lock(hashtextextended('assay.proposal', 0))"
post_later first /v1/proposals '{"action":"POST /v1/model/shadow/promote","body":{"eventType":"card.refund"},"reason":"better"}' \
    -H "Authorization: Bearer $cat"
stack_until 20 0 lock_waiters_are 1
post_later second /v1/rules "{$shadow,\"version\":\"s2\"}" \
    -H "Authorization: Bearer $cat"
stack_until 20 0 lock_waiters_are 2
release_lock
await_answer first
id=$(sql "select max(id) from assay.proposal")
await_answer second
is "a shadow begins after a proposal to promote another" "$STATUS" 200
approve "$bob"
is_error "only the shadow that a proposal shows can be promoted" \
    409 PROPOSAL_STALE
finish
