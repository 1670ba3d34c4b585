#!/bin/sh
# SPDX-License-Identifier: ISC
# Operators change: their own password, a password, role or status that an admin
# sets, and sessions that an admin ends.
. "$(dirname "$0")/lib.sh"
use operators

start_stack OPERATOR_WORKERS=3
start_host 2 OPERATOR_WORKERS=3
admin_token
admin=$TOKEN

# The first admin chose its password; a password that an admin sets is temporary.
# In development a temporary password works like any other.
http GET /v1/auth/users
is_json "the first admin's password is not temporary" \
    '.[0] | "\(.disabled) \(.passwordTemporary)"' "false false"
http POST /v1/auth/users '{"email":"ana@example.com","password":"first password"}'
is_json "a new operator's password is temporary" \
    '"\(.disabled) \(.passwordTemporary)"' "false true"
open_session ana@example.com 'first password'
is_json "the login says that the password is temporary" \
    '"\(keys | join(" ")) \(.passwordTemporary)"' \
    "passwordTemporary token user true"
one=$TOKEN
is "in development a session with a temporary password works" \
    "$(token_statuses "$one")" "200 200 200 200 "
http POST /v1/auth/refresh
two=$(json .token)
is_json "refresh says that the password is temporary" .passwordTemporary true

# rejects_password WHAT BODY: the change of the password answers 400.
rejects_password() {
	http POST /v1/auth/password "$2"
	is_error "a password change with $1 answers 400" 400 INVALID_REQUEST
}
rejects_password "no present password" '{"newPassword":"second password"}'
rejects_password "no new password" '{"password":"first password"}'
rejects_password "a new password of 7 characters" \
    '{"password":"first password","newPassword":"1234567"}'
rejects_password "the same password" \
    '{"password":"first password","newPassword":"first password"}'
rejects_password "the email of another operator" '{"password":"first password",
    "newPassword":"second password","email":"admin@example.com"}'
change_password 'fist password' 'second password'
is_error "a password change with the wrong password answers 403" \
    403 PASSWORD_WRONG
is "a wrong password in a change counts as a failed login" \
    "$(sql 'select failures from assay.login_failure')" 1
is "a failed password change ends no session" \
    "$(token_statuses "$one")" "200 200 200 200 "
change_password 'first password' 'second password'
is "a password change answers 200 and forbids caching" \
    "$STATUS $(header cache-control)" "200 no-store"
is_json "a password change returns a token, not temporary" \
    '"\(keys | join(" ")) \(.user.email)"' "token user ana@example.com"
three=$(json .token)
is "the token of a password change works" "$(token_statuses "$three")" "200 200 200 200 "
is "a password change ends the session that made it" \
    "$(token_statuses "$one")" "401 401 401 401 "
is "a password change ends all other sessions" \
    "$(token_statuses "$two")" "401 401 401 401 "
is "a password change resets the failed logins" \
    "$(sql 'select count(*) from assay.login_failure')" 0
log_in ana@example.com 'first password'
is_error "a login with the old password answers 401" 401 INVALID_CREDENTIALS
wrong=$BODY
open_session ana@example.com 'second password'
is_json "a login with the new password works and is not temporary" \
    '.passwordTemporary' null

# A wrong password in a change delays the account as a failed login does.
TOKEN=$three
change_password 'wrong horse' 'second password'
sql "update assay.login_failure set failures = 9,
    refused_until = now() - interval '1 s'"
change_password 'wrong horse' 'second password'
is_error "the tenth wrong password in a change answers 403" 403 PASSWORD_WRONG
change_password 'second password' 'third password'
is_error "after ten wrong passwords a change answers 429" 429 RATE_LIMITED
sql 'delete from assay.login_failure'

# An admin ends sessions and sets a password.
change_operator ANA@example.com '{"endSessions":true}'
is "an admin ends the sessions of an operator" \
    "$STATUS $(json '"\(keys | join(" "))
    \(.email) \(.role)"' | paste -sd ' ' | tr -s ' ')" \
    "200 createdAt disabled email passwordTemporary role secondFactor \
ana@example.com analyst"
is "the ended sessions answer 401 on both hosts" \
    "$(token_statuses "$three")" "401 401 401 401 "
open_session ana@example.com 'second password'
one=$TOKEN
change_operator ana@example.com '{"password":"a fourth one"}'
is_json "a password that an admin sets is temporary" .passwordTemporary true
is "setting a password ends the operator's sessions" \
    "$(token_statuses "$one")" "401 401 401 401 "
log_in ana@example.com 'second password'
is_error "after an admin set a password the old one answers 401" \
    401 INVALID_CREDENTIALS
open_session ana@example.com 'a fourth one'
is_json "after an admin set a password the new one opens a session" \
    .passwordTemporary true
one=$TOKEN

# Roles apply to open sessions.
change_operator ana@example.com '{"role":"admin"}'
is_json "an admin makes an operator an admin" .role admin
TOKEN=$one
http GET /v1/apikeys
is "a new role applies to open sessions" "$STATUS" 200
change_operator ana@example.com '{"role":"analyst"}'
TOKEN=$one
http GET /v1/apikeys
is_error "a removed role applies to open sessions" 403 FORBIDDEN
http PATCH /v1/auth/users/ana@example.com '{"role":"admin"}'
is_error "an analyst changing an operator answers 403" 403 FORBIDDEN

# A disabled operator is answered like an unknown one.
change_operator ana@example.com '{"disabled":true}'
is_json "an admin disables an operator" .disabled true
is "sessions of a disabled operator answer 401 on both hosts" \
    "$(token_statuses "$one")" "401 401 401 401 "
log_in ana@example.com 'a fourth one'
is "a login of a disabled operator is answered like a wrong password" \
    "$STATUS $BODY" "401 $wrong"
change_operator ana@example.com '{"disabled":true}'
is "disabling a disabled operator answers 200" "$STATUS" 200
change_operator ana@example.com '{"disabled":false}'
is_json "an admin enables an operator" .disabled false
is "old sessions of an enabled operator stay ended" \
    "$(token_statuses "$one")" "401 401 401 401 "
log_in ana@example.com 'a fourth one'
is "a login of an enabled operator works" "$STATUS" 200

http GET '/v1/audit?limit=200'
is_json "the trail has every change, without passwords" '.entries |
    map(select(.status == 200 and (.action | test("users/|password")))) |
    map("\(.action | split("/")[3:] | join("/")): \(.params | tojson)") |
    unique | join(" ") | gsub("\""; "")' "password: \
{password:[redacted],newPassword:[redacted]} \
users/ANA@example.com: {endSessions:true} \
users/ana@example.com: {disabled:false} \
users/ana@example.com: {disabled:true} \
users/ana@example.com: {password:[redacted]} \
users/ana@example.com: {role:admin} users/ana@example.com: {role:analyst}"
finish
