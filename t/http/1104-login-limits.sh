#!/bin/sh
# SPDX-License-Identifier: ISC
# Guessing: what fails makes an account wait, for the address it failed from,
# on every host; and the budget of logins is that of the client behind proxies.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_database
start_pool OPERATOR_WORKERS=4 TRUST_PROXY=1
start_nginx TRUST_PROXY=1
wait_ready
start_host 2 TRUST_PROXY=1
admin_token
TOKEN=

# login FROM EMAIL PASSWORD, by way of a proxy.
login() {
	http POST /v1/auth/login "{\"email\":\"$2\",\"password\":\"$3\"}" \
	    -H "X-Forwarded-For: $1"
}
# The rows of the table, and one that has failed N times and may try again.
failures() {
	sql 'select failures, refused_until > now() from assay.login_failure
	    order by 1' | tr '\n' ' '
}
failed() {
	sql "update assay.login_failure set failures = $1,
	    refused_until = now() - interval '1 s'"
}

for try in 1 2 3 4; do
	login 192.0.2.1 admin@example.com "wrong horse $try"
	is_error "guess $try" 401 INVALID_CREDENTIALS
done
is "four are counted, and wait for nothing" "$(failures)" "4|f "
failed 9
login 192.0.2.1 ADMIN@example.com 'wrong horse'
wrong=$BODY
is_error "the tenth" 401 INVALID_CREDENTIALS
is "makes the account wait" "$(failures)" "10|t "
login 192.0.2.1 admin@example.com 'correct horse'
refused=$BODY
is_error "also with the right password" 429 RATE_LIMITED
check "until a time" test "$(header retry-after)" -ge 1 \
    -a "$(header retry-after)" -le 32
is "which trying does not move" "$(failures)" "10|t "
host=2
login 192.0.2.1 admin@example.com 'correct horse'
host=
is_error "on the other host too" 429 RATE_LIMITED
login 192.0.2.2 admin@example.com 'correct horse'
is "but from another address its owner comes in" "$STATUS" 200
login 192.0.2.1 nobody@example.com 'correct horse'
is "and another account waits for nothing" "$STATUS $BODY" "401 $wrong"
is "two pairs are kept, no email and no address" "$(sql "select count(*),
    bool_or(l::text like any (array['%example%', '%192.0.2%']))
    from assay.login_failure l")" "2|f"

# What is no account is answered in the same way.
sql 'delete from assay.login_failure'
login 192.0.2.1 nobody@example.com x
failed 9
login 192.0.2.1 nobody@example.com x
is "an account that is none fails alike" "$STATUS $BODY" "401 $wrong"
login 192.0.2.1 nobody@example.com x
is "and waits alike" "$STATUS $BODY" "429 $refused"
check "until a time" test "$(header retry-after)" -ge 1

# The time over, the right password forgives all.
sql 'delete from assay.login_failure'
login 192.0.2.1 admin@example.com 'wrong horse'
failed 30
login 192.0.2.1 admin@example.com 'correct horse'
is "afterwards the right password opens" "$STATUS" 200
is "and nothing is held against the account" "$(failures)" ""
login 192.0.2.1 admin@example.com ''
is_error "what is no login" 400 INVALID_REQUEST
is "is not counted" "$(failures)" ""

# An IPv6 client is its network.
login 2001:db8::1 admin@example.com 'wrong horse'
failed 9
login 2001:db8::2 admin@example.com 'wrong horse'
is "a neighbour adds to it" "$STATUS $(failures)" "401 10|t "

# Of guesses at once no more get through than of those in a row: three that
# found that nobody waits, and now count one after the other.
failed 9
cluster_psql postgres assay -c 'begin' -c 'select from assay.login_failure
    for update' -c 'select pg_sleep(20)' >/dev/null 2>&1 &
holder=$!
# shellcheck disable=SC2317 # called by name
waiting() {
	[ "$(sql "select count(*) from pg_stat_activity where $1")" = "$2" ]
}
stack_until 10 "$holder" waiting "query like '%pg_sleep(20)'" 1
for i in 1 2 3; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" "$BASE/v1/auth/login" \
	    -H 'Content-Type: application/json' \
	    -H 'X-Forwarded-For: 2001:db8::3' \
	    -d '{"email":"admin@example.com","password":"wrong horse"}' \
	    >"$scratch/status.$i" &
	racers="${racers-} $!"
done
check "three come together" stack_until 10 "$holder" \
    waiting "query like '%login_try%' and wait_event_type = 'Lock'" 3
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where query like '%pg_sleep(20)'" >/dev/null
# shellcheck disable=SC2086 # pids
wait $racers $holder
is "and one of them is looked at" \
    "$(sort "$scratch"/status.* | tr '\n' ' ')$(failures)" "401 429 429 10|t "

# The budget of logins is that of the client that the trusted proxy saw.  Not
# across the end of a minute.
stop_pool
start_pool RATE_LIMIT_LOGIN_PER_MIN=2 TRUST_PROXY=2
wait_ready
second=$(date +%-S)
[ "$second" -lt 45 ] || sleep $((61 - second))
# try HOPS: a login that fails for its contents.
try() {
	http POST /v1/auth/login '{}' -H "X-Forwarded-For: $1"
}
try '192.0.2.1, 10.0.0.1'
is_error "a first try" 400 INVALID_REQUEST
try '198.51.100.1, 192.0.2.1, 10.0.0.2'
is_error "a second, whatever the client claims" 400 INVALID_REQUEST
try '192.0.2.1, 10.0.0.1'
is_error "a third is too many" 429 RATE_LIMITED
try '198.51.100.2,192.0.2.1,10.0.0.1'
is_error "whatever the client claims" 429 RATE_LIMITED
try '192.0.2.2, 10.0.0.1'
is_error "another client has its own" 400 INVALID_REQUEST
http POST /v1/auth/register '{}' -H "X-Forwarded-For: 192.0.2.1, 10.0.0.1"
is_error "registrations take of the same" 429 RATE_LIMITED
stop_pool
start_pool RATE_LIMIT_LOGIN_PER_MIN=2
wait_ready
try 192.0.2.1
is_error "without proxies that are believed" 400 INVALID_REQUEST
try 192.0.2.2
is_error "the header says nothing" 400 INVALID_REQUEST
try 192.0.2.3
is_error "and all is one client" 429 RATE_LIMITED
finish
