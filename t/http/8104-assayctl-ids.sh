#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl and ids: none is ever cut, part of one is enough where it names one
# entry, what is not found is named, and pages go on before an id.
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

# Three events are reviewed, so that there are three cases.
ctl rules show payment.authorize
printf 'rule all { when event.amount > 0 then score += 45, tag all }\n' \
    >"$scratch/all.rule"
ctl rules publish payment.authorize all "$scratch/all.rule"
for n in 1 2 3; do
	http POST /v1/decisions '{"id":"order-'$n'","type":"payment.authorize",
	    "amount":'$n',"currency":"EUR","subject":{"userId":"u-'$n'"}}'
done
ctl cases list --json
ids=$(jq -r '.[].id' "$scratch/out")
id=$(echo "$ids" | sed -n 2p)
other=$(echo "$ids" | sed -n 3p)
is "three cases are open" "$(echo "$ids" | wc -l | tr -d ' ')" 3

# A narrow terminal.
# tty COLUMNS COMMAND: what assayctl prints to a terminal of that width.
# shellcheck disable=SC2317 # called by name
tty() {
	TERM=dumb COLUMNS=$1 script -qec "$builddir/assayctl $2" /dev/null \
	    </dev/null 2>&1 | tr -d '\r' >"$scratch/tty"
}
tty 80 'cases list'
is "80 columns show every case's whole id" \
    "$(sed -n 's/^\(cse_[^ ]*\) .*/\1/p' "$scratch/tty")" "$ids"
is "80 columns show every case's whole event id" \
    "$(grep -c ' order-[123]$' "$scratch/tty")" 3
is "no line of the cases is wider than the terminal" \
    "$(perl -CSD -lne 'print if length > 80' "$scratch/tty")" ""
check "the columns without room are named" \
    grep -q 'the terminal has no room for .*OUTCOME' "$scratch/tty"
tty 200 'cases list'
check "a wide terminal shows all columns" \
    grep -q '^ID .* OPENED (UTC) .* OUTCOME .* EVENT' "$scratch/tty"
tty 30 'cases list'
is "a terminal that is too narrow for a line shows fields" \
    "$(sed -n 's/^ID  *//p' "$scratch/tty")" "$ids"
for command in verdicts activity 'keys list' 'lists show' 'shadow list' \
    'backtest payment.authorize'; do
	tty 80 "$command"
	is "80 columns are enough for: $command" \
	    "$(perl -CSD -lne 'print if length > 80' "$scratch/tty")" ""
done
tty 80 verdicts
is "80 columns show the events of the verdicts" \
    "$(grep -c 'order-[123]\( \|$\)' "$scratch/tty")" 3

# Part of an id.
random=${id#cse_}
tail=$(echo "$id" | sed 's/.*\(.\{8\}\)$/\1/')
for typed in "$tail" "$random" "$id"; do
	ctl cases show "$typed"
	is "a case is shown by ${#typed} characters of its id" \
	    "$STATUS $(sed -n 's/^id  *//p' "$scratch/out")" "0 $id"
done
ctl cases assign "$tail"
is "a case is assigned by the end of its id" "$STATUS $OUT" \
    "0 $id is assigned to admin@example.com"
ctl cases resolve "$tail" legit
is "a case is resolved by the end of its id" "$STATUS $OUT" \
    "0 $id is resolved: legit"
# All ids begin with the same hours.
ctl cases show "$(echo "$random" | cut -c 1-4)"
is "a part of several ids is refused" "$STATUS" 65
is "the ids that it may mean are listed" \
    "$(sed -n 's/^  cse_/cse_/p' "$scratch/out")" "$ids"
ctl cases assign zzzz
is "a part of no id is refused" "$STATUS" 65
check "the case that is not found is named" said 'there is no case zzzz (404'
before=$(sql "select count(*) from assay.audit")
ctl cases assign "$(echo "$other" | cut -c 1-8)"
is "an ambiguous id changes nothing" "$STATUS $(sql \
    "select count(*) from assay.audit")" "65 $before"

ctl keys create --scope labels short
ctl keys list --json
key=$(jq -r '.[] | select(.name == "short") | .id' "$scratch/out")
ctl keys revoke "$(echo "$key" | sed 's/.*\(.\{8\}\)$/\1/')"
is "a key is revoked by the end of its id" "$STATUS $OUT" "0 $key is revoked"
ctl lists add block user u-9
entry=${OUT%% *}
ctl lists remove "$(echo "$entry" | sed 's/.*\(.\{8\}\)$/\1/')"
is "an entry is removed by the end of its id" "$STATUS $OUT" \
    "0 removed $entry"
ctl webhooks add https://hooks.example.com/x verdict.reached.v1
printf '%s\n' "$OUT" >>"$scratch/sent/ctl"
ctl webhooks list --json
hook=$(jq -r '.endpoints[0].id' "$scratch/out")
ctl webhooks revoke "${hook#whk_}"
is "an endpoint is revoked without its prefix" "$STATUS" 0
ctl_in 'https://hooks.slack.com/services/T/B/secret' notifications add \
    slack verdict.reached.v1
ctl notifications list --json
channel=$(jq -r '.channels[0].id' "$scratch/out")
ctl notifications test "$(echo "$channel" | sed 's/.*\(.\{8\}\)$/\1/')"
is "a channel is tested by the end of its id" "$STATUS" 0
ctl explain der-2
is "a decision is explained by the end of its event's id" \
    "$STATUS $(sed -n '1s/^event  *//p' "$scratch/out")" "0 order-2"
ctl explain order
is "an event id that begins several is refused" "$STATUS" 65
http POST /v1/decisions '{"id":"order","type":"account.login",
    "subject":{"userId":"u-1"}}'
ctl explain order
is "a whole event id goes before those that it begins" \
    "$STATUS $(sed -n '1s/^event  *//p' "$scratch/out")" "0 order"
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL
ctl key create database
ctl keys list --json
key=$(jq -r '.[] | select(.name == "database") | .id' "$scratch/out")
ctl key revoke "$(echo "$key" | sed 's/.*\(.\{8\}\)$/\1/')"
is "a key is revoked on the database by the end of its id" "$STATUS $OUT" \
    "0 revoked $key"
ctl key revoke key_0
is "a key that is not there is refused" "$STATUS" 65

# What is not found is named.
ctl explain nope
is "an event that is not there is refused" "$STATUS" 65
check "the event is named" said 'there is no decision of the event nope (404'
ctl lists remove lst_x
check "the entry is named" said 'there is no list entry lst_x (404'
ctl keys revoke key_x
check "the key is named" said 'there is no key key_x (404'
ctl webhooks revoke whk_x
check "the endpoint is named" said 'there is no webhook endpoint whk_x (404'
ctl policies history pol_x
check "the policy is named" said 'there is no policy pol_x (404'

# A label of an event that is not there.
ctl label chargeback typo
is "a label of an unknown event is taken" "$STATUS" 0
check "it is said that nothing was decided about it" \
    said 'the event typo has no decision yet'
ctl label chargeback order-1
is "a label of a known event is taken" "$STATUS" 0
check "nothing else is said of a known event" not said 'no decision yet'

# Pages.
ctl verdicts --limit 2
check "a page of verdicts says how it goes on" said 'more: --before vd_'
before=$(sed -n 's/.*--before //p' "$scratch/err")
ctl verdicts --limit 2 --before "$before"
is "the next page of verdicts has the next ones" \
    "$(sed 1d "$scratch/out" | grep -o 'order[-0-9]*' | paste -sd ' ')" \
    "order-2 order-1"
ctl activity --limit 2
check "a page of the activity says how it goes on" said 'more: --before vd_'
before=$(sed -n 's/.*--before //p' "$scratch/err")
ctl activity --limit 2 --before "$before"
is "the next page of the activity has the next ones" \
    "$(sed 1d "$scratch/out" | grep -o 'order[-0-9]*' | paste -sd ' ')" \
    "order-2 order-1"
ctl cases list --limit 2
check "a page of cases says how it goes on" said 'more: --before cse_'
before=$(sed -n 's/.*--before //p' "$scratch/err")
ctl cases list --json --limit 2 --before "$before"
is "the next page of cases has the next ones" \
    "$(jq -r '.[].id' "$scratch/out")" "$other"
ctl cases list --json --event order-2
is "cases are found by their event" "$(jq -r '.[].id' "$scratch/out")" "$id"
ctl cases list --json --user u-2
is "cases are found by their user" "$(jq -r '.[].id' "$scratch/out")" "$id"
ctl cases list --json --queue '*'
is "cases of all queues are listed" "$(jq length "$scratch/out")" 3
ctl audit --limit 2 --json
before=$(jq -r '.entries[1].id' "$scratch/out")
ctl audit --limit 2
check "a page of the trail says how it goes on" said "more: --before $before"
ctl audit --json --before "$before"
is "the next page of the trail is older" \
    "$(jq -r --arg id "$before" '[.entries[].id | select(. >= $id)] | length' \
	"$scratch/out")" 0
ctl verdicts --before nonsense
is "a page before no id is refused" "$STATUS" 65

# The session's address.
url=$ASSAY_URL
unset ASSAY_URL
ctl label chargeback order-3
is "a label goes to the session's service" "$STATUS" 0
printf 'id,type,userId\nreplayed,account.login,u-1\n' >"$scratch/one.csv"
ctl replay --quiet "$scratch/one.csv"
is "a replay goes to the session's service" "$STATUS $(sql "select count(*)
    from assay.verdict_log where event_id = 'replayed'")" "0 1"
BASE_URL=http://127.0.0.1:1 ctl label chargeback order-3
is "BASE_URL goes before the session" "$STATUS" 69
BASE_URL=http://127.0.0.1:1 ASSAY_URL=$url ctl label chargeback order-3
is "ASSAY_URL goes before BASE_URL" "$STATUS" 0
chmod 644 "$HOME/.config/assay/token"
ctl label chargeback order-3
is "a session's file that others can read sends a label nowhere" "$STATUS" 77
printf 'id,type,userId\n0123456789-0123456789,account.login,u-1\n' \
    >"$scratch/long.csv"
ASSAY_URL=$url ctl replay "$scratch/long.csv"
check "an id that is cut in a replay has a mark" said '|…89-0123456789 '
finish
