#!/bin/sh
# SPDX-License-Identifier: ISC
# From a history to an active model: events are replayed at their times, a model
# is trained with them and published, and a running pool decides thousands of
# events with it.  assayctl replay --offline has the same score, probability and
# reasons for each, to the last digit.
. "$(dirname "$0")/lib.sh"
use ctl offline

# active_shown: print the active model that the page shows.
active_shown() {
	http GET /v1/config/model
	json '.ml | "\(.active) \(.source) \(.provenance) \(.version)"'
}

# decide_apart EVENT: decide an event that shares nothing with any other, and
# print the model that decided it.
decide_apart() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-$1\"}}"
	sql "select sample::json ->> 'model' from assay.decision_detail
	    where event_id = '$1'"
}

# replay_rows OPTION ...: replay the events of rows.csv at their times.
replay_rows() {
	ctl replay --offline --sql "$srcdir/sql" --limit "$habits" \
	    --label-delay 1 "$@" "$scratch/rows.csv"
}

make_places
start_stack GEOIP_DB="$GEOIP_DB" SCORER=ml DECIDE_WORKERS=3
pool=$stack_pool_pid
admin_token
api_key
API_KEY=$KEY
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export API_KEY ADMIN_DATABASE_URL
for n in 1 2 3 4 5 6; do
	decide_apart "before-$n"
done | sort -u >"$scratch/first"
is "the bundled model decides first" "$(active_shown)" \
    "true bundled synthetic-demo $(cat "$scratch/first")"

# From the replayed history to the active model.
make_rows
replay_rows --export "$scratch/table.csv"
is "a history is replayed offline" "$STATUS" 0
ctl train --label-delay 1 --train-until 2026-01-09 --output "$scratch/model" \
    --publish "$scratch/table.csv"
is "a model is trained with the table and published" "$STATUS" 0
version=$(sha256sum <"$scratch/model" | head -c 16)
is "the next decision is made with the trained model" \
    "$(decide_apart after)" "$version"
is "the page shows the trained model" \
    "$(active_shown)" "true published operator-supplied $version"

# Live and offline decisions are the same.
decide_rows
decide_again --scorer ml --model "$scratch/model"
is "the trained model made every decision" \
    "$(live_lines "\"model\":\"$version\",\"p\":[0-9]")" \
    $((events + 1))
check "the pool was never restarted" kill -0 "$pool"
probabilities=$(sed -n 's/.*"pEven":\([^,]*\).*/\1/p' "$scratch/live" |
    sort -u | wc -l)
check "the decisions have $probabilities probabilities" \
    [ "$probabilities" -gt 1000 ]
for what in '"verdict":"deny"' '"verdict":"review"' '"verdict":"allow"' \
    '"reasons":\[{"tag":"ml:.*,{"tag":"ml:.*,{"tag":"ml:' \
    '"tags":\[{"tag"'; do
	check "some model decisions have $what" \
	    [ "$(live_lines "$what")" -gt 0 ]
done

# The score of the rules is a feature, whichever scorer decides.
echo '{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":100}]}' \
    >"$scratch/all.json"
replay_rows --policy "$scratch/all.json" --export "$scratch/weighted.csv"
replay_rows --policy "$scratch/all.json" --export "$scratch/ml.csv" \
    --scorer ml --model "$scratch/model"
check "two scorers export the same table of one history" \
    cmp "$scratch/weighted.csv" \
    "$scratch/ml.csv"

# Other models, and wrong ones.
replay_rows --scorer ml
check "the demonstration model is warned of" prints \
    "^assayctl: the model $(cat "$scratch/first") is for demonstration"
sed 's/"bias":/"bias":"/' "$scratch/model" >"$scratch/bad"
replay_rows --scorer ml --model "$scratch/bad"
is "an invalid model is refused" "$STATUS" 65
check "an invalid model is refused by its file name" prints "$scratch/bad: "
replay_rows --scorer ml --model "$scratch/none"
check "a missing model is refused by its file name" \
    prints "$scratch/none: No such file"
sed 's/"velocity.attemptsLast2m"/"velocity.attempts"/' "$scratch/model" \
    >"$scratch/bad"
replay_rows --scorer ml --model "$scratch/bad"
check "a model of other features is refused by its first" prints \
    "$scratch/bad: featureNames.0. must be \"velocity.attemptsLast2m\""
replay_rows --model "$scratch/model"
is "--model is refused without --scorer ml" "$STATUS" 64
replay_rows --scorer learned
is "the learned scorer is refused offline" "$STATUS" 64
ctl replay --scorer ml "$scratch/rows.csv"
is "--scorer is refused without --offline" "$STATUS" 64
finish
