#!/bin/sh
# SPDX-License-Identifier: ISC
# A shadow ruleset and a shadow model are promoted; who may do so.
. "$(dirname "$0")/lib.sh"
use model shadow

start_stack SCORER_SHADOW=learned DECIDE_WORKERS=3
start_host 2 SCORER_SHADOW=learned
admin_token
api_key
publish_version live 30
second=shd_another
model '.bias = 3' >"$scratch/model.json"
hash=$(sha256sum <"$scratch/model.json" | head -c 16)
printf '{ "model" :\n%s\n}' "$(cat "$scratch/model.json")" >"$scratch/body"
http POST /v1/model/shadow "$(cat "$scratch/body")"
is "a shadow model is accepted" "$STATUS" 200

# A promoted shadow becomes active on every host.
publish_version cand-3 45 '"shadow":true'
fourth=$(json .id)
promote_shadow "{\"eventType\":\"order.place\",\"id\":\"$second\"}"
is_error "the promotion of another shadow answers 409" 409 SHADOW_CHANGED
before=$(sql "select rules from assay.epoch")
promote_shadow "{\"eventType\":\"order.place\",\"id\":\"$fourth\"}"
is "a promotion begins a new epoch of rules" \
    "$STATUS $(json .version) $(epoch_moved rules)" "200 cand-3 yes"
is "both hosts decide with the promoted ruleset" \
    "$(decide_order '' i-1) $(decide_order 2 i-2)" \
    "allow 45 allow 45"
is "the promoted version is the active one" "$(http GET /v1/rules; json '.[] |
    select(.eventType == "order.place").version')" cand-3
before=$(sql "select model from assay.epoch")
promote_shadow '{}'
is "a promotion begins a new epoch of models" \
    "$STATUS $(json .version) $(epoch_moved model)" "200 $hash yes"
http GET /v1/config/model
is_json "the promoted model is the active one" \
    '"\(.ml.source) \(.ml.version)"' "published $hash"
is "the promoted model is loaded once" \
    "$(sql "select count(*) from assay.model_activation")" 1
decide_order '' i-3 >/dev/null
is "the shadow scorer remains after the promotions" \
    "$(shadow_sample i-3 | cut -d ' ' -f 1)" learned
promote_shadow '{}'
is_error "the shadow scorer of the settings cannot be promoted" \
    409 SHADOW_SETTING
end_shadow '{}'
is_error "the shadow scorer of the settings cannot be ended" 409 SHADOW_SETTING
http GET /v1/audit
is_json "the audit trail has start and promotions of the shadows" \
    '[.entries[] | select(.status == 200 and
    (.action | test("shadow"))) | .action] | join(", ")' \
    "POST /v1/model/shadow/promote, POST /v1/model/shadow/promote, POST /v1/model/shadow"

# Without the setting, and for analysts.
stop_pool
start_pool
wait_ready
decide_order '' j-1 >/dev/null
is "without SCORER_SHADOW a sample has no shadow" "$(shadow_sample j-1)" none
promote_shadow '{}'
is_error "without SCORER_SHADOW there is nothing to promote" 404 SHADOW_MISSING
http POST /v1/auth/users \
    '{"email":"ana@example.com","password":"correct horse","role":"analyst"}'
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http GET /v1/model/shadow
is "an analyst may read the shadows" "$STATUS" 200
for path in shadow shadow/promote shadow/end; do
	http POST "/v1/model/$path" '{}'
	is_error "an analyst may not post to $path" 403 FORBIDDEN
done
finish
