#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl under FOUR_EYES: --propose makes each change a proposal; another
# admin lists, shows, approves and rejects them.
. "$(dirname "$0")/lib.sh"
use ctl eyes

start_stack FOUR_EYES=rules,policies,lists,retention,erasure
two_admins
api_key
TOKEN=
# proposed LABEL ARGUMENT ...: the command proposes; id is the proposal.
proposed() {
	label=$1
	shift
	ctl_as "$ann" "$@" --propose "ticket 7"
	id=${OUT%% *}
	is "$label is a proposal" "$STATUS ${OUT#* }" \
	    "0 waits for the approval of another admin"
}

printf 'rule big { when event.amount > 100 then score += 40, tag big }\nrule vast { when event.amount > 900 then score += 20, tag big }\n' \
	>"$scratch/new.rule"
ctl_as "$ann" rules publish card.refund v1 "$scratch/new.rule"
check "a change without --propose is refused with advice" \
    prints 'APPROVAL_REQUIRED)|assayctl: repeat the command with --propose'
is "a refused change exits 65" "$STATUS" 65
proposed "a ruleset" rules publish card.refund v1 "$scratch/new.rule"
rules=$id
ctl_as "$bob" proposals list
check "proposals list shows the proposal" \
    prints "$rules  .*  pending  .*  admin@example.com  .*ticket 7"
ctl_as "$bob" proposals show "${rules#prp_??????}"
check "proposals show finds a part of an id" prints "id  *$rules|"
check "proposals show prints the rules as added lines" \
    prints '|change|@@ .*|+rule big .*|+rule vast '
ctl_as "$ann" proposals approve --yes "$rules"
check "the author cannot approve" prints '409 OWN_PROPOSAL'
ctl_as "$bob" proposals approve "$rules"
is "an approval without a terminal needs --yes" "$STATUS" 64
ctl_as "$bob" proposals approve --yes "$rules"
is "proposals approve makes the change" "$STATUS $OUT" \
    "0 $rules is approved, and its change is made"
ctl_as "$ann" rules show card.refund
check "the approved rules are active" prints '# card.refund v1|rule big'

proposed "a rollback" rules rollback card.refund seed@v0.4
ctl_as "$bob" proposals reject "$id" "not yet"
is "proposals reject refuses" "$STATUS $OUT" "0 $id is rejected"
ctl_as "$ann" policies show --json pol_card_refund
cp "$scratch/out" "$scratch/card.json"
proposed "a policy" policies publish pol_card_refund v2 "$scratch/card.json"
ctl_as "$ann" proposals withdraw "$id"
is "proposals withdraw takes it back" "$STATUS $OUT" "0 $id is withdrawn"
proposed "an erasure" erase gone-1
ctl_as "$bob" proposals approve --yes "$id"
is "an approved erasure is made" "$STATUS" 0
proposed "a list entry" lists add block user u-1
ctl_as "$bob" proposals approve --yes "$id"
proposed "a removal" lists remove block user u-1
ctl_as "$bob" proposals approve --yes "$id"
is "an approved removal removes the entry" \
    "$STATUS $(sql "select count(*) from assay.list_entry")" "0 0"
printf 'kind,subject,value\nblock,user,"u ""2"", x"\n' >"$scratch/list.csv"
proposed "an import" lists import "$scratch/list.csv"
ctl_as "$bob" proposals approve --yes "$id"
is "an approved import adds its entries" \
    "$(sql "select value from assay.list_entry")" 'u "2", x'
proposed "a setting of retention" settings set retention.activity=30
ctl_as "$bob" proposals approve --yes "$id"
proposed "a sweep" retention run
ctl_as "$bob" proposals approve --yes "$id"
is "an approved sweep runs" "$STATUS" 0
ctl_as "$ann" settings set anomalyZScore=4
is "a setting that needs no approval is set" "$STATUS" 0
ctl_as "$ann" settings set anomalyZScore=4 --propose x
check "a setting that needs no approval cannot be proposed" \
    prints '400 INVALID_REQUEST'
ctl_as "$eve" lists add block device d-7
is "an analyst cannot add a list entry" "$STATUS" 77
ctl_as "$eve" lists add block device d-7 --propose "case 7"
id=${OUT%% *}
is "an analyst proposes a list entry" "$STATUS ${OUT#* }" \
    "0 waits for the approval of another admin"
ctl_as "$eve" proposals list
is "an analyst lists only own proposals" \
    "$(sed 1d "$scratch/out" | awk '{ print $1 }')" "$id"
ctl_as "$eve" proposals show "${id#prp_??????}"
check "an analyst reads an own proposal" prints "+block device d-7"
ctl_as "$eve" proposals show "$rules"
check "an analyst does not find the proposal of another" \
    prints "there is no proposal $rules"
ctl_as "$eve" proposals withdraw "$id"
is "an analyst withdraws an own proposal" "$STATUS $OUT" "0 $id is withdrawn"
ctl_as "$bob" proposals list --status pending
is "no proposal waits any more" "$(sed 1d "$scratch/out")" ""
finish
