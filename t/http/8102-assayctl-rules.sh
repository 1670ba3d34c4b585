#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl rules and policies: checked, tried with a backtest, published, rolled
# back.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_stack

# A rule is checked, tried and published.
pay_verdict first 5000 >/dev/null
ctl rules show payment.authorize
is "rules show prints the active rules" "$STATUS $(head -n 1 "$scratch/out")" \
    "0 # payment.authorize seed@v0.4"
cp "$scratch/out" "$scratch/seed.rule"
sed 's/score += 14, tag amount /score += 50, tag amount /' \
    "$scratch/seed.rule" >"$scratch/new.rule"
check "rules check accepts changed rules" \
    "$builddir/assayctl" rules check "$scratch/new.rule"
ctl backtest --rules "$scratch/new.rule" payment.authorize
is "a backtest counts the payments that would be reviewed" \
    "$STATUS $(grep -c '^allow  *review  *1$' "$scratch/out")" "0 1"
check "a backtest uses the active policy" prints '|after  *0  *0  *1  *0|'
is "a backtest first says how many verdicts differ from the active ones" \
    "$(head -n 1 "$scratch/out" | tr -s ' ')" "other than active 1"
ctl backtest --rules "$scratch/new.rule" --flips 5 payment.authorize
check "backtest --flips lists the events that differ" \
    prints '|first  *allow  *review  *-  *5000 EUR'
ctl backtest --rules "$scratch/seed.rule" payment.authorize
is "a backtest of the active rules differs nowhere" \
    "$(head -n 1 "$scratch/out" | tr -s ' ')" "other than active 0"
printf 'rule x { when amount > 1 then score += 1, tag t }' >"$scratch/bad.rule"
ctl rules publish payment.authorize v1 "$scratch/bad.rule"
is "rules publish refuses a syntax error" "$STATUS" 65
check "the error names file, line and column" prints "$scratch/bad.rule:1:15: "
is "a payment before the new rules is allowed" \
    "$(pay_verdict before 5000)" allow
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "rules publish makes the version active" \
    "$STATUS $OUT" "0 payment.authorize v1 is active"
is "the next payment is reviewed by the new rules" \
    "$(pay_verdict after 5000)" review
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "a version is published only once" "$STATUS" 65
check "the error about the version asks for another label" \
    prints 'VERSION_EXISTS.*|.*another label'
ctl rules history payment.authorize
is "rules history lists the versions, the active one and the authors" \
    "$(awk 'NR > 1 { print $1, $2, $NF }' "$scratch/out" | paste -sd ' ')" \
    "v1 yes admin@example.com seed@v0.4 no -"
ctl rules version payment.authorize v1
is "rules version prints the rules of a version" \
    "$STATUS $(grep -c 'score += 50' "$scratch/out")" "0 1"
ctl rules rollback payment.authorize seed@v0.4
is "rules rollback makes the earlier version active" \
    "$STATUS $OUT" "0 payment.authorize seed@v0.4 is active"
is "the next payment is allowed by the earlier rules" \
    "$(pay_verdict back 5000)" allow
ctl rules rollback payment.authorize v9
is "rules rollback refuses an unknown version" "$STATUS" 65
ctl rules list --json
jq '.[] | select(.eventType == "payment.authorize")' "$scratch/out" \
    >"$scratch/rules.json"
ctl rules publish payment.authorize v2 "$scratch/rules.json"
is "rules publish accepts JSON" "$STATUS" 0
ctl_in "$(cat "$scratch/seed.rule")" rules publish payment.authorize v3 -
is "rules publish reads standard input" "$STATUS" 0
ctl rules show card.auhtorize
is "rules show refuses an unknown event type" "$STATUS" 65

# A policy.
ctl policies show --json pol_payment_authorize
jq '.policy.bands[0].max = 9 | .policy.bands[1].min = 10' "$scratch/out" \
    >"$scratch/policy.json"
ctl backtest --policy "$scratch/policy.json" payment.authorize
check "a backtest tries a policy" prints '|after  *0  *3  *1  *0|'
check "without labels no labelled verdict differs" \
    prints '|labelled that differ  *0|'
check "the verdicts that differ on all samples are beside it" \
    prints '|verdicts that differ from the recorded ones, by pair|'
ctl policies publish pol_payment_authorize p2 "$scratch/policy.json"
is "policies publish makes the version active" \
    "$STATUS $OUT" "0 pol_payment_authorize p2 is active"
is "the next payment is challenged by the new policy" \
    "$(pay_verdict policy 5000)" challenge
ctl policies simulate pol_payment_authorize 10
check "policies simulate prints the verdict of a score" \
    prints '^verdict  *challenge$'
sql "insert into assay.analytics_count (kind, day, event_type, name, n)
    values ('score', (now() at time zone 'UTC')::date, 'wallet.withdraw', '7', 5)"
ctl policies histogram pol_wallet_withdraw
check "policies histogram prints the decisions of each score" \
    prints '|  *6  *0|  *7  *5|  *8  *0|'
ctl policies histogram --days 91 pol_wallet_withdraw
is "policies histogram refuses a day too many" "$STATUS" 64
ctl policies show payment.authorize
is "policies show takes an event type" \
    "$(grep -c '^challenge  *10  *44  *-$' "$scratch/out")" 1
jq '.policy.bands[1].min = 11' "$scratch/policy.json" >"$scratch/gap.json"
ctl policies publish pol_payment_authorize p3 "$scratch/gap.json"
is "policies publish refuses a gap" "$STATUS" 65
check "the error about the gap has its code" prints 'POLICY_INVALID'
ctl policies rollback pol_payment_authorize v0.4.0
is "policies rollback makes the earlier version active" \
    "$STATUS $(pay_verdict again 5000)" "0 allow"
printf '%s' 'rule x { when event.currency == "usd" then score += 1, tag t }' \
    >"$scratch/usd.rule"
ctl rules publish payment.authorize v9 "$scratch/usd.rule"
check "rules publish shows what deserves a look" \
    prints '1 *x *event.currency is never "usd" (write "USD")'
finish
