#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl and velocities: shown with the rules that read them, tried with a backtest,
# and listed while decisions count them.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_stack
velocity='velocity tries = count by userId over 60m excluding current'
shown='velocity tries = count by userId over 1h excluding current'
cat >"$scratch/new.rule" <<-END
	rule r_tries { when velocity.tries >= 0 then score += 95, tag tries }
	$velocity
	test t_tries { given velocity.tries == 1 expect because tries }
END
pay_verdict first 10 >/dev/null
ctl backtest --rules "$scratch/new.rule" payment.authorize
is "a backtest takes a file with velocities" "$STATUS" 0
ctl velocities list
is "without rulesets that define one no velocity is listed" "$STATUS $(sed 1d "$scratch/out")" "0 "
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "rules publish takes a file with velocities" "$STATUS $OUT" \
    "0 payment.authorize v1 is active"
ctl rules show payment.authorize
is "rules show prints the velocities before the rules" "$(sed -n 2p "$scratch/out")" "$shown"
cp "$scratch/out" "$scratch/shown.rule"
ctl rules check "$scratch/shown.rule"
is "rules check accepts what rules show prints" "$STATUS" 0
ctl rules version payment.authorize v1
is "rules version prints the same" \
    "$(sed 1d "$scratch/out")" "$(sed 1d "$scratch/shown.rule")"
ctl rules version payment.authorize seed@v0.4
is "rules version prints no velocity of a version without" \
    "$(grep -c '^velocity' "$scratch/out")" 0

cron velocity
ctl velocities list
is "velocities list shows ruleset, name, definition and state" \
    "$(sed -n 2p "$scratch/out" | tr -s ' ' | cut -d ' ' -f -14)" \
    "payment.authorize tries count by userId over 1h excluding current no 0.0 % 0 0"
ctl velocities list --json
is "the JSON of velocities list is the answer of the service" \
    "$(jq -r '.[].usedBy[].name' "$scratch/out")" tries
ctl rules rollback payment.authorize seed@v0.4
cron velocity
ctl velocities list
is "one that no ruleset has any more says since when" \
    "$(grep -cE 'excluding current .* [0-9]+-[0-9]+-[0-9]+ .* [0-9]+-[0-9]+-' "$scratch/out")" 1
finish
