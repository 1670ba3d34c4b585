#!/bin/sh
# SPDX-License-Identifier: ISC
# Rulesets and rollbacks that are rejected, with the place of the fault, and
# callers who may not publish.
. "$(dirname "$0")/lib.sh"
use hosts rules

start_stack
admin_token

# is_rejected WHAT MEMBERS MESSAGE: publishing it is refused, with this message.
is_rejected() {
	publish_rules "$2"
	is_error "$1 answers 400" 400 RULESET_INVALID
	is_json "the message for $1 names the fault" .message "$3"
}

# A faulty ruleset is rejected as a whole, with the place of the fault.
before=$(sql "select count(*), max(created_at) from assay.ruleset")
epoch=$(sql "select rules from assay.epoch")
is_rejected "a signal misspelled in a text" \
    '"version":"v","dsl":"rule r {\n\twhen device.firstseen"' \
    'line 2, column 7 found "device.firstseen", expected a signal: device has firstSeen, usersOnDevice, usersOnFingerprint, fingerprintFirstSeen, fingerprintDeviceMismatch'
is_rejected "a syntax error in one rule's text" \
    "\"version\":\"v\",\"rules\":[$(rule_tree "$(compare_tree attr.x eq 1)"),
    {\"dsl\":\"rule s { when 1 }\"}]" \
    'rules[1].dsl, line 1, column 15: found "1", expected a signal such as event.amount or attr.name, "!" or "("'
is_rejected "an unknown signal in a tree" "\"version\":\"v\",\"rules\":[
    $(rule_tree "$(compare_tree attr.x eq 1)"),$(rule_tree "{\"kind\":\"and\",\"all\":[
	$(compare_tree attr.x eq 1),$(compare_tree geo.land eq '"ET"')]}")]" \
    'rules[1].condition.all[1].path found "geo.land", expected a signal: geo has country, distanceKm, countryChanged, impossibleTravel, ipSimMismatch, city, asn, asnOrg'
is_rejected "a string compared with a number in a tree" \
    "\"version\":\"v\",\"rules\":[$(rule_tree "{\"kind\":\"not\",\"not\":
	$(compare_tree event.amount gt '"10"')}")]" \
    'rules[0].condition.not.value found a string, but event.amount is a number'
is_rejected "an unknown operator in a tree" \
    "\"version\":\"v\",\"rules\":[$(rule_tree "$(compare_tree event.amount in '"10"')")]" \
    'rules[0].condition.op must be gt, gte, lt, lte, eq or neq'
is_rejected "an expression in a tree's path" "\"version\":\"v\",\"rules\":[
    $(rule_tree "$(compare_tree 'event.amount > 1 || event.amount' gt 1)")]" \
    "rules[0].condition.path is no signal's name"
is_rejected "a rule without a condition" \
    '"version":"v","rules":[{"id":"r","tag":"t","weight":7}]' \
    'rules[0].condition is required'
is_rejected "a second rule with the same id" "\"version\":\"v\",\"rules\":[
    $(rule_tree "$(compare_tree attr.x eq 1)"),$(rule_tree "$(compare_tree attr.x eq 2)")]" \
    'rules[1]: an earlier rule has the id "r" already'
is_rejected "a weight above 100" \
    '"version":"v","rules":[{"id":"r","tag":"t","weight":101,"condition":{}}]' \
    'rules[0].weight must be an integer from 0 to 100'
while read -r members; do
	publish_rules "$members"
	is_error "publishing $members answers 400" 400 INVALID_REQUEST
done <<'END'
"version":"v"
"version":"v","dsl":"","rules":[]
"version":"v","dsl":"# one","rules":[]
"version":"v","dsl":""
"version":"v","dsl":["# one"]
"version":"v","rules":"# one"
"version":"v","rules":null
"dsl":"# one"
"version":"a b","dsl":"# one"
"version":"","dsl":"# one"
"version":7,"dsl":"# one"
"version":"v","dsl":"# one","active":true
"version":"12345678901234567890123456789012345678901234567890123456789012345","dsl":"# one"
END
for type in '"card.authorise"' '""' null 7; do
	http POST /v1/rules "{\"eventType\":$type,\"version\":\"v\",\"dsl\":\"#\"}"
	is_error "publishing for the event type $type answers 400" \
	    400 INVALID_REQUEST
done
http POST /v1/rules '{"version":"v","dsl":"#"}'
is_error "publishing without an event type answers 400" 400 INVALID_REQUEST
http POST /v1/rules '{"eventType":"order.place",'
is_error "publishing half a JSON body answers 400" 400 INVALID_JSON
is "a rejected ruleset is not stored" \
    "$(sql "select count(*), max(created_at) from assay.ruleset")" "$before"
is "a rejected ruleset does not raise the epoch" \
    "$(sql "select rules from assay.epoch")" "$epoch"

for body in '{}' '{"toVersion":1}' '{"toVersion":"a b"}' '[]' \
    '{"toVersion":"big-1","version":"big-1"}'; do
	http POST /v1/rules/order.place/rollback "$body"
	is_error "a rollback with the body $body answers 400" \
	    400 INVALID_REQUEST
done
for type in card.authorise none order.place%20; do
	http GET "/v1/rules/$type/history"
	is_error "the history of $type answers 404" 404 NOT_FOUND
	http POST "/v1/rules/$type/rollback" '{"toVersion":"big-1"}'
	is_error "a rollback of $type answers 404" 404 NOT_FOUND
done

# A version names one ruleset of an event type.
publish_rules '"version":"big-1","dsl":"rule x { when attr.x then score += 1, tag x }"'
is "a new version of a ruleset is published" "$STATUS" 200
publish_rules '"version":"big-1","dsl":"rule x { when attr.x then score += 1, tag x }"'
is_error "a version that exists answers 409" 409 VERSION_EXISTS
http POST /v1/rules '{"eventType":"card.refund","version":"big-1","dsl":" "}'
is "another event type can use the same version" "$STATUS" 200

for n in 1 2 3 4; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE/v1/rules" \
	    -d "{\"eventType\":\"order.place\",\"version\":\"race\",
		\"dsl\":\"# $n\"}" >"$scratch/race.$n" &
	racing="${racing-} $!"
done
# shellcheck disable=SC2086 # several
wait $racing
is "of four publications of one version one succeeds" \
    "$(cat "$scratch"/race.? | sort |
    paste -sd ' ')" "200 409 409 409"

# Analysts read and do not write; a request without a token does neither.
analyst_token
http GET /v1/rules
is "an analyst reads the rules" "$STATUS" 200
http GET /v1/rules/order.place/history
is "an analyst reads the history of a ruleset" "$STATUS" 200
publish_rules '"version":"ana","dsl":"#"'
is_error "an analyst cannot publish a ruleset" 403 FORBIDDEN
http POST /v1/rules/order.place/rollback '{"toVersion":"big-1"}'
is_error "an analyst cannot roll a ruleset back" 403 FORBIDDEN
TOKEN=
http GET /v1/rules
is_error "without a token GET /v1/rules answers 401" 401 UNAUTHENTICATED
publish_rules '"version":"me","dsl":"#"'
is_error "without a token publishing answers 401" 401 UNAUTHENTICATED
TOKEN=$ADMIN
http GET "/v1/audit?limit=3"
is_json "the audit trail has the analyst's login and refused requests" \
    '[.entries[] | "\(.actor) \(.action) \(.status)"] |
    join(", ")' "ana@example.com POST /v1/rules/order.place/rollback 403, ana@example.com POST /v1/rules 403, ana@example.com POST /v1/auth/login 200"
http POST /v1/rules/order.place/rollback '{"toVersion":"seed@v0.4"}'
http GET "/v1/audit?limit=1"
is_json "the audit trail has the version of a rollback" \
    '.entries[0].params.toVersion' "seed@v0.4"
finish
