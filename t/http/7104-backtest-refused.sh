#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /v1/backtest refuses what is wrong with it and names the place.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token

# refuse_backtest WHAT CODE PLACE BODY: 400, and the message begins with the
# place.
refuse_backtest() {
	http POST /v1/backtest "$4"
	is_error "a backtest with $1 answers 400" 400 "$2" || echo "#   $BODY"
	[ -z "$3" ] ||
	    is "the error about $1 names the place" \
		"$(json .message | cut -c "1-${#3}")" "$3" ||
	    echo "#   $BODY"
}
type='"eventType":"card.authorize"'
policy_band() { printf '{"verdict":"%s","min":%s,"max":%s}' "$1" "$2" "$3"; }
body_policy() {
	printf '{%s,"policy":{"onError":"fail_open","bands":[%s]}}' "$type" "$1"
}
body_rules() { printf '{%s,"rules":[%s]}' "$type" "$1"; }
refuse_backtest "no event type" INVALID_REQUEST eventType '{}'
refuse_backtest "an unknown event type" \
    INVALID_REQUEST eventType '{"eventType":"card"}'
refuse_backtest "a number as event type" \
    INVALID_REQUEST eventType '{"eventType":7}'
refuse_backtest "an unknown field" INVALID_REQUEST limit "{$type,\"limit\":9}"
refuse_backtest "an array as policy" \
    INVALID_REQUEST policy "{$type,\"policy\":[]}"
refuse_backtest "null as policy" \
    INVALID_REQUEST policy "{$type,\"policy\":null}"
refuse_backtest "a policy without bands" POLICY_INVALID policy.bands \
    "{$type,\"policy\":{\"onError\":\"fail_open\"}}"
refuse_backtest "a policy without onError" POLICY_INVALID policy.onError \
    "{$type,\"policy\":{\"bands\":[$(policy_band allow 0 100)]}}"
refuse_backtest "a policy with an unknown field" POLICY_INVALID policy.version \
    "{$type,\"policy\":{\"version\":\"v\",\"onError\":\"fail_open\",\"bands\":[$(policy_band allow 0 100)]}}"
refuse_backtest "an empty array of bands" \
    POLICY_INVALID policy.bands "$(body_policy '')"
refuse_backtest "a gap between two bands" POLICY_INVALID 'policy.bands[1].min' \
    "$(body_policy "$(policy_band allow 0 24),$(policy_band deny 26 100)")"
refuse_backtest "two bands that overlap" POLICY_INVALID 'policy.bands[1].min' \
    "$(body_policy "$(policy_band allow 0 24),$(policy_band deny 24 100)")"
refuse_backtest "bands that end below 100" \
    POLICY_INVALID 'policy.bands[0].max' \
    "$(body_policy "$(policy_band allow 0 99)")"
refuse_backtest "an unknown verdict" POLICY_INVALID 'policy.bands[0].verdict' \
    "$(body_policy "$(policy_band refuse 0 100)")"
refuse_backtest "an object as rules" \
    INVALID_REQUEST rules "{$type,\"rules\":{}}"
refuse_backtest "a number as rule" RULESET_INVALID 'rules[0]' "$(body_rules 7)"
refuse_backtest "a syntax error in the second rule" \
    RULESET_INVALID 'rules[1].dsl' \
    "$(body_rules '{"dsl":"rule a { when event.amount > 1 then score += 1, tag a }"},{"dsl":"rule b { when event.amount then score += 1, tag b }"}')"
refuse_backtest "an unknown signal in a tree" RULESET_INVALID \
    'rules[0].condition.all[1].path' "$(body_rules '{"id":"a","tag":"a","weight":1,
    "condition":{"kind":"and","all":[{"kind":"compare","path":"event.amount",
    "op":"gt","value":1},{"kind":"compare","path":"event.colour","op":"eq",
    "value":"red"}]}}')"
refuse_backtest "two rules of one id" RULESET_INVALID 'rules[1]' \
    "$(body_rules '{"dsl":"rule a { when device.firstSeen then score += 1, tag a }"},{"dsl":"rule a { when device.firstSeen then score += 1, tag a }"}')"
refuse_backtest "a rule of 101 points" RULESET_INVALID 'rules[0]' \
    "$(body_rules '{"dsl":"rule a { when device.firstSeen then score += 101, tag a }"}')"
refuse_backtest "rules as array and as text" \
    INVALID_REQUEST '' "{$type,\"rules\":[],\"dsl\":\"\"}"
http POST /v1/backtest '[]'
is_error "an array as body answers 400" 400 INVALID_REQUEST
http POST /v1/backtest '{"eventType":'
is_error "an incomplete body answers 400" 400 INVALID_JSON
http POST /v1/backtest "" -H 'Content-Type: text/plain' --data '{}'
is_error "a body of text/plain answers 415" 415 UNSUPPORTED_MEDIA_TYPE
http PUT /v1/backtest "$type}"
is_error "PUT on backtests answers 405" 405 METHOD_NOT_ALLOWED
http GET '/v1/backtest?limit=%'
is_error "a malformed query answers 400" 400 INVALID_REQUEST
head -c 1048577 /dev/zero | tr '\0' ' ' >"$scratch/large"
http POST /v1/backtest "" -H 'Content-Type: application/json' \
    --data-binary "@$scratch/large"
is_error "a body over 1 MB answers 413" 413 PAYLOAD_TOO_LARGE
finish
