#!/bin/sh
# SPDX-License-Identifier: ISC
# A day of an analyst and an admin by assayctl: a reviewed payment is resolved
# as fraud and taught; a rule is checked, tried, published, felt, taken back;
# a policy, settings, webhooks and alerts; and how all of it is shown.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

start_stack
admin_token
api_key
TOKEN=
API_KEY=$KEY
export API_KEY
login admin@example.com 'correct horse'
ctl_in 'the first one' users add ana@example.com

# pay ID AMOUNT: its verdict.
pay() {
	http POST /v1/decisions '{"id":"'"$1"'","type":"payment.authorize",
	    "amount":'"$2"',"currency":"EUR","subject":{"userId":"u-'"$1"'"}}'
	json .verdict
}

# A rule that is checked, tried, published and felt.
pay first 5000 >/dev/null
ctl rules show payment.authorize
is "the active rules" "$STATUS $(head -n 1 "$scratch/out")" \
    "0 # payment.authorize seed@v0.4"
cp "$scratch/out" "$scratch/seed.rule"
sed 's/score += 14, tag amount /score += 50, tag amount /' \
    "$scratch/seed.rule" >"$scratch/new.rule"
check "are rules" "$builddir/assayctl" rules check "$scratch/new.rule"
ctl backtest --rules "$scratch/new.rule" payment.authorize
is "are tried" "$STATUS $(grep -c '^allow  *review  *1$' "$scratch/out")" "0 1"
check "against the active policy" said '|after  *0  *0  *1  *0|'
printf 'rule x { when amount > 1 then score += 1, tag t }' >"$scratch/bad.rule"
ctl rules publish payment.authorize v1 "$scratch/bad.rule"
is "a mistake" "$STATUS" 65
check "is told by its place" said "$scratch/bad.rule:1:15: "
is "before the rules are felt" "$(pay before 5000)" allow
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "published" "$STATUS $OUT" "0 payment.authorize v1 is active"
is "felt by the next decision" "$(pay after 5000)" review
ctl rules publish payment.authorize v1 "$scratch/new.rule"
is "a version is published once" "$STATUS" 65
check "says what to do" said 'VERSION_EXISTS.*|.*another label'
ctl rules history payment.authorize
is "the history" "$(sed 1d "$scratch/out" | paste -sd ' ')" "v1 seed@v0.4"
ctl rules rollback payment.authorize seed@v0.4
is "taken back" "$STATUS $OUT" "0 payment.authorize seed@v0.4 is active"
is "felt too" "$(pay back 5000)" allow
ctl rules rollback payment.authorize v9
is "to a version that is none" "$STATUS" 65
ctl rules list --json
jq '.[] | select(.eventType == "payment.authorize")' "$scratch/out" \
    >"$scratch/rules.json"
ctl rules publish payment.authorize v2 "$scratch/rules.json"
is "rules as JSON" "$STATUS" 0
ctl_in "$(cat "$scratch/seed.rule")" rules publish payment.authorize v3 -
is "from standard input" "$STATUS" 0
ctl rules show card.auhtorize
is "a type that is none" "$STATUS" 65

# A policy.
ctl policies show --json pol_payment_authorize
jq '.policy.bands[0].max = 9 | .policy.bands[1].min = 10' "$scratch/out" \
    >"$scratch/policy.json"
ctl backtest --policy "$scratch/policy.json" payment.authorize
check "tried" said '|after  *0  *3  *1  *0|'
ctl policies publish pol_payment_authorize p2 "$scratch/policy.json"
is "a policy" "$STATUS $OUT" "0 pol_payment_authorize p2 is active"
is "is felt" "$(pay policy 5000)" challenge
ctl policies simulate pol_payment_authorize 10
check "simulated" said '^verdict  *challenge|'
ctl policies show payment.authorize
is "shown by its type" "$(grep -c '^challenge  *10  *44  *-$' "$scratch/out")" 1
jq '.policy.bands[1].min = 11' "$scratch/policy.json" >"$scratch/gap.json"
ctl policies publish pol_payment_authorize p3 "$scratch/gap.json"
is "one with a gap" "$STATUS" 65
check "is refused" said 'POLICY_INVALID'
ctl policies rollback pol_payment_authorize v0.4.0
is "and back" "$STATUS $(pay again 5000)" "0 allow"

# An analyst's case.
login ana@example.com 'the first one'
ctl cases list
case=$(awk 'NR == 2 { print $1 }' "$scratch/out")
is "what waits" "$(awk 'NR > 1 { print $4, $5, $8 }' "$scratch/out")" \
    "open 50 after"
ctl cases assign "$case"
is "is taken" "$STATUS $OUT" "0 $case is assigned to ana@example.com"
ctl cases resolve "$case" fraud --note "$(printf 'a\nb\033[2J\342\200\256')"
is "and resolved" "$STATUS $OUT" "0 $case is resolved: fraud"
ctl cases show "$case"
is "with a trail" "$(sed '1,/^AT/d' "$scratch/out" | awk '{ print $3, $4 }' |
    paste -sd ,)" "opened engine,assigned ana@example.com,resolved ana@example.com"
check "and a note that a terminal does not obey" said '|note  *a b?\[2J?|'
ctl cases show "$case" --json
is "which is whole for programs" "$(jq -r '.resolution.note | length' \
    "$scratch/out")" 8
ctl cases resolve "$case" legit
is "once" "$STATUS" 65
check "says what to do" said 'CASE_RESOLVED.*|.*cases show'
ctl cases list --status open
is "nothing waits" "$(wc -l <"$scratch/out" | tr -d ' ')" 1
ctl model
is "it taught" "$(grep -c '^amount  *1  *0 ' "$scratch/out")" 1
ctl label chargeback back
is "a chargeback" "$STATUS" 0
ctl model
is "teaches too" "$(grep -c '^amount  *2  *0 ' "$scratch/out")" 1
ctl verdicts --limit 2
is "the log" "$(awk 'NR > 1 { print $5, $6, $7, $8 }' "$scratch/out" |
    paste -sd ,)" "allow 14 again amount,challenge 14 policy amount"
ctl activity
is "with what was asked" "$(grep -c \
    ' after  *payment.authorize  *u-after  *5000 EUR  *review  *50  *amount 50$' \
    "$scratch/out")" 1
ctl scorer
is "the scorer" "$STATUS $(sed -n 's/^scorer  *//p' "$scratch/out")" "0 weighted"
ctl graph user u-after
is "an entity" "$STATUS $(grep -c '^ring size  *1$' "$scratch/out")" "0 1"
ctl graph ip 'not an address'
is "that is none" "$STATUS" 65
ctl rules publish payment.authorize v4 "$scratch/new.rule"
is "no rules of an analyst's" "$STATUS" 77

# An admin's settings.
login admin@example.com 'correct horse'
ctl settings set loginPerMin=500 retention.replay=0 anomalyZScore=2.5
is "settings" "$STATUS" 0
ctl settings show
is "are shown" "$(grep -c ' change ' "$scratch/out")" 3
check "0 is forever" said 'retention.replay  *0  *change  *days: forever'
ctl settings set loginPerMin=default retention.replay=default \
    anomalyZScore=default
is "and taken back" "$(grep -c ' change ' "$scratch/out")" 0
ctl settings set loginPerMin=0
is "a value out of range" "$STATUS" 65
check "is told" said 'loginPerMin must be'

ctl retention run
is "what is over is removed" "$STATUS $(grep -c '^activity  *0$' \
    "$scratch/out")" "0 1"

# A user who wants to be forgotten.
ctl erase u-after
is "erase asks first, if there is somebody" "$STATUS" 64
ctl erase --yes u-after
is "erased" "$STATUS $(sed -n 's/^activity entries removed  *//p' \
    "$scratch/out")" "0 1"
ctl erase --yes u-after
check "once" said 'graph removed  *no'

# Webhooks and alerts.
ctl webhooks add https://hooks.example.com/fraud verdict.reached.v1 case.resolved.v1
is "a secret alone on its line" "$STATUS $(grep -c '^whsec_' "$scratch/out")" \
    "0 1"
printf '%s\n' "$OUT" >>"$scratch/sent/ctl"
ctl webhooks add ftp://198.51.100.7 verdict.reached.v1
is "no ftp" "$STATUS" 65
ctl webhooks list --json
id=$(jq -r '.endpoints[0].id' "$scratch/out")
ctl webhooks revoke "$id"
is "ended" "$STATUS $OUT" "0 $id is revoked"
ctl_in 'https://hooks.slack.com/services/T/B/secret' notifications add \
    --min-verdict review --throttle 5 slack verdict.reached.v1
is "an alert channel" "$STATUS" 0
ctl notifications list
check "its URL is masked" said '  review  *5  *https://hooks.slack.com/…  '
id=$(awk 'NR == 2 { print $1 }' "$scratch/out")
ctl notifications test "$id"
ctl notifications deliveries
is "a test" "$STATUS $(grep -c "^ntd_.* $id " "$scratch/out")" "0 1"
ctl notifications revoke "$id"
is "ended too" "$STATUS" 0

# The trail, in pages.
ctl audit --limit 2 --offset 1
is "a page" "$(wc -l <"$scratch/out" | tr -d ' ')" 3
check "and where the next begins" said 'there may be more: --before aud_'
ctl audit --limit 201
is "not too long" "$STATUS" 64

# --json is one JSON text, whatever is asked.
while read -r command; do
	# shellcheck disable=SC2086 # words
	ctl $command --json
	is "$command --json" "$STATUS $(jq -s length "$scratch/out")" "0 1"
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
	rules history payment.authorize
	rules list
	rules show payment.authorize
	scorer
	settings set loginPerMin=500
	settings show
	users list
	verdicts
	webhooks deliveries
	webhooks list
COMMANDS

# A terminal: colour, its width, indented JSON.
# tty COMMAND: what assayctl prints to one.
# shellcheck disable=SC2317 # called by name
tty() {
	TERM=xterm COLUMNS=76 script -qec "$builddir/assayctl $1" /dev/null \
	    </dev/null 2>&1 | tr -d '\r'
}
esc=$(printf '\033')
is "no colour into a file" "$(grep -c "$esc" "$scratch/out")" 0
is "colour on a terminal" "$(tty "cases show $case" | grep -c "$esc\[31mfraud$esc\[0m")" 1
is "unless NO_COLOR" "$(NO_COLOR=1 tty "cases show $case" | grep -c "$esc")" 0
tty audit | sed "s/$esc\[[0-9]*m//g" >"$scratch/wide"
is "as wide as it is" "$(perl -CSD -lne 'print if length > 76' \
    "$scratch/wide")" ""
check "cut where it may be" grep -q '…' "$scratch/wide"

# How far a backtest is.
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, replay)
    select decided_at, verdict_id || i, event_id || '-' || i, 'card.refund',
	user_id, replay
    from (select * from assay.decision_detail where sample is not null limit 1) d,
	generate_series(1, 100000) i"
awk 'BEGIN { while (n++ < 1000)
	printf "rule r%d { when !(event.amount < %d || graph.ringSize > %d) " \
	    "then score += 1, tag t }\n", n, 1e9 + n, n }' >"$scratch/slow.rule"
# watched OPTIONS PATTERN WHAT: until a terminal shows it.
# shellcheck disable=SC2317
shown() { tr '\r' '\n' <"$scratch/tty" | grep -q "$1"; }
watched() {
	: >"$scratch/tty"
	NO_COLOR=1 script -qfc "exec $builddir/assayctl backtest $1 \
	    --rules $scratch/slow.rule card.refund" "$scratch/tty" \
	    </dev/null >/dev/null 2>&1 &
	tty_pid=$!
	check "$3" stack_until 20 "$tty_pid" shown "$2"
	kill "$tty_pid" 2>/dev/null
	wait "$tty_pid" 2>/dev/null
}
watched --json '^[-|/\\] waiting, [1-9]' "a wait on a terminal"
is "nobody asks how far it is" "$(grep -c 'GET route=/v1/backtest' \
    "$scratch/log/pool.log")" 0
stack_until 20 0 grep -q 'route=/v1/backtest status=503' "$scratch/log/pool.log"
watched '' "^\[=* *\] [0-9]* %, [1-9][0-9]* of [0-9]* samples, [0-9]*/s$esc" \
    "a backtest's bar"
is "without colour" "$(grep -c "$esc\[[0-9]*m" "$scratch/tty")" 0

is "indented JSON" "$(tty "users list --json" | grep -c '^    "role"')" 2
is "which is JSON still" "$(tty "cases show $case --json" |
    jq -r '.resolution.note | length')" 8
is "and hides nothing" "$(tty "cases show $case --json" |
    grep -c 'b\\u001b\[2J\\u202e')" 1
finish
