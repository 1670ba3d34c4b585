# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of scorers share: rules with tags, decisions on them, and
# labels.  Sourced after lib.sh.
# shellcheck disable=SC2034 # read by scenarios

both='"attributes":{"both":true}'

# rules_body [MEMBERS] <RULES: a request that has them.
rules_body() {
	printf '{"eventType":"order.place"%s,"dsl":"%s"}' "${1:+,$1}" \
	    "$(tr '\n' ' ')"
}

# publish_rules: two rules of one tag, one of an amount, one of a ring.
publish_rules() {
	http POST /v1/rules "$(rules_body '"version":"v1"' <<'EOF'
rule r_amount { when event.amount > 3000 then score += 14, tag amount }
rule r_one { when attr.both == true then score += 20, tag both }
rule r_two { when attr.both == true then score += 10, tag both }
rule r_ring { when graph.ringSize > 1 then score += 60, tag ring }
EOF
	)"
	is "the ruleset is published" "$STATUS" 200
}

# decide_scored EVENT [MEMBERS]: an order of 5000.
decide_scored() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":5000,\"currency\":\"EUR\"${2:+,$2},
	    \"subject\":{\"userId\":\"u-$1\"}}"
}

# score_seen: verdict, score and reasons of the last answer.
score_seen() {
	json '"\(.verdict) \(.score) \(.reasons |
	    map("\(.tag) \(.points)") | join(", "))"'
}

# put_chargeback EVENT, put_legit EVENT: a label.
put_chargeback() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"}"
}
put_legit() {
	sql "select assay.label_put('$1', 'analyst', 'legit', 'c')" >/dev/null
}

# read_sample EVENT FILTER: what jq makes of its sample.
read_sample() {
	sql "select sample from assay.decision_detail where event_id = '$1'" | jq -r "$2"
}

# restart_scorer SCORER: the first host's pool, with another scorer.
restart_scorer() {
	stop_pool
	start_pool "SCORER=$1"
	wait_ready
}
