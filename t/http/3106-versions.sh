#!/bin/sh
# SPDX-License-Identifier: ISC
# The versions of rulesets and policies: who published them when, with which
# text or bands, also of two who publish at once.
. "$(dirname "$0")/lib.sh"
use hosts rules

start_stack
admin_token
rule='rule a { when event.amount>1 then score += 1, tag t } # by hand'
publish_rules "\"version\":\"one\",\"dsl\":\"$rule\""
publish_rules "\"version\":\"two\",\"shadow\":true,\"dsl\":\"$rule\\n$rule\""
is_error "a ruleset with two rules of one id is no version" 400 RULESET_INVALID
publish_rules "\"version\":\"two\",\"shadow\":true,\"rules\":[
    $(rule_tree "$(compare_tree attr.x eq 1)")]"

facts='map("\(.version) \(.author) \(.active) \(.shadow) \(.rules)") | join(", ")'
http GET /v1/rules/order.place/versions
is "the versions of a ruleset have authors and states" \
    "$STATUS $(json "$facts")" \
    "200 two admin@example.com false true 1, one admin@example.com true false 1, seed@v0.4 null false false null"
is_json "each version has the time at which it was published" \
    'map(.publishedAt | test("^20.*Z$")) | tostring' "[true,true,true]"
http GET /v1/rules/order.place/versions/one
is "a version has its text as published" "$STATUS $(json .text)" "200 $rule"
is_json "a version has its rules in canonical form" '.rules | tojson' \
    '[{"id":"a","tag":"t","weight":1,"dsl":"rule a { when event.amount > 1 then score += 1, tag t }"}]'
is_json "a version says who published it and whether it is active" \
    '"\(.version) \(.author) \(.active) \(.shadow)"' \
    "one admin@example.com true false"
http POST /v1/rules/order.place/rollback '{"toVersion":"seed@v0.4"}'
http GET /v1/rules/order.place/versions
is_json "a rollback makes the seed version active" \
    'map(select(.active) | .version) | join(" ")' "seed@v0.4"
http POST /v1/model/shadow/end '{"eventType":"order.place"}'
http GET /v1/rules/order.place/versions/two
is_json "a shadow that has ended is no shadow" .shadow false
sql "update assay.ruleset set text = 'rule of another release'
    where version = 'two'"
http GET /v1/rules/order.place/versions/two
is "the rules of a version that does not compile are null" \
    "$STATUS $(json '"\(.rules) \(.text)"')" "200 null rule of another release"

for path in order.place/versions/three order.placed/versions \
    order.placed/versions/one; do
	http GET "/v1/rules/$path"
	is_error "GET /v1/rules/$path answers 404" 404 NOT_FOUND
done

# Policies; two calls publish one label.
policy() {
	printf '{"id":"pol_order_place","version":"%s","onError":"fail_closed",
	    "bands":[{"verdict":"deny","min":0,"max":100}]}' "$1"
}
publishers=
for n in 1 2; do
	curl -sS --unix-socket "$scratch/run/http.sock" -o "$scratch/answer.$n" \
	    -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
	    -d "$(policy race)" "$BASE/v1/policies" &
	publishers="$publishers $!"
done
# shellcheck disable=SC2086 # one word for each process
wait $publishers
is "of two calls that publish one label at once, one is refused" \
    "$(jq -r '.code // "ok"' "$scratch"/answer.? | sort | tr '\n' ' ')" \
    "VERSION_EXISTS ok "
http GET /v1/policies/pol_order_place/versions
is "the label that two calls published is one version" \
    "$STATUS $(json 'map("\(.version) \(.author) \(.active)") | join(", ")')" \
    "200 race admin@example.com true, v0.4.0 null false"
http GET /v1/policies/pol_order_place/versions/race
is "a version of a policy has onError and bands" \
    "$STATUS $(json '"\(.onError) \(.bands | tojson)"')" \
    '200 fail_closed [{"max":100,"min":0,"verdict":"deny"}]'
http GET /v1/policies/pol_order_place/versions/v9
is_error "an unknown version of a policy answers 404" 404 POLICY_VERSION_UNKNOWN
http GET /v1/policies/pol_none/versions
is_error "the versions of an unknown policy answer 404" 404 POLICY_MISSING
http GET '/v1/policies/pol_order_place/versions?limit=9'
is_error "a parameter that versions do not take answers 400" 400 INVALID_REQUEST

# An author starts shadows, an analyst reads.
analyst_token
http GET /v1/rules/order.place/versions/one
is "an analyst reads a version" "$STATUS" 200
finish
