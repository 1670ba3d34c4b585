# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Two admins and an analyst for the scenarios of proposals.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# two_admins: TOKEN and $ann are those of the first admin, $bob of the second,
# $eve of an analyst.
two_admins() {
	admin_token
	ann=$TOKEN
	make_operator bob@example.com admin
	bob=$made
	make_operator eve@example.com analyst
	eve=$made
}

# make_operator EMAIL ROLE: add one; $made is a token.
make_operator() {
	TOKEN=$ann
	http POST /v1/auth/users \
	    "{\"email\":\"$1\",\"password\":\"correct horse\",\"role\":\"$2\"}"
	TOKEN=
	http POST /v1/auth/login \
	    "{\"email\":\"$1\",\"password\":\"correct horse\"}"
	made=$(json .token)
	TOKEN=$ann
}

# as TOKEN METHOD PATH [BODY]: send a request for an operator.
as() {
	TOKEN=$1
	shift
	http "$@"
	TOKEN=$ann
}

# propose TOKEN ACTION BODY: $id is the proposal.  Without BODY it has none.
propose() {
	as "$1" POST /v1/proposals "{\"action\":\"$2\",\"reason\":\"ticket 7\"${3:+,\"body\":$3}}"
	id=$(json .id)
}

# approve TOKEN: approve the proposal $id.
approve() { as "$1" POST "/v1/proposals/$id/approve" '{}'; }

# status_of ID: the status of a proposal.
status_of() {
	as "$ann" GET "/v1/proposals/$1"
	json .status
}
