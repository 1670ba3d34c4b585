#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl and ids: no id is cut, a part is enough if it names one entry, and an
# ambiguous part changes nothing.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_admin

make_cases

# A narrow terminal.
# print_tty COLUMNS COMMAND: what assayctl prints to a terminal of that width.
# shellcheck disable=SC2317 # called by name
print_tty() {
	TERM=dumb COLUMNS=$1 script -qec "$builddir/assayctl $2" /dev/null \
	    </dev/null 2>&1 | tr -d '\r' >"$scratch/tty"
}
print_tty 80 'cases list'
is "80 columns show every case's whole id" \
    "$(sed -n 's/^\(cse_[^ ]*\) .*/\1/p' "$scratch/tty")" "$ids"
is "80 columns show every case's whole event id" \
    "$(grep -c ' order-[123]$' "$scratch/tty")" 3
is "no line of the cases is wider than the terminal" \
    "$(perl -CSD -lne 'print if length > 80' "$scratch/tty")" ""
tr '\n' ' ' <"$scratch/tty" >"$scratch/notice"
check "the columns without room are named" grep -q \
    'columns left out to fit the terminal:.* OUTCOME' "$scratch/notice"
print_tty 200 'cases list'
check "a wide terminal shows all columns" \
    grep -q '^ID .* OPENED (UTC) .* OUTCOME .* EVENT' "$scratch/tty"
print_tty 30 'cases list'
is "a terminal narrower than a line shows fields" \
    "$(sed -n 's/^ID  *//p' "$scratch/tty")" "$ids"
for command in verdicts activity 'keys list' 'lists show' 'shadow list' \
    'backtest payment.authorize'; do
	print_tty 80 "$command"
	is "80 columns are enough for $command" \
	    "$(perl -CSD -lne 'print if length > 80' "$scratch/tty")" ""
done
print_tty 80 verdicts
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
# All ids begin with the time, to the hour.
ctl cases show "$(echo "$random" | cut -c 1-4)"
is "a part of several ids is refused" "$STATUS" 65
is "the ids that match the part are listed" \
    "$(sed -n 's/^  cse_/cse_/p' "$scratch/out")" "$ids"
ctl cases assign zzzz
is "a part of no id is refused" "$STATUS" 65
check "the unknown case is named in the error" prints 'there is no case zzzz (404'
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
is "an event id that matches exactly is preferred" \
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
is "an unknown key is refused" "$STATUS" 65
finish
