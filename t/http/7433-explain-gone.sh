#!/bin/sh
# SPDX-License-Identifier: ISC
# Explanations when the model, the sample, the policy or the rules are gone.
. "$(dirname "$0")/lib.sh"
use ctl explain

start_explain
http POST /v1/decisions '{"id":"a/b c","type":"order.place","amount":4200,
    "currency":"EUR","subject":{"userId":"u-one"}}'
publish_stricter
http POST /v1/decisions '{"id":"n-1","type":"order.place","amount":1,
    "currency":"EUR","subject":{"userId":"u-one"}}'
roll_back_stricter
decide_listed
restart_pool SCORER=ml
decide_all m 3
publish_other
decide_all o 4

# Versions, models and samples that are gone.
sql "delete from assay.model_activation where hash is not null;
    delete from assay.model" >/dev/null
explain_event o-1
is "a decision is not recomputed without its model" \
    "$(why_not)" "false model_gone null"
is_json "the stored probabilities are shown without the model" '.model |
    "\(.p > 0) \(.pEven > 0) \(.terms)"' "true true null"
is_json "the rules are shown without the model" '.rules | length > 0' true
sql "update assay.decision_detail set sample = replace(sample, '\"model\":\"synthetic-',
    '\"model\":\"old-') where event_id = 'm-1'" >/dev/null
explain_event m-1
is "a decision by the model of another release is not recomputed" \
    "$(why_not)" "false model_gone null"
sql "update assay.decision_detail set sample = replace(sample, '\"scorer\":\"ml\"',
    '\"scorer\":\"forest\"') where event_id = 'm-2'" >/dev/null
explain_event m-2
is "a decision by an unknown scorer is not recomputed" \
    "$(why_not)" "false scorer_unknown null"
sql "update assay.decision_detail set sample = '[]' where event_id = 'm-3'" >/dev/null
explain_event m-3
is "an unreadable sample is not recomputed" \
    "$(why_not)" "false sample_unreadable null"
sql "update assay.decision_detail set sample = replace(sample, ',4200,', ',1,')
    where event_id = 'a/b c'" >/dev/null
explain_event a%2Fb%20c
is "a recomputation with another result is reported" \
    "$(why_not)" "false differs null"
sql "update assay.policy set bands = '[]' where version = 'p2'" >/dev/null
explain_event n-1
is "an unreadable policy is reported" "$(why_not) $(json .policy)" \
    "false policy_unreadable null null"
sql "delete from assay.policy where version = 'p2'" >/dev/null
explain_event n-1
is "a deleted policy is reported" \
    "$(why_not) $(json '.rules | length')" "false policy_gone null 1"
sql "update assay.ruleset set text = 'rule' where version = 'v2'" >/dev/null
explain_event n-1
is_json "unreadable rules are left out" \
    '"\(.rules) \(.signals["event.amount"])"' "null 1"
sql "delete from assay.ruleset where version = 'v2'" >/dev/null
explain_event n-1
is_json "a deleted ruleset is left out" \
    '"\(.why.word) \(.rules) \(.rulesetVersion)"' \
    "policy_gone null v2"
sql "delete from assay.policy_active where event_type = 'order.place'" \
    >/dev/null
http POST /v1/privacy/erase '{"userId":"u-watched"}'
is "the user of a decision is erased" "$STATUS" 200
explain_event l-watched
is "an erased sample is reported" "$(why_not)" "false sample_gone null"
is_json "the verdict stays after the erasure" \
    '"\(.verdict) \(.signals) \(.rules)"' \
    "review null null"
is "the explanation does not name the erased user" \
    "$(printf '%s' "$BODY" | grep -c u-watched)" 0
finish
