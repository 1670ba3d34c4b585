#!/bin/sh
# SPDX-License-Identifier: ISC
# Guessing the code of a second factor is as slow as guessing a password, and of
# requests at once only one uses a code.
. "$(dirname "$0")/lib.sh"
use load lock second_factor

# failures: the failed logins that count at this address.
failures() {
	sql "select coalesce(max(failures), 0) from assay.login_failure"
}
# send_twice WHAT TABLE PATH BODY [curl option ...]: send a request twice at
# once, while the rows of the table are locked; statuses are the answers.
send_twice() {
	twice=$1
	hold_lock "select from assay.$2 for update"
	shift 2
	KEY=
	post_later one "$@"
	post_later two "$@"
	check "both requests wait for the row: $twice" \
	    stack_until 10 "$lock_pid" lock_waiters_are 2
	release_lock
	for answer in one two; do
		await_answer "$answer"
		echo "$STATUS $(json '.code // "done"')"
	done >"$scratch/statuses"
	statuses=$(LC_ALL=C sort "$scratch/statuses" | paste -sd ,)
}
# login_body CODE
login_body() {
	printf '{"email":"admin@example.com","password":"correct horse",
	    "code":"%s"}' "$1"
}

start_stack OPERATOR_WORKERS=3
admin_token
enrol
bearer=$TOKEN
is "a right code of a session does not count as a failed login" "$(failures)" 0

# The right password alone does not clear the failures.
for n in 1 2; do
	log_in_with admin@example.com 'correct horse' "$(wrong_code "$secret")"
	is_error "guess $n of a code answers 403" 403 CODE_WRONG
	log_in admin@example.com 'correct horse'
done
is_error "after two guesses the right password still asks for a code" \
    403 CODE_REQUIRED
is "a right password without a code neither counts nor clears guesses" \
    "$(failures)" 2
sql "update assay.login_failure set failures = 9,
    refused_until = now() - interval '1 s'"
log_in_with admin@example.com 'correct horse' "$(wrong_code "$secret")"
is_error "the tenth failure is a guess" 403 CODE_WRONG
log_in_with admin@example.com 'correct horse' "$(code_of "$secret")"
is_error "after ten failures even a right code must wait" 429 RATE_LIMITED
check "the refusal says how long" test "$(header retry-after)" -ge 1
sql "update assay.login_failure set refused_until = now() - interval '1 s'"
log_in_with admin@example.com 'correct horse' "$(code_of "$secret")"
is "the refused login did not use the code up" "$STATUS" 200
is "a login with a code clears the failures" "$(failures)" 0
is "the trail has the first guess as a failed login" \
    "$(sql "select count(*) from assay.audit where action =
    'POST /v1/auth/login' and status = 401 and role = 'none'")" 1
is "the log has each guess" \
    "$(grep -c 'event=login_refused' "$scratch/log/pool.log")" 3
is "the trail has each right password without a code" \
    "$(sql "select count(*) from assay.audit where action =
    'POST /v1/auth/login' and status = 403 and actor = 'admin@example.com'")" 2
is "the log has each right password without a code" \
    "$(grep -c 'event=login_code_required account=.* client=' \
    "$scratch/log/pool.log")" 2

# Guesses of an open session.
TOKEN=$bearer
for path in disable enable; do
	next_codes
	sql 'delete from assay.login_failure'
	[ "$path" = disable ] || sql 'delete from assay.second_factor'
	[ "$path" = disable ] || http POST /v1/auth/second-factor
	http POST "/v1/auth/second-factor/$path" '{"code":"1234567"}'
	sql "update assay.login_failure set failures = 9,
	    refused_until = now() - interval '1 s'"
	http POST "/v1/auth/second-factor/$path" '{"code":"1234567"}'
	is_error "the tenth guess answers 403: $path" 403 CODE_WRONG
	http POST "/v1/auth/second-factor/$path" '{"code":"1234567"}'
	is_error "the eleventh guess must wait: $path" 429 RATE_LIMITED
done
sql 'delete from assay.login_failure; delete from assay.second_factor'

# Requests at once.
http POST /v1/auth/second-factor
secret=$(json .secret)
send_twice enable second_factor /v1/auth/second-factor/enable \
    "{\"code\":\"$(code_of "$secret")\"}" -H "Authorization: Bearer $bearer"
is "of two that enable one key at once one succeeds" "$statuses" \
    "200 done,409 SECOND_FACTOR_EXISTS"
is "there are the recovery codes of one of them" \
    "$(sql 'select count(*) from assay.recovery_code')" 10
sql 'delete from assay.login_failure; delete from assay.second_factor'
log_in admin@example.com 'correct horse'
TOKEN=$(json .token)
http POST /v1/auth/second-factor
secret=$(json .secret)
hold_lock "select from assay.second_factor for update"
post_later late /v1/auth/second-factor/enable \
    "{\"code\":\"$(code_of "$secret")\"}" -H "Authorization: Bearer $TOKEN"
check "the request that enables a key waits for its row" \
    stack_until 10 "$lock_pid" lock_waiters_are 1
http POST /v1/auth/logout
release_lock
await_answer late
is_error "a logout meanwhile is not undone by the new session" \
    401 UNAUTHENTICATED
is "after the logout the key is not enabled" \
    "$(sql 'select count(enabled_at) from assay.second_factor')" 0
log_in admin@example.com 'correct horse'
TOKEN=$(json .token)
enrol
TOKEN=
send_twice login second_factor /v1/auth/login \
    "$(login_body "$(code_of "$secret")")"
is "of two logins at once with one code one succeeds" "$statuses" \
    "200 done,403 CODE_WRONG"
send_twice recovery recovery_code /v1/auth/login "$(login_body "$recovery")"
is "of two logins at once with one recovery code one succeeds" \
    "$statuses" "200 done,403 CODE_WRONG"
finish
