#!/bin/sh
# SPDX-License-Identifier: ISC
# Guessing at one account from many addresses: after 50 failures it waits, but
# for those addresses only from which it has not logged in.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_database
start_pool TRUST_PROXY=1
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
# failed N: so many logins of each account have failed, from elsewhere.
failed() {
	sql "update assay.login_account set failures = $1,
	    refused_until = now() - interval '1 s'"
}
warnings() { grep -c 'event=login_guessing' "$scratch/log/pool.log"; }
guessing() {
	http GET /metrics
	printf '%s' "$BODY" | sed -n 's/^engine_login_guessing_total //p'
}

login 192.0.2.1 admin@example.com 'correct horse'
is "the owner logs in" "$STATUS" 200
is "the address is known from then on, and no failure is counted" \
    "$(sql 'select (select count(*) from assay.login_known),
    (select sum(failures) from assay.login_account)')" "1|0"
for i in 1 2 3; do
	login "198.51.100.$i" admin@example.com "wrong horse $i"
	is_error "guess $i, from another address each" 401 INVALID_CREDENTIALS
done
is "all are counted for the account" \
    "$(sql 'select failures from assay.login_account')" 3
login 192.0.2.1 admin@example.com 'wrong horse'
is_error "what the owner mistypes at a known address" 401 INVALID_CREDENTIALS
is "is not" "$(sql 'select failures from assay.login_account')" 3
failed 48
login 198.51.100.4 admin@example.com 'wrong horse'
is_error "the 49th" 401 INVALID_CREDENTIALS
is "is told to nobody" "$(warnings) $(guessing)" "0 0"
login 198.51.100.5 admin@example.com 'wrong horse'
wrong=$BODY
is_error "the 50th" 401 INVALID_CREDENTIALS
is "is logged and counted" "$(warnings) $(guessing)" "1 1"
failed 60
login 198.51.100.6 admin@example.com 'wrong horse'
is_error "later ones" 401 INVALID_CREDENTIALS
is "are not, again" "$(warnings) $(guessing)" "1 1"
login 198.51.100.7 admin@example.com 'correct horse'
is_error "the account waits at addresses that it does not know" \
    429 RATE_LIMITED
check "until a time" test "$(header retry-after)" -ge 60 \
    -a "$(header retry-after)" -le 900
refused=$BODY
host=2
login 198.51.100.8 admin@example.com 'correct horse'
host=
is_error "on the other host too" 429 RATE_LIMITED
is "what waits is not counted" \
    "$(sql 'select failures from assay.login_account')" 61
login 192.0.2.1 admin@example.com 'correct horse'
is "where it is known its owner comes in" "$STATUS" 200
login 198.51.100.7 nobody@example.com 'wrong horse'
is "another account waits for nothing" "$STATUS $BODY" "401 $wrong"

# What is no account waits alike.
failed 60
login 198.51.100.9 nobody@example.com 'wrong horse'
is "what is no account fails alike" "$STATUS $BODY" "401 $wrong"
login 198.51.100.10 nobody@example.com 'wrong horse'
is "and waits alike" "$STATUS $BODY" "429 $refused"

# The time over, the owner comes in from a new address, which is then known.
failed 60
login 203.0.113.1 admin@example.com 'correct horse'
is "after the wait the owner comes in from anywhere" "$STATUS" 200
sql "update assay.login_account set refused_until = now() + interval '10 min'"
login 203.0.113.1 admin@example.com 'correct horse'
is "and waits there no more" "$STATUS" 200
is "no email and no address is kept" "$(sql "select bool_or(t like any
    (array['%example%', '%192.0.2%', '%203.0.113%'])) from (
    select l::text from assay.login_account l union all
    select l::text from assay.login_known l) as x(t)")" f
finish
