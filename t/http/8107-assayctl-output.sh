#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl's output: webhooks and channels with their secrets, pages, JSON of
# every command, colour and width of a terminal.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_stack

ctl rules show payment.authorize
sed 's/score += 14, tag amount /score += 50, tag amount /' \
    "$scratch/out" >"$scratch/new.rule"
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "a payment opens a case" "$(pay_verdict after 5000)" review
ctl cases list
case=$(awk 'NR == 2 { print $1 }' "$scratch/out")
ctl cases resolve "$case" fraud --note "$(printf 'a\nb\033[2J\342\200\256')"
is "cases resolve resolves the case" "$STATUS $OUT" "0 $case is resolved: fraud"

# Webhooks and notification channels.
ctl webhooks add https://hooks.example.com/fraud verdict.reached.v1 case.resolved.v1
is "webhooks add prints only the secret" \
    "$STATUS $(grep -c '^whsec_' "$scratch/out")" \
    "0 1"
printf '%s\n' "$OUT" >>"$scratch/sent/ctl"
ctl webhooks add https://hooks.example.com/fraud case.resolved.v1
is "webhooks add warns of the same URL on standard error" \
    "$(grep -c '^whsec_' "$scratch/out") $(grep -c 'this URL gets some events twice' \
	"$scratch/err")" "1 1"
printf '%s\n' "$OUT" >>"$scratch/sent/ctl"
ctl webhooks revoke "$(sed -n 's/.*created endpoint \(whk_[^;]*\).*/\1/p' "$scratch/err")"
ctl webhooks add ftp://198.51.100.7 verdict.reached.v1
is "webhooks add refuses ftp" "$STATUS" 65
ctl webhooks list --json
id=$(jq -r '.endpoints[0].id' "$scratch/out")
ctl webhooks revoke "$id"
is "webhooks revoke revokes the endpoint" "$STATUS $OUT" "0 $id is revoked"
ctl_in 'https://hooks.slack.com/services/T/B/secret' notifications add \
    --min-verdict review --throttle 5 slack verdict.reached.v1
is "notifications add exits 0" "$STATUS" 0
ctl notifications list
check "notifications list masks the URL" \
    prints '  review  *5  *https://hooks.slack.com/…  '
id=$(awk 'NR == 2 { print $1 }' "$scratch/out")
ctl notifications test "$id"
ctl notifications deliveries
is "notifications test creates a delivery" \
    "$STATUS $(grep -c "^ntd_.* $id " "$scratch/out")" "0 1"
ctl notifications revoke "$id"
is "notifications revoke exits 0" "$STATUS" 0

# The audit trail in pages.
ctl audit --limit 2 --offset 1
is "audit prints a page of two entries" "$(wc -l <"$scratch/out" | tr -d ' ')" 3
check "audit prints where the next page begins" \
    prints 'there may be more entries; use --before aud_'
ctl audit --limit 201
is "audit refuses a limit of 201" "$STATUS" 64

# --json prints one JSON text, with every command.
while read -r command; do
	# shellcheck disable=SC2086 # words
	ctl $command --json
	is "$command --json prints one JSON text" \
	    "$STATUS $(jq -s length "$scratch/out")" "0 1"
done <<-COMMANDS
	activity
	audit
	backtest payment.authorize
	cases list
	cases show $case
	graph user u-1
	keys list
	lists find user u-1
	lists show
	model
	notifications deliveries
	notifications list
	policies history pol_payment_authorize
	policies list
	policies show payment.authorize
	policies simulate pol_payment_authorize 1
	policies version pol_payment_authorize v0.4.0
	rules history payment.authorize
	rules list
	rules show payment.authorize
	scorer
	settings environment
	settings set loginPerMin=500
	settings show
	users list
	verdicts
	webhooks deliveries
	webhooks list
COMMANDS

# On a terminal: colour, its width, indented JSON.
# print_tty COMMAND: what assayctl prints to a terminal.
# shellcheck disable=SC2317 # called by name
print_tty() {
	TERM=xterm COLUMNS=76 script -qec "$builddir/assayctl $1" /dev/null \
	    </dev/null 2>&1 | tr -d '\r'
}
esc=$(printf '\033')
is "a file gets no colour" "$(grep -c "$esc" "$scratch/out")" 0
is "a terminal gets colour" \
    "$(print_tty "cases show $case" | grep -c "$esc\[31mfraud$esc\[0m")" 1
is "NO_COLOR turns the colour off" \
    "$(NO_COLOR=1 print_tty "cases show $case" | grep -c "$esc")" 0
print_tty audit | sed "s/$esc\[[0-9]*m//g" >"$scratch/wide"
is "no line is wider than the terminal" \
    "$(perl -CSD -lne 'print if length > 76' \
    "$scratch/wide")" ""
check "cut columns end with an ellipsis" grep -q '…' "$scratch/wide"

is "--json on a terminal is indented" \
    "$(print_tty "users list --json" | grep -c '^    "role"')" 2
is "indented JSON is valid JSON" "$(print_tty "cases show $case --json" |
    jq -r '.resolution.note | length')" 8
is "indented JSON escapes control characters" \
    "$(print_tty "cases show $case --json" |
    grep -c 'b\\u001b\[2J\\u202e')" 1
http POST /v1/decisions '{"id":"serial","type":"account.login",
    "subject":{"userId":"u-9"},"attributes":{"serial":123456789012345680000,
    "below":-12345678901234567890}}'
is "indented JSON has the digits of the answer" \
    "$(print_tty "activity --json --limit 1" |
    grep -oE '"(serial|below)": *[-0-9]+' | tr -d ' ' | sort | paste -sd ' ')" \
    '"below":-12345678901234567890 "serial":123456789012345680000'
finish
