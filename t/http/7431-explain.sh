#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/decisions/{id}/explain: weighted decisions are recomputed from their
# samples and the versions of that time; lists and degraded decisions are not.
. "$(dirname "$0")/lib.sh"
use ctl explain

start_explain
decide_all w 1
check_all w "weighted decisions"
is "samples have signals that are unknown" \
    "$(all_answers w 'map(select(.signals |
    has("geo.country") and .["geo.country"] == null and
    has("attr.both"))) | length > 50')" true
http POST /v1/decisions '{"id":"a/b c","type":"order.place","amount":4200,
    "currency":"EUR","subject":{"userId":"u-one"},
    "attributes":{"odd \"key\"":1.5,"who":"c"}}'
explain_event a%2Fb%20c
is_json "an explanation has the event, versions and verdict" \
    '"\(.eventId) \(.eventType) \(.verdict) \(.score) \(
    .policyId) \(.scorer) \(.rulesetVersion) \(.modelVersion) \(.watched)"' \
    "a/b c order.place allow 14 pol_order_place weighted v1 null false"
is_json "each rule is true, false or unknown" \
    '[.rules[] | "\(.id) \(.truth)"] | join(", ")' \
    "r_amount true, r_one unknown, r_two unknown, r_who false, r_ring false"
is_json "each rule has the values that it compares" '[.rules[] | [.because[] |
    "\(.comparison) \(.value)"] | join(" ")] | join(", ")' \
    "event.amount > 3000 4200, attr.both == true null, attr.both == true null, attr.who in [\"a\", \"b\"] c, graph.ringSize > 3 1"
is_json "a rule is shown in canonical text" .rules[0].dsl \
    "rule r_amount { when event.amount > 3000 then score += 14, tag amount }"
is_json "a counterfactual shows what would be stricter" \
    '.changes.stricter | [.signal, .from, .to, .other, .verdict, .score] |
    tojson' '["attr.both",null,true,false,"review",54]'
is_json "a counterfactual shows that nothing is milder" .changes.milder null
is_json "the signals have the type of the event" \
    '.signals["event.type"]' order.place

# Other versions become active, and are rolled back.
publish_stricter
explain_event a%2Fb%20c
is_json "an earlier decision is explained with its own versions" \
    '"\(.recomputed) \(.verdict) \(.policy.band.verdict)"' "true allow allow"
http POST /v1/decisions '{"id":"n-1","type":"order.place","amount":1,
    "currency":"EUR","subject":{"userId":"u-one"}}'
explain_event n-1
is_json "a later decision is explained with the new versions" \
    '"\(.recomputed) \(.verdict) \(.rulesetVersion) \(.policyVersion) \(
    .changes.stricter) \(.changes.milder)"' "true deny v2 p2 null null"
roll_back_stricter
explain_event n-1
is_json "a decision is explained after its versions were rolled back" \
    '"\(.recomputed) \(.verdict)"' \
    "true deny"
check_all w "weighted decisions after a rollback"

# Decisions by lists, and degraded ones.
decide_listed
explain_event l-watched
is_json "a watched decision is recomputed with its review" \
    '"\(.recomputed) \(.verdict) \(.watched) \(.policy.band.verdict) \(
    .changes.milder)"' "true review true allow null"
is_json "a counterfactual of a watched decision has nothing stricter" \
    .changes.stricter null
explain_event l-blocked
is "a decision by a list is not recomputed" "$(why_not)" \
    "false listed null"
is_json "a decision by a list shows its policy" \
    '"\(.signals) \(.rules) \(.policy.id) \(.policy.band) \(.score)"' \
    "null null pol_order_place null -1"
sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
	verdict, score, reasons, policy_id, policy_version, correlation_id)
    values (now(), 'vd_0', 'away', 'order.place', 'allow', -1,
	'[{\"tag\":\"engine.degraded\",\"points\":0}]', 'pol_order_place',
	'p2', 'c')" >/dev/null
explain_event away
is "a degraded decision is not recomputed" \
    "$(why_not) $(json .policy.onError)" \
    "false degraded null fail_open"
finish
