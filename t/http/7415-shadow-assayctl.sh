#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl shadow: list, show, start, promote and end.
. "$(dirname "$0")/lib.sh"
use lock ctl model shadow

start_signed_in SCORER_SHADOW=ml
key=$KEY
KEY=
login admin@example.com 'correct horse'

cron project SCORER_SHADOW=ml
begin_shadow v3
# assayctl shadow.
make_traffic 5 >/dev/null
sql "update assay.label set match_after = now()"
cron project SCORER_SHADOW=ml
cron project SCORER_SHADOW=ml
ctl shadow list
check "shadow list shows ruleset and scorer" \
    prints 'order.place  *ruleset  *v3  *active  *0  *2.*order.place  *scorer  *ml  *waiting'
ctl shadow show order.place
check "shadow show prints decisions and points by tag" \
    prints 'version  *v3|.*decisions  *24|.*LIVE  *POINTS.*big  *0  *0  *15  *900'
check "shadow show prints the percentiles of the scores" \
    prints 'P5  *P25.*|live  *[0-9].*|shadow  *0  *0  *60 '
ctl shadow show card.none
is "shadow show refuses an unknown event type" "$STATUS" 65
ctl shadow promote --type order.place --id shd_1
check "shadow promote refuses another id" prints 'another shadow has replaced'
ctl shadow promote --type order.place
check "shadow promote makes the ruleset active" prints '^v3 is active'
ctl rules list
check "rules list shows the promoted version" prints 'order.place  *v3 '
ctl shadow end --type order.place
check "shadow end finds nothing after the promotion" \
    prints 'there is no such shadow'
ctl shadow end
check "shadow end refuses the scorer of the settings" \
    prints 'SCORER_SHADOW is a setting'
echo '{}' >"$scratch/none.json"
ctl shadow start --model "$scratch/none.json"
is "shadow start refuses an invalid model" "$STATUS" 65
model '.bias = 3' | jq . >"$scratch/model.json"
ctl shadow start --model "$scratch/model.json"
check "shadow start sends the model unchanged" prints \
    "^$(sha256sum <"$scratch/model.json" | head -c 16) is a shadow: shd_"

# A model becomes active at the moment at which it starts as a shadow.
jq '.bias = 2' <"$scratch/model.json" >"$scratch/other.json"
hash=$(sha256sum <"$scratch/other.json" | head -c 64)
hold_lock "select from assay.shadow for key share"
ctl shadow start --model "$scratch/other.json" &
request=$!
stack_until 20 0 lock_waiters_are 1
sql "select assay.model_activate('published', '$hash',
    convert_from('\\x$(od -An -v -tx1 "$scratch/other.json" | tr -d ' \n')',
    'UTF8'))" >"$scratch/served" &
serving=$!
stack_until 20 0 lock_waiters_are 2
release_lock
wait "$request" "$serving"
check "shadow start accepts the model" \
    prints "^$(printf %.16s "$hash") is a shadow: shd_"
is "the same model becomes active" "$(cat "$scratch/served")" t
ctl shadow end
check "shadow end ends the model" prints 'is no longer a shadow'
ctl shadow start
is "shadow start without a file is refused" "$STATUS" 65
finish
