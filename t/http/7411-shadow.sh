#!/bin/sh
# SPDX-License-Identifier: ISC
# Probation: what decides beside what serves, of each event type one thing; that
# it changes nothing but its sample; and how it begins, is replaced and ends.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/model.sh
. "$(dirname "$0")/model.sh"

start_stack SCORER_SHADOW=learned DECIDE_WORKERS=3
start_host 2 SCORER_SHADOW=learned
admin_token
api_key

# rules VERSION POINTS [MEMBERS]: of order.place, one that fires on any amount.
rules() {
	http POST /v1/rules "{\"eventType\":\"order.place\",\"version\":\"$1\",
	    \"dsl\":\"rule r_any { when event.amount > 0 then score += $2, tag any }\"
	    ${3:+,$3}}"
}
# order HOST ID [MEMBERS]
order() {
	on "$1" POST /v1/decisions "{\"id\":\"$2\",\"type\":\"order.place\",
	    \"amount\":20,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"u-$2\"}${3:+,$3}}"
	json '"\(.verdict) \(.score)"'
}
# beside ID: what the sample says of the shadow.
beside() {
	sql "select replay from assay.detail where event_id = '$1'" | jq -r '
	    .shadow // "none" | if . == "none" then . else "\(.id) \(.verdict) " +
	    "\(.score) \(.tags | map("\(.tag) \(.points)") | join(","))" end'
}
# shown TYPE: the probations of it.
shown() {
	http GET /v1/model/shadow
	json "map(select(.eventType == \"$1\") | \"\\(.kind) \\(.version) \" +
	    \"\\(.state) \\(.decisions)\") | join(\", \")"
}
# promote BODY, and end BODY.
promote() {
	http POST /v1/model/shadow/promote "$1"
}
end() {
	http POST /v1/model/shadow/end "$1"
}
# moved COLUMN: whether that epoch has moved since it was asked the last time.
moved() {
	epoch=$(sql "select $1 from assay.epoch")
	[ "$epoch" -gt "${before-0}" ] && echo yes || echo no
	before=$epoch
}

# SCORER_SHADOW: every event type has a shadow, and the answer is what it was.
rules live 30
is "what serves" "$(order '' a-1)" "allow 30"
is "the shadow scorer stands in the sample" "$(beside a-1)" \
    "learned allow 30 any 30"
http POST /v1/decisions '{"id":"a-2","type":"account.login",
    "subject":{"userId":"u-a-2"}}'
is "of another type, too" "$(beside a-2)" "learned allow 0 "
is "before the companion knows, it is shown" "$(shown order.place)" \
    "scorer learned active 0"
cron project SCORER_SHADOW=learned
is "it counts from then on" "$(shown order.place)" "scorer learned active 1"
for n in 1 2 3; do
	order '' "l-$n" >/dev/null
	http POST /v1/labels/chargeback "{\"eventId\":\"l-$n\"}"
done
is "what labels teach goes to the shadow alone" "$(order 2 a-3)" "allow 30"
is "at once" "$(beside a-3)" "learned allow 39 any 39"

# Lists go before, a watch list goes for both.
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-b-1"}'
http POST /v1/lists '{"kind":"allow","subject":"user","value":"u-b-2"}'
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-b-3"}'
is "a list decides by itself" "$(order '' b-1) $(order '' b-2)" \
    "deny -1 allow -1"
is "without a shadow" "$(sql "select count(*) from assay.detail
    where event_id in ('b-1', 'b-2') and replay is null")" 2
order '' b-3 >/dev/null
is "a watch list asks the shadow for a review as well" "$(beside b-3)" \
    "learned review 39 any 39,list.watch 0"

# A candidate ruleset goes before, on every worker of every host.
before=$(sql "select rules from assay.epoch")
rules cand 55 '"shadow":true'
first=$(json .id)
is "a candidate" "$STATUS $(json '"\(.ok) \(.version)"')" "200 true cand"
is "moves the epoch of rules" "$(moved rules)" yes
is "is a version" "$(http GET /v1/rules/order.place/history; echo "$BODY")" \
    '["cand", "live", "seed@v0.4"]'
is "that does not serve" "$(http GET /v1/rules; json '.[] |
    select(.eventType == "order.place").version')" live
for n in 1 2 3 4 5 6; do
	order "$([ $((n % 2)) = 0 ] || echo 2)" "c-$n"
done | sort -u >"$scratch/answers"
is "nobody is told of it" "$(cat "$scratch/answers")" "allow 30"
is "each worker has it" "$(for n in 1 2 3 4 5 6; do beside "c-$n"; done |
    sort -u)" "$first review 55 any 55"
is "no case was opened for it" "$(sql "select count(*) from assay.review_case
    where event_id like 'c-%'")" 0
is "the verdict log has what was answered" "$(sql "select distinct verdict ||
    score from assay.verdict_log where event_id like 'c-%'")" allow30

# A batch, and what is decided later.
http POST /v1/decisions/batch '{"events":[
    {"id":"d-1","type":"order.place","amount":1,"currency":"EUR",
	"subject":{"userId":"u-d"}},
    {"id":"d-2","type":"account.login","subject":{"userId":"u-d"}}]}'
is "a batch" "$(beside d-1) $(beside d-2)" \
    "$first review 55 any 55 learned allow 0 "
http POST /v1/decisions/async '{"id":"d-3","type":"order.place","amount":1,
    "currency":"EUR","subject":{"userId":"u-d"}}'
cron decide SCORER_SHADOW=learned
is "the companion" "$(beside d-3)" "$first review 55 any 55"

# Counted, and shown.
cron project SCORER_SHADOW=learned
is "what is on probation comes first, what waits behind it" \
    "$(shown order.place)" "ruleset cand active 8, scorer learned waiting 6"
http GET /v1/model/shadow
is_json "agreement, verdicts, scores" '.[] | select(.version == "cand") |
    "\(.agreement) \(.verdicts | tojson) \(.live.scores.p5) \(.shadow.scores |
    tojson)"' '0 {"allow":{"allow":0,"challenge":0,"review":8,"deny":0},"challenge":{"allow":0,"challenge":0,"review":0,"deny":0},"review":{"allow":0,"challenge":0,"review":0,"deny":0},"deny":{"allow":0,"challenge":0,"review":0,"deny":0}} 30 {"p5":55,"p25":55,"p50":55,"p75":55,"p95":55}'
is_json "points by tag" '.[] | select(.version == "cand") | .tags | tojson' \
    '[{"tag":"any","live":{"decisions":8,"points":240},"shadow":{"decisions":8,"points":440}}]'

# Labels: of what came before and after them, and what they say at last.
labels() {
	http GET /v1/model/shadow
	json '.[] | select(.version == "cand") | "\(.labels.fraud) " +
	    "\(.labels.legit) \(.live.precision) \(.live.recall) " +
	    "\(.shadow.precision) \(.shadow.recall)"'
}
http POST /v1/labels/chargeback '{"eventId":"c-1"}'
http POST /v1/labels/chargeback '{"eventId":"c-7"}'
sql "select assay.label_put('c-2', 'analyst', 'legit', 'c')" >/dev/null
cron project
is "labels count for both sides" "$(labels)" "1 1 0 0 0.5 1"
order '' c-7 >/dev/null
sql "update assay.label set look_at = now()"
cron project
is "one that came before its decision as well" "$(labels)" \
    "2 1 0 0 0.6666666666666666 1"
http POST /v1/labels/chargeback '{"eventId":"c-2"}'
cron project
is "one that changes moves" "$(labels)" "3 0 0 0 1 1"
sql "select assay.label_put('d-1', 'analyst', 'legit', 'c')" >/dev/null
cron project
http POST /v1/privacy/erase '{"userId":"u-d"}'
http POST /v1/labels/chargeback '{"eventId":"d-1"}'
cron project
is "also when the sample has gone with its user" "$(labels)" "4 0 0 0 1 1"
is "who is in no count" "$(sql "select count(*) from assay.shadow_count c
    where c::text like '%u-d%'")" 0

# Another candidate takes its place, and counts anew.
rules cand-2 70 '"shadow":true'
second=$(json .id)
order '' e-1 >/dev/null
is "a candidate replaces the one before" "$(beside e-1)" \
    "$second review 70 any 70"
http POST /v1/labels/chargeback '{"eventId":"c-3"}'
cron project
is "under a new id, with new counts" "$(shown order.place)" \
    "ruleset cand-2 active 1, scorer learned waiting 6"
is "labels of the other are not its" "$(sql "select count(*)
    from assay.shadow_count where kind in ('fraud', 'legit')
	and number = (select max(number) from assay.shadow)")" 0
rules cand 1 '"shadow":true'
is_error "a label is used once" 409 VERSION_EXISTS
order '' e-2 >/dev/null
is "which replaces nothing" "$(beside e-2)" "$second review 70 any 70"

# A candidate model: for all types that have no rules on probation.
model '.bias = 3' >"$scratch/model.json"
hash=$(sha256sum <"$scratch/model.json" | head -c 16)
before=$(sql "select model from assay.epoch")
printf '{ "model" :\n%s\n}' "$(cat "$scratch/model.json")" >"$scratch/body"
http POST /v1/model/shadow "$(cat "$scratch/body")"
is "a candidate model" "$STATUS $(json .version)" "200 $hash"
third=$(json .id)
is "moves the epoch of models" "$(moved model)" yes
order '' f-1 >/dev/null
http POST /v1/decisions '{"id":"f-2","type":"account.login",
    "subject":{"userId":"u-f-2"}}'
is_json "nobody is told of it either" '"\(.verdict) \(.score)"' "allow 0"
is "rules go before, the scorer behind it" "$(beside f-1) $(beside f-2)" \
    "$second review 70 any 70 $third deny 95 "
http GET /v1/config/model
is_json "it does not serve" '"\(.scorer) \(.ml.source)"' "weighted bundled"
model '.weights[3] = 1e9' >"$scratch/bad.json"
http POST /v1/model/shadow "{\"model\":$(cat "$scratch/bad.json")}"
is_error "another is none" 400 INVALID_REQUEST
is_json "and it is said why" .message \
    "weights[3] must be a number from -1000000 to 1000000"
for body in '{}' '{"model":[]}' '{"model":null}' '{"model":{}}' '[]' \
    '{"model":{},"id":"x"}'; do
	http POST /v1/model/shadow "$body"
	is_error "model $body" 400 INVALID_REQUEST
done
http POST /v1/model/shadow '{"model":{},"model":{}}'
is_error "two of them" 400 INVALID_JSON
end '{"eventType"'
is_error "no JSON" 400 INVALID_JSON
order '' f-3 >/dev/null
http POST /v1/decisions '{"id":"f-4","type":"account.login",
    "subject":{"userId":"u-f-4"}}'
is "which replaces nothing, either" "$(beside f-4)" "$third deny 95 "

# What cannot be read decides nothing, and fails nothing.
sql "update assay.ruleset set text = 'rule x' where version = 'cand-2';
    update assay.epoch set rules = rules + 1"
is "decisions go on" "$(order '' g-1) $(order 2 g-2)" "allow 30 allow 30"
is "without a shadow" "$(beside g-1) $(beside g-2)" "none none"
check "the log tells of it" grep -q \
    "level=warn .*shadow=unreadable id=$second where=\"line 1" \
    "$scratch/log/pool.log"
promote '{"eventType":"order.place"}'
is_error "it cannot be promoted" 400 RULESET_INVALID
is_json "for that" '.message | test("^line 1, column ")' true
is "and is on probation still" "$(shown order.place)" \
    "ruleset cand-2 active 1, model $hash waiting 0, scorer learned waiting 6"

# Ends.
end '{"eventType":"order.place","id":"shd_another"}'
is_error "another was meant" 409 SHADOW_CHANGED
end "{\"eventType\":\"order.place\",\"id\":\"$second\"}"
is "it ends" "$STATUS $(json '"\(.ok) \(.version) \(.id)"')" \
    "200 true cand-2 $second"
order '' h-1 >/dev/null
is "the model is next" "$(beside h-1)" "$third review 95 "
cron project
is "what was counted stays" "$(shown order.place)" \
    "model $hash active 1, scorer learned waiting 6, ruleset cand-2 ended 4"
end '{"eventType":"order.place"}'
is_error "once" 404 SHADOW_MISSING
promote '{"eventType":"order.place"}'
is_error "nor is it promoted then" 404 SHADOW_MISSING
for body in '{"eventType":"order"}' '{"type":"order.place"}' '{"id":7}' '[]'; do
	promote "$body"
	is_error "promote $body" 400 INVALID_REQUEST
	end "$body"
	is_error "end $body" 400 INVALID_REQUEST
done

# Promoted: it serves, everywhere, as what was published does.
rules cand-3 45 '"shadow":true'
fourth=$(json .id)
promote "{\"eventType\":\"order.place\",\"id\":\"$second\"}"
is_error "another was meant to be promoted" 409 SHADOW_CHANGED
before=$(sql "select rules from assay.epoch")
promote "{\"eventType\":\"order.place\",\"id\":\"$fourth\"}"
is "it is promoted" "$STATUS $(json .version) $(moved rules)" "200 cand-3 yes"
is "and serves, here and there" "$(order '' i-1) $(order 2 i-2)" \
    "allow 45 allow 45"
is "as the version that decides" "$(http GET /v1/rules; json '.[] |
    select(.eventType == "order.place").version')" cand-3
before=$(sql "select model from assay.epoch")
promote '{}'
is "so is the model" "$STATUS $(json .version) $(moved model)" "200 $hash yes"
http GET /v1/config/model
is_json "which is loaded" '"\(.ml.source) \(.ml.version)"' "published $hash"
is "once" "$(sql "select count(*) from assay.model_load")" 1
order '' i-3 >/dev/null
is "the scorer is what is left" "$(beside i-3 | cut -d ' ' -f 1)" learned
promote '{}'
is_error "a setting is not promoted" 409 SHADOW_SETTING
end '{}'
is_error "and not ended" 409 SHADOW_SETTING
http GET /v1/audit
is_json "the audit trail has them" '[.entries[] | select(.status == 200 and
    (.action | test("shadow"))) | .action] | join(", ")' \
    "POST /v1/model/shadow/promote, POST /v1/model/shadow/promote, POST /v1/model/shadow/end, POST /v1/model/shadow"

# Without the setting, and by those who may not.
stop_pool
start_pool
wait_ready
order '' j-1 >/dev/null
is "without SCORER_SHADOW there is none" "$(beside j-1)" none
promote '{}'
is_error "and nothing to promote" 404 SHADOW_MISSING
http POST /v1/auth/users \
    '{"email":"ana@example.com","password":"correct horse","role":"analyst"}'
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http GET /v1/model/shadow
is "analysts may look" "$STATUS" 200
for path in shadow shadow/promote shadow/end; do
	http POST "/v1/model/$path" '{}'
	is_error "and not touch: $path" 403 FORBIDDEN
done
finish
