#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl factor: an operator enables and disables a second factor; login and
# password ask for its code; the owner of the database removes a lost one.
. "$(dirname "$0")/lib.sh"
use ctl second_factor

# enable_factor: enable a second factor as an app would; secret is
# its key.
enable_factor() {
	rm -f "$scratch/typed"
	mkfifo "$scratch/typed"
	: >"$scratch/out"
	timeout 60 "$builddir/assayctl" factor enable \
	    <"$scratch/typed" >"$scratch/out" 2>"$scratch/err" &
	enabling=$!
	exec 7>"$scratch/typed"
	stack_until 10 "$enabling" grep -q '^otpauth:' "$scratch/out"
	secret=$(sed -n 's/.*secret=\([A-Z2-7]*\)&.*/\1/p' "$scratch/out")
	code_of "$secret" >&7
	echo >&7
	exec 7>&-
	wait "$enabling"
	STATUS=$?
	next_codes
}
# lines LINE ...: run assayctl with these lines on standard input, after "--"
# the arguments.
lines() {
	: >"$scratch/typed.lines"
	while [ "$1" != -- ]; do
		printf '%s\n' "$1" >>"$scratch/typed.lines"
		shift
	done
	shift
	"$builddir/assayctl" "$@" <"$scratch/typed.lines" >"$scratch/out" \
	    2>"$scratch/err"
	STATUS=$?
	OUT=$(cat "$scratch/out")
}

start_stack OPERATOR_WORKERS=3
admin_token
TOKEN=
login admin@example.com 'correct horse'
ctl factor show
is "factor show says that there is none" \
    "$STATUS $(echo "$OUT" | tr -s ' ' | paste -sd ,)" \
    "0 enabled no,enabled at (UTC) -,recovery codes 0"
ctl_in 123456 factor disable
is "factor disable without one exits 65" "$STATUS" 65

enable_factor
is "factor enable exits 0" "$STATUS" 0
is "factor enable prints ten recovery codes, each alone on a line" \
    "$(grep -cE '^[0-9a-z]{5}-[0-9a-z]{5}$' "$scratch/out")" 10
check "without a terminal there is no picture" not prints '▀'
recovery=$(grep -E "^[0-9a-z]{5}-[0-9a-z]{5}\$" "$scratch/out" | tail -n 1)
ctl factor show
check "factor show says that it is enabled" prints 'enabled *yes'
ctl factor enable
is "an enabled factor is not replaced" "$STATUS" 65
check "the error names factor disable" prints "'assayctl factor disable'"

# Logins.
lines 'correct horse' -- login --email admin@example.com
is "a login without a code exits 65" "$STATUS" 65
check "the error says where the code belongs" \
    prints 'on the line after the password'
lines 'correct horse' 1234567 -- login --email admin@example.com
is "a login with a wrong code exits 77" "$STATUS" 77
check "the error about the code names a way out" \
    prints "CODE_WRONG.*|.*'assayctl users reset-factor EMAIL'"
lines 'correct horse' "$(code_of "$secret")" -- login --email admin@example.com
is "a login reads the code from the second line" "$STATUS" 0
lines 'correct horse' 'a new password' "$recovery" -- password
is "password reads the code from the third line" "$STATUS" 0
ctl users list
is "users list shows the second factor" \
    "$(sed 1d "$scratch/out" | awk '{ print $5 }')" yes
ctl users reset-factor admin@example.com
is "users reset-factor refuses the own factor" "$STATUS" 77
next_codes
lines "$(code_of "$secret")" -- factor disable
is "factor disable removes it" "$STATUS $OUT" \
    "0 the second factor and its recovery codes are removed"

login admin@example.com 'a new password'
is "after factor disable a login needs no code" "$STATUS" 0

# On a terminal with UTF-8 the key is also a picture.
printf '\n' | LC_ALL=C.UTF-8 timeout 20 script -qec \
    "$builddir/assayctl factor enable" /dev/null >"$scratch/out" 2>&1
is "on a terminal the picture has the upper corners of a QR code" \
    "$(grep -c '█▀▀▀▀▀█.*█▀▀▀▀▀█' "$scratch/out")" 1

# The owner of the database removes the factor of an admin.
sql 'delete from assay.second_factor'
enable_factor
export ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
ctl admin reset-factor nobody@example.com
is "admin reset-factor refuses an unknown email" "$STATUS" 65
ctl admin reset-factor ADMIN@example.com
is "admin reset-factor removes it" "$STATUS $OUT" "0 admin@example.com has no \
second factor any more; the admin's sessions have ended"
ctl admin reset-factor admin@example.com
is "there is nothing to remove twice" "$STATUS" 65
check "the error names the email" \
    prints 'no active admin with a second factor admin@example.com'
ctl factor show
is "the sessions of the admin have ended" "$STATUS" 77
login admin@example.com 'a new password'
is "the admin logs in without a code" "$STATUS" 0
is "the trail has the act of the owner" "$(sql "select role from assay.audit
    where action = 'assayctl admin reset-factor'")" owner
finish
