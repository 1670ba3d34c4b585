#!/bin/sh
# SPDX-License-Identifier: ISC
# A rollout that decides too differently ends by itself; who may change one, what
# is refused, models, and assayctl.
. "$(dirname "$0")/lib.sh"
use away ctl deliver eyes model operators shadow

start_stack ALLOW_PRIVATE_TARGETS=true SCORER_SHADOW=learned
two_admins
api_key
key=$KEY
KEY=
login admin@example.com 'correct horse'
start_receiver
http POST /v1/notifications "{\"type\":\"webhook\",
    \"url\":\"http://127.0.0.1:$PORT/200/rollout\",
    \"events\":[\"alert.rollout.v1\"]}"
is "a channel may subscribe to rollouts" "$STATUS" 201
roll_out() {
	http POST /v1/model/shadow/rollout "$1"
}
# decide_many ID N: N users, in batches of 50.
decide_many() {
	KEY=$key
	for first in $(seq 1 50 "$2"); do
		http POST /v1/decisions/batch "$(jq -nc --arg id "$1" --argjson first "$first" \
		    '{events: [range($first; $first + 50) | {id: "\($id)-\(.)",
		    type: "order.place", amount: 20, currency: "EUR",
		    subject: {userId: "u-\(.)"}}]}')"
	done
	KEY=
}
outcome_of() {
	sql "select coalesce(outcome, 'runs') from assay.shadow where version = '$1'"
}

# What is refused.
roll_out '{"percent":10}'
is_error "the scorer of the settings has no rollout" 409 SHADOW_SETTING
roll_out '{"eventType":"order.place","percent":10}'
is_error "without a shadow there is nothing to roll out" 404 SHADOW_MISSING
publish_version live 30
publish_version cand 35 '"shadow":true'
for body in '{"eventType":"order.place"}' '{"eventType":"order.place","percent":-1}' \
    '{"eventType":"order.place","percent":101}' '{"eventType":"order.place","percent":1.5}' \
    '{"eventType":"order.place","percent":"10"}' '{"eventType":"no.such","percent":10}' \
    '{"eventType":"order.place","percent":10,"users":1}'; do
	roll_out "$body"
	is_error "the rollout is refused: $body" 400 INVALID_REQUEST
done
roll_out '{"eventType":"order.place","id":"shd_1","percent":10}'
is_error "the rollout of another shadow is refused" 409 SHADOW_CHANGED
as "$eve" POST /v1/model/shadow/rollout '{"eventType":"order.place","percent":10}'
is_error "an analyst may not change a rollout" 403 FORBIDDEN
is "no refused request changed the rollout" \
    "$(sql "select percent from assay.shadow where version = 'cand'")" 0

# A rollout that gives the same verdicts stays; one that does not ends.
ctl shadow rollout --type order.place 50
check "assayctl changes the percentage" prints '^cand decides for 50 % of the users'
ctl shadow list
check "shadow list shows the percentage" prints 'order.place  *ruleset  *cand  *active  *50'
decide_many a 200
cron project
is "a rollout with the same verdicts runs on" "$(outcome_of cand)" runs
ctl shadow show order.place
check "shadow show prints both arms" prints \
    'decisions of each arm of the rollout|.*DECISIONS.*|live  *[1-9].*|shadow  *[1-9]'
publish_version cand-1 95 '"shadow":true'
is_error "no other shadow takes the place of a rollout" 409 SHADOW_ROLLED_OUT
roll_out '{"eventType":"order.place","percent":0}'
publish_version cand-1 95 '"shadow":true'
is "after 0 % another shadow begins" "$STATUS" 200
roll_out '{"eventType":"order.place","percent":100}'
KEY=$key
for n in $(seq 60); do
	http POST /v1/decisions "{\"id\":\"one-$n\",\"type\":\"order.place\",
	    \"amount\":20,\"currency\":\"EUR\",\"subject\":{\"userId\":\"one\"}}"
done
KEY=
cron project
is "one user alone does not end a rollout" "$(outcome_of cand-1)" runs
publish_version live-2 30
is "what is published decides for all users" \
    "$(sql "select percent from assay.shadow where version = 'cand-1'")" 0
publish_version cand-2 95 '"shadow":true'
roll_out '{"eventType":"order.place","percent":50}'
decide_many b 50
cron project
is "a rollout with few decisions runs on" "$(outcome_of cand-2)" runs
decide_many c 200
cron project ROLLOUT_GUARD_POINTS=0
is "without the guard a rollout runs on" "$(outcome_of cand-2)" runs
decide_many d 50
before=$(sql "select rules from assay.epoch")
cron project
is "a rollout that reviews all events ends by itself" "$(outcome_of cand-2)" guarded
http GET /v1/audit
is_json "the audit trail says so" '[.entries[] | select(.actor == "companion") |
    "\(.action) \(.params.version) \(.params.guarded)"] | join(", ")' \
    "POST /v1/model/shadow/end cand-2 true"
check "the log says so" grep -q 'event=rollout_ended rollouts=1' "$scratch/log/cron.log"
is "the end of a rollout begins a new epoch of rules" "$(epoch_moved rules)" yes
decide_many e 50
is "the active rules decide for all users" "$(sql "select distinct verdict
    from assay.verdict_log where event_id like 'e-%'")" allow
cron project
cron "deliver --once" ALLOW_PRIVATE_TARGETS=true
is "the channel gets one alert" "$(received_by rollout | wc -l | tr -d ' ')" 1
check "the alert is a sentence" grep -q \
    'rollout cand-2 ended: its denials of order.place differ by 0.00 and its reviews by 100.00' "$mail"/body.*.1
is "the alert names no user" "$(grep -c 'u-[0-9]' "$mail"/body.*.1)" 0
ctl shadow list
check "shadow list says that the guard ended it" \
    prints 'order.place  *ruleset  *cand-2  *guarded  *50'
roll_out '{"eventType":"order.place","percent":10}'
is_error "a rollout that has ended cannot begin again" 404 SHADOW_MISSING

# A model, for the event types that have no shadow rules.
model '.bias = 3' >"$scratch/model.json"
ctl shadow start --model "$scratch/model.json"
ctl shadow rollout 100
check "assayctl changes the percentage of a model" prints 'decides for 100 % of the users'
decide_many f 50
is "the model decides" "$(sql "select distinct sample::json ->> 'scorer' || ' ' ||
    (sample::json -> 'shadow' ->> 'arm') from assay.decision_detail
    where event_id like 'f-%'")" "ml shadow"
ctl shadow rollout 0
decide_many g 50
is "with 0 % the rules decide" "$(sql "select distinct sample::json ->> 'scorer'
    from assay.decision_detail where event_id like 'g-%'")" weighted

# Two people, if the setting says so.
publish_version cand-3 40 '"shadow":true'
stop_pool
start_pool FOUR_EYES=shadow
wait_ready
roll_out '{"eventType":"order.place","percent":20}'
is_error "a rollout needs a second person" 409 APPROVAL_REQUIRED
propose "$ann" "POST /v1/model/shadow/rollout" '{"eventType":"order.place","percent":20}'
http GET "/v1/proposals/$id"
is_json "the proposal shows who would be decided by the shadow" \
    '.after | split("\n")[0]' "# For 20 % of the users the shadow cand-3 decides instead."
is_json "the proposal shows that now the shadow decides for no one" '.before | test("shadow")' false
approve "$bob"
is "the approval changes the percentage" "$STATUS $(sql "select percent from assay.shadow
    where version = 'cand-3'")" "200 20"
finish
