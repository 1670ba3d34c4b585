#!/bin/sh
# SPDX-License-Identifier: ISC
# A rollout: a shadow decides for some of the users, the same ones each time, and
# both arms are compared.
. "$(dirname "$0")/lib.sh"
use model operators shadow

start_stack SCORER_SHADOW=learned DECIDE_WORKERS=3 ROLLOUT_GUARD_POINTS=0
start_host 2 SCORER_SHADOW=learned
admin_token
api_key
publish_version live 30
publish_version cand 55 '"shadow":true'
shadow=$(json .id)

# roll_out BODY
roll_out() {
	http POST /v1/model/shadow/rollout "$1"
}
# decide_for USER ID [HOST]: print verdict and score.
decide_for() {
	on "${3:-}" POST /v1/decisions "{\"id\":\"$2\",\"type\":\"order.place\",
	    \"amount\":20,\"currency\":\"EUR\",\"subject\":{\"userId\":\"$1\"}}"
	json '"\(.verdict) \(.score)"'
}
# decide_all ROUND [HOST]: 40 users decide once each; print the users for whom the
# shadow decided.
decide_all() {
	for n in $(seq 40); do
		case $(decide_for "user-$n" "$1-$n" "${2:-}") in
		"review 55") echo "$n" ;;
		"allow 30") ;;
		*) echo "user-$n was decided by neither" ;;
		esac
	done
}
# is_part A B: whether each line of A is in B, and B has more.
is_part() {
	[ "$(printf '%s\n' "$2" | grep -cxF "$1")" = "$(printf '%s\n' "$1" | wc -l)" ] &&
	    [ "$(printf '%s\n' "$2" | wc -l)" -gt "$(printf '%s\n' "$1" | wc -l)" ]
}
is "a shadow decides for no one" "$(decide_all a)" ""

before=$(sql "select rules from assay.epoch")
roll_out "{\"eventType\":\"order.place\",\"percent\":30}"
is "a percentage is accepted" "$STATUS $(json '"\(.ok) \(.version) \(.id) \(.percent)"')" \
    "200 true cand $shadow 30"
is "a rollout begins a new epoch of rules" "$(epoch_moved rules)" yes
some=$(decide_all b)
check "the shadow decides for some users" \
    [ "$(printf '%s\n' "$some" | wc -l)" -gt 0 ]
check "the shadow does not decide for most users" \
    [ "$(printf '%s\n' "$some" | wc -l)" -lt 36 ]
is "the shadow decides for the same users on another host" "$(decide_all c 2)" "$some"
roll_out "{\"eventType\":\"order.place\",\"id\":\"$shadow\",\"percent\":60}"
more=$(decide_all d)
check "a raised percentage keeps its users and adds others" is_part "$some" "$more"
roll_out "{\"eventType\":\"order.place\",\"percent\":30}"
is "a lowered percentage has the first users again" "$(decide_all e)" "$some"

# What is stored of a decision of the shadow.
in=$(printf '%s\n' "$some" | head -n 1)
out=$(seq 40 | grep -vxF "$some" | head -n 1)
is "the sample has the rules that decided, and the active side's result" \
    "$(sql "select sample from assay.decision_detail where event_id = 'b-$in'" |
    jq -r '"\(.ruleset) \(.score) \(.verdict) \(.shadow.id) \(.shadow.arm) " +
    "\(.shadow.score) \(.shadow.verdict)"')" \
    "cand 55 review $shadow shadow 30 allow"
is "the sample of another user is that of a shadow" \
    "$(shadow_sample "b-$out") $(sql "select sample from assay.decision_detail
    where event_id = 'b-$out'" | jq -r .shadow.arm)" \
    "$shadow review 55 any 55 live"
is "a review of the shadow opens a case" "$(sql "select count(*)
    from assay.review_case where event_id = 'b-$in'")" 1
http GET "/v1/decisions/b-$in/explain"
is_json "the explanation has the rules that decided" \
    '"\(.rulesetVersion) \(.score)"' "cand 55"
http POST /v1/decisions "{\"id\":\"dry\",\"type\":\"order.place\",\"amount\":20,
    \"currency\":\"EUR\",\"subject\":{\"userId\":\"user-$in\"}}" \
    -H 'X-Engine-Mode: shadow'
is_json "a dry run gives what the user would get" '"\(.verdict) \(.score)"' \
    "review 55"
http POST /v1/lists "{\"kind\":\"watch\",\"subject\":\"user\",\"value\":\"user-$in\"}"
decide_for "user-$in" w-1 >/dev/null
is "a watch list raises the verdict of both sides" \
    "$(shadow_sample w-1)" "$shadow review 30 any 30,list.watch 0"
http POST /v1/decisions/async "{\"id\":\"q-1\",\"type\":\"order.place\",\"amount\":20,
    \"currency\":\"EUR\",\"subject\":{\"userId\":\"user-$in\"}}"
cron decide SCORER_SHADOW=learned
is "the companion decides an event of the queue by the shadow, too" \
    "$(sql "select sample::json ->> 'ruleset' || ' ' ||
    (sample::json -> 'shadow' ->> 'arm') from assay.decision_detail
    where event_id = 'q-1'")" "cand shadow"
http POST /v1/lists "{\"kind\":\"block\",\"subject\":\"user\",\"value\":\"user-$in\"}"
is "a block list decides before a rollout" "$(decide_for "user-$in" w-2)" "deny -1"
check "decisions of the shadow have their own counter" \
    [ "$(metric 'engine_rollout_decisions_total{verdict="review"}')" -gt 3 ]

# Both arms are compared, by labels and by money.
http POST /v1/labels/chargeback "{\"eventId\":\"b-$in\"}"
http POST /v1/labels/chargeback "{\"eventId\":\"b-$out\"}"
sql "select assay.label_put('c-$in', 'analyst', 'legit', 'c')" >/dev/null
cron project SCORER_SHADOW=learned ROLLOUT_GUARD_POINTS=0
cron project SCORER_SHADOW=learned ROLLOUT_GUARD_POINTS=0
http GET /v1/model/shadow
shown='.[] | select(.version == "cand")'
is_json "the list shows the percentage" "$shown | .percent" 30
is_json "each decision since the rollout began is in one arm" "$shown |
    .arms.live.decisions + .arms.shadow.decisions + 40 == .decisions" true
is_json "the arms have the verdicts that were given" "$shown | .arms |
    \"\\(.live.verdicts.allow == .live.decisions) \" +
    \"\\(.shadow.verdicts.review == .shadow.decisions)\"" "true true"
is_json "the shadow's verdicts are those of all events" "$shown |
    .verdicts.allow.review + 2 == .decisions" true
is_json "the labels count in the arm of their decision" "$shown | .arms |
    \"\\(.live.results | [.truePositives, .falseNegatives, .falsePositives]) \" +
    \"\\(.shadow.results | [.truePositives, .falseNegatives, .falsePositives])\"" \
    "[0,1,0] [1,0,1]"
is_json "the amounts of labelled events are added up by currency" "$shown |
    .arms.live.results.amounts, .arms.shadow.results.amounts, .live.amounts |
    tojson" '{"EUR":{"caught":0,"missed":20,"held":0}}
{"EUR":{"caught":20,"missed":0,"held":20}}
{"EUR":{"caught":0,"missed":40,"held":0}}'
finish
