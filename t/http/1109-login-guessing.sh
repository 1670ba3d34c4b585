#!/bin/sh
# SPDX-License-Identifier: ISC
# Guesses at one account from many addresses: after 50 failures the account is
# delayed, except at addresses from which it has logged in.
. "$(dirname "$0")/lib.sh"

start_database
start_pool TRUST_PROXY=1
start_nginx TRUST_PROXY=1
wait_ready
start_host 2 TRUST_PROXY=1
admin_token
TOKEN=

# set_failures COUNT: every account has failed that often, and its delay has ended.
set_failures() {
	sql "update assay.login_account set failures = $1,
	    refused_until = now() - interval '1 s'"
}
# guessing_reports: how many the log has, and how many the metric.
guessing_reports() {
	echo "$(grep -c 'event=login_guessing' "$scratch/log/pool.log") $(metric \
	    engine_login_guessing_total)"
}

log_in_from 192.0.2.1 admin@example.com 'correct horse'
is "the owner logs in from a first address" "$STATUS" 200
is "a login makes its address known and counts no failure" \
    "$(sql 'select (select count(*) from assay.login_address),
    (select sum(failures) from assay.login_account)')" "1|0"
for i in 1 2 3; do
	log_in_from "198.51.100.$i" admin@example.com "wrong horse $i"
	is_error "guess $i from a new address answers 401" \
	    401 INVALID_CREDENTIALS
done
is "guesses from different addresses count together" \
    "$(sql 'select failures from assay.login_account')" 3
log_in_from 192.0.2.1 admin@example.com 'wrong horse'
is_error "a wrong password from a known address answers 401" \
    401 INVALID_CREDENTIALS
is "a wrong password from a known address is not counted" \
    "$(sql 'select failures from assay.login_account')" 3
set_failures 48
log_in_from 198.51.100.4 admin@example.com 'wrong horse'
is_error "guess 49 at the account answers 401" 401 INVALID_CREDENTIALS
is "49 guesses are not reported" "$(guessing_reports)" "0 0"
log_in_from 198.51.100.5 admin@example.com 'wrong horse'
wrong=$BODY
is_error "guess 50 at the account answers 401" 401 INVALID_CREDENTIALS
is "guess 50 is logged and counted" "$(guessing_reports)" "1 1"
set_failures 60
log_in_from 198.51.100.6 admin@example.com 'wrong horse'
is_error "guess 61 at the account answers 401" 401 INVALID_CREDENTIALS
is "guesses after the fiftieth are not reported again" \
    "$(guessing_reports)" "1 1"
log_in_from 198.51.100.7 admin@example.com 'correct horse'
is_error "at an unknown address the right password answers 429" \
    429 RATE_LIMITED
check "the delayed login says when to try again" \
    test "$(header retry-after)" -ge 60 \
    -a "$(header retry-after)" -le 900
refused=$BODY
host=2
log_in_from 198.51.100.8 admin@example.com 'correct horse'
host=
is_error "the delay of guessing applies on the other host" 429 RATE_LIMITED
is "a login during the delay is not counted" \
    "$(sql 'select failures from assay.login_account')" 61
log_in_from 192.0.2.1 admin@example.com 'correct horse'
is "the owner logs in from a known address during the delay" "$STATUS" 200
log_in_from 198.51.100.7 nobody@example.com 'wrong horse'
is "another account is not delayed" "$STATUS $BODY" "401 $wrong"

# An unknown account gets the same answers.
set_failures 60
log_in_from 198.51.100.9 nobody@example.com 'wrong horse'
is "a guess at an unknown account gets the same answer" \
    "$STATUS $BODY" "401 $wrong"
log_in_from 198.51.100.10 nobody@example.com 'wrong horse'
is "an unknown account is delayed like a known one" \
    "$STATUS $BODY" "429 $refused"

# After the delay the owner logs in from a new address, which is then known.
set_failures 60
log_in_from 203.0.113.1 admin@example.com 'correct horse'
is "after the delay the owner logs in from a new address" "$STATUS" 200
sql "update assay.login_account set refused_until = now() + interval '10 min'"
log_in_from 203.0.113.1 admin@example.com 'correct horse'
is "the new address is known after the login" "$STATUS" 200
is "neither email nor address is stored" "$(sql "select bool_or(t like any
    (array['%example%', '%192.0.2%', '%203.0.113%'])) from (
    select l::text from assay.login_account l union all
    select l::text from assay.login_address l) as x(t)")" f
finish
