#!/bin/sh
# SPDX-License-Identifier: ISC
# SCORER=learned and weighted: labels change the weights of tags, on every host,
# from the next decision on.
. "$(dirname "$0")/lib.sh"
use scorer

start_stack SCORER=learned DECIDE_WORKERS=3
start_host 2 SCORER=learned
admin_token
api_key
publish_rules
published=$(sql "select rules from assay.epoch")

both='"attributes":{"both":true}'
# scores_everywhere EVENT [MEMBERS]: print the scores of enough decisions to reach
# each worker of both hosts.
scores_everywhere() {
	for n in 1 2 3 4 5 6; do
		decide_scored "$1-$n" "${2-}"
		score_seen
		host=2
		decide_scored "$1-$n-2" "${2-}"
		host=
		score_seen
	done | sort -u
}
# A tag's weight follows its labels from the third label on.
http GET /v1/model
is_json "the learned weights decide" .active learned
is "a tag without labels has the weights of its rules" \
    "$(scores_everywhere a)" \
    "allow 14 amount 14"
put_chargeback a-1
put_chargeback a-2
is "two labels change no weight" "$(scores_everywhere b)" "allow 14 amount 14"
put_chargeback a-3
is "three labels change the weight on every worker of both hosts" \
    "$(scores_everywhere c)" \
    "allow 39 amount 39"
put_legit b-1
is "a fourth label counts in the next decision" \
    "$(scores_everywhere d)" "allow 32 amount 32"
sql "begin; select assay.label_put('b-2', 'analyst', 'legit', 'c');
    rollback" >/dev/null
is "a label that was rolled back changes nothing" \
    "$(scores_everywhere e)" "allow 32 amount 32"
is "two rules of a tag without labels add their weights" \
    "$(scores_everywhere f "$both")" \
    "review 62 amount 32, both 30"
for n in 1 2 3; do
	put_legit "f-$n"
done
is "two rules of a tag with labels have one weight" \
    "$(scores_everywhere g "$both")" \
    "allow 26 amount 20, both 6"
is "GET /v1/model shows the weights that decide" \
    "$(http GET /v1/model; json '.weights |
    map("\(.tag) \(.weight)") | join(", ")')" "amount 20, both 6"
is "labels do not reload the ruleset" "$(sql "select rules from assay.epoch")" \
    "$published"
is "the sample names the scorer" "$(read_sample g-1 '"\(.scorer) \(.score)"')" \
    "learned 26"

# The companion decides with the same weights.
http POST /v1/decisions/async '{"id":"later","type":"order.place",
    "amount":5000,"currency":"EUR","subject":{"userId":"u-later"}}'
cron decide SCORER=learned
http GET /v1/decisions/later
is "the companion decides with the learned weights" \
    "$(score_seen)" "allow 20 amount 20"

# Recorded scores stay after a change of the scorer.
restart_scorer weighted
http GET /v1/model
is_json "the weights of the rules decide" .active weighted
decide_scored w-1
is "the weighted scorer ignores the labels" "$(score_seen)" "allow 14 amount 14"
candidate=$(rules_body <<'EOF'
rule r { when event.amount > 3000 then score += 60, tag amount }
EOF
)
http POST /v1/backtest "$candidate"
is_json "a backtest names its scorer and counts samples of another" \
    '"\(.scorer) \(.sampleSize - .otherScorer) \(.mix.after.review)"' \
    "weighted 1 $(json .sampleSize)"
restart_scorer learned
http POST /v1/backtest "$candidate"
is_json "a backtest with the learned scorer uses the learned weights" \
    '"\(.scorer) \(.otherScorer) \(.mix.after.review)"' "learned 1 0"

check "nothing warns of the model while it does not decide" \
    sh -c "! grep 'event=bundled_model_used' '$scratch/log/pool.log'"
restart_scorer ml
http POST /v1/backtest '{"eventType":"order.place"}'
is_json "a backtest by another scorer keeps the recorded verdicts" \
    '.flipsByPair | length' 0
finish
