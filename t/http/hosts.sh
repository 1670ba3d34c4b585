# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Two hosts at one database, users that no event had before, and an analyst.
# Sourced after lib.sh.
# shellcheck disable=SC2034 # ADMIN is for the scenarios

# The stack and host 2, an administrator in TOKEN and an API key in KEY.
start_two_hosts() {
	start_stack
	start_host 2
	admin_token
	api_key
}

# decide_new HOST MEMBERS [SUBJECT]: that host decides an event with these
# members, and these of its subject, of a user that it has not seen.
new_users=0
decide_new() {
	new_users=$((new_users + 1))
	on "$1" POST /v1/decisions \
	    "{$2,\"subject\":{\"userId\":\"u-$new_users\"${3:+,$3}}}"
}

# Log an analyst in: TOKEN is the analyst's, ADMIN the administrator's.
analyst_token() {
	http POST /v1/auth/users \
	    '{"email":"ana@example.com","password":"correct horse"}'
	ADMIN=$TOKEN
	TOKEN=
	http POST /v1/auth/login \
	    '{"email":"ana@example.com","password":"correct horse"}'
	TOKEN=$(json .token)
}
