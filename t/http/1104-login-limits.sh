#!/bin/sh
# SPDX-License-Identifier: ISC
# Failed logins delay the account for the address they come from, on every host.
. "$(dirname "$0")/lib.sh"

start_database
start_pool OPERATOR_WORKERS=4 TRUST_PROXY=1
start_nginx TRUST_PROXY=1
wait_ready
start_host 2 TRUST_PROXY=1
admin_token
TOKEN=

# login_failures: print "COUNT|DELAYED" for each account and address.
login_failures() {
	sql 'select failures, refused_until > now() from assay.login_failure
	    order by 1' | tr '\n' ' '
}
# set_failures COUNT: set the failures of every account to COUNT, and end its delay.
set_failures() {
	sql "update assay.login_failure set failures = $1,
	    refused_until = now() - interval '1 s'"
}

for try in 1 2 3 4; do
	log_in_from 192.0.2.1 admin@example.com "wrong horse $try"
	is_error "failed login $try answers 401" 401 INVALID_CREDENTIALS
done
is "four failed logins are counted without a delay" "$(login_failures)" "4|f "
set_failures 9
log_in_from 192.0.2.1 ADMIN@example.com 'wrong horse'
wrong=$BODY
is_error "the tenth failed login answers 401" 401 INVALID_CREDENTIALS
is "the tenth failed login delays the account" "$(login_failures)" "10|t "
log_in_from 192.0.2.1 admin@example.com 'correct horse'
refused=$BODY
is_error "during the delay the right password answers 429" 429 RATE_LIMITED
check "a delayed login says when to try again" \
    test "$(header retry-after)" -ge 1 \
    -a "$(header retry-after)" -le 32
is "a login during the delay does not extend it" "$(login_failures)" "10|t "
host=2
log_in_from 192.0.2.1 admin@example.com 'correct horse'
host=
is_error "the delay applies on the other host" 429 RATE_LIMITED
log_in_from 192.0.2.2 admin@example.com 'correct horse'
is "the right password works from another address" "$STATUS" 200
log_in_from 192.0.2.1 nobody@example.com 'correct horse'
is "another account is not delayed" "$STATUS $BODY" "401 $wrong"
is "a failure is stored without email and address" "$(sql "select count(*),
    bool_or(l::text like any (array['%example%', '%192.0.2%']))
    from assay.login_failure l")" "2|f"

# An unknown account gets the same answers.
sql 'delete from assay.login_failure'
log_in_from 192.0.2.1 nobody@example.com x
set_failures 9
log_in_from 192.0.2.1 nobody@example.com x
is "the tenth failed login of an unknown account answers 401" \
    "$STATUS $BODY" "401 $wrong"
log_in_from 192.0.2.1 nobody@example.com x
is "an unknown account is delayed like a known one" \
    "$STATUS $BODY" "429 $refused"
check "a delayed unknown account says when to try again" \
    test "$(header retry-after)" -ge 1

# After the delay the right password resets the count.
sql 'delete from assay.login_failure'
log_in_from 192.0.2.1 admin@example.com 'wrong horse'
set_failures 30
log_in_from 192.0.2.1 admin@example.com 'correct horse'
is "after the delay the right password opens a session" "$STATUS" 200
is "a successful login resets the failures" "$(login_failures)" ""
log_in_from 192.0.2.1 admin@example.com ''
is_error "a login with an empty password answers 400" 400 INVALID_REQUEST
is "a login with an empty password is not counted" "$(login_failures)" ""

# IPv6 clients of one network count together.
log_in_from 2001:db8::1 admin@example.com 'wrong horse'
set_failures 9
log_in_from 2001:db8::2 admin@example.com 'wrong horse'
is "failures of one IPv6 network count together" \
    "$STATUS $(login_failures)" "401 10|t "

# Parallel guesses get no more tries than guesses in a row.  Three guesses that
# start without a delay are counted one after the other.
set_failures 9
cluster_psql postgres assay -c 'begin' -c 'select from assay.login_failure
    for update' -c 'select pg_sleep(20)' >/dev/null 2>&1 &
holder=$!
# activity_is WHERE COUNT: that many sessions of PostgreSQL match.
# shellcheck disable=SC2317 # called by name
activity_is() {
	[ "$(sql "select count(*) from pg_stat_activity where $1")" = "$2" ]
}
stack_until 10 "$holder" activity_is "query like '%pg_sleep(20)'" 1
for i in 1 2 3; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" "$BASE/v1/auth/login" \
	    -H 'Content-Type: application/json' \
	    -H 'X-Forwarded-For: 2001:db8::3' \
	    -d '{"email":"admin@example.com","password":"wrong horse"}' \
	    >"$scratch/status.$i" &
	racers="${racers-} $!"
done
check "three failed logins wait for the same count" stack_until 10 "$holder" \
    activity_is "query like '%login_try%' and wait_event_type = 'Lock'" 3
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where query like '%pg_sleep(20)'" >/dev/null
# shellcheck disable=SC2086 # pids
wait $racers $holder
is "one of three parallel guesses is tried, the others answer 429" \
    "$(sort "$scratch"/status.* | tr '\n' ' ')$(login_failures)" "401 429 429 10|t "
finish
