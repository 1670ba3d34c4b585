#!/bin/sh
# SPDX-License-Identifier: ISC
# assay-cron train: a challenger that is better than the active model decides as a
# shadow, and has a card; no shadow of an operator is replaced.
. "$(dirname "$0")/lib.sh"
use ctl lock past train shadow

start_signed_in
API_KEY=$KEY
export API_KEY
ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export ADMIN_DATABASE_URL

# train_again: run the job; its lines of the log are in $scratch/said.
train_again() {
	touch "$scratch/log/cron.log"
	before=$(wc -l <"$scratch/log/cron.log")
	cron train
	ended=$?
	tail -n "+$((before + 1))" "$scratch/log/cron.log" >"$scratch/said"
}
# said EVENT KEY: the value of a key in the line of an event.
said() { sed -n "s/.* event=$1 .*\<$2=\([^ ]*\).*/\1/p" "$scratch/said"; }
shadow_hash() { sql "select hash from assay.shadow where ended_at is null"; }

train_again
is "without samples nothing is trained" "$ended $(grep -c 'event=train_skipped' \
    "$scratch/said")" "0 1"
for type in card.authorize order.place account.login account.signup; do
	http POST /v1/policies "{\"id\":\"pol_$(echo "$type" | tr . _)\",
	    \"version\":\"mild\",$(policy_bands 100 | sed 's/,{"verdict":"review".*}\]/]/')}"
done
"$builddir/sample/generate" --seed 5 --users 200 --days 6 --events 2400 --fraud 25 \
    >"$scratch/rows.csv"
for part in 0 800 1600; do
	decide_part $part weighted
done
replay_history
spread_samples

# A champion that knows nothing.
ctl train --output "$scratch/model.json" "$scratch/table.csv"
is "a model is trained from the table" "$STATUS" 0
jq -c '.weights |= map(0) | .trainedAt = "2020-01-01"' "$scratch/model.json" \
    >"$scratch/blind.json"
ctl models publish "$scratch/blind.json"
is "a model without weights is published" "$STATUS" 0
ctl models card
is "a published file has no card" "$STATUS" 65
check "the error says what keeps a card" prints "train --publish"

# The session of the job ends when it is about to store the challenger.
hold_lock "select assay.shadow_lock()"
start_cron train
stack_until 60 "$stack_cron_pid" lock_waiters_are 1
sql "select pg_terminate_backend(pid) from pg_locks where not granted" >/dev/null
release_lock
check "the job ends well although its session ended" wait "$stack_cron_pid"
is "the challenger is the shadow" "$(grep -c 'challenger_shadow .*outcome=started' \
    "$scratch/log/cron.log") $(sql "select count(*) from assay.shadow
    where challenger")" "1 1"
sql "delete from assay.shadow"

train_again
is "the job trains" "$ended $(said model_trained result)" "0 better"
challenger=$(said model_trained hash)
is "a better challenger becomes the shadow" \
    "$(said challenger_shadow outcome) $(shadow_hash)" "started $challenger"
is "the active model stays" "$(sql "select hash from assay.model_activation
    order by number desc limit 1")" "$(sha256sum <"$scratch/blind.json" |
    cut -d ' ' -f 1)"
ctl models card shadow
is "the card of the shadow is printed" "$STATUS $(head -n 1 "$scratch/out")" \
    "0 # Model $(echo "$challenger" | cut -c 1-16)"
check "the card compares with the champion" prints "This model is better."
check "the card has no user" [ "$(grep -cE 'u-?[0-9]+' "$scratch/out")" = 0 ]
train_again
is "the same challenger is not begun again" \
    "$(said challenger_shadow outcome) $(shadow_hash)" "same $challenger"

# The shadow of an operator stays, and a challenger is replaced.
http POST /v1/model/shadow "{\"model\":$(cat "$scratch/model.json")}"
is "an operator begins a shadow model" "$STATUS" 200
operators=$(shadow_hash)
train_again
is "the shadow of an operator stays" \
    "$(said challenger_shadow outcome) $(shadow_hash)" "occupied $operators"
end_shadow '{}'
is "the operator ends the shadow" "$STATUS" 200
train_again
is "the challenger follows" "$(said challenger_shadow outcome)" started
sql "update assay.label set chargeback = null where event_id in (select event_id
    from assay.label where chargeback = 'fraud' order by event_id limit 3)"
train_again
is "a challenger without labels is not replaced" \
    "$(said challenger_shadow outcome) $(shadow_hash)" "running $challenger"
sql "update assay.shadow set started_at = now() - interval '21 days'"
train_again
is "other labels give another challenger, which replaces the first" \
    "$(said challenger_shadow outcome) $([ "$(shadow_hash)" = "$challenger" ] ||
    echo other)" "started other"
challenger=$(shadow_hash)

promote_shadow '{}'
is "a person promotes the challenger" "$STATUS $(sql "select hash
    from assay.model_activation order by number desc limit 1")" "200 $challenger"
ctl models card
is "the active model has its card" "$STATUS $(grep -c "$challenger" "$scratch/out")" \
    "0 1"
train_again
is "a model is not better than itself" "$(said model_trained result)" unsure
is "no shadow begins without a better one" "$(shadow_hash)" ""
ctl models publish "$scratch/model.json"
is "a model that was trained later is published" "$STATUS" 0
train_again
is "a champion that may know the test is not compared" \
    "$(said model_trained result)$(grep -c 'may know events' "$scratch/said")" 1

# Cards of other models.
ctl train --publish --card "$scratch/card.md" --train-until 2020-01-01 "$scratch/table.csv"
is "a training that fails writes no card" "$STATUS $(find "$scratch" -name card.md)" \
    "65 "
ctl train --publish --card "$scratch/card.md" "$scratch/table.csv"
is "train writes the card" "$STATUS $(head -c 8 "$scratch/card.md")" "0 # Model "
ctl models card
check "the card of the active model is the written one" \
    cmp "$scratch/card.md" "$scratch/out"
ctl models card 1
is "a number of the list selects the model" "$STATUS" 65
ctl models card 99
check "an unknown number is refused" prints "there is no such number"
ctl models card bundled
is "what is neither a number nor shadow is refused" "$STATUS" 64
ctl models card shadow
check "without a shadow model there is no card" prints "no model decides as a shadow"
finish
