#!/bin/sh
# SPDX-License-Identifier: ISC
# There is always an enabled admin: neither one request nor two at once remove
# the last one.  Changes that are invalid are refused, and the trail has all.
. "$(dirname "$0")/lib.sh"
use load operators

start_stack OPERATOR_WORKERS=3
admin_token
admin=$TOKEN
http POST /v1/auth/users '{"email":"ana@example.com","password":"first password"}'

for body in '{"disabled":true}' '{"role":"analyst"}' \
    '{"role":"analyst","disabled":false}' '{"disabled":true,"role":"admin"}'; do
	change_operator admin@example.com "$body"
	is_error "changing the last admin answers 409: $body" 409 LAST_ADMIN
done
change_operator admin@example.com '{"role":"admin","disabled":false}'
is "a change that leaves the last admin as it is answers 200" "$STATUS" 200
http POST /v1/auth/users \
    '{"email":"zoe@example.com","password":"her password","role":"admin"}'
change_operator zoe@example.com '{"disabled":true}'
change_operator admin@example.com '{"role":"analyst"}'
is_error "a disabled admin does not count as the last one" 409 LAST_ADMIN
change_operator zoe@example.com '{"disabled":false}'
open_session zoe@example.com 'her password'
zoe=$TOKEN
# Two admins take each other's role at once.  The lock lets both requests start
# before either decides.
hold_lock "select pg_advisory_xact_lock(hashtextextended('assay.operator', 0))"
KEY=
TOKEN=
post_later first /v1/auth/users/zoe@example.com '{"role":"analyst"}' -X PATCH \
    -H "Authorization: Bearer $admin"
post_later second /v1/auth/users/admin@example.com '{"role":"analyst"}' -X PATCH \
    -H "Authorization: Bearer $zoe"
check "both admins' changes wait for the lock" \
    stack_until 10 "$lock_pid" lock_waiters_are 2
release_lock
statuses=
for admin_change in first second; do
	await_answer "$admin_change"
	statuses="$statuses$STATUS $(json '.code // "changed"'),"
done
case $statuses in
"200 changed,409 LAST_ADMIN," | "409 LAST_ADMIN,200 changed,")
	ok "of two admins who demote each other one stays admin" ;;
*) not_ok "of two admins who demote each other one stays admin: $statuses" ;;
esac
is "one admin is left after both changes" \
    "$(sql "select count(*) from assay.operator
    where role = 'admin'")" 1
sql "update assay.operator set role = 'admin'
    where email in ('admin@example.com', 'zoe@example.com')"

# Invalid changes.
for body in '{}' '{"role":"owner"}' '{"role":null}' '{"disabled":"true"}' \
    '{"disabled":null}' '{"endSessions":false}' '{"password":"1234567"}' \
    '{"email":"b@example.com"}' '{"disabled":true,"rule":"admin"}'; do
	change_operator ana@example.com "$body"
	is_error "a change of an operator answers 400: $body" \
	    400 INVALID_REQUEST
done
change_operator nobody@example.com '{"disabled":true}'
is_error "changing an unknown operator answers 404" 404 USER_MISSING
http GET /v1/auth/users/ana@example.com
is_error "reading one operator answers 405" 405 METHOD_NOT_ALLOWED
is "the 405 allows PATCH on an operator" "$(header allow)" PATCH
http GET '/v1/audit?limit=200'
is_json "the trail has every change that was made" '.entries |
    map(select(.status == 200 and (.action | test("users/")) and
    .params.role != "analyst")) |
    map("\(.action | split("/")[4]): \(.params | tojson)") |
    unique | join(" ") | gsub("\""; "")' "admin@example.com: \
{role:admin,disabled:false} zoe@example.com: {disabled:false} \
zoe@example.com: {disabled:true}"
is_json "the trail has every refused change of the last admin" \
    '.entries | map(select(.status == 409)) | length' \
    "$(sql "select count(*) from assay.audit where status = 409")"
finish
