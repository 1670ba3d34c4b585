# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Policies of account.login.  Sourced after lib.sh.

# publish_policy VERSION BANDS [MEMBERS]: publish a policy with these bands.
publish_policy() {
	http POST /v1/policies "{\"id\":\"pol_account_login\",
	    \"version\":\"$1\",\"onError\":\"fail_closed\",\"bands\":[$2]${3-}}"
}

# policy_band VERDICT MIN MAX [MEMBERS]: a band of a policy.
policy_band() {
	printf '{"verdict":"%s","min":%s,"max":%s%s}' "$1" "$2" "$3" "${4-}"
}

# simulate_score SCORE: SIMULATED is the status and the body of the answer.
# shellcheck disable=SC2034 # the scenarios read it
simulate_score() {
	http POST /v1/policies/pol_account_login/simulate "{\"score\":$1}"
	SIMULATED="$STATUS $BODY"
}
