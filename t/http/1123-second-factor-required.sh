#!/bin/sh
# SPDX-License-Identifier: ISC
# SECOND_FACTOR, lost second factors, and a new AUTH_SECRET.
. "$(dirname "$0")/lib.sh"
use browser operators second_factor

a=3d1c9f7be20845a6b1f04c8e97d2635ac471
b=91e4a70c5bd84f2386ad10f5e9c72b64d803
# restart_pool NAME=VALUE ...
restart_pool() {
	stop_pool
	start_pool OPERATOR_WORKERS=3 "$@"
	wait_ready
}

start_stack OPERATOR_WORKERS=3 AUTH_SECRET=$a
admin_token
admin=$TOKEN
api_key
http POST /v1/auth/users '{"email":"ana@example.com","password":"her password"}'
open_session ana@example.com 'her password'
ana=$TOKEN

# Who needs one.
restart_pool AUTH_SECRET=$a SECOND_FACTOR=admins
TOKEN=$ana
http GET /v1/cases
is "an analyst needs no second factor if only admins do" "$STATUS" 200
http GET /v1/auth/me
is_json "the analyst sees that none is required" .secondFactorRequired false
TOKEN=$admin
http GET /v1/cases
is_error "an admin without one may not even read" 403 SECOND_FACTOR_REQUIRED
restart_pool AUTH_SECRET=$a SECOND_FACTOR=all
TOKEN=$ana
http GET /v1/cases
is_error "an analyst may not read if all need one" 403 SECOND_FACTOR_REQUIRED
http POST /v1/auth/refresh
is_error "an operator without a needed second factor may not refresh the token" \
    403 SECOND_FACTOR_REQUIRED
http GET /v1/auth/me
is_json "the session is shown, and that it needs a second factor" \
    '"\(.role) \(.secondFactor) \(.secondFactorRequired)"' "analyst false true"
TOKEN=
http POST /v1/decisions '{"id":"e-1","type":"account.login",
    "subject":{"userId":"u-1"}}'
is "services decide with their keys as before" "$STATUS" 200
open_session ana@example.com 'her password'
enrol
is "an operator who needs one logs in and enables it" "$STATUS" 200
ana_secret=$secret
http GET /v1/cases
is "the session that enabled a needed second factor may read" "$STATUS" 200
cookie=
browse POST /v1/auth/login '{"email":"admin@example.com",
    "password":"correct horse"}'
take_cookie
aged_cookie 301 $a
browse POST /v1/auth/second-factor
is_error "an older session in a browser is offered no key" 403 REAUTH_REQUIRED
browse POST /v1/auth/confirm '{"password":"correct horse"}'
take_cookie
browse POST /v1/auth/second-factor
secret=$(json .secret)
sql "update assay.second_factor set offered_at = now() - interval '11 min'
    where email = 'admin@example.com'"
browse POST /v1/auth/second-factor/enable "{\"code\":\"$(code_of "$secret")\"}"
is_error "an offer ends after 10 minutes" 404 SECOND_FACTOR_MISSING
TOKEN=$admin
cookie=
enrol
is "an earlier session enables one as well" "$STATUS" 200
admin=$TOKEN
admin_secret=$secret
http GET /v1/auth/users
is_json "every operator has one now" 'map(.secondFactor) | unique | tojson' \
    '[true]'

# The keys of operators are not exchangeable.
sql "update assay.second_factor set sealed_key = (select sealed_key
    from assay.second_factor where email = 'ana@example.com')
    where email = 'admin@example.com'"
log_in_with admin@example.com 'correct horse' "$(code_of "$ana_secret")"
is_error "a key that was copied from another operator does not open" \
    500 INTERNAL
is "the log says what to do about it" "$(grep -c 'AUTH_SECRET_PREVIOUS' \
    "$scratch/log/pool.log")" 1
sql "delete from assay.second_factor where email = 'admin@example.com'"
TOKEN=$admin
enrol
admin_secret=$secret

# A new AUTH_SECRET.
restart_pool AUTH_SECRET=$b AUTH_SECRET_PREVIOUS=$a SECOND_FACTOR=all
log_in_with ana@example.com 'her password' "$(code_of "$ana_secret")"
is "a key under the previous secret still works" "$STATUS" 200
restart_pool AUTH_SECRET=$b
log_in_with ana@example.com 'her password' "$(code_of "$ana_secret" 1)"
is "a login encrypts the key under the new secret" "$STATUS" 200
ana=$(json .token)
log_in_with admin@example.com 'correct horse' "$(code_of "$admin_secret")"
is_error "without the previous secret the other key does not open" 500 INTERNAL
restart_pool AUTH_SECRET=$b AUTH_SECRET_PREVIOUS=$a
log_in_with admin@example.com 'correct horse' "$(code_of "$admin_secret")"
is "with it again the key opens, also after the failure" "$STATUS" 200
admin=$(json .token)
log_in_with ana@example.com 'her password' "$recovery"
is_error "a recovery code of another operator opens nothing" 403 CODE_WRONG

# An operator has lost the app.
change_operator ana@example.com '{"resetSecondFactor":false}'
is_error "a reset can only be true" 400 INVALID_REQUEST
TOKEN=$ana
http PATCH /v1/auth/users/admin@example.com '{"resetSecondFactor":true}'
is_error "an analyst may not remove a second factor" 403 FORBIDDEN
change_operator admin@example.com '{"resetSecondFactor":true}'
is_error "an admin removes the own second factor only with its code" \
    403 FORBIDDEN
change_operator ADMIN@example.com '{"resetSecondFactor":true}'
is_error "an email in capitals does not remove the own second factor" 403 FORBIDDEN
change_operator ana@example.com '{"resetSecondFactor":true}'
is "an admin removes another operator's second factor" \
    "$STATUS $(json '.secondFactor')" "200 false"
TOKEN=$ana
http GET /v1/auth/me
is_error "the reset ends the operator's sessions" 401 UNAUTHENTICATED
change_operator ana@example.com '{"resetSecondFactor":true}'
is_error "there is nothing left to remove" 404 SECOND_FACTOR_MISSING
log_in ana@example.com 'her password'
is "after the reset the operator logs in without a code" "$STATUS" 200
finish
