#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl lists: entries are added, changed, shown, found and removed.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
ASSAY_TOKEN=$TOKEN
export ASSAY_TOKEN
TOKEN=

# One entry.
ctl lists add --reason 'case 7' --expires 2050-01-31T12:00:00+01:00 \
    block phone '+251 91 234-5678'
is "lists add prints the new entry" "$STATUS ${OUT#* }" "0 block phone"
id=${OUT%% *}
is "a phone is stored normalised" "$(stored_entries)" \
    "block,phone,251912345678,case 7,2050-01-31"
is "an entry has the operator who added it" \
    "$(sql "select id, created_by from assay.list_entry")" \
    "$id|admin@example.com"
ctl lists add block phone 251912345678
is "lists add of the same value keeps the id" "$STATUS $OUT" "0 $id block phone"
is "lists add of the same value replaces reason and end" \
    "$(stored_entries)" "block,phone,251912345678"
ctl lists add --days 30 allow country ng
is "lists add --days sets the end" "$(sql "select round(extract(epoch from
    expires_at - now()) / 86400) from assay.list_entry
    where subject = 'country'")" 30

# refuse_lists WHAT STATUS ARGUMENT ...: the command fails with this status.
refuse_lists() {
	refuse_what=$1
	refuse_status=$2
	shift 2
	ctl lists "$@"
	is "$refuse_what exits $refuse_status" "$STATUS" "$refuse_status"
}
refuse_lists "lists add without a value" 64 add block user
refuse_lists "lists add with an unknown kind" 64 add deny user u-1
refuse_lists "lists add with an unknown subject" 64 add block email a@b.c
check "the error about the subject lists all subjects" \
    prints 'user|device|fingerprint'
refuse_lists "lists add with a network as address" 65 add block ip 1.2.3.4/24
refuse_lists "lists add with an unknown country" 65 add block country UK
refuse_lists "lists add with a reason of two lines" 65 add --reason "a
b" block user u-1
refuse_lists "lists add with a card number in the reason" \
    65 add --reason 'has 4111111111111111' block user u-1
refuse_lists "lists add with an end that is not a time" \
    65 add --expires tomorrow block user u-1
refuse_lists "lists add with an end in the past" \
    65 add --expires 2020-01-01T00:00:00Z \
    block user u-1
refuse_lists "lists add with two ends" \
    64 add --expires 2050-01-01T00:00:00Z --days 1 block user u-1
refuse_lists "lists remove without a value" 64 remove block user
refuse_lists "lists show with an unknown kind" 64 show --kind none
is "refused commands store no entry" \
    "$(sql "select count(*) from assay.list_entry")" 2

# Entries are shown, found and removed.
ctl lists add --reason "ein Grund" watch user 'ü 1'
sql "update assay.list_entry set expires_at = now() where subject = 'country'"
ctl lists show
is "lists show prints the newest entry first" \
    "$(awk 'NR > 1 { print $2, $3, $4 }' "$scratch/out" |
    tr '\n' ' ')" "watch user never allow country ended block phone never "
check "lists show prints a head" grep -q '^ID .* VALUE$' "$scratch/out"
check "lists show prints reason and value" \
    grep -q 'ein Grund *ü 1$' "$scratch/out"
ctl lists show --json
is "lists show --json prints the entry" \
    "$(jq -r '.[0] | [.kind, .subject, .value, .reason] | join(" ")' \
    "$scratch/out")" "watch user ü 1 ein Grund"
ctl lists show --json --kind block
is "lists show --kind filters by kind" \
    "$(jq -r '.[].value' "$scratch/out")" 251912345678
ctl lists show --json --subject user
is "lists show --subject filters by subject" \
    "$(jq -r '.[].value' "$scratch/out")" "ü 1"
ctl lists find --json phone '+251 912345678'
is "lists find normalises the value" "$(jq -r '.[].id' "$scratch/out")" "$id"
ctl lists find ip 251912345678
is "lists find exits 65 without a match" "$STATUS" 65
ctl lists show --json --limit 1 --offset 1
is "lists show prints a page" "$(jq -r '.[].subject' "$scratch/out")" country
ctl lists show --limit 1
check "lists show prints where the next page begins" \
    grep -qe '--offset 1' "$scratch/err"
ctl lists remove "$id"
is "lists remove takes an id" "$STATUS $OUT" "0 removed $id"
ctl lists remove "$id"
is "lists remove of a removed id exits 65" "$STATUS" 65
ctl lists remove allow country NG
is "lists remove takes kind, subject and value" "$STATUS ${OUT%% *}" "0 removed"
ctl lists remove allow country NG
is "lists remove of a removed value exits 65" "$STATUS" 65
ctl lists add block ip 203.0.113.5
ctl lists add block ip 203.0.113.0/24
ctl lists remove block ip 203.0.113.6
is "lists remove does not take a network for its address" "$STATUS" 65
ctl lists remove block ip ::ffff:203.0.113.5
is "lists remove takes the address, not the network that has it" \
    "$STATUS $(sql "select value from assay.list_entry where subject = 'ip'")" \
    "0 203.0.113.0/24"

# lists import --strict: only rows that are new and have not expired.
printf 'kind,subject,value,expiresAt\nblock,user,u-9,\nblock,user,u-8,2020-01-31T00:00:00Z\n' \
    >"$scratch/more.csv"
ctl lists import --strict "$scratch/more.csv"
is "--strict names rows that have expired, and imports nothing" \
    "$STATUS $(sed -n "s,$scratch/,,; 1p" "$scratch/err")" \
    "65 more.csv:3: expiresAt is in the past"
ctl lists add --reason other block user u-8
sed -i 's/,2020.*/,/' "$scratch/more.csv"
ctl lists import --strict "$scratch/more.csv"
is "--strict counts rows that would change an entry, and imports nothing" \
    "$STATUS $(cat "$scratch/err") $(sql "select count(*) from assay.list_entry
    where value = 'u-9'")" \
"65 assayctl: nothing was imported; 1 of 2 entries would change one that exists 0"
sed -i 3d "$scratch/more.csv"
ctl lists import --strict "$scratch/more.csv"
is "--strict imports rows that are all new" "$STATUS $OUT" \
    "0 1 entries: 1 added, 0 updated, 0 unchanged"
finish
