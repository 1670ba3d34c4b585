#!/bin/sh
# SPDX-License-Identifier: ISC
# Operators change and go: a password that its owner changes or that an admin
# sets, roles, disabled accounts, sessions that another ends, and always an
# admin who is left.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack OPERATOR_WORKERS=3
start_host 2 OPERATOR_WORKERS=3
admin_token
admin=$TOKEN

# login EMAIL PASSWORD: TOKEN is that of the session if there is one.
login() {
	TOKEN=
	http POST /v1/auth/login "{\"email\":\"$1\",\"password\":\"$2\"}"
	[ "$STATUS" != 200 ] || TOKEN=$(json .token)
}
# change EMAIL BODY: as the admin.
change() {
	TOKEN=$admin
	http PATCH "/v1/auth/users/$1" "$2"
}
# opens TOKEN: what a token gets on either host.
opens() {
	TOKEN=$1
	got=
	for at in "" 2 "" 2; do
		on "$at" GET /v1/rules
		got="$got$STATUS "
	done
	printf %s "$got"
}
# password OLD NEW: of the session's operator.
password() {
	http POST /v1/auth/password \
	    "{\"password\":\"$1\",\"newPassword\":\"$2\"}"
}

# The first admin chose the password alone; one that an admin sets is
# temporary, which holds nobody back in development.
http GET /v1/auth/users
is_json "the first admin's password is its own" \
    '.[0] | "\(.disabled) \(.passwordTemporary)"' "false false"
http POST /v1/auth/users '{"email":"ana@example.com","password":"first password"}'
is_json "a new operator's is temporary" \
    '"\(.disabled) \(.passwordTemporary)"' "false true"
login ana@example.com 'first password'
is_json "which the login tells beside token and user" \
    '"\(keys | join(" ")) \(.passwordTemporary)"' \
    "passwordTemporary token user true"
one=$TOKEN
is "and the analyst works" "$(opens "$one")" "200 200 200 200 "
http POST /v1/auth/refresh
two=$(json .token)
is_json "an exchanged token tells it too" .passwordTemporary true

# bad WHAT BODY: is no change of a password.
bad() {
	http POST /v1/auth/password "$2"
	is_error "$1" 400 INVALID_REQUEST
}
bad "no present password" '{"newPassword":"second password"}'
bad "no new password" '{"password":"first password"}'
bad "a new password of 7" '{"password":"first password","newPassword":"1234567"}'
bad "the same password" \
    '{"password":"first password","newPassword":"first password"}'
bad "somebody else" '{"password":"first password",
    "newPassword":"second password","email":"admin@example.com"}'
password 'fist password' 'second password'
is_error "the present password is wrong" 403 PASSWORD_WRONG
is "that is counted as a login that fails" \
    "$(sql 'select failures from assay.login_failure')" 1
is "and changes nothing" "$(opens "$one")" "200 200 200 200 "
password 'first password' 'second password'
is "a password is changed" "$STATUS $(header cache-control)" "200 no-store"
is_json "with a token, and no word of a temporary password" \
    '"\(keys | join(" ")) \(.user.email)"' "token user ana@example.com"
three=$(json .token)
is "its token opens" "$(opens "$three")" "200 200 200 200 "
is "the session that changed it has ended" "$(opens "$one")" "401 401 401 401 "
is "and so have all others" "$(opens "$two")" "401 401 401 401 "
is "what failed is forgiven" \
    "$(sql 'select count(*) from assay.login_failure')" 0
login ana@example.com 'first password'
is_error "the old password is none" 401 INVALID_CREDENTIALS
wrong=$BODY
login ana@example.com 'second password'
is_json "the new one opens" '.passwordTemporary' null

# Guessing by who has a token waits as guessing at the login does.
TOKEN=$three
password 'wrong horse' 'second password'
sql "update assay.login_failure set failures = 9,
    refused_until = now() - interval '1 s'"
password 'wrong horse' 'second password'
is_error "the tenth guess with a token" 403 PASSWORD_WRONG
password 'second password' 'third password'
is_error "makes the account wait" 429 RATE_LIMITED
sql 'delete from assay.login_failure'

# Sessions that an admin ends, and a password that an admin sets.
change ANA@example.com '{"endSessions":true}'
is "an admin ends sessions" "$STATUS $(json '"\(keys | join(" "))
    \(.email) \(.role)"' | paste -sd ' ' | tr -s ' ')" \
    "200 createdAt disabled email passwordTemporary role ana@example.com analyst"
is "they have ended, everywhere" "$(opens "$three")" "401 401 401 401 "
login ana@example.com 'second password'
one=$TOKEN
change ana@example.com '{"password":"a fourth one"}'
is_json "an admin sets a password, a temporary one" .passwordTemporary true
is "the sessions before it have ended" "$(opens "$one")" "401 401 401 401 "
login ana@example.com 'second password'
is_error "the operator's own opens no more" 401 INVALID_CREDENTIALS
login ana@example.com 'a fourth one'
is_json "the admin's does" .passwordTemporary true
one=$TOKEN

# Roles.
change ana@example.com '{"role":"admin"}'
is_json "a role is given" .role admin
TOKEN=$one
http GET /v1/apikeys
is "it holds at once, in sessions that there are" "$STATUS" 200
change ana@example.com '{"role":"analyst"}'
TOKEN=$one
http GET /v1/apikeys
is_error "and so it is taken" 403 FORBIDDEN
http PATCH /v1/auth/users/ana@example.com '{"role":"admin"}'
is_error "an analyst changes no operator" 403 FORBIDDEN

# Disabled: as if there were no such operator.
change ana@example.com '{"disabled":true}'
is_json "an operator is disabled" .disabled true
is "its sessions are over, everywhere" "$(opens "$one")" "401 401 401 401 "
login ana@example.com 'a fourth one'
is "its login is answered as a wrong password" "$STATUS $BODY" "401 $wrong"
change ana@example.com '{"disabled":true}'
is "disabled twice is no error" "$STATUS" 200
change ana@example.com '{"disabled":false}'
is_json "it is enabled again" .disabled false
is "sessions of before stay over" "$(opens "$one")" "401 401 401 401 "
login ana@example.com 'a fourth one'
is "and a login opens" "$STATUS" 200

# The last admin.
for body in '{"disabled":true}' '{"role":"analyst"}' \
    '{"role":"analyst","disabled":false}' '{"disabled":true,"role":"admin"}'; do
	change admin@example.com "$body"
	is_error "the last admin stays one: $body" 409 LAST_ADMIN
done
change admin@example.com '{"role":"admin","disabled":false}'
is "which changes nothing is no matter" "$STATUS" 200
http POST /v1/auth/users \
    '{"email":"zoe@example.com","password":"her password","role":"admin"}'
change zoe@example.com '{"disabled":true}'
change admin@example.com '{"role":"analyst"}'
is_error "an admin who is disabled does not count" 409 LAST_ADMIN
change zoe@example.com '{"disabled":false}'
login zoe@example.com 'her password'
zoe=$TOKEN
# Of two who take each other's role at once one stays.  A lock lets them meet.
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"
hold "select pg_advisory_xact_lock(hashtextextended('assay.operator', 0))"
KEY=
TOKEN=
later first /v1/auth/users/zoe@example.com '{"role":"analyst"}' -X PATCH \
    -H "Authorization: Bearer $admin"
later second /v1/auth/users/admin@example.com '{"role":"analyst"}' -X PATCH \
    -H "Authorization: Bearer $zoe"
check "two admins come together" stack_until 10 "$hold_pid" waits_are 2
release
statuses=
for name in first second; do
	now "$name"
	statuses="$statuses$STATUS $(json '.code // "changed"'),"
done
case $statuses in
"200 changed,409 LAST_ADMIN," | "409 LAST_ADMIN,200 changed,")
	ok "of two who take each other's role one stays an admin" ;;
*) not_ok "of two who take each other's role one stays an admin: $statuses" ;;
esac
is "and there is one" "$(sql "select count(*) from assay.operator
    where role = 'admin'")" 1
sql "update assay.operator set role = 'admin'
    where email in ('admin@example.com', 'zoe@example.com')"

# What is no change.
for body in '{}' '{"role":"owner"}' '{"role":null}' '{"disabled":"true"}' \
    '{"disabled":null}' '{"endSessions":false}' '{"password":"1234567"}' \
    '{"email":"b@example.com"}' '{"disabled":true,"rule":"admin"}'; do
	change ana@example.com "$body"
	is_error "is no change: $body" 400 INVALID_REQUEST
done
change nobody@example.com '{"disabled":true}'
is_error "who is no operator" 404 USER_MISSING
http GET /v1/auth/users/ana@example.com
is_error "one operator is not read" 405 METHOD_NOT_ALLOWED
is "but changed" "$(header allow)" PATCH
http GET '/v1/audit?limit=200'
is_json "the trail has who changed what, and no password" '.entries |
    map(select(.status == 200 and (.action | test("users/|password")) and
    (.params.role != "analyst" or (.action | test("ana"))))) |
    map("\(.action | split("/")[3:] | join("/")): \(.params | tojson)") |
    unique | join(" ") | gsub("\""; "")' "password: \
{password:[redacted],newPassword:[redacted]} \
users/ANA@example.com: {endSessions:true} users/admin@example.com: \
{role:admin,disabled:false} users/ana@example.com: {disabled:false} \
users/ana@example.com: {disabled:true} \
users/ana@example.com: {password:[redacted]} \
users/ana@example.com: {role:admin} users/ana@example.com: {role:analyst} \
users/zoe@example.com: {disabled:false} users/zoe@example.com: {disabled:true}"
is_json "and what was refused" '.entries | map(select(.status == 409)) |
    length' "$(sql "select count(*) from assay.audit where status = 409")"

# In production a temporary password is changed before anything else.
stop_pool
start_pool PASSWORD_CHANGE_REQUIRED=true
wait_ready
login admin@example.com 'correct horse'
is "who chose the password works" "$(opens "$TOKEN")" "200 200 200 200 "
login ana@example.com 'a fourth one'
one=$TOKEN
is_json "a login with a temporary password tells it" .passwordTemporary true
is "here it does no more, on the other host it does" "$(opens "$one")" \
    "403 200 403 200 "
http GET /v1/cases
is_error "its reads are refused" 403 PASSWORD_CHANGE_REQUIRED
http POST /v1/auth/refresh
is_error "its token is not exchanged" 403 PASSWORD_CHANGE_REQUIRED
http GET /v1/apikeys
is_error "it is told before the role" 403 PASSWORD_CHANGE_REQUIRED
http POST /v1/auth/logout
is "it may leave" "$STATUS" 200
login ana@example.com 'a fourth one'
password 'a fourth one' 'a fifth one, her own'
is "it may change the password" "$STATUS" 200
one=$(json .token)
is "and then works" "$(opens "$one")" "200 200 200 200 "
finish
