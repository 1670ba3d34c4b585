#!/bin/sh
# SPDX-License-Identifier: ISC
# Many logins at once leave an operator worker for other requests: a login that
# finds all password checks busy is refused at once.
. "$(dirname "$0")/lib.sh"
use load

start_stack OPERATOR_WORKERS=2
admin_token
admin=$TOKEN
good='{"email":"admin@example.com","password":"correct horse"}'

# crowd_logins N: send N logins at once and six reads.  reads are the statuses of
# the reads, refused the answers to the logins.
crowd_logins() {
	for i in $(seq "$1"); do
		post_later "login$i" /v1/auth/login "$good"
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
		await_answer "login$i"
		refused="$refused$STATUS $(json .code) $(header retry-after), "
	done
}

# With two workers one login at a time may check a password.  The lock stops the
# first login during its check.
TOKEN=
hold_lock 'lock table assay.login_failure in share row exclusive mode'
post_later first /v1/auth/login "$good"
check "the first login waits for the lock during its check" \
    stack_until 10 "$lock_pid" lock_waiters_are 1
crowd_logins 6
is "operators read while six logins arrive" "$reads" \
    "200 200 200 200 200 200 "
is "the six logins answer 503 and may try again after a second" \
    "$refused" "$(for i in 1 2 3 4 5 6; do
	printf '503 UNAVAILABLE 1, '
done)"
TOKEN=$admin
http POST /v1/auth/users '{"email":"b@example.com","password":"correct horse"}'
is_error "creating an operator answers 503 during the password check" \
    503 UNAVAILABLE
TOKEN=
release_lock
await_answer first
is "the first login succeeds after the lock" "$STATUS" 200
is "the refused logins are not counted as failures" \
    "$(sql 'select count(*) from assay.login_failure')" 0
finish
