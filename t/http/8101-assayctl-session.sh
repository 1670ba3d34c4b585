#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl's session: login, the file of its token, API keys, and how a session
# ends.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
TOKEN=
token_file=$HOME/.config/assay/token

# Login.
login admin@example.com 'not the password'
is "a wrong password exits 77" "$STATUS" 77
check "the error about a wrong password says what to check" \
    prints 'INVALID_CREDENTIALS.*|.*check email and password'
login admin@example.com ''
is "an empty password exits 65" "$STATUS" 65
check "a failed login leaves no session file" test ! -e "$HOME/.config/assay"
login Admin@Example.com 'correct horse'
is "a login with the right password exits 0" "$STATUS" 0
check "a login prints operator, role, service and end" \
    prints "^admin@example.com (admin) at $ASSAY_URL until 2"
is "only the user can read the session file and its directory" \
    "$(stat -c %a "$token_file" \
    "${token_file%/*}" | tr '\n' ' ')" "600 700 "
is "a login leaves no other file" "$(ls "${token_file%/*}")" token
check "the session remembers the address of the service" \
    env -u ASSAY_URL "$builddir/assayctl" users list

# On a terminal: the password is not shown, and an interrupt restores the echo.
mkfifo "$scratch/typed"
script -qfec "sh -c '$builddir/assayctl login; echo ended \$?; stty -a'" \
    "$scratch/seen" <"$scratch/typed" >/dev/null 2>&1 &
more_pids="$! $more_pids"
exec 7>"$scratch/typed"
# shellcheck disable=SC2317 # called by name
typed_seen() { grep -q -e "$1" "$scratch/seen" 2>/dev/null; }
stack_until 10 $! typed_seen Email
echo admin@example.com >&7
stack_until 10 $! typed_seen Password
echo 'correct horse' >&7
stack_until 20 $! typed_seen '^ended [0-9]'
exec 7>&-
check "a login on a terminal exits 0" typed_seen '^ended 0'
check "the terminal shows the typed email" \
    typed_seen '^Email: admin@example.com'
check "the terminal does not show the typed password" \
    not typed_seen 'correct horse'
rm "$scratch/seen"
script -qfec "sh -c 'trap : INT; $builddir/assayctl login --email a@b.c;
    stty -a'" "$scratch/seen" <"$scratch/typed" >/dev/null 2>&1 &
more_pids="$! $more_pids"
exec 7>"$scratch/typed"
stack_until 10 $! typed_seen Password
printf '\003' >&7
stack_until 10 $! typed_seen 'echo '
exec 7>&-
check "an interrupt at the prompt restores the echo" typed_seen ' echo '

# API keys.
ctl keys create --scope decisions --expires-in-days 2 till
is "keys create prints only the key" "$STATUS $(grep -cx 'ak_live_[0-9a-f]*' \
    "$scratch/out")" "0 1"
KEY=$OUT
check "keys create prints the id to standard error" \
    prints 'created key key_[0-9a-v]*; the key itself'
id=$(sed -n 's/.*created key \(key_[^;]*\);.*/\1/p' "$scratch/err")
event='{"type":"account.login","subject":{"userId":"u-1"}}'
http POST /v1/decisions "$event"
is "the new key decides" "$STATUS" 200
ctl keys list
is "keys list shows the new key" "$(grep -c "^$id .* decisions  *no .* till\$" \
    "$scratch/out")" 1
ctl keys revoke "$id"
is "keys revoke revokes the key" "$STATUS $OUT" "0 $id is revoked"
http POST /v1/decisions "$event"
is_error "a revoked key answers 401 at once" 401 INVALID_API_KEY
API_KEY=$KEY ctl label chargeback evt_1
is "label with a revoked key exits 77" "$STATUS" 77
check "the error about a revoked key names API_KEY" \
    prints "INVALID_API_KEY.*|.*set API_KEY"
ctl keys revoke key_0
is "an unknown key id exits 65" "$STATUS" 65
KEY=

ctl_in 'the first one' users add ana@example.com
XDG_CONFIG_HOME=$scratch/ana
export XDG_CONFIG_HOME
login ana@example.com 'the first one'
# The end of a session.
ctl refresh
is "refresh exits 0" "$STATUS" 0
ctl whoami
check "whoami prints operator and role" prints '^ana@example.com (analyst) at '
cp "$scratch/ana/assay/token" "$scratch/kept"
ctl logout
is "logout exits 0" "$STATUS $OUT" "0 logged out"
is "logout removes the session file" "$(ls "$scratch/ana/assay")" ""
ctl cases list
is "a command without a session exits 77" "$STATUS" 77
check "the error without a session names assayctl login" prints "'assayctl login'"
cp -p "$scratch/kept" "$scratch/ana/assay/token"
chmod 600 "$scratch/ana/assay/token"
ctl cases list
is "a command with an ended session exits 77" "$STATUS" 77
check "the error says that the session has ended" \
    prints "your session has expired or was ended"
ASSAY_TOKEN=$(sed -n 's/^token //p' "$scratch/kept") ctl cases list
is "an ended token in the environment exits 77" "$STATUS" 77
check "the error names ASSAY_TOKEN" prints 'ASSAY_TOKEN has expired'
login ana@example.com 'the first one'
old=$(sed -n 's/^token //p' "$scratch/ana/assay/token")
ASSAY_TOKEN=$old ctl whoami
check "whoami names the operator of the token in the environment" \
    prints '^ana@example.com (analyst) at unix:.* until 20[-0-9T:.]*Z$'
login ana@example.com 'the first one'
ctl logout --all
is "logout --all exits 0" "$STATUS" 0
ASSAY_TOKEN=$old ctl cases list
is "logout --all ends the other sessions" "$STATUS" 77
ASSAY_TOKEN=$old ctl whoami
is "whoami with an ended token in the environment exits 77" "$STATUS" 77
finish
