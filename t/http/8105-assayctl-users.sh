#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl users, password and admin: operators are added, changed and disabled;
# what an analyst may not do.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
TOKEN=
login admin@example.com 'correct horse'

ctl_in 'the first one' users add ana@example.com
is "users add creates an analyst" \
    "$STATUS $OUT" "0 ana@example.com is added: analyst"
ctl_in 'the first one' users add Ana@example.com
is "an operator is added only once" "$STATUS" 65
check "the error about an existing operator names users list" \
    prints "USER_EXISTS.*|.*'assayctl users list'"
ctl_in 'short' users add --role author bob@example.com
is "a short password exits 65" "$STATUS" 65
check "the service's error about the password is printed" \
    prints 'password must be'
ctl users list
is "users list prints the operators and roles" \
    "$(sed 1d "$scratch/out" | awk '{ print $1, $2 }' |
    paste -sd ,)" "admin@example.com admin,ana@example.com analyst"
ctl users list --json
is "users list --json has the roles" \
    "$(jq -r '.[1].role' "$scratch/out")" analyst

# Operators change their passwords, and admins change operators.
is "the first password of an operator is temporary" \
    "$(jq -r '.[1].passwordTemporary' \
    "$scratch/out")" true
export XDG_CONFIG_HOME="$scratch/first"
login ana@example.com 'the first one'
is "a login with a temporary password exits 0" "$STATUS" 0
check "a login with a temporary password names assayctl password" \
    prints "temporary.*'assayctl password'"
printf 'the wrong one\nthe second one\n' >"$scratch/passwords"
# change_password: run assayctl password with these lines on standard input.
change_password() {
	"$builddir/assayctl" password <"$scratch/passwords" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
}
change_password
is "password exits 77 with a wrong present password" "$STATUS" 77
check "the error about a wrong present password has its code" \
    prints PASSWORD_WRONG
printf 'the first one\n' >"$scratch/passwords"
change_password
is "password exits 65 without a new password" "$STATUS" 65
printf 'the first one\nthe second one\n' >"$scratch/passwords"
change_password
is "password changes the password" "$STATUS" 0
check "password prints the new session" \
    prints '^ana@example.com (analyst) at .* until 2'
check "a changed password is not temporary" not prints temporary
ctl cases list
is "the session continues with its new token" "$STATUS" 0
ASSAY_TOKEN=x ctl password
is "password exits 64 with a token of the environment" "$STATUS" 64
unset XDG_CONFIG_HOME
ctl users role ana@example.com admin
is "users role changes a role" "$STATUS $OUT" "0 ana@example.com is admin"
ctl users role ana@example.com analyst
ctl users disable ana@example.com
is "users disable disables an operator" \
    "$STATUS $OUT" "0 ana@example.com is disabled"
XDG_CONFIG_HOME=$scratch/first ctl cases list
is "a disabled operator's session has ended" "$STATUS" 77
ctl users enable ana@example.com
is "users enable enables an operator" \
    "$STATUS $OUT" "0 ana@example.com is enabled"
ctl users end-sessions ana@example.com
is "users end-sessions ends the sessions" \
    "$STATUS $OUT" "0 the sessions of ana@example.com have ended"
ctl users disable admin@example.com
is "the last admin cannot be disabled" "$STATUS" 65
check "the error about the last admin names users role" \
    prints "LAST_ADMIN.*|.*'assayctl users role EMAIL admin'"
ctl users enable nobody@example.com
is "an unknown operator exits 65" "$STATUS" 65
check "the error about an unknown operator names users list" \
    prints "USER_MISSING.*|.*'assayctl users list'"
ctl_in 'the first one' users password ana@example.com
is "users password sets a temporary password" "$STATUS" 0
ctl users list
is "users list shows the temporary password" \
    "$(sed -n 's/^\(ana@[^ ]*\)/\1/p' "$scratch/out" |
    awk '{ print $2, $3, $4 }')" "analyst no yes"

# assayctl admin: the owner of the database resets an admin's password.
# owner_ctl PASSWORD COMMAND ...: run it with this password on standard input.
owner_ctl() {
	owner_password=$1
	shift
	printf '%s\n' "$owner_password" | LD_PRELOAD="$cheap_scrypt" \
	    DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
}
owner_ctl 'a way back in' admin password Admin@example.com
is "admin password sets an admin's password" "$STATUS" 0
ctl users list
is "admin password ends the admin's sessions" "$STATUS" 77
login admin@example.com 'correct horse'
is "the admin's old password exits 77" "$STATUS" 77
login admin@example.com 'a way back in'
is "the admin's new password exits 0" "$STATUS" 0
check "the admin's new password is temporary" prints "'assayctl password'"
owner_ctl 'a way back in' admin password ana@example.com
is "admin password refuses an analyst" "$STATUS" 65
check "the error about the analyst names the email" \
    prints 'no active admin ana@example.com'
sql "update assay.operator set password = (select password from assay.operator
    where email = 'admin@example.com'), role = 'admin', disabled_at = now()
    where email = 'ana@example.com'"
owner_ctl 'a way back in' admin password ana@example.com
is "admin password refuses a disabled admin" "$STATUS" 65
sql "update assay.operator set role = 'analyst', disabled_at = null
    where email = 'ana@example.com'"
ctl_in 'the first one' users password ana@example.com
printf 'a way back in\ncorrect horse\n' >"$scratch/passwords"
change_password
is "the admin changes the temporary password" "$STATUS" 0

# What an analyst may not do.
XDG_CONFIG_HOME=$scratch/ana
export XDG_CONFIG_HOME
login ana@example.com 'the first one'
is "an analyst's login writes a private session file" \
    "$STATUS $(stat -c %a "$scratch/ana/assay/token")" "0 600"
for command in 'users list' 'keys create k' 'keys list' audit \
    'webhooks list' 'notifications list' 'settings show' \
    'settings environment' 'settings set loginPerMin=5' 'retention run' 'lists remove lst_1' \
    'lists add block user u' 'backtest card.authorize' \
    'policies rollback pol_card_authorize v1' \
    'rules rollback card.authorize v1'; do
	# shellcheck disable=SC2086 # words
	ctl $command
	is "an analyst may not run $command" "$STATUS" 77
	check "the error about $command says to log in as an admin" \
	    prints "FORBIDDEN.*|.*log in as one"
done
finish
