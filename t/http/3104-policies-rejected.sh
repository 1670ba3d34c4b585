#!/bin/sh
# SPDX-License-Identifier: ISC
# Policies and rollbacks that are rejected, with the place of the fault, and
# callers who may not publish.
. "$(dirname "$0")/lib.sh"
use hosts policies

start_stack
admin_token

# A faulty policy is rejected as a whole, with the place of the fault.
before=$(sql "select count(*), max(created_at) from assay.policy")
while IFS='|' read -r bands message; do
	publish_policy bad "$bands"
	is_error "publishing the bands $bands answers 400" 400 POLICY_INVALID
	is_json "the message for the bands $bands names the fault" \
	    .message "$message"
done <<END
|bands must hold 1 to 101 bands
$(policy_band allow 0 24),$(policy_band deny 26 100)|bands[1].min must be one above the max of the band before
$(policy_band allow 0 24),$(policy_band deny 24 100)|bands[1].min must be one above the max of the band before
$(policy_band allow 1 100)|bands[0].min must be 0 in the first band
$(policy_band allow 0 99)|bands[0].max must be 100 in the last band
$(policy_band allow 0 101)|bands[0].max must be a number from 0 to 100
$(policy_band allow 0 24.5),$(policy_band deny 25.5 100)|bands[0].max must be a whole number
$(policy_band deny 50 100),$(policy_band allow 0 49)|bands[0].min must be 0 in the first band
$(policy_band block 0 100)|bands[0].verdict must be allow, challenge, review or deny
$(policy_band allow '"0"' 100)|bands[0].min must be a number from 0 to 100
$(policy_band review 0 100 ',"queue":"x"')|bands[0].queue is an unknown field
$(policy_band review 0 100 ',"reviewQueue":""')|bands[0].reviewQueue must be one line, not blank, of 1 to 128 bytes
{"min":0,"max":100}|bands[0].verdict is required
7|bands[0] must be an object
END
while read -r members; do
	http POST /v1/policies "{\"id\":\"pol_account_login\",
	    \"version\":\"bad\",$members}"
	is_error "publishing a policy with $members answers 400" \
	    400 POLICY_INVALID
done <<END
"onError":"allow","bands":[$(policy_band allow 0 100)]
"onError":null,"bands":[$(policy_band allow 0 100)]
"bands":[$(policy_band allow 0 100)]
"onError":"fail_open"
"onError":"fail_open","bands":null
"onError":"fail_open","bands":{"verdict":"allow"}
END
while read -r members; do
	http POST /v1/policies "{\"onError\":\"fail_open\",
	    \"bands\":[$(policy_band allow 0 100)]$members}"
	is_error "publishing a policy with ...$members answers 400" \
	    400 INVALID_REQUEST
done <<'END'
,"id":"pol_account_login"
,"version":"bad"
,"id":7,"version":"bad"
,"id":"pol_account_login","version":"bad label"
,"id":"pol_account_login","version":null
,"id":"pol_account_login","version":"bad","active":true
END
http POST /v1/policies '[]'
is_error "publishing an array answers 400" 400 INVALID_REQUEST
http POST /v1/policies '{"id":'
is_error "publishing half a JSON body answers 400" 400 INVALID_JSON
is "a rejected policy is not stored" \
    "$(sql "select count(*), max(created_at) from assay.policy")" "$before"

# A policy of an event type exists from the start; no other can be made.
for id in pol_none account.login; do
	http GET "/v1/policies/$id/history"
	is_error "the history of the unknown policy $id answers 404" \
	    404 POLICY_MISSING
	http POST "/v1/policies/$id/rollback" '{"toVersion":"v0.4.0"}'
	is_error "a rollback of the unknown policy $id answers 404" \
	    404 POLICY_MISSING
	http POST "/v1/policies/$id/simulate" '{"score":50}'
	is_error "a simulation of the unknown policy $id answers 404" \
	    404 POLICY_MISSING
	http POST /v1/policies "{\"id\":\"$id\",\"version\":\"v\",
	    \"onError\":\"fail_open\",\"bands\":[$(policy_band allow 0 100)]}"
	is_error "publishing the unknown policy $id answers 404" \
	    404 POLICY_MISSING
done

# A version names one policy of an id.
publish_policy strict "$(policy_band allow 0 100)"
is "a new version of a policy is published" "$STATUS" 200
publish_policy strict "$(policy_band allow 0 100)"
is_error "a version that exists answers 409" 409 VERSION_EXISTS
for n in 1 2 3 4; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE/v1/policies" \
	    -d "{\"id\":\"pol_account_login\",\"version\":\"race\",
		\"onError\":\"fail_open\",\"bands\":[$(policy_band allow 0 "4$n"),$(
		policy_band deny "$((41 + n))" 100)]}" >"$scratch/race.$n" &
	racing="${racing-} $!"
done
# shellcheck disable=SC2086 # several
wait $racing
is "of four publications of one version one succeeds" \
    "$(cat "$scratch"/race.? | sort |
    paste -sd ' ')" "200 409 409 409"

# Analysts read and do not write; a request without a token does neither.
analyst_token
http GET /v1/policies
is "an analyst reads the policies" "$STATUS" 200
http GET /v1/policies/pol_account_login/history
is "an analyst reads the history of a policy" "$STATUS" 200
simulate_score 50
is "an analyst can simulate a score" "$STATUS" 200
publish_policy ana "$(policy_band allow 0 100)"
is_error "an analyst cannot publish a policy" 403 FORBIDDEN
http POST /v1/policies/pol_account_login/rollback '{"toVersion":"strict"}'
is_error "an analyst cannot roll a policy back" 403 FORBIDDEN
TOKEN=
http GET /v1/policies
is_error "without a token GET /v1/policies answers 401" 401 UNAUTHENTICATED
is "a simulation is not in the audit trail" "$(sql "select count(*)
    from assay.audit where action like '%simulate'")" 0
is "a refused publication is in the audit trail" \
    "$(sql "select count(*) from assay.audit
    where action = 'POST /v1/policies' and status = 403")" 1
finish
