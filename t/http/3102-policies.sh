#!/bin/sh
# SPDX-License-Identifier: ISC
# Policies over HTTP: published, active on every host for its next decision,
# simulated and rolled back.
. "$(dirname "$0")/lib.sh"
use hosts policies

start_two_hosts

# login_on_host HOST: a new user logs in; DECIDED is "verdict score policy
# version".
login_on_host() {
	decide_new "$1" '"type":"account.login"' \
	    "\"deviceId\":\"d-$new_users\""
	DECIDED=$(json '"\(.verdict) \(.score) \(.policyId) \(.policyVersion)"')
}

http GET /v1/policies
is_json "GET /v1/policies lists the seed policies" \
    '[.[] | "\(.eventType) \(.policy.id) \(.policy.version) \(.policy.onError)"] | join(", ")' \
    "account.login pol_account_login v0.4.0 fail_open, card.authorize pol_card_authorize v0.4.0 fail_open, card.capture pol_card_capture v0.4.0 fail_open, card.refund pol_card_refund v0.4.0 fail_open, order.place pol_order_place v0.4.0 fail_open, payment.authorize pol_payment_authorize v0.4.0 fail_open, wallet.withdraw pol_wallet_withdraw v0.4.0 fail_closed"
is_json "a seed policy has its bands with review queues" \
    '.[4].policy.bands | map("\(.verdict) \(.min) \(.max) \(.reviewQueue)") | join(", ")' \
    "allow 0 49 null, review 50 100 risk-ops"
is_json "a listed policy has an event type and its own members" \
    '.[0] | [keys, (.policy | keys)] | flatten |
    join(" ")' "eventType policy bands id onError version"

for n in "" 2; do
	login_on_host "$n"
	is "login $new_users on host ${n:-1} gets the seed policy's verdict" \
	    "$DECIDED" "allow 12 pol_account_login v0.4.0"
done
publish_policy strict "$(policy_band allow 0 9),$(policy_band review 10 49 ',"reviewQueue":"night"'),$(
    policy_band review 50 59),$(policy_band deny 60 100)"
is "a policy is published" "$STATUS $BODY" \
    '200 {"ok" : true, "version" : "strict"}'
for n in 2 "" 2 "" 2 ""; do
	login_on_host "$n"
	is "login $new_users on host ${n:-1} gets the new policy's verdict" \
	    "$DECIDED" "review 12 pol_account_login strict"
done
is "a case waits in the queue of its band" \
    "$(sql "select distinct queue from assay.review_case")" night
http GET /v1/policies
is_json "GET /v1/policies shows the published policy" '.[0].policy |
    "\(.version) \(.onError) \(.bands[1] | tojson)"' \
    'strict fail_closed {"max":49,"min":10,"verdict":"review","reviewQueue":"night"}'
http GET /v1/policies/pol_account_login/history
is "the history of a policy has the newest version first" \
    "$STATUS $BODY" '200 ["strict", "v0.4.0"]'

# A simulation names the band with the highest min at or below the score.
while read -r score want; do
	simulate_score "$score"
	is "score $score falls into the band with the highest min below it" \
	    "$SIMULATED" "200 $want"
done <<'END'
0 {"verdict":"allow"}
9 {"verdict":"allow"}
9.9 {"verdict":"allow"}
10 {"verdict":"review","reviewQueue":"night"}
50 {"verdict":"review","reviewQueue":"risk-ops"}
60 {"verdict":"deny"}
1e2 {"verdict":"deny"}
END
for score in -1 100.5 101 '"50"' null true; do
	simulate_score "$score"
	is_error "simulating the score $score answers 400" 400 INVALID_REQUEST
done
for body in '{}' '[]' '{"score":1,"bands":[]}'; do
	http POST /v1/policies/pol_account_login/simulate "$body"
	is_error "simulating with the body $body answers 400" \
	    400 INVALID_REQUEST
done

# Rollbacks.
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"v0.4.0"}'
is "a rollback answers 200" "$STATUS $BODY" '200 {"ok":true}'
login_on_host 2
is "host 2 decides by the version of the rollback" \
    "$DECIDED" "allow 12 pol_account_login v0.4.0"
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"strict"}'
login_on_host 2
is "a rollback to the newer version is active at once" \
    "$DECIDED" "review 12 pol_account_login strict"
epoch=$(sql "select policies from assay.epoch")
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"strict"}'
is "a rollback to the active version answers 200" "$STATUS" 200
is "a rollback to the active version does not raise the epoch" \
    "$(sql "select policies from assay.epoch")" "$epoch"
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"lax"}'
is_error "a rollback to an unknown version answers 404" \
    404 POLICY_VERSION_UNKNOWN
http POST /v1/policies/pol_card_refund/rollback '{"toVersion":"strict"}'
is_error "a rollback to another policy's version answers 404" \
    404 POLICY_VERSION_UNKNOWN
for body in '{}' '{"toVersion":1}' '{"toVersion":""}' \
    '{"toVersion":"strict","id":"pol_account_login"}'; do
	http POST /v1/policies/pol_account_login/rollback "$body"
	is_error "a rollback with the body $body answers 400" \
	    400 INVALID_REQUEST
done

finish
