#!/bin/sh
# SPDX-License-Identifier: ISC
# From a history to a model that serves: events are replayed at their times, a
# model is trained with them and published to a pool that runs, which decides
# thousands of events with it; assayctl replay --offline has the same score,
# probabilities and reasons of each, to the last digit.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"
# shellcheck source=t/http/offline.sh
. "$(dirname "$0")/offline.sh"

# serves: the model of which the service says that it decides.
serves() {
	http GET /v1/config/model
	json '.ml | "\(.active) \(.source) \(.provenance) \(.version)"'
}

# before EVENT: decide one that has nothing in common with any other, so that
# it changes nothing for them.  Prints the model that did.
before() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-$1\"}}"
	sql "select replay::json ->> 'model' from assay.detail
	    where event_id = '$1'"
}

# offline OPTION ...: the history of rows.csv, at the times that it has.
offline() {
	ctl replay --offline --sql "$srcdir/sql" --limit "$habits" \
	    --label-delay 1 "$@" "$scratch/rows.csv"
}

places
start_stack GEOIP_DB="$GEOIP_DB" SCORER=ml DECIDE_WORKERS=3
pool=$stack_pool_pid
admin_token
api_key
API_KEY=$KEY
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export API_KEY ADMIN_DATABASE_URL
for n in 1 2 3 4 5 6; do
	before "before-$n"
done | sort -u >"$scratch/first"
is "the bundled model decides first" "$(serves)" \
    "true bundled synthetic-demo $(cat "$scratch/first")"

# From the replayed history to the model that serves.
rows
offline --export "$scratch/table.csv"
is "a history is replayed" "$STATUS" 0
ctl train --label-delay 1 --train-until 2026-01-09 --output "$scratch/model" \
    --publish "$scratch/table.csv"
is "a model is trained with it and published" "$STATUS" 0
version=$(sha256sum <"$scratch/model" | head -c 16)
is "the next decision is made with it" "$(before after)" "$version"
is "and it is shown" "$(serves)" "true published operator-supplied $version"

# Live and offline.
decide_rows
decide_again --scorer ml --model "$scratch/model"
is "by that model, every one" "$(seen "\"model\":\"$version\",\"p\":[0-9]")" \
    $((events + 1))
check "the pool was never started again" kill -0 "$pool"
probabilities=$(sed -n 's/.*"pEven":\([^,]*\).*/\1/p' "$scratch/live" |
    sort -u | wc -l)
check "which found $probabilities probabilities" [ "$probabilities" -gt 1000 ]
for what in '"verdict":"deny"' '"verdict":"review"' '"verdict":"allow"' \
    '"reasons":\[{"tag":"ml:.*,{"tag":"ml:.*,{"tag":"ml:' \
    '"tags":\[{"tag"'; do
	check "some have $what" [ "$(seen "$what")" -gt 0 ]
done

# What rules come to is a feature, and is so whoever scores.
echo '{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":100}]}' \
    >"$scratch/all.json"
offline --policy "$scratch/all.json" --export "$scratch/weighted.csv"
offline --policy "$scratch/all.json" --export "$scratch/ml.csv" \
    --scorer ml --model "$scratch/model"
check "tables of one history are one" cmp "$scratch/weighted.csv" \
    "$scratch/ml.csv"

# Other models, and none.
offline --scorer ml
check "a demonstration is warned of" said \
    "^assayctl: $(cat "$scratch/first") scores, a model for demonstration"
sed 's/"bias":/"bias":"/' "$scratch/model" >"$scratch/bad"
offline --scorer ml --model "$scratch/bad"
is "a model that is none is refused by its name" "$STATUS" 65
check "and with a reason" said "$scratch/bad: "
offline --scorer ml --model "$scratch/none"
check "so is one that is not there" said "$scratch/none: No such file"
sed 's/"velocity.attemptsLast2m"/"velocity.attempts"/' "$scratch/model" \
    >"$scratch/bad"
offline --scorer ml --model "$scratch/bad"
check "and one of other features" said \
    "$scratch/bad: featureNames.0. must be \"velocity.attemptsLast2m\""
offline --model "$scratch/model"
is "only a model's score has a model" "$STATUS" 64
offline --scorer learned
is "labels teach nothing offline" "$STATUS" 64
ctl replay --scorer ml "$scratch/rows.csv"
is "and the service has its own" "$STATUS" 64
finish
