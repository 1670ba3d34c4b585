#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl: analysts work through a queue.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_stack
login admin@example.com 'correct horse'
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    opened_at, event_type, amount, currency, tags)
    select 'cse_' || lpad(n::text, 26, 'abcdefghijklmnopqrstuv0123456789'),
	'e-' || n, 'vd_0', 'risk-ops', 10 * n, now() - interval '5 min' * n,
	'order.place', 100 * n, 'EUR', array['amount']
    from generate_series(1, 4) n"
id() {
	sql "select id from assay.review_case where event_id = 'e-$1'"
}
one=$(id 1)

ctl queues target risk-ops 12
is "queues target sets a target" "$STATUS $OUT" \
    "0 risk-ops has a target of 12 minutes"
ctl queues list
is "queues list counts open cases and those past the target" \
    "$(awk 'NR == 2 { print $1, $2, $3, $(NF - 1), $NF }' "$scratch/out")" \
    "risk-ops 4 0 12 2"
ctl cases next
is "cases next gets the case that was due first" \
    "$(sed -n 's/^event  *//p' "$scratch/out")" e-4
ctl cases next --order score --queue risk-ops
is "cases next takes an order and a queue" \
    "$(sed -n 's/^event  *//p' "$scratch/out")" e-3
ctl cases next --most 2
is "cases next gets none for who holds as many as --most says" \
    "$STATUS $(awk '/^(id|held)/ { print $1, $2 }' "$scratch/out" | paste -sd ,)" \
    "0 id -,held 2"
ctl cases list --assignee me --order oldest
is "cases list finds your own cases, oldest first" \
    "$(awk 'NR > 1 { print $6, $8 }' "$scratch/out" | paste -sd ,)" \
    "admin@example.com e-4,admin@example.com e-3"
ctl cases list --min-amount 150 --max-score 25 --tag amount --type order.place
is "cases list filters by amount, score, tag and type" \
    "$(awk 'NR > 1 { print $8 }' "$scratch/out")" e-2
ctl cases list --order score --limit 2
is "cases list says how to get the next page" \
    "$(grep -c -- "--before $(id 3)" "$scratch/err")" 1
ctl cases list --order score --limit 2 --before "$(id 3)"
is "the next page goes on in the order" \
    "$(awk 'NR > 1 { print $5 }' "$scratch/out" | paste -sd ,)" "20,10"

ctl cases assign "$one"
ctl cases release "${one#cse_}"
is "cases release takes a part of an id" "$STATUS $OUT" "0 $one is open"
ctl cases hand-over "$one" ana@example.com
is "cases hand-over assigns the case" "$STATUS $OUT" \
    "0 $one is assigned to ana@example.com"
ctl cases hand-over "$one" nobody@example.com
check "cases hand-over prints that there is no such operator" \
    prints 'no operator of this email'
ctl cases snooze "$one" --days 3
check "cases snooze snoozes a case" prints "^$one is snoozed until 20"
ctl cases list --snoozed true
is "cases list finds snoozed cases" \
    "$(awk 'NR > 1 { print $1 }' "$scratch/out")" "$one"
ctl cases snooze "$one" --days 31
is "cases snooze refuses 31 days" "$STATUS" 65
ctl cases wake "$one"
is "cases wake ends it" "$STATUS $OUT" "0 $one is open"
ctl cases note "$one" 'asked the bank'
is "cases note adds a note" "$STATUS" 0
ctl cases resolve-all legit "$one" "$(id 2)" cse_none --note 'known'
is "cases resolve-all prints what became of each case" \
    "$(awk 'NR > 1 { print $2, $3, $4, $5 }' "$scratch/out" | paste -sd ,)" \
    "yes -  ,yes -  ,no there is no"
ctl cases reopen "$one" --note 'he called'
is "cases reopen opens a case" "$STATUS $OUT" "0 $one is open"
ctl cases show "$one"
is "cases show prints the notes" \
    "$(sed -n '/^notes/,/^history/p' "$scratch/out" |
    grep -cE 'asked the bank|known|he called')" 3
check "cases show prints the amount" prints '|amount  *100 EUR|'
ctl cases resolve "$one" fraud
login ana@example.com 'the first one'
ctl cases release "$(id 3)"
check "the error about another analyst's case says who can release it" \
    prints 'CASE_NOT_YOURS.*|.*release it'
ctl queues target risk-ops 5
is "an analyst may not set a target" "$STATUS" 77
login admin@example.com 'correct horse'
ctl queues clear risk-ops
is "queues clear removes a target" "$STATUS $OUT" "0 risk-ops has no target"
finish
