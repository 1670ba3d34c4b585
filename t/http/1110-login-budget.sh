#!/bin/sh
# SPDX-License-Identifier: ISC
# Logins and registrations share a budget, which belongs to the client that the
# trusted proxies saw.
. "$(dirname "$0")/lib.sh"

start_database
start_pool RATE_LIMIT_LOGIN_PER_MIN=2 TRUST_PROXY=2
start_nginx TRUST_PROXY=1
wait_ready
# Keep all requests in one minute.
second=$(date +%-S)
[ "$second" -lt 45 ] || sleep $((61 - second))
# bad_login_from HOPS: a login that answers 400 while the budget lasts.
bad_login_from() {
	http POST /v1/auth/login '{}' -H "X-Forwarded-For: $1"
}
bad_login_from '192.0.2.1, 10.0.0.1'
is_error "login 1 of a budget of 2 is not limited" 400 INVALID_REQUEST
bad_login_from '198.51.100.1, 192.0.2.1, 10.0.0.2'
is_error "login 2 of a budget of 2 is not limited" 400 INVALID_REQUEST
bad_login_from '192.0.2.1, 10.0.0.1'
is_error "login 3 of a budget of 2 answers 429" 429 RATE_LIMITED
bad_login_from '198.51.100.2,192.0.2.1,10.0.0.1'
is_error "a forged hop before the trusted ones does not change the budget" \
    429 RATE_LIMITED
bad_login_from '192.0.2.2, 10.0.0.1'
is_error "another client has its own login budget" 400 INVALID_REQUEST
http POST /v1/auth/register '{}' -H "X-Forwarded-For: 192.0.2.1, 10.0.0.1"
is_error "a registration uses the login budget" 429 RATE_LIMITED
bad_login_from '192.0.2.1:51008, 10.0.0.1'
is_error "a port does not change the budget" 429 RATE_LIMITED
bad_login_from '192.0.2.3:51008, 10.0.0.1'
is_error "another client with a port has its own login budget" \
    400 INVALID_REQUEST
bad_login_from 'unknown, 10.0.0.1'
is_error "a client without an address has its own login budget" \
    400 INVALID_REQUEST
bad_login_from '_client, 10.0.0.1'
is "the log says once that a client has no address" \
    "$(grep -c 'event=client_unknown' "$scratch/log/pool.log")" 1
stop_pool
start_pool RATE_LIMIT_LOGIN_PER_MIN=2
wait_ready
bad_login_from 192.0.2.1
is_error "without trusted proxies login 1 of 2 is not limited" \
    400 INVALID_REQUEST
bad_login_from 192.0.2.2
is_error "without trusted proxies login 2 of 2 is not limited" \
    400 INVALID_REQUEST
bad_login_from 192.0.2.3
is_error "without trusted proxies X-Forwarded-For does not change the client" \
    429 RATE_LIMITED
finish
