#!/bin/sh
# SPDX-License-Identifier: ISC
# A day of an analyst and an admin over HTTP: a ruleset, a case, labels, a
# rollback, a revoked key, an erasure.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
admin=$TOKEN
http POST /v1/auth/users \
    '{"email":"Ana@example.com","password":"correct horse"}'
is "an admin creates an analyst" "$STATUS $(json .role)" "201 analyst"
http POST /v1/auth/login \
    '{"email":"ana@example.com","password":"correct horse"}'
ana=$(json .token)
api_key
key=$KEY
key_id=$(json .key.id)

# decide_payment EVENT AMOUNT: a payment without 3-D Secure.
decide_payment() {
	KEY=$key
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"card.authorize\",
	    \"amount\":$2,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"u-$1\",\"deviceId\":\"d-$1\"},
	    \"instrument\":{\"kind\":\"card\",\"threeDS\":false}}"
	KEY=
}

# A ruleset under which a large payment without 3-D Secure is reviewed.
TOKEN=$admin
candidate='rule r_no_3ds { when instrument.threeDS == false && event.amount > 500 then score += 50, tag no_3ds }'
decide_payment before 900
is_json "the seed's rules allow a payment" .verdict allow
http POST /v1/backtest "{\"eventType\":\"card.authorize\",
    \"rules\":[{\"dsl\":\"$candidate\"}]}"
is_json "a backtest counts what a stricter rule would review" \
    '"\(.sampleSize) \(.labeled) \(.mix.before.allow) \(.mix.after.review)"' \
    "1 0 1 1"
TOKEN=$ana
http POST /v1/rules "{\"eventType\":\"card.authorize\",\"version\":\"strict@1\",
    \"dsl\":\"$candidate\"}"
is_error "an analyst may not publish a ruleset" 403 FORBIDDEN
TOKEN=$admin
http POST /v1/rules "{\"eventType\":\"card.authorize\",\"version\":\"strict@1\",
    \"dsl\":\"$candidate\"}"
is "an admin publishes a ruleset" "$STATUS $(json .version)" "200 strict@1"
decide_payment after 900
is_json "the next payment is reviewed by the new ruleset" \
    '"\(.verdict) \(.score) \(.reasons[0].tag)"' "review 50 no_3ds"

# The case that it opened.
TOKEN=$ana
http GET /v1/cases
is_json "the reviewed payment opens a case" \
    'map("\(.eventId) \(.status) \(.queue)") |
    join(" ")' "after open risk-ops"
case=$(json '.[0].id')
http POST "/v1/cases/$case/assign"
is_json "the analyst assigns the case to herself" \
    '"\(.status) \(.assignedTo)"' \
    "assigned ana@example.com"
http POST "/v1/cases/$case/resolve" '{"outcome":"fraud","note":"stolen card"}'
is_json "the analyst resolves the case as fraud" \
    '"\(.status) \(.resolution.outcome)"' \
    "resolved fraud"
http POST "/v1/cases/$case/resolve" '{"outcome":"legit"}'
is "a resolved case answers 409" "$STATUS" 409
http GET "/v1/cases/$case"
is_json "the case has its history" '.audit | map("\(.action) \(.actor)") |
    join(", ")' \
    "opened engine, assigned ana@example.com, resolved ana@example.com"
http GET /v1/model
is_json "the tag of the rule has one label" \
    '.weights[] | select(.tag == "no_3ds") |
    "\(.fraud) \(.legit) \(.trusted)"' "1 0 false"
KEY=$key
http POST /v1/labels/chargeback '{"eventId":"before"}'
is "a chargeback of the first payment is accepted" "$STATUS" 202
KEY=
TOKEN=$admin
http POST /v1/backtest "{\"eventType\":\"card.authorize\",
    \"rules\":[{\"dsl\":\"$candidate\"}]}"
is_json "a backtest shows that the rule would catch both frauds" \
    '"\(.labeled) \(.baseline.truePositives) \(.candidate.truePositives) \(.delta.fraudCaught)"' \
    "2 1 2 1"

# Back to the seed, and other pages of the day.
http POST /v1/rules/card.authorize/rollback '{"toVersion":"seed@v0.4"}'
is "the ruleset is rolled back" "$STATUS" 200
decide_payment back 900
is_json "the next payment is allowed by the seed" .verdict allow
TOKEN=$ana
http GET '/v1/verdicts?limit=3'
is_json "the verdict log has all three payments" \
    'map("\(.eventId) \(.verdict)") | join(", ")' \
    "back allow, after review, before allow"
http GET '/v1/activity?limit=1'
is_json "the activity log has the request" '.[0].request.subject.userId' u-back
http GET /v1/graph/user/u-after
is_json "the graph shows the device of the user" \
    '"\(.devices | join(" ")) \(.ringSize)"' "d-after 2"
TOKEN=$admin
http POST "/v1/apikeys/$key_id/revoke"
is "the API key is revoked" "$STATUS" 200
decide_payment late 10
is_error "a revoked key answers 401" 401 INVALID_API_KEY
http POST /v1/privacy/erase '{"userId":"u-before"}'
is_json "the first user is erased" \
    '"\(.userId) \(.replaySamplesRemoved) \(.graph)"' "u-before 1 true"
http GET '/v1/audit?limit=200'
is_json "the audit trail has every change of the day" \
    '.entries | map(select(.status < 300) |
    .action | select(test("login|register") | not)) | reverse | join(", ")' \
    "POST /v1/auth/users, POST /v1/apikeys, POST /v1/rules, POST /v1/cases/$case/assign, POST /v1/cases/$case/resolve, POST /v1/rules/card.authorize/rollback, POST /v1/apikeys/$key_id/revoke, POST /v1/privacy/erase"
finish
