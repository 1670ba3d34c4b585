#!/bin/sh
# SPDX-License-Identifier: ISC
# SCORER=ml: score, reasons and probabilities of the bundled model, recomputed
# from the samples; what lists, labels, the companion and backtests do with it.
. "$(dirname "$0")/lib.sh"
use scorer

start_signed_in SCORER=ml
publish_rules
check "the log warns that a demonstration model decides" grep -q \
    'level=warn .*event=bundled_model_used .* model=synthetic-demo' \
    "$scratch/log/pool.log"
http GET /v1/config/model
is_json "the page names the demonstration model as active" \
    '"\(.scorer) \(.ml.active) \(.ml.provenance)"' \
    "ml true synthetic-demo"
printf '%s' "$BODY" >"$scratch/model"
http GET /v1/model
is_json "GET /v1/model shows the weighted scorer" .active weighted
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-m-watched"}'
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-m-blocked"}'
n=0
while [ $n -lt 6 ]; do
	n=$((n + 1))
	http POST /v1/decisions "{\"id\":\"m-$n\",\"type\":\"order.place\",
	    \"amount\":$((n * n * 100)),\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"u-m-$((n / 5))\",\"deviceId\":\"d-m\"},
	    \"attributes\":{\"both\":$([ $n -gt 2 ] && echo true ||
		echo false)}}"
	# The answer and the sample of each, one after the other.
	printf '%s\n' "$BODY" | tr -d '\n' >>"$scratch/decided"
	sql "select sample::jsonb || jsonb_build_object('signals', signals(sample))
	    from assay.decision_detail where event_id = 'm-$n'" >>"$scratch/decided"
done

# Recompute each decision: a row of features.tbl is a function of the signals.
features=$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)", [^,]*, \([A-Z]*\), \([0-9]*\))$/["\1","\2",\3],/p' \
    "$srcdir/core/signal/features.tbl")
check "features.tbl can be read" test -n "$features"
jq -n -c --slurpfile model "$scratch/model" --slurpfile all "$scratch/decided" "
    [${features%,}] as \$features | \$model[0].ml as \$m |
    def number: if . == true then 1 elif . == false or . == null then 0
	else . end;
    def cut: if . < 0 then 0 elif . > 1 then 1 else . end;
    def value(\$sample; \$rules): (.[0] | sub(\"[.](log|sqrt|missing|[0-9]+)\$\"; \"\"))
	as \$name | (if \$name == \"rules.score\" then \$rules
	else \$sample.signals[\$name] end) as \$v | .[2] as \$scale |
	if .[1] == \"MISSING\" then (if \$v == null then 1 else 0 end)
	elif .[1] == \"LOG\" then ((\$v | number) + 1 | log) / (\$scale + 1 | log)
	    | cut
	elif .[1] == \"SQRT\" then (\$v | number) / \$scale | cut | sqrt
	else (\$v | number) / \$scale | cut end;
    range(0; \$all | length; 2) as \$i | \$all[\$i] as \$answer |
    \$all[\$i + 1] as \$sample |
    ([100, (\$sample.tags | map(.points) | add // 0)] | min) as \$rules |
    (\$m.bias + ([\$features, \$m.features] | transpose |
	map(. as [\$f, \$of] | \$of.weight * ([([(\$f | value(\$sample; \$rules)),
	\$of.min] | max), \$of.max] | min)) | add)) as \$z |
    (1 / (1 + (-(\$m.calibration.a * \$z + \$m.calibration.b) | exp))) as \$p |
    (\$p * (1 - \$m.baseRate)) as \$x | (\$x / (\$x + (1 - \$p) * \$m.baseRate))
	as \$even |
    { score: \$answer.score, want: (\$even * 100 + 0.5 | floor),
	p: ((\$sample.p - \$p) | fabs < 1e-9),
	even: ((\$sample.pEven - \$even) | fabs < 1e-9),
	by: \"\(\$sample.scorer) \(\$sample.model)\",
	points: (\$answer.reasons | map(.points) | add // 0),
	reasons: (\$answer.reasons | length <= 6 and
	    all(.tag | startswith(\"ml:\"))),
	tags: (\$sample.tags | map(.tag) | join(\" \")) }" \
    >"$scratch/scored" 2>&1
is "six decisions are recomputed" "$(wc -l <"$scratch/scored" | tr -d ' ')" 6
is "each score is that of the recomputed probability" "$(jq -c \
    'select(.score != .want or (.p and .even | not))' "$scratch/scored")" ""
is "the six decisions have several scores" \
    "$(jq -s 'map(.score) | unique | length > 2' \
    "$scratch/scored")" true
is "the points of the reasons sum up to the score" \
    "$(jq -c 'select((.reasons | not) or
    (.points != .score and .points != 0))' "$scratch/scored")" ""
is "some decision has reasons with points" \
    "$(jq -s 'any(.points > 0)' "$scratch/scored")" true
is "the samples name scorer and model" \
    "$(jq -r .by "$scratch/scored" | sort -u)" \
    "ml $(jq -r .ml.version "$scratch/model")"
is "the samples keep the tags of the rules" "$(jq -s -c 'map(.tags)' \
    "$scratch/scored")" \
    '["","ring","ring both","ring both","both","ring both amount"]'
decide_scored m-watched
is "a watch list asks for a review of a model's decision" \
    "$(json .verdict) $(json \
    '.reasons | any(.tag == "list.watch")')" "review true"
decide_scored m-blocked
is "a block list denies without a score" "$(score_seen)" "deny -1 list.block 0"

# Labels credit the tags of the rules that fired, not the model's features.
before=$(sql "select coalesce(max(fraud), 0) from assay.tag_count
    where tag = 'both'")
put_chargeback m-6
cron project
is "a label credits the tags of the rules" "$(sql "select tags from assay.label
    where event_id = 'm-6'"; sql "select fraud - $before from assay.tag_count
    where tag = 'both'")" "$(sql "select array(select x->>'tag'
    from json_array_elements((select sample::json->'tags' from assay.decision_detail
	where event_id = 'm-6')) x order by 1)"; echo 1)"
is "a label credits no feature of the model" \
    "$(sql "select count(*) from assay.tag_count
    where tag like 'ml:%'")" 0

# The companion and backtests use the same model.
http POST /v1/decisions/async '{"id":"later-m","type":"order.place",
    "amount":5000,"currency":"EUR","subject":{"userId":"u-later-m"}}'
cron decide SCORER=ml
http GET /v1/decisions/later-m
by_companion=$(score_seen)
decide_scored by-pool
is "the companion decides with the same model" "$(score_seen)" "$by_companion"
check "the companion's log warns of the demonstration model" \
    grep -q 'level=warn .*event=bundled_model_used' \
    "$scratch/log/cron.log"
candidate=$(rules_body <<'EOF'
rule r { when event.amount > 3000 then score += 60, tag amount }
EOF
)
http POST /v1/backtest "$candidate"
is_json "a backtest uses the model as scorer" .scorer ml
http POST /v1/backtest '{"eventType":"order.place"}'
is_json "a backtest by the model flips none of its own verdicts" \
    '.flipsByPair | length' 0

# Without the database there is no score.
stop_database
decide_scored away
is "a degraded decision has no score" \
    "$(score_seen)" "allow -1 engine.degraded 0"
finish
