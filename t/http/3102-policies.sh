#!/bin/sh
# SPDX-License-Identifier: ISC
# Policies over HTTP: published, felt by the next decision on every host,
# simulated, rolled back, and refused whole when anything is wrong.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
start_host 2
admin_token
api_key

# login HOST: the verdict, policy and case of a login, each by somebody new.
users=0
login() {
	users=$((users + 1))
	on "$1" POST /v1/decisions "{\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-$users\",\"deviceId\":\"d-$users\"}}"
	DECIDED=$(json '"\(.verdict) \(.score) \(.policyId) \(.policyVersion)"')
}
# publish VERSION BANDS [MEMBERS]
publish() {
	http POST /v1/policies "{\"id\":\"pol_account_login\",
	    \"version\":\"$1\",\"onError\":\"fail_closed\",\"bands\":[$2]${3-}}"
}
# band VERDICT MIN MAX [MEMBERS]
band() {
	printf '{"verdict":"%s","min":%s,"max":%s%s}' "$1" "$2" "$3" "${4-}"
}
# simulate SCORE: what it says in one line.
simulate() {
	http POST /v1/policies/pol_account_login/simulate "{\"score\":$1}"
	SIMULATED="$STATUS $BODY"
}

http GET /v1/policies
is_json "the seeds" '[.[] | "\(.eventType) \(.policy.id) \(.policy.version) \(.policy.onError)"] | join(", ")' \
    "account.login pol_account_login v0.4.0 fail_open, card.authorize pol_card_authorize v0.4.0 fail_open, card.capture pol_card_capture v0.4.0 fail_open, card.refund pol_card_refund v0.4.0 fail_open, order.place pol_order_place v0.4.0 fail_open, payment.authorize pol_payment_authorize v0.4.0 fail_open, wallet.withdraw pol_wallet_withdraw v0.4.0 fail_closed"
is_json "the bands of one" '.[4].policy.bands | map("\(.verdict) \(.min) \(.max) \(.reviewQueue)") | join(", ")' \
    "allow 0 49 null, review 50 100 risk-ops"
is_json "all the members of one" '.[0] | [keys, (.policy | keys)] | flatten |
    join(" ")' "eventType policy bands id onError version"

for n in "" 2; do
	login "$n"
	is "before, host ${n:-1}" "$DECIDED" \
	    "allow 12 pol_account_login v0.4.0"
done
publish strict "$(band allow 0 9),$(band review 10 49 ',"reviewQueue":"night"'),$(
    band review 50 59),$(band deny 60 100)"
is "a version is published" "$STATUS $BODY" \
    '200 {"ok" : true, "version" : "strict"}'
for n in 2 "" 2 "" 2 ""; do
	login "$n"
	is "the next decision, host ${n:-1}" "$DECIDED" \
	    "review 12 pol_account_login strict"
done
is "in the queue of its band" \
    "$(sql "select distinct queue from assay.review_case")" night
http GET /v1/policies
is_json "it is the one that decides" '.[0].policy |
    "\(.version) \(.onError) \(.bands[1] | tojson)"' \
    'strict fail_closed {"max":49,"min":10,"verdict":"review","reviewQueue":"night"}'
http GET /v1/policies/pol_account_login/history
is "newest first" "$STATUS $BODY" '200 ["strict", "v0.4.0"]'

# What a score would become: the band with the highest min at or below it.
while read -r score want; do
	simulate "$score"
	is "score $score" "$SIMULATED" "200 $want"
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
	simulate "$score"
	is_error "score $score" 400 INVALID_REQUEST
done
for body in '{}' '[]' '{"score":1,"bands":[]}'; do
	http POST /v1/policies/pol_account_login/simulate "$body"
	is_error "simulate $body" 400 INVALID_REQUEST
done

# Back and forth.
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"v0.4.0"}'
is "an earlier version is back" "$STATUS $BODY" '200 {"ok":true}'
login 2
is "on the other host" "$DECIDED" "allow 12 pol_account_login v0.4.0"
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"strict"}'
login 2
is "forth again" "$DECIDED" "review 12 pol_account_login strict"
epoch=$(sql "select policies from assay.epoch")
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"strict"}'
is "to where it is already" "$STATUS" 200
is "tells nobody" "$(sql "select policies from assay.epoch")" "$epoch"
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"lax"}'
is_error "to no version" 404 POLICY_VERSION_UNKNOWN
http POST /v1/policies/pol_card_refund/rollback '{"toVersion":"strict"}'
is_error "to a version of others" 404 POLICY_VERSION_UNKNOWN
for body in '{}' '{"toVersion":1}' '{"toVersion":""}' \
    '{"toVersion":"strict","id":"pol_account_login"}'; do
	http POST /v1/policies/pol_account_login/rollback "$body"
	is_error "rollback $body" 400 INVALID_REQUEST
done

# No policy of that id.
for id in pol_none account.login; do
	http GET "/v1/policies/$id/history"
	is_error "history of $id" 404 POLICY_MISSING
	http POST "/v1/policies/$id/rollback" '{"toVersion":"v0.4.0"}'
	is_error "rollback of $id" 404 POLICY_MISSING
	http POST "/v1/policies/$id/simulate" '{"score":50}'
	is_error "simulation of $id" 404 POLICY_MISSING
	http POST /v1/policies "{\"id\":\"$id\",\"version\":\"v\",
	    \"onError\":\"fail_open\",\"bands\":[$(band allow 0 100)]}"
	is_error "publishing $id" 404 POLICY_MISSING
done

# One label, one policy.
publish strict "$(band allow 0 100)"
is_error "a label is used once" 409 VERSION_EXISTS
for n in 1 2 3 4; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE/v1/policies" \
	    -d "{\"id\":\"pol_account_login\",\"version\":\"race\",
		\"onError\":\"fail_open\",\"bands\":[$(band allow 0 "4$n"),$(
		band deny "$((41 + n))" 100)]}" >"$scratch/race.$n" &
	racing="${racing-} $!"
done
# shellcheck disable=SC2086 # several
wait $racing
is "of four at once one is published" "$(cat "$scratch"/race.? | sort |
    paste -sd ' ')" "200 409 409 409"

# What is wrong, and where.  Nothing of it is kept.
before=$(sql "select count(*), max(created_at) from assay.policy")
while IFS='|' read -r bands message; do
	publish bad "$bands"
	is_error "bands $bands" 400 POLICY_INVALID
	is_json "bands $bands, where" .message "$message"
done <<END
|bands must hold 1 to 101 bands
$(band allow 0 24),$(band deny 26 100)|bands[1].min must be one above the max of the band before
$(band allow 0 24),$(band deny 24 100)|bands[1].min must be one above the max of the band before
$(band allow 1 100)|bands[0].min must be 0 in the first band
$(band allow 0 99)|bands[0].max must be 100 in the last band
$(band allow 0 101)|bands[0].max must be a number from 0 to 100
$(band allow 0 24.5),$(band deny 25.5 100)|bands[0].max must be a whole number
$(band deny 50 100),$(band allow 0 49)|bands[0].min must be 0 in the first band
$(band block 0 100)|bands[0].verdict must be allow, challenge, review or deny
$(band allow '"0"' 100)|bands[0].min must be a number from 0 to 100
$(band review 0 100 ',"queue":"x"')|bands[0].queue is an unknown field
$(band review 0 100 ',"reviewQueue":""')|bands[0].reviewQueue must be one line, not blank, of 1 to 128 bytes
{"min":0,"max":100}|bands[0].verdict is required
7|bands[0] must be an object
END
while read -r members; do
	http POST /v1/policies "{\"id\":\"pol_account_login\",
	    \"version\":\"bad\",$members}"
	is_error "publish $members" 400 POLICY_INVALID
done <<END
"onError":"allow","bands":[$(band allow 0 100)]
"onError":null,"bands":[$(band allow 0 100)]
"bands":[$(band allow 0 100)]
"onError":"fail_open"
"onError":"fail_open","bands":null
"onError":"fail_open","bands":{"verdict":"allow"}
END
while read -r members; do
	http POST /v1/policies "{\"onError\":\"fail_open\",
	    \"bands\":[$(band allow 0 100)]$members}"
	is_error "publish ...$members" 400 INVALID_REQUEST
done <<'END'
,"id":"pol_account_login"
,"version":"bad"
,"id":7,"version":"bad"
,"id":"pol_account_login","version":"bad label"
,"id":"pol_account_login","version":null
,"id":"pol_account_login","version":"bad","active":true
END
http POST /v1/policies '[]'
is_error "no object" 400 INVALID_REQUEST
http POST /v1/policies '{"id":'
is_error "no JSON" 400 INVALID_JSON
is "none of it was kept" \
    "$(sql "select count(*), max(created_at) from assay.policy")" "$before"

# Who may.
http POST /v1/auth/users '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http GET /v1/policies
is "an analyst sees policies" "$STATUS" 200
http GET /v1/policies/pol_account_login/history
is "and their history" "$STATUS" 200
simulate 50
is "and what they say" "$STATUS" 200
publish ana "$(band allow 0 100)"
is_error "but publishes none" 403 FORBIDDEN
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"strict"}'
is_error "and rolls nothing back" 403 FORBIDDEN
TOKEN=
http GET /v1/policies
is_error "a stranger sees nothing" 401 UNAUTHENTICATED
is "what changed nothing is not in the trail" "$(sql "select count(*)
    from assay.audit where action like '%simulate'")" 0
is "what was refused is" "$(sql "select count(*) from assay.audit
    where action = 'POST /v1/policies' and status = 403")" 1
finish
