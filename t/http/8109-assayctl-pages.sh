#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl: errors name what is unknown, pages continue before an id, and the
# address of the service comes from the session or the environment.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_admin

make_cases
http POST /v1/decisions '{"id":"order","type":"account.login",
    "subject":{"userId":"u-1"}}'

# Errors name what is unknown.
ctl explain nope
is "an unknown event is refused" "$STATUS" 65
check "the unknown event is named in the error" \
    prints 'there is no decision for the event nope (404'
ctl lists remove lst_x
check "the unknown entry is named in the error" \
    prints 'there is no list entry lst_x (404'
ctl keys revoke key_x
check "the unknown key is named in the error" prints 'there is no key key_x (404'
ctl webhooks revoke whk_x
check "the unknown endpoint is named in the error" \
    prints 'there is no webhook endpoint whk_x (404'
ctl policies history pol_x
check "the unknown policy is named in the error" \
    prints 'there is no policy pol_x (404'

# A label of an unknown event.
ctl label chargeback typo
is "a label of an unknown event is accepted" "$STATUS" 0
check "a label of an unknown event prints that it has no decision" \
    prints 'the event typo has no decision yet'
ctl label chargeback order-1
is "a label of a known event is accepted" "$STATUS" 0
check "a label of a known event prints no warning" not prints 'no decision yet'

# Pages.
ctl verdicts --limit 2
check "a page of verdicts prints how to continue" prints 'use --before vd_'
before=$(sed -n 's/.*--before //p' "$scratch/err")
ctl verdicts --limit 2 --before "$before"
is "the next page of verdicts has older ones" \
    "$(sed 1d "$scratch/out" | grep -o 'order[-0-9]*' | paste -sd ' ')" \
    "order-2 order-1"
ctl activity --limit 2
check "a page of the activity prints how to continue" prints 'use --before vd_'
before=$(sed -n 's/.*--before //p' "$scratch/err")
ctl activity --limit 2 --before "$before"
is "the next page of the activity has older entries" \
    "$(sed 1d "$scratch/out" | grep -o 'order[-0-9]*' | paste -sd ' ')" \
    "order-2 order-1"
ctl cases list --limit 2
check "a page of cases prints how to continue" prints 'use --before cse_'
before=$(sed -n 's/.*--before //p' "$scratch/err")
ctl cases list --json --limit 2 --before "$before"
is "the next page of cases has older ones" \
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
check "a page of the audit trail prints how to continue" \
    prints "use --before $before"
ctl audit --json --before "$before"
is "the next page of the audit trail is older" \
    "$(jq -r --arg id "$before" '[.entries[].id | select(. >= $id)] | length' \
	"$scratch/out")" 0
ctl verdicts --before nonsense
is "a page before an invalid id is refused" "$STATUS" 65

# Which service a command uses.
url=$ASSAY_URL
unset ASSAY_URL
ctl label chargeback order-3
is "a label goes to the session's service" "$STATUS" 0
printf 'id,type,userId\nreplayed,account.login,u-1\n' >"$scratch/one.csv"
ctl replay --quiet "$scratch/one.csv"
is "a replay goes to the session's service" "$STATUS $(sql "select count(*)
    from assay.verdict_log where event_id = 'replayed'")" "0 1"
BASE_URL=http://127.0.0.1:1 ctl label chargeback order-3
is "BASE_URL replaces the session's service" "$STATUS" 69
BASE_URL=http://127.0.0.1:1 ASSAY_URL=$url ctl label chargeback order-3
is "ASSAY_URL replaces BASE_URL" "$STATUS" 0
ASSAY_URL=$url ctl label withdraw order-3
is "label withdraw takes a chargeback back" \
    "$STATUS $OUT $(sql "select count(*) from assay.label
    where event_id = 'order-3' and chargeback = 'fraud'")" \
    "0 order-3 has no label of a chargeback 0"
chmod 644 "$HOME/.config/assay/token"
ctl label chargeback order-3
is "a session file that others can read is refused" "$STATUS" 77
printf 'id,type,userId\n0123456789-0123456789,account.login,u-1\n' \
    >"$scratch/long.csv"
ASSAY_URL=$url ctl replay "$scratch/long.csv"
check "a cut id in a replay has an ellipsis" prints '|…89-0123456789 '
finish
