#!/bin/sh
# SPDX-License-Identifier: ISC
# Many logins at once leave an operator worker to everybody else: who finds no
# turn at checking a password is sent away at once, and waits in no worker.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"

start_stack OPERATOR_WORKERS=2
admin_token
admin=$TOKEN
good='{"email":"admin@example.com","password":"correct horse"}'

# crowd N: so many logins at once while others have all turns, and what six
# reads beside them are answered.
crowd() {
	for i in $(seq "$1"); do
		later "login$i" /v1/auth/login "$good"
	done
	TOKEN=$admin
	reads=
	for i in 1 2 3 4 5 6; do
		http GET /v1/rules
		reads="$reads$STATUS "
	done
	TOKEN=
	refused=
	for i in $(seq "$1"); do
		now "login$i"
		refused="$refused$STATUS $(json .code) $(header retry-after), "
	done
}

# Two workers: one may check passwords.  The lock keeps it in the middle of a
# login, and so does who has a turn hold it.
TOKEN=
hold 'lock table assay.login_failure in share row exclusive mode'
later first /v1/auth/login "$good"
check "a login has the turn" stack_until 10 "$hold_pid" waits_are 1
crowd 6
is "reads of operators go on beside six logins" "$reads" \
    "200 200 200 200 200 200 "
is "the six may come back" "$refused" "$(for i in 1 2 3 4 5 6; do
	printf '503 UNAVAILABLE 1, '
done)"
TOKEN=$admin
http POST /v1/auth/users '{"email":"b@example.com","password":"correct horse"}'
is_error "a new operator's password has no turn either" 503 UNAVAILABLE
TOKEN=
release
now first
is "the first login succeeds" "$STATUS" 200
is "and nothing is held against the account" \
    "$(sql 'select count(*) from assay.login_failure')" 0
finish
