#!/bin/sh
# SPDX-License-Identifier: ISC
# Tests beside the rules: they run before a ruleset is published, starts as a shadow
# or is promoted, and while it is checked.
. "$(dirname "$0")/lib.sh"
use hosts

# publish VERSION TEXT [MEMBERS]: publish the rules of logins.
publish() {
	http POST /v1/rules "$(jq -nc --arg version "$1" --arg dsl "$2" \
	    "{eventType: \"account.login\", \$version, \$dsl ${3:-}}")"
}

active() {
	http GET /v1/rules
	json '.[] | select(.eventType == "account.login") | .version'
}

start_stack
admin_token
first=$(active)
rule='rule fast { when velocity.attemptsLast2m > 4 then score += 45, tag velocity }'
good="$rule
test sixth { given velocity.attemptsLast2m == 5
	expect challenge score == 45 because velocity }
test fifth { given velocity.attemptsLast2m == 4, event.type == \"account.login\"
	expect allow not velocity }"
bad="$rule
test sixth {
	given velocity.attemptsLast2m == 5
	expect deny score >= 90 because velocity
}"

publish v-bad "$bad"
is_error "a ruleset whose test fails is refused" 400 RULESET_INVALID
is_json "the error names the place of the expectation and the decision" \
    .message "line 4, column 9 the test sixth expected deny, found challenge with a score of 45 because velocity"
publish v-bad "$bad" ', shadow: true'
is_error "a ruleset whose test fails cannot start as a shadow" 400 RULESET_INVALID
is "a refused ruleset did not become active" "$(active)" "$first"
publish v-tag "$rule
test t { expect not velocty }"
is_error "a test with a tag that no rule has is refused" 400 RULESET_INVALID
publish v-good "$good"
is "a ruleset whose tests pass is published" "$STATUS $(active)" "200 v-good"
http GET /v1/rules
is_json "the active ruleset shows its tests in canonical form" \
    '.[] | select(.eventType == "account.login") | .tests[0] | "\(.id): \(.dsl)"' \
    "sixth: test sixth { given velocity.attemptsLast2m == 5 expect challenge score == 45 because velocity }"
http GET /v1/rules/account.login/versions/v-good
is_json "a version shows its tests" '[.tests[].id] | join(" ")' "sixth fifth"
is_json "the text of a version is the one that was sent" .text "$good"

# The check lists all expectations that fail; without an event type no test runs.
analyst_token
http POST /v1/rules/check "$(jq -nc --arg dsl "$bad" \
    '{eventType: "account.login", $dsl}')"
is_json "a check lists each expectation that fails by its place" \
    '"\(.ok) \(.tests) \([.errors[] | "\(.line):\(.column)-\(.endColumn)"] | join(" "))"' \
    "false 1 4:9-13 4:14-19"
is_json "a check with failed tests has text and rules" '"\(.text | length > 0) \(.rules | length)"' \
    "true 1"
http POST /v1/rules/check "$(jq -nc --arg dsl "$bad" '{$dsl}')"
is_json "without an event type no test runs" '"\(.ok) \(.tests)"' "true 1"
http POST /v1/rules/check "$(jq -nc --arg dsl "$good" \
    '{eventType: "account.login", $dsl}')"
is_json "a check of tests that pass finds no mistake" \
    '"\(.ok) \(.errors | length) \(.text | split("\n") | length)"' "true 0 4"

# A shadow is tested again when it is promoted: its policy may be another one.
TOKEN=$ADMIN
publish v-shadow "$good" ', shadow: true'
is "a ruleset whose tests pass starts as a shadow" "$STATUS" 200
http POST /v1/policies '{"id":"pol_account_login","version":"strict","onError":"fail_open",
    "bands":[{"verdict":"allow","min":0,"max":40},{"verdict":"deny","min":41,"max":100}]}'
is "a policy that its tests do not expect is published" "$STATUS" 200
http POST /v1/model/shadow/promote '{"eventType":"account.login"}'
is_error "the shadow cannot be promoted under that policy" 400 RULESET_INVALID
http POST /v1/model/shadow/rollout '{"eventType":"account.login","percent":1}'
is_error "the shadow cannot be rolled out under that policy" 400 RULESET_INVALID
http POST /v1/model/shadow/rollout '{"eventType":"account.login","percent":0}'
is "the shadow can always be taken from all users" "$STATUS $(json .percent)" "200 0"
is "the active rules are still those from before" "$(active)" v-good
http POST /v1/rules/account.login/rollback "{\"toVersion\":\"$first\"}"
is "a rollback runs no test" "$STATUS $(active)" "200 $first"
http POST /v1/rules/account.login/rollback '{"toVersion":"v-good"}'
is "a rollback leads to a version whose tests fail now" "$STATUS $(active)" "200 v-good"
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"v0.4.0"}'
http POST /v1/model/shadow/promote '{"eventType":"account.login"}'
is "under the policy from before the shadow is promoted" \
    "$STATUS $(active)" "200 v-shadow"

# With RULE_TESTS_REQUIRED a ruleset needs a test.
stop_pool
start_pool RULE_TESTS_REQUIRED=true
wait_ready
publish v-none "$rule"
is_error "RULE_TESTS_REQUIRED refuses a ruleset without tests" \
    400 RULESET_INVALID
http POST /v1/rules '{"eventType":"account.login","version":"v-json","rules":[]}'
is_error "RULE_TESTS_REQUIRED refuses condition trees, which have no tests" 400 RULESET_INVALID
publish v-none "$rule" ', shadow: true'
is "a ruleset without tests may start as a shadow" "$STATUS" 200
http POST /v1/model/shadow/promote '{"eventType":"account.login"}'
is_error "a shadow without tests cannot be promoted" 400 RULESET_INVALID
http POST /v1/model/shadow/rollout '{"eventType":"account.login","percent":1}'
is_error "a shadow without tests cannot be rolled out" 400 RULESET_INVALID
publish v-again "$good"
is "a ruleset with tests is published" "$STATUS $(active)" "200 v-again"
finish
