#!/bin/sh
# SPDX-License-Identifier: ISC
# A shadow model behind a shadow ruleset; invalid, unreadable and ended shadows.
. "$(dirname "$0")/lib.sh"
use model shadow

start_stack SCORER_SHADOW=learned DECIDE_WORKERS=3
start_host 2 SCORER_SHADOW=learned
admin_token
api_key
cron project SCORER_SHADOW=learned
publish_version live 30
publish_version cand-2 70 '"shadow":true'
second=$(json .id)
decide_order '' e-1 >/dev/null
cron project SCORER_SHADOW=learned
decide_order '' e-2 >/dev/null
is "a shadow ruleset decides" "$(shadow_sample e-2)" "$second review 70 any 70"

# A shadow model decides the event types that have no shadow ruleset.
model '.bias = 3' >"$scratch/model.json"
hash=$(sha256sum <"$scratch/model.json" | head -c 16)
before=$(sql "select model from assay.epoch")
printf '{ "model" :\n%s\n}' "$(cat "$scratch/model.json")" >"$scratch/body"
http POST /v1/model/shadow "$(cat "$scratch/body")"
is "a shadow model is accepted" "$STATUS $(json .version)" "200 $hash"
third=$(json .id)
is "a shadow model begins a new epoch of models" "$(epoch_moved model)" yes
decide_order '' f-1 >/dev/null
http POST /v1/decisions '{"id":"f-2","type":"account.login",
    "subject":{"userId":"u-f-2"}}'
is_json "answers do not show the shadow model" \
    '"\(.verdict) \(.score)"' "allow 0"
is "the ruleset comes before the model, the model before the scorer" \
    "$(shadow_sample f-1) $(shadow_sample f-2)" \
    "$second review 70 any 70 $third deny 95 "
http GET /v1/config/model
is_json "a shadow model is not the active one" \
    '"\(.scorer) \(.ml.source)"' "weighted bundled"
model '.weights[3] = 1e9' >"$scratch/bad.json"
http POST /v1/model/shadow "{\"model\":$(cat "$scratch/bad.json")}"
is_error "an invalid shadow model answers 400" 400 INVALID_REQUEST
is_json "the error names what is wrong with the model" .message \
    "weights[3] must be a number from -1000000 to 1000000"
for body in '{}' '{"model":[]}' '{"model":null}' '{"model":{}}' '[]' \
    '{"model":{},"id":"x"}'; do
	http POST /v1/model/shadow "$body"
	is_error "a shadow model of $body answers 400" 400 INVALID_REQUEST
done
http POST /v1/model/shadow '{"model":{},"model":{}}'
is_error "a body with two models answers 400" 400 INVALID_JSON
end_shadow '{"eventType"'
is_error "an incomplete body answers 400" 400 INVALID_JSON
decide_order '' f-3 >/dev/null
http POST /v1/decisions '{"id":"f-4","type":"account.login",
    "subject":{"userId":"u-f-4"}}'
is "refused models replace nothing" "$(shadow_sample f-4)" "$third deny 95 "

# A shadow ruleset that cannot be read fails no decision.
sql "update assay.ruleset set text = 'rule x' where version = 'cand-2';
    update assay.epoch set rules = rules + 1"
is "decisions are made beside an unreadable shadow" \
    "$(decide_order '' g-1) $(decide_order 2 g-2)" "allow 30 allow 30"
is "samples have no decision of an unreadable shadow" \
    "$(shadow_sample g-1) $(shadow_sample g-2)" "none none"
check "the log names the unreadable shadow" grep -q \
    "level=warn .*event=shadow_unreadable id=$second where=\"line 1" \
    "$scratch/log/pool.log"
promote_shadow '{"eventType":"order.place"}'
is_error "an unreadable shadow cannot be promoted" 400 RULESET_INVALID
is_json "the error about the promotion names line and column" \
    '.message | test("^line 1, column ")' true
is "an unreadable shadow stays until it is ended" \
    "$(shown_shadows order.place)" \
    "ruleset cand-2 active 1, model $hash waiting 0, scorer learned waiting 0"

# A shadow ends.
end_shadow '{"eventType":"order.place","id":"shd_another"}'
is_error "the end of another shadow answers 409" 409 SHADOW_CHANGED
end_shadow "{\"eventType\":\"order.place\",\"id\":\"$second\"}"
is "a shadow is ended by its id" \
    "$STATUS $(json '"\(.ok) \(.version) \(.id)"')" \
    "200 true cand-2 $second"
decide_order '' h-1 >/dev/null
is "the shadow model follows the ended ruleset" \
    "$(shadow_sample h-1)" "$third review 95 "
cron project
is "an ended shadow keeps its counts" "$(shown_shadows order.place)" \
    "model $hash active 1, scorer learned waiting 0, ruleset cand-2 ended 4"
end_shadow '{"eventType":"order.place"}'
is_error "an ended shadow cannot be ended again" 404 SHADOW_MISSING
promote_shadow '{"eventType":"order.place"}'
is_error "an ended shadow cannot be promoted" 404 SHADOW_MISSING
for body in '{"eventType":"order"}' '{"type":"order.place"}' '{"id":7}' '[]'; do
	promote_shadow "$body"
	is_error "a promotion of $body answers 400" 400 INVALID_REQUEST
	end_shadow "$body"
	is_error "an end of $body answers 400" 400 INVALID_REQUEST
done

http GET /v1/audit
is_json "the audit trail has start and end of the shadows" '[.entries[] |
    select(.status == 200 and (.action | test("shadow"))) | .action] |
    join(", ")' "POST /v1/model/shadow/end, POST /v1/model/shadow"
finish
