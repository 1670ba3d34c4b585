# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of redecisions share.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# begin_redecision [MEMBERS]: ask for one of the last hour, unless MEMBERS say "since".
begin_redecision() {
	http POST /v1/redecisions "{\"since\":\"1h\"${1:+,$1}}"
	redecision=$(json .id)
}

# redecide [MEMBERS]: the same, and the companion does it; the answer is its result.
redecide() {
	begin_redecision "${1:-}"
	cron redecide
	http GET "/v1/redecisions/$redecision"
}

# found: of the result its state, and how many decisions are of each kind.
found() {
	json '.redecision | "\(.state): \(.decisions) decided, \(.moreSevere) more, \(.lessSevere) less severe, \(.acted) acted, \(.cases) cases"'
}

# changes: a line for each decision with another verdict, newest first.
changes() {
	http GET "/v1/redecisions/$redecision/changes"
	json '.[] | "\(.eventId) \(.from) \(.to) \(.toScore) \(.reasons | map(.tag) | join("+"))\(if .caseId then " case" else "" end)"'
}

# block DEVICE [KIND]: put a device on a list.
block() {
	http POST /v1/lists "{\"kind\":\"${2:-block}\",\"subject\":\"device\",
	    \"value\":\"$1\",\"reason\":\"stolen\"}"
}
