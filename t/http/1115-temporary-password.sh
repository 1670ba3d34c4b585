#!/bin/sh
# SPDX-License-Identifier: ISC
# With PASSWORD_CHANGE_REQUIRED an operator must change a temporary password
# before any other request.
. "$(dirname "$0")/lib.sh"
use operators

start_stack OPERATOR_WORKERS=3 PASSWORD_CHANGE_REQUIRED=true
start_host 2 OPERATOR_WORKERS=3
admin_token
http POST /v1/auth/users '{"email":"ana@example.com","password":"a fourth one"}'

open_session admin@example.com 'correct horse'
is "an operator who chose the password works" \
    "$(token_statuses "$TOKEN")" "200 200 200 200 "
open_session ana@example.com 'a fourth one'
one=$TOKEN
is_json "a login with a temporary password says so" .passwordTemporary true
is "only the host with the setting refuses a temporary password" \
    "$(token_statuses "$one")" \
    "403 200 403 200 "
http GET /v1/cases
is_error "reading cases with a temporary password answers 403" \
    403 PASSWORD_CHANGE_REQUIRED
http POST /v1/auth/refresh
is_error "refresh with a temporary password answers 403" \
    403 PASSWORD_CHANGE_REQUIRED
http GET /v1/apikeys
is_error "the temporary password is checked before the role" \
    403 PASSWORD_CHANGE_REQUIRED
http POST /v1/auth/logout
is "logout with a temporary password answers 200" "$STATUS" 200
open_session ana@example.com 'a fourth one'
change_password 'a fourth one' 'a fifth one, her own'
is "a temporary password may be changed" "$STATUS" 200
one=$(json .token)
is "after the change the operator works" \
    "$(token_statuses "$one")" "200 200 200 200 "
finish
