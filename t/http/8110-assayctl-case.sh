#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl: an analyst resolves a case and reads the logs, an admin changes
# settings and erases a user.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_stack

ctl rules show payment.authorize
sed 's/score += 14, tag amount /score += 50, tag amount /' \
    "$scratch/out" >"$scratch/new.rule"
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "a payment opens a case" "$(pay_verdict after 5000)" review
ctl rules rollback payment.authorize seed@v0.4
is "the next payment is allowed" "$(pay_verdict back 5000)" allow

# An analyst resolves a case.
login ana@example.com 'the first one'
ctl cases list
case=$(awk 'NR == 2 { print $1 }' "$scratch/out")
is "cases list shows the open case" \
    "$(awk 'NR > 1 { print $4, $5, $8 }' "$scratch/out")" \
    "open 50 after"
ctl cases assign "$case"
is "cases assign assigns the case" \
    "$STATUS $OUT" "0 $case is assigned to ana@example.com"
ctl cases resolve "$case" fraud --note "$(printf 'a\nb\033[2J\342\200\256')"
is "cases resolve resolves the case" "$STATUS $OUT" "0 $case is resolved: fraud"
ctl cases show "$case"
is "cases show prints the history of the case" \
    "$(sed '1,/^history/d; /^AT/d' "$scratch/out" | awk '{ print $3, $4 }' |
    paste -sd ,)" "opened engine,assigned ana@example.com,resolved ana@example.com"
check "control characters of a note are not printed" prints '|note  *a b?\[2J?|'
ctl cases show "$case" --json
is "cases show --json has the whole note" "$(jq -r '.resolution.note | length' \
    "$scratch/out")" 8
ctl cases resolve "$case" legit
is "a case is resolved only once" "$STATUS" 65
check "the error about a resolved case names cases show" \
    prints 'CASE_RESOLVED.*|.*cases show'
ctl cases list --status open
is "cases list --status open is empty" "$(wc -l <"$scratch/out" | tr -d ' ')" 1
ctl model
is "the tag's labels count the resolved case" \
    "$(grep -c '^amount  *1  *0 ' "$scratch/out")" 1
ctl label chargeback back
is "label chargeback exits 0" "$STATUS" 0
ctl model
is "the tag's labels count the chargeback" \
    "$(grep -c '^amount  *2  *0 ' "$scratch/out")" 1
ctl verdicts --limit 2
is "verdicts prints the newest decisions" \
    "$(awk 'NR > 1 { print $5, $6, $7, $8 }' "$scratch/out" |
    paste -sd ,)" "allow 14 back amount,review 50 after amount"
ctl activity
is "activity prints event, amount and tags" "$(grep -c \
    ' after  *payment.authorize  *u-after  *5000 EUR  *review  *50  *amount 50$' \
    "$scratch/out")" 1
ctl scorer
is "scorer prints the active scorer" \
    "$STATUS $(sed -n 's/^scorer  *//p' "$scratch/out")" "0 weighted"
ctl graph user u-after
is "graph prints an entity" \
    "$STATUS $(grep -c '^ring size  *1$' "$scratch/out")" "0 1"
ctl graph ip 'not an address'
is "graph refuses an invalid address" "$STATUS" 65
ctl rules publish payment.authorize v4 "$scratch/new.rule"
is "an analyst may not publish rules" "$STATUS" 77

# An admin changes settings.
login admin@example.com 'correct horse'
ctl settings environment
is "settings environment prints value and default of a setting" \
    "$STATUS $(grep -c '^SCORER  *weighted  *weighted  *weighted, learned or ml' \
    "$scratch/out")" "0 1"
ctl settings set loginPerMin=500 retention.replay=0 anomalyZScore=2.5
is "settings set exits 0" "$STATUS" 0
ctl settings show
is "settings show marks three changed settings" \
    "$(grep -c ' override ' "$scratch/out")" 3
check "settings show prints 0 days as forever" \
    prints 'retention.replay  *0  *override  *days (0: forever)'
ctl settings set loginPerMin=default retention.replay=default \
    anomalyZScore=default
is "settings set NAME=default restores the default" \
    "$(grep -c ' override ' "$scratch/out")" 0
ctl settings set loginPerMin=0
is "settings set refuses a value out of range" "$STATUS" 65
check "the error names the setting out of range" prints 'loginPerMin must be'

ctl retention run
is "retention run prints what it removed" "$STATUS $(grep -c '^activity  *0$' \
    "$scratch/out")" "0 1"

ctl retention preview --activity 1
is "retention preview counts the rows of each collection" \
    "$STATUS $(grep -cE '^(verdicts|activity|replay|idempotency|deadLetter) ' \
    "$scratch/out") $(grep -cE '^activity  *1 .* yes$' "$scratch/out")" "0 5 1"
ctl retention preview --activity 36501
is "retention preview refuses days out of range" "$STATUS" 64
ctl settings show
is "retention preview changes nothing" "$(grep -c ' override ' "$scratch/out")" 0

# A user is erased.
ctl stored u-after
is "stored counts what a user has" \
    "$STATUS $(sed -n 's/^activity entries  *//p' "$scratch/out")" "0 1"
ctl stored u-unknown
is "stored counts 0 for a user without data" "$STATUS $(grep -cE ' (0|no)$' \
    "$scratch/out")" "0 11"
ctl erase u-after
is "erase without --yes and a terminal exits 64" "$STATUS" 64
ctl erase --yes u-after
is "erase --yes erases the user" \
    "$STATUS $(sed -n 's/^activity entries removed  *//p' \
    "$scratch/out")" "0 1"
ctl erase --yes u-after
check "a second erase finds nothing" prints 'graph removed  *no'
ctl stored u-after
is "stored counts 0 after the erasure" "$STATUS $(grep -cE ' (0|no)$' \
    "$scratch/out")" "0 11"
finish
