# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What scenarios about the operators' accounts share.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # TOKEN is of lib.sh, admin of the scenario

# change_operator EMAIL BODY: with the token in admin.
change_operator() {
	TOKEN=$admin
	http PATCH "/v1/auth/users/$1" "$2"
}
# token_statuses TOKEN: what a read with it is answered on both hosts.
token_statuses() {
	TOKEN=$1
	for token_host in "" 2 "" 2; do
		on "$token_host" GET /v1/rules
		printf '%s ' "$STATUS"
	done
}
# change_password OLD NEW: of the session's operator.
change_password() {
	http POST /v1/auth/password \
	    "{\"password\":\"$1\",\"newPassword\":\"$2\"}"
}
