#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl train: live decisions and their labels train the same model, to the
# bit, as the table that a replay of the same history exports.
. "$(dirname "$0")/lib.sh"
use ctl past train

start_database
unset ADMIN_DATABASE_URL DATABASE_URL
DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator"
export DATABASE_URL

# Three scorers decide a third of the history each.  No event is denied, so
# all scorers see the same baselines; the model and labels make their scores differ.
start_signed_in
API_KEY=$KEY
export API_KEY
types=$(sed -n 's/^EVENT_TYPE([^,]*, "\([^"]*\)".*/\1/p' \
    "$srcdir/core/event/event_types.tbl")
for type in $types; do
	http POST /v1/policies "{\"id\":\"pol_$(echo "$type" | tr . _)\",
	    \"version\":\"mild\",$(policy_bands 40)}"
	is "the policy of $type is published" "$STATUS" 200
done
sql "insert into assay.tag_count
    select distinct t.tag, 90, 10 from assay.ruleset r,
	regexp_matches(r.text, 'tag ([a-z_.]+)', 'g') m, unnest(m) as t(tag)
    on conflict do nothing; update assay.tag_epoch set number = number + 1"
"$builddir/sample/generate" --seed 5 --users 120 --days 6 --events 2400 \
    >"$scratch/rows.csv"
events=$(($(wc -l <"$scratch/rows.csv") - 1))
decide_part 0 weighted
decide_part 800 learned
decide_part 1600 ml
is "each event left a sample with its scorer" "$(sql "select count(sample),
    count(*) filter (where sample like '%\"scorer\":\"ml\"%'),
    count(*) filter (where sample like '%\"scorer\":\"learned\"%')
    from assay.decision_detail")" "$events|800|800"
check "over 500 scores differ from that of the rules" [ "$(sql "select count(*)
    from assay.decision_detail where sample::json ->> 'score' <>
	sample::json ->> 'rulesScore'")" -gt 500 ]

replay_history
spread_samples

train_both "all events"
users=$(sed 1d "$scratch/table.csv" | cut -d , -f 2 | sort -u | wc -l)
check "a role that may read samples reads all of them" \
    prints "read $events rows of $users users"
train_both "events until a day" --train-until "$(sed -n '2000{s/^[^,]*,[^,]*,//
    s/,.*//p;}' "$scratch/table.csv")" --label-delay 3 --train-days 25 \
    --test-days 4

check "the champion of samples is the active model" prints \
    "the champion is synthetic-demo@"

# The report uses the active policy of each event type.
http POST /v1/policies "{\"id\":\"pol_card_authorize\",
    \"version\":\"other\",$(policy_bands 12)}"
is "another policy of card.authorize is published" "$STATUS" 200
ctl train
is "the report uses the new policy of card.authorize" \
    "$(report_bands card.authorize)" \
    "allow 0-12 review 13-100 1"
is "the report keeps the policy of account.login" \
    "$(report_bands account.login)" \
    "allow 0-40 review 41-100 1"
ctl train --policy "$scratch/mild.json"
is "--policy replaces the active policies in the report" \
    "$(grep -c 'mild.json on card.authorize$' \
    "$scratch/out")$(grep -c 'active policy' "$scratch/out")" 10

# Proposed bands, for each event type with its own policy.
ctl train --deny-precision 20% --challenge-budget 10% \
    --policies "$scratch/proposed"
is "bands are proposed for each tested event type" \
    "$STATUS $(cd "$scratch/proposed" && echo *.json)" \
    "0 $(sed -n 's/^verdicts by the proposed bands on //p' "$scratch/out" |
    LC_ALL=C sort | sed 's/$/.json/' | paste -sd ' ')"
check "a proposed policy keeps what the active one does without a score" \
    grep -q '"onError": "fail_open"' "$scratch/proposed/card.authorize.json"
http POST /v1/policies "$(jq '. + { id: "pol_card_authorize", version: "ml-1" }' \
    "$scratch/proposed/card.authorize.json")"
is "a proposed policy can be published" "$STATUS" 200

# --event-type and --since read fewer samples.
ctl train --event-type card.authorize
is "--event-type reads the samples of one type" "$STATUS $(sed -n \
    's/.*read \([0-9]*\) rows.*/\1/p' "$scratch/err")" \
    "0 $(sql "select count(*) from assay.decision_detail
	where event_type = 'card.authorize'")"
since=$(sed -n '601{s/^[^,]*,[^,]*,//;s/,.*//p;}' "$scratch/table.csv")
ctl train --since "$since"
is "--since reads the samples after that time" "$STATUS $(sed -n \
    's/.*read \([0-9]*\) rows.*/\1/p' "$scratch/err")" \
    "0 $((events - 599))"

# Many samples of one instant, a sample that cannot be read, and no labels.
sql "update assay.decision_detail set decided_at = date_trunc('hour', now());
    update assay.decision_detail
    set sample = '{}' where verdict_id = (select max(verdict_id)
	from assay.decision_detail)"
ctl train --train-until "$since"
check "samples of one instant are each read once" prints \
    "read $((events - 1)) rows of $users users"
check "a sample that cannot be read is left out" prints 'left out 1 samples'
sql "delete from assay.label"
ctl train
is "training without labels is refused" "$STATUS" 65
check "the error says that no sample has a label" \
    prints 'none of the 2399 samples has a label'
ctl train --since 2100-01-01
check "--since in the future finds no sample" prints 'no samples to train on'
DATABASE_URL="host=$scratch/run dbname=assay user=assay_decide"
ctl train
is "the decide role may not read samples" "$STATUS" 70
finish
