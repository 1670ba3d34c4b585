#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl's session: login and its file, who may do what, and what is said
# when it is over, refused, elsewhere or not trusted.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

start_stack
admin_token
TOKEN=
token_file=$HOME/.config/assay/token

# Logging in.
login admin@example.com 'not the password'
is "a wrong password" "$STATUS" 77
check "says what to do" said 'INVALID_CREDENTIALS.*|.*check both'
login admin@example.com ''
is "no password" "$STATUS" 65
check "leaves no session" test ! -e "$HOME/.config/assay"
login Admin@Example.com 'correct horse'
is "login" "$STATUS" 0
check "says who and where" said "^admin@example.com (admin) at $ASSAY_URL until 2"
is "the file is its user's alone" "$(stat -c %a "$token_file" \
    "${token_file%/*}" | tr '\n' ' ')" "600 700 "
is "and nothing is left beside it" "$(ls "${token_file%/*}")" token
check "it knows where it was" env -u ASSAY_URL "$builddir/assayctl" users list

# By hand: what is typed at the password's prompt is not seen, nor does an
# interrupt leave the terminal deaf.
mkfifo "$scratch/typed"
script -qfec "sh -c '$builddir/assayctl login; echo ended \$?; stty -a'" \
    "$scratch/seen" <"$scratch/typed" >/dev/null 2>&1 &
more_pids="$! $more_pids"
exec 7>"$scratch/typed"
# shellcheck disable=SC2317 # called by name
seen() { grep -q -e "$1" "$scratch/seen" 2>/dev/null; }
stack_until 10 $! seen Email
echo admin@example.com >&7
stack_until 10 $! seen Password
echo 'correct horse' >&7
stack_until 20 $! seen '^ended [0-9]'
exec 7>&-
check "logged in by hand" seen '^ended 0'
check "the email is seen" seen '^Email: admin@example.com'
check "the password is not" not seen 'correct horse'
rm "$scratch/seen"
script -qfec "sh -c 'trap : INT; $builddir/assayctl login --email a@b.c;
    stty -a'" "$scratch/seen" <"$scratch/typed" >/dev/null 2>&1 &
more_pids="$! $more_pids"
exec 7>"$scratch/typed"
stack_until 10 $! seen Password
printf '\003' >&7
stack_until 10 $! seen 'echo '
exec 7>&-
check "an interrupt gives the echo back" seen ' echo '

# Operators.
ctl_in 'the first one' users add ana@example.com
is "an operator is added" "$STATUS $OUT" "0 ana@example.com is added: analyst"
ctl_in 'the first one' users add Ana@example.com
is "not twice" "$STATUS" 65
check "says what to do" said "USER_EXISTS.*|.*'assayctl users list'"
ctl_in 'short' users add --role admin bob@example.com
is "a password that is too short" "$STATUS" 65
check "is told by the service" said 'password must be'
ctl users list
is "the operators" "$(sed 1d "$scratch/out" | awk '{ print $1, $2 }' |
    paste -sd ,)" "admin@example.com admin,ana@example.com analyst"
ctl users list --json
is "for a program" "$(jq -r '.[1].role' "$scratch/out")" analyst

# Operators come, change and go.
is "a first password is temporary" "$(jq -r '.[1].passwordTemporary' \
    "$scratch/out")" true
XDG_CONFIG_HOME=$scratch/first
export XDG_CONFIG_HOME
login ana@example.com 'the first one'
is "a temporary password opens" "$STATUS" 0
check "and the login says what to do" said "temporary.*'assayctl password'"
printf 'the wrong one\nthe second one\n' >"$scratch/passwords"
# passwords: the command, with these two lines.
passwords() {
	"$builddir/assayctl" password <"$scratch/passwords" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
}
passwords
is "the present password is wrong" "$STATUS" 77
check "says so" said PASSWORD_WRONG
printf 'the first one\n' >"$scratch/passwords"
passwords
is "without a new password" "$STATUS" 65
printf 'the first one\nthe second one\n' >"$scratch/passwords"
passwords
is "a password is changed" "$STATUS" 0
check "a session goes on" said '^ana@example.com (analyst) at .* until 2'
check "and nothing more is asked for" not said temporary
ctl cases list
is "with its new token" "$STATUS" 0
ASSAY_TOKEN=x ctl password
is "not with a token of the environment" "$STATUS" 64
unset XDG_CONFIG_HOME
ctl users role ana@example.com admin
is "a role" "$STATUS $OUT" "0 ana@example.com is admin"
ctl users role ana@example.com analyst
ctl users disable ana@example.com
is "disabled" "$STATUS $OUT" "0 ana@example.com is disabled"
XDG_CONFIG_HOME=$scratch/first ctl cases list
is "whose session is over" "$STATUS" 77
ctl users enable ana@example.com
is "enabled" "$STATUS $OUT" "0 ana@example.com is enabled"
ctl users end-sessions ana@example.com
is "ended" "$STATUS $OUT" "0 the sessions of ana@example.com have ended"
ctl users disable admin@example.com
is "the last admin stays" "$STATUS" 65
check "says what to do" said "LAST_ADMIN.*|.*'assayctl users role EMAIL admin'"
ctl users enable nobody@example.com
is "who is no operator" "$STATUS" 65
check "says what to do" said "USER_MISSING.*|.*'assayctl users list'"
ctl_in 'the first one' users password ana@example.com
is "a temporary password" "$STATUS" 0
ctl users list
is "is shown" "$(sed -n 's/^\(ana@[^ ]*\)/\1/p' "$scratch/out" |
    awk '{ print $2, $3, $4 }')" "analyst no yes"

# Where nobody gets in any more: on the database.
# owner COMMAND ...: with this password on standard input, as the owner.
owner() {
	owner_password=$1
	shift
	printf '%s\n' "$owner_password" | DATABASE_URL="host=$scratch/run \
	    dbname=assay user=postgres" "$builddir/assayctl" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
}
owner 'a way back in' admin password Admin@example.com
is "an admin's password is set on the database" "$STATUS" 0
ctl users list
is "which ends the admin's sessions" "$STATUS" 77
login admin@example.com 'correct horse'
is "the lost one opens no more" "$STATUS" 77
login admin@example.com 'a way back in'
is "the new one does" "$STATUS" 0
check "and is temporary" said "'assayctl password'"
owner 'a way back in' admin password ana@example.com
is "an analyst is no admin" "$STATUS" 65
check "says so" said 'no active admin ana@example.com'
sql "update assay.operator set password = (select password from assay.operator
    where email = 'admin@example.com'), role = 'admin', disabled_at = now()
    where email = 'ana@example.com'"
owner 'a way back in' admin password ana@example.com
is "nor is one who is disabled" "$STATUS" 65
sql "update assay.operator set role = 'analyst', disabled_at = null
    where email = 'ana@example.com'"
ctl_in 'the first one' users password ana@example.com
printf 'a way back in\ncorrect horse\n' >"$scratch/passwords"
passwords
is "the admin changes it back" "$STATUS" 0

# Keys: made, refused, revoked.
ctl keys create --scope decisions --expires-in-days 2 till
is "a key alone on its line" "$STATUS $(grep -cx 'ak_live_[0-9a-f]*' \
    "$scratch/out")" "0 1"
KEY=$OUT
check "its id is told besides" said 'created key key_[0-9a-v]*; its text'
id=$(sed -n 's/.*created key \(key_[^;]*\);.*/\1/p' "$scratch/err")
event='{"type":"account.login","subject":{"userId":"u-1"}}'
http POST /v1/decisions "$event"
is "it decides" "$STATUS" 200
ctl keys list
is "it is listed" "$(grep -c "^$id .* decisions  *no .* till\$" \
    "$scratch/out")" 1
ctl keys revoke "$id"
is "it is revoked" "$STATUS $OUT" "0 $id is revoked"
http POST /v1/decisions "$event"
is_error "and refused at once" 401 INVALID_API_KEY
API_KEY=$KEY ctl label chargeback evt_1
is "here too" "$STATUS" 77
check "says what to do" said "INVALID_API_KEY.*|.*set API_KEY"
ctl keys revoke key_0
is "one that is none" "$STATUS" 65
KEY=

# An analyst.
XDG_CONFIG_HOME=$scratch/ana
export XDG_CONFIG_HOME
login ana@example.com 'the first one'
is "an analyst" "$STATUS $(stat -c %a "$scratch/ana/assay/token")" "0 600"
for command in 'users list' 'keys create k' 'keys list' audit \
    'webhooks list' 'notifications list' 'settings show' \
    'settings set loginPerMin=5' 'retention run' 'lists remove lst_1' \
    'lists add block user u' 'backtest card.authorize' \
    'policies rollback pol_card_authorize v1' \
    'rules rollback card.authorize v1'; do
	# shellcheck disable=SC2086 # words
	ctl $command
	is "an analyst may not: $command" "$STATUS" 77
	check "says what to do" said "FORBIDDEN.*|.*log in as one"
done

# The end.
ctl refresh
is "refresh" "$STATUS" 0
ctl whoami
check "whoami" said '^ana@example.com (analyst) at '
cp "$scratch/ana/assay/token" "$scratch/kept"
ctl logout
is "logout" "$STATUS $OUT" "0 logged out"
is "leaves no file" "$(ls "$scratch/ana/assay")" ""
ctl cases list
is "nobody" "$STATUS" 77
check "says what to do" said "'assayctl login'"
cp -p "$scratch/kept" "$scratch/ana/assay/token"
chmod 600 "$scratch/ana/assay/token"
ctl cases list
is "a session that is over" "$STATUS" 77
check "says what to do" said "your session has expired or was ended"
ASSAY_TOKEN=$(sed -n 's/^token //p' "$scratch/kept") ctl cases list
is "so is its token in the environment" "$STATUS" 77
check "says where it came from" said 'ASSAY_TOKEN has expired'
login ana@example.com 'the first one'
old=$(sed -n 's/^token //p' "$scratch/ana/assay/token")
login ana@example.com 'the first one'
ctl logout --all
is "all of them" "$STATUS" 0
ASSAY_TOKEN=$old ctl cases list
is "are over" "$STATUS" 77
unset XDG_CONFIG_HOME

# Somewhere else.
ctl keys list --url http://127.0.0.1:1
is "a token goes to no other service" "$STATUS" 77
login_at "unix:$scratch/run/other.sock"
is "nobody there" "$STATUS" 69
check "says what to do" said 'is the service running, and is this its address'

# answering ANSWER: a service that gives one connection this answer; port is
# where.
answering() {
	rm -f "$scratch/port"
	perl -MIO::Socket::INET -e '
		my $l = IO::Socket::INET->new(Listen => 1,
		    LocalAddr => "127.0.0.1");
		open my $f, ">", "$ARGV[1].new"; print $f $l->sockport;
		close $f; rename "$ARGV[1].new", $ARGV[1];
		alarm 20;
		my $s = $l->accept;
		sysread $s, my $request, 65536;
		print $s $ARGV[0]' "$1" "$scratch/port" &
	more_pids="$! $more_pids"
	stack_until 10 $! test -s "$scratch/port"
	port=$(cat "$scratch/port")
}
crlf=$(printf '\r\n.')
crlf=${crlf%.}
answering "HTTP/1.1 200 OK${crlf}Content-Length: 5$crlf${crlf}hello"
login_at "http://127.0.0.1:$port"
is "somebody else there" "$STATUS" 76
check "says so" said 'not as an Assay service does'
body='{"error":true,"code":"RATE_LIMITED","message":"too\u001b[2J\u202e"}'
answering "HTTP/1.1 429 X${crlf}Retry-After: 17${crlf}Content-Length: \
${#body}$crlf$crlf$body"
login_at "http://127.0.0.1:$port"
is "later" "$STATUS" 75
check "says when" said 'try again in 17 s'
check "and nothing that a terminal obeys" said 'too?\[2J? (429 RATE_LIMITED)'
answering "HTTP/1.1 308 X${crlf}Location: $ASSAY_URL/${crlf}Content-Length: \
0$crlf$crlf"
login_at "http://127.0.0.1:$port"
is "a redirect is not followed" "$STATUS" 76

# TLS: only who is trusted.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=DNS:localhost' -keyout "$scratch/nginx/key" \
    -out "$scratch/cert" 2>/dev/null
free_port
openssl s_server -accept "127.0.0.1:$port" -cert "$scratch/cert" \
    -key "$scratch/nginx/key" -www -quiet >/dev/null 2>&1 &
more_pids="$! $more_pids"
# shellcheck disable=SC2317 # called by name
listens() { echo | openssl s_client -connect "127.0.0.1:$port" -brief; }
stack_until 10 $! listens >/dev/null 2>&1
ASSAY_TOKEN=kept-to-myself
export ASSAY_TOKEN
ctl keys list --url "https://localhost:$port"
is "a certificate that nobody vouches for" "$STATUS" 69
check "is told" said 'certificate'
ASSAY_CA_FILE=$scratch/cert
export ASSAY_CA_FILE
ctl keys list --url "https://localhost:$port"
is "one that is trusted" "$STATUS" 76
ctl keys list --url "https://127.0.0.1:$port"
is "of another name" "$STATUS" 69
finish
