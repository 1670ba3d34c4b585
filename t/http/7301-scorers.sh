#!/bin/sh
# SPDX-License-Identifier: ISC
# SCORER: what labels teach counts from the next decision on, everywhere; a
# model's score, reasons and probabilities, computed anew; and what no scorer
# changes.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack SCORER=learned DECIDE_WORKERS=3
start_host 2 SCORER=learned
admin_token
api_key
# dsl [MEMBERS] <RULES: the body that has them.
dsl() {
	printf '{"eventType":"order.place"%s,"dsl":"%s"}' "${1:+,$1}" \
	    "$(tr '\n' ' ')"
}
http POST /v1/rules "$(dsl '"version":"v1"' <<'EOF'
rule r_amount { when event.amount > 3000 then score += 14, tag amount }
rule r_one { when attr.both == true then score += 20, tag both }
rule r_two { when attr.both == true then score += 10, tag both }
rule r_ring { when graph.ringSize > 1 then score += 60, tag ring }
EOF
)"
is "some rules" "$STATUS" 200
published=$(sql "select rules from assay.epoch")

# decide EVENT [MEMBERS]
decide() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":5000,\"currency\":\"EUR\"${2:+,$2},
	    \"subject\":{\"userId\":\"u-$1\"}}"
}
both='"attributes":{"both":true}'
# scored: what the last answer says.
scored() {
	json '"\(.verdict) \(.score) \(.reasons |
	    map("\(.tag) \(.points)") | join(", "))"'
}
# everywhere EVENT [MEMBERS]: what enough decisions say to have met each worker
# of both hosts.
everywhere() {
	for n in 1 2 3 4 5 6; do
		decide "$1-$n" "${2-}"
		scored
		host=2
		decide "$1-$n-2" "${2-}"
		host=
		scored
	done | sort -u
}
chargeback() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"}"
}
legit() {
	sql "select assay.label_put('$1', 'analyst', 'legit', 'c')" >/dev/null
}
# sample EVENT FILTER: what jq makes of its replay sample.
sample() {
	sql "select replay from assay.detail where event_id = '$1'" | jq -r "$2"
}
# again SCORER: the first host, under another one.
again() {
	stop_pool
	start_pool "SCORER=$1"
	wait_ready
}

# What labels teach: believed from the third on, in the next decision.
http GET /v1/model
is_json "labels decide" .active learned
is "without any the rules have their weight" "$(everywhere a)" \
    "allow 14 amount 14"
chargeback a-1
chargeback a-2
is "two labels are not believed" "$(everywhere b)" "allow 14 amount 14"
chargeback a-3
is "three are, by every worker of every host" "$(everywhere c)" \
    "allow 39 amount 39"
legit b-1
is "a fourth counts at once" "$(everywhere d)" "allow 32 amount 32"
sql "begin; select assay.label_put('b-2', 'analyst', 'legit', 'c');
    rollback" >/dev/null
is "not one that never was" "$(everywhere e)" "allow 32 amount 32"
is "rules with one tag add up while it has none" "$(everywhere f "$both")" \
    "review 62 amount 32, both 30"
for n in 1 2 3; do
	legit "f-$n"
done
is "and are one lesson then" "$(everywhere g "$both")" \
    "allow 26 amount 20, both 6"
is "as GET /v1/model has it" "$(http GET /v1/model; json '.weights |
    map("\(.tag) \(.weight)") | join(", ")')" "amount 20, both 6"
is "no ruleset was loaded for that" "$(sql "select rules from assay.epoch")" \
    "$published"
is "the sample says who scored" "$(sample g-1 '"\(.scorer) \(.score)"')" \
    "learned 26"

# Whoever decides later decides likewise.
http POST /v1/decisions/async '{"id":"later","type":"order.place",
    "amount":5000,"currency":"EUR","subject":{"userId":"u-later"}}'
cron decide SCORER=learned
http GET /v1/decisions/later
is "so does the companion" "$(scored)" "allow 20 amount 20"

# Another scorer serves; what was recorded stays.
again weighted
http GET /v1/model
is_json "hand weights decide" .active weighted
decide w-1
is "as they did" "$(scored)" "allow 14 amount 14"
candidate=$(dsl <<'EOF'
rule r { when event.amount > 3000 then score += 60, tag amount }
EOF
)
http POST /v1/backtest "$candidate"
is_json "a backtest says by whom, and what others scored" \
    '"\(.scorer) \(.sampleSize - .otherScorer) \(.mix.after.review)"' \
    "weighted 1 $(json .sampleSize)"
again learned
http POST /v1/backtest "$candidate"
is_json "labels take the points from a candidate" \
    '"\(.scorer) \(.otherScorer) \(.mix.after.review)"' "learned 1 0"

# The model: a warning, a probability, reasons.
check "nothing was warned of" sh -c "! grep 'scorer=ml' '$scratch/log/pool.log'"
again ml
check "a demonstration is warned of" grep -q \
    'level=warn .*scorer=ml model=synthetic-demo' "$scratch/log/pool.log"
http GET /v1/config/model
is_json "and named" '"\(.scorer) \(.ml.active) \(.ml.provenance)"' \
    "ml true synthetic-demo"
printf '%s' "$BODY" >"$scratch/model"
http GET /v1/model
is_json "no tag has what labels teach" .active weighted
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
	# Its answer and its sample, beside each other.
	printf '%s\n' "$BODY" | tr -d '\n' >>"$scratch/decided"
	sql "select replay from assay.detail where event_id = 'm-$n'" \
	    >>"$scratch/decided"
done

# All of it once more: each row of features.tbl as a function of the signals.
features=$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)", [^,]*, \([A-Z]*\), \([0-9]*\))$/["\1","\2",\3],/p' \
    "$srcdir/core/signal/features.tbl")
check "the features can be read" test -n "$features"
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
    (\$m.bias + ([\$features, (\$m.features | map(.weight))] | transpose |
	map(. as [\$f, \$w] | \$w * (\$f | value(\$sample; \$rules))) | add)) as \$z |
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
    >"$scratch/recount" 2>&1
is "six were counted anew" "$(wc -l <"$scratch/recount" | tr -d ' ')" 6
is "each has the score of its probability" "$(jq -c \
    'select(.score != .want or (.p and .even | not))' "$scratch/recount")" ""
is "they are not all the same" "$(jq -s 'map(.score) | unique | length > 2' \
    "$scratch/recount")" true
is "the reasons share it" "$(jq -c 'select((.reasons | not) or
    (.points != .score and .points != 0))' "$scratch/recount")" ""
is "some has reasons" "$(jq -s 'any(.points > 0)' "$scratch/recount")" true
is "the samples say by what" "$(jq -r .by "$scratch/recount" | sort -u)" \
    "ml $(jq -r .ml.version "$scratch/model")"
is "and keep the tags of rules" "$(jq -s -c 'map(.tags)' \
    "$scratch/recount")" '["","ring","ring both","ring both","both","ring both amount"]'
decide m-watched
is "a watch list asks for a review" "$(json .verdict) $(json \
    '.reasons | any(.tag == "list.watch")')" "review true"
decide m-blocked
is "a block list scores nothing" "$(scored)" "deny -1 list.block 0"

# Labels teach of the rules that fired, not of the model's features.
before=$(sql "select fraud from assay.tag_count where tag = 'both'")
chargeback m-6
cron project
is "labels go to the rules" "$(sql "select tags from assay.label
    where event_id = 'm-6'"; sql "select fraud - $before from assay.tag_count
    where tag = 'both'")" "$(sql "select array(select x->>'tag'
    from json_array_elements((select replay::json->'tags' from assay.detail
	where event_id = 'm-6')) x order by 1)"; echo 1)"
is "and to nothing else" "$(sql "select count(*) from assay.tag_count
    where tag like 'ml:%'")" 0

# The same companion, the same backtest.
http POST /v1/decisions/async '{"id":"later-m","type":"order.place",
    "amount":5000,"currency":"EUR","subject":{"userId":"u-later-m"}}'
cron decide SCORER=ml
http GET /v1/decisions/later-m
by_companion=$(scored)
decide by-pool
is "the companion has the same model" "$(scored)" "$by_companion"
check "and warns as well" grep -q 'level=warn .*scorer=ml' \
    "$scratch/log/cron.log"
http POST /v1/backtest "$candidate"
is_json "a backtest is by the model, too" .scorer ml
http POST /v1/backtest '{"eventType":"order.place"}'
is_json "recorded scores are what they were" '.flipsByPair | length' 0

# Without the database there is no score at all.
stop_database
decide away
is "degraded is degraded" "$(scored)" "allow -1 engine.degraded 0"
finish
