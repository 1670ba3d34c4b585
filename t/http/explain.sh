# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Decisions by all scorers, and their explanations.  Sourced after lib.sh and
# ctl.sh.
# shellcheck disable=SC2034,SC2154 # of lib.sh; read by scenarios

# start_explain: the stack with rules of several tags.
start_explain() {
	start_signed_in
	ASSAY_TOKEN=$TOKEN
	export ASSAY_TOKEN
	both=$KEY
	http POST /v1/rules "$(jq -n '{ eventType: "order.place", version: "v1",
	    dsl: "rule r_amount { when event.amount > 3000 then score += 14, tag amount }
		rule r_one { when attr.both == true then score += 30, tag both }
		rule r_two { when attr.both == true || attr.\"odd \\\"key\\\"\" > 1.5
		    then score += 10, tag both }
		rule r_who { when attr.who in [\"a\", \"b\"] && !device.firstSeen
		    then score += 35, tag who }
		rule r_ring { when graph.ringSize > 3 && graph.usersOnDevice >= 2
		    then score += 28, tag ring }" }')"
	is "the ruleset is published" "$STATUS" 200
}

# restart_pool NAME=VALUE
restart_pool() {
	stop_pool
	start_pool "$@"
	wait_ready
}

# random_batch PREFIX SEED: a hundred events with many unknown signals.
random_batch() {
	perl -e 'srand $ARGV[1];
		sub one { $_[rand @_] }
		print "{\"events\":[", join(",", map {
			my @more = ("\"amount\":" . one(5, 49.99, 3000,
			    3000.01, 4200, 1e6) . ",\"currency\":\"EUR\"") x
			    (rand() < 0.8);
			push @more, "\"attributes\":{" . join(",",
			    ("\"both\":" . one("true", "false", "1", "\"x\""))
				x (rand() < 0.6),
			    ("\"who\":" . one("\"a\"", "\"c\"", "\"\\u00fc\""))
				x (rand() < 0.6),
			    ("\"odd \\\"key\\\"\":" . one(1, 1.5, 2.25))
				x (rand() < 0.4)) . "}";
			push @more, "\"instrument\":{\"kind\":\"card\"," .
			    "\"bin\":\"411111\",\"issuerCountry\":\"DE\"," .
			    "\"threeDS\":" . one("true", "false") . "}"
			    if rand() < 0.5;
			"{\"id\":\"$ARGV[0]-$_\",\"type\":\"" .
			    one("order.place", "order.place", "card.authorize") .
			    "\",\"subject\":{\"userId\":\"u-" . int(rand(9)) .
			    "\"" . (rand() < 0.7 ? ",\"deviceId\":\"d-" .
				int(rand(7)) . "\"" : "") .
			    (rand() < 0.5 ? ",\"ip\":\"8.8.8." . int(rand(5)) .
				"\"" : "") . "}," . join(",", @more) . "}"
		} 1 .. 100), "]}"' "$1" "$2"
}
# decide_all PREFIX SEED: decide them; their answers in a file.
decide_all() {
	http POST /v1/decisions/batch "$(random_batch "$1" "$2")"
	printf '%s' "$BODY" | jq -S '[.results[].decision |
	    { id, verdict, score, reasons }] | sort_by(.id)' >"$scratch/$1.was"
}
# explain_all PREFIX: explain them in one go; the answers in a file.
explain_all() {
	curl -sS --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    "$BASE/v1/decisions/$1-[1-100]/explain" |
	    jq -cs '.[]' >"$scratch/$1.all"
}
# all_answers PREFIX FILTER: what jq makes of these as an array.
all_answers() { jq -rs "$2" "$scratch/$1.all"; }

# check_all PREFIX WHAT: all are recomputed with the answered result.
check_all() {
	explain_all "$1"
	is "all are recomputed: $2" "$(all_answers "$1" '[length,
	    (map(select(.recomputed and .why == null and .changes.complete)) |
	    length)] | join(" ")')" "100 100"
	jq -sS '[.[] | { id, verdict, score, reasons }] | sort_by(.id)' \
	    "$scratch/$1.all" >"$scratch/$1.is"
	check "each has the answered result: $2" \
	    cmp "$scratch/$1.was" "$scratch/$1.is"
	is "the true rules sum up to the score of the rules: $2" \
	    "$(all_answers "$1" 'map(select(.rulesScore != ([[.rules[] |
		select(.truth == "true").points] | add // 0, 100] | min))) |
		length')" 0
	is "the score is in the band: $2" "$(all_answers "$1" 'map(select(
	    .policy.band | .min <= .max) | select(.score < .policy.band.min or
		.score > .policy.band.max)) | length')" 0
	is "no counterfactual has the same verdict: $2" "$(all_answers "$1" '
	    def rank: { allow: 1, challenge: 2, review: 3, deny: 4 }[.];
	    map(select((.changes.stricter != null and
		(.changes.stricter.verdict | rank) <= (.verdict | rank)) or
		(.changes.milder != null and
		(.changes.milder.verdict | rank) >= (.verdict | rank)))) |
	    length')" 0
	check "there are stricter and milder counterfactuals: $2" test \
	    "$(all_answers "$1" 'map(.changes) |
	    [(map(select(.stricter != null)) | length),
	    (map(select(.milder != null)) | length)] | min')" -gt 15
}

# explain_event ID, why_not: whether and why it is not recomputed.
explain_event() { http GET "/v1/decisions/$1/explain"; }
why_not() { json '"\(.recomputed) \(.why.word) \(.changes)"'; }

# publish_stricter: a ruleset and a policy that deny everything.
publish_stricter() {
	http POST /v1/rules '{"eventType":"order.place","version":"v2",
	    "dsl":"rule r_all { when event.amount >= 0 then score += 99, tag all }"}'
	http POST /v1/policies '{"id":"pol_order_place","version":"p2",
	    "onError":"fail_open","bands":[{"verdict":"deny","min":0,"max":100}]}'
	is "a policy that denies everything is published" "$STATUS" 200
}

# decide_listed: a watched and a blocked user.
decide_listed() {
	http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-watched"}'
	http POST /v1/lists '{"kind":"block","subject":"user","value":"u-blocked"}'
	for who in watched blocked; do
		http POST /v1/decisions "{\"id\":\"l-$who\",\"type\":\"order.place\",
		    \"amount\":1,\"currency\":\"EUR\",
		    \"subject\":{\"userId\":\"u-$who\"}}"
	done
}

# decide_learned: with tag weights that labels of the decisions of prefix w gave.
decide_learned() {
	restart_pool SCORER=learned
	KEY=$both
	for n in 1 2 3 4; do
		http POST /v1/labels/chargeback "{\"eventId\":\"$(all_answers w "map(select(
		    .reasons | any(.tag == \"amount\")))[$n].eventId")\"}"
	done
	decide_all t 2
}

# roll_back_stricter: the ruleset and the policy before them.
roll_back_stricter() {
	http POST /v1/rules/order.place/rollback '{"toVersion":"v1"}'
	http POST /v1/policies/pol_order_place/rollback "{\"toVersion\":\"$(
	    sql "select version from assay.policy where id = 'pol_order_place' and
	    version <> 'p2'")\"}"
}

# publish_other: another model than the bundled one becomes active.
publish_other() {
	http GET /v1/config/model
	printf '%s' "$BODY" >"$scratch/bundled"
	jq '{ featureNames: [.ml.features[].name],
	    weights: [.ml.features[].weight | -.],
	    featuresVersion: .ml.featuresVersion, bias: 0.5,
	    trainedAt: "2026-11-21", baseRate: 0.5,
	    calibration: { a: 1, b: 0 },
	    metrics: { auc: 0.9, accuracy: 0.8, samples: 100 } }' \
	    <"$scratch/bundled" >"$scratch/other.json"
	DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    ctl models publish "$scratch/other.json"
	is "another model becomes active" "$STATUS" 0
}
