# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The harness of the HTTP scenarios.  A scenario is a script that begins with
#
#	. "$(dirname "$0")/lib.sh"
#	use lock past
#
# if it needs lock.sh and past.sh, and no "use" if it needs no other file.
# Each scenario runs in its own scratch directory with a copy of the prepared
# cluster, the real pool and the real nginx, all on unix sockets, so several
# scenarios can run at once.  It prints "ok" and "not ok" lines.  At its end the
# harness stops every process that it started; if a test failed, it prints what the
# logs warn about and keeps them in the build directory.
# The last tests of every scenario: http() and raw() got only complete answers,
# and errors only as our envelope; no log holds an address, a number, a key or
# another secret of a request (nginx keeps a copy of every request for this);
# and every logged line is logfmt.
# The answers that http() got stay in the build directory for t/answers.sh.
# Without RUN_SERVICES=1 every scenario is skipped.
# shellcheck disable=SC2119,SC2120 # arguments that may be left out
set -u
scenario=$(basename "$0" .sh)
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
builddir=${builddir:-.}
builddir=$(cd "$builddir" && pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/cluster.sh
. "$srcdir/t/cluster.sh"

if [ "${RUN_SERVICES:-}" != 1 ]; then
	echo "# skipped: needs PostgreSQL and nginx, RUN_SERVICES=1 runs it"
	exit 77
fi
[ -x "$builddir/t/http/request" ] || stack_die "make scenario-parts has not been run"

# use NAME ...: source these files of t/http, each once.
used=
use() {
	for use_name in "$@"; do
		case " $used " in
		*" $use_name "*) continue ;;
		esac
		used="$used $use_name"
		# shellcheck source=/dev/null
		. "$srcdir/t/http/$use_name.sh"
	done
}

tap_passed=0
tap_failed=0
tap_finished=
scratch=/nonexistent
stack_pg_pid=
stack_pool_pid=
stack_nginx_pid=
redis_pid=
more_pids=
cron_pids=
stack_cron_pid=
host=
POOL=
BASE=http://assay
TOKEN=
KEY=
# A search for leaks doubles the time of assayctl: only its own scenarios make one.
# with_settings() has another value for the pool and the companion.
case $scenario in
8*) ;;
*) export ASAN_OPTIONS=detect_leaks=0 ;;
esac
unset DATABASE_URL COMPANION_DATABASE_URL OPERATOR_DATABASE_URL \
    OPERATOR_READ_DATABASE_URL RETAIN_DATABASE_URL PERSISTENCE REDIS_URL TRUST_PROXY || :

trap 'leave' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

leave() {
	leave_status=$?
	trap - EXIT
	stop_stack
	rm -rf "$builddir/t/http/$scenario.logs"
	[ -n "$tap_finished" ] || not_ok "the scenario reached its end"
	is "every error was answered in our envelope" \
	    "$(outside 2>&1)" "" || :
	keeps_private || :
	is "every line of our logs is logfmt" "$(logfmt_faults 2>&1)" "" || :
	keep_answers
	echo "1..$((tap_passed + tap_failed))"
	if [ "$tap_failed" -gt 0 ]; then
		mkdir -p "$builddir/t/http"
		cp -R "$scratch/log" "$builddir/t/http/$scenario.logs"
		alarming
		echo "# all logs: t/http/$scenario.logs in the build directory"
		[ "$leave_status" -ne 0 ] || leave_status=1
	fi
	sed -n "s,^[^ ]* \($scratch/[^ ]*\) .*,\1,p" /proc/self/mounts | xargs -r umount -l
	rm -rf "$scratch"
	exit "$leave_status"
}

# alarming: the last lines of each log that have level warn or above, except what
# PostgreSQL says of each session when it stops.
alarming() {
	for alarming_log in "$scratch"/log/*; do
		grep -E 'level=(warn|error)|(ERROR|FATAL|PANIC):|\[(warn|error|crit|alert|emerg)\]|Sanitizer|runtime error|^assay-[a-z]+: ' \
		    "$alarming_log" | grep -vE \
		    'FATAL: +(terminating connection due to administrator command|the database system is s)' |
		    tail -n 3 | sed "s/^/# ${alarming_log##*/}: /"
	done
}

# t/answers.sh checks the answers of all scenarios.
keep_answers() {
	mkdir -p "$builddir/t/http"
	cp "$scratch/sent/answers" "$builddir/t/http/$scenario.answers" \
	    2>/dev/null || :
}

# Search all logs for values of the requests, of files made for requests and of
# the scenario itself.
keeps_private() {
	# shellcheck disable=SC2046 # our own paths have no spaces
	is "no log holds personal data or a secret of a request" "$(private_lines "$0" \
	    $(find "$scratch" "$scratch/sent" -maxdepth 1 -type f) -- \
	    "$scratch"/log/* 2>&1)" ""
}

# outside: the errors that are not an envelope, and the requests without an answer.
outside() {
	[ ! -e "$scratch/outside" ] || cat "$scratch/outside"
	[ ! -e "$scratch/sent/errors" ] ||
	    perl "$srcdir/t/http/envelope.pl" "$scratch/sent/errors"
}

# logfmt_faults: the lines of the logs of the pool, the companion and nginx that
# are not logfmt.
logfmt_faults() {
	find "$scratch/log" \( -name 'pool*.log' -o -name 'cron*.log' -o \
	    -name nginx-access.log \) \
	    -exec perl "$srcdir/t/http/logfmt.pl" {} +
}

# private_lines FILE ... -- LOG ...: the log lines with private data from the
# files.
private_lines() {
	perl "$srcdir/t/http/private.pl" "$(sed -n \
	    's/^CONF(\([A-Z0-9_]*\),.*[ ,]SECRET[ ,].*/\1/p' \
	    "$srcdir/lib/conf/conf.tbl" | paste -sd '|')" "$@"
}

# The last line of a scenario.
finish() {
	tap_finished=yes
	exit 0
}

# Assertions.  Each prints one line and returns 0 if it holds.  A label is a
# sentence that is true without its neighbours, and unique in its scenario.

ok() {
	tap_passed=$((tap_passed + 1))
	echo "ok $((tap_passed + tap_failed)) - $1"
}

not_ok() {
	tap_failed=$((tap_failed + 1))
	echo "not ok $((tap_passed + tap_failed)) - $1"
	return 1
}

# check LABEL COMMAND ...: the command succeeds.
check() {
	check_label=$1
	shift
	if "$@" >"$scratch/check" 2>&1; then
		ok "$check_label"
	else
		not_ok "$check_label"
		sed 's/^/#   /' "$scratch/check"
		return 1
	fi
}

# is LABEL GOT WANT: equal strings.
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		echo "#   got: $2"
		echo "#   want: $3"
		return 1
	fi
}

# is_json LABEL FILTER WANT: the output of jq's filter for the last body.
is_json() {
	is "$1" "$(json "$2")" "$3"
}

# is_error LABEL STATUS CODE: the last answer is exactly an error envelope, with a
# correlation id.  envelope.pl reads the envelope itself.
is_error() {
	case $BODY in
	'{"error":true,"code":"'*'","message":"'?*'"}')
		is_error_got=${BODY#'{"error":true,"code":"'}
		is_error_got="$STATUS ${is_error_got%%'"'*}"
		;;
	*) is_error_got="$STATUS, no envelope" ;;
	esac
	case $HEADERS$lf in
	*"$lf"[Cc]ontent-[Tt]ype:\ application/json["$lf;"]*) ;;
	*) is_error_got="$is_error_got, no JSON" ;;
	esac
	case $HEADERS$lf in
	*"$lf"[Xx]-[Cc]orrelation-[Ii]d:*"$lf"[Xx]-[Cc]orrelation-[Ii]d:*)
		is_error_got="$is_error_got, two ids"
		;;
	*"$lf"[Xx]-[Cc]orrelation-[Ii]d:\ [!\ "$lf"]*) ;;
	*) is_error_got="$is_error_got, no id" ;;
	esac
	is "$1" "$is_error_got" "$2 $3" || printf '#   body: %.300s\n' "$BODY"
}

# Requests.

# The shell itself takes an answer apart: on some machines each process costs more
# than the request.
cr=$(printf '\r')
lf='
'
crlf=$cr$lf

# take_answer TEXT: its status is in STATUS, its head without carriage returns in
# HEADERS, what follows it in BODY.  TEXT lacks its last newline, which "$(...)"
# removes.
take_answer() {
	STATUS=
	HEADERS=
	BODY=
	case $1$lf in
	"HTTP/1.1 1"*)
		take_answer "${1#*"$crlf$crlf"}"
		return
		;;
	*"$crlf$crlf"*) ;;
	*) return ;;
	esac
	take_left=${1%%"$crlf$cr"*}$crlf
	BODY=${1#"$take_left$cr"}
	BODY=${BODY#"$lf"}
	while [ -n "$take_left" ]; do
		HEADERS=$HEADERS${HEADERS:+$lf}${take_left%%"$crlf"*}
		take_left=${take_left#*"$crlf"}
	done
	STATUS=${HEADERS#HTTP/* }
	STATUS=${STATUS%%[!0-9]*}
}

# envelope METHOD PATH: keep the answers of one connection, from standard input,
# for envelope.pl, which the last test of the scenario runs.
envelope() {
	printf '\036%s\037%s\037' "$1" "$2" >>"$scratch/sent/errors"
	cat >>"$scratch/sent/errors"
}

# http METHOD PATH [BODY [curl option ...]]: send a request; the answer is in
# STATUS, BODY and HEADERS.  A body is JSON.  KEY and TOKEN are the credentials.
http() {
	http_method=$1
	http_path=$2
	http_body=${3-}
	shift
	shift
	[ $# -eq 0 ] || shift
	printf '%s\n' "$http_path" "$http_body" "$@" >>"$scratch/sent/http"
	if [ "$http_method" != HEAD ] && are_headers "$@"; then
		http_answer=$(http_request "$@") || :
	else
		http_answer=$(http_curl "$@") || :
	fi
	take_answer "$http_answer"
	STATUS=${STATUS:-000}
	printf '%s\n' "$BODY" >>"$scratch/sent/http"
	printf '\036%s\037%s\037%s\037%s\037%s\037%s' "$http_method" \
	    "$http_path" "$http_body" "$STATUS" "$HEADERS" "$BODY" \
	    >>"$scratch/sent/answers"
	case $STATUS in
	[123]*) ;;
	000) echo "$http_method $http_path: $(cat "$scratch/curl")" \
	    >>"$scratch/outside" ;;
	*) printf '\036%s\037%s\037%s' "$http_method" "$http_path" \
	    "$http_answer$lf" >>"$scratch/sent/errors" ;;
	esac
}

# are_headers [curl option ...]: they only add headers that curl would not change.
are_headers() {
	while [ $# -gt 1 ]; do
		case "$1 $2" in
		"-H X-"*": "?* | "-H Assay-Session: "?* | "-H Cookie: "?* | \
		    "-H Idempotency-Key: "?* | "-H Sec-Fetch-Site: "?*)
			shift 2
			;;
		*) return 1 ;;
		esac
	done
	[ $# -eq 0 ]
}

# http_request [-H HEADER ...]: the request of http() without curl, by t/http/request.c.
http_request() {
	[ -z "$http_body" ] || set -- -H 'Content-Type: application/json' "$@"
	[ -z "$KEY" ] || set -- -H "X-API-Key: $KEY" "$@"
	[ -z "$TOKEN" ] || set -- -H "Authorization: Bearer $TOKEN" "$@"
	"$builddir/t/http/request" "$scratch/run$host/http.sock" \
	    "$http_method" "$http_path" "$http_body" "$@" 2>"$scratch/curl"
}

# http_curl [curl option ...]: the same with curl.
http_curl() {
	[ -z "$http_body" ] || set -- -H 'Content-Type: application/json' \
	    --data-binary "$http_body" "$@"
	[ -z "$KEY" ] || set -- -H "X-API-Key: $KEY" "$@"
	[ -z "$TOKEN" ] || set -- -H "Authorization: Bearer $TOKEN" "$@"
	case $http_method in
	HEAD) set -- --head "$@" ;;
	*) set -- -X "$http_method" -D - "$@" ;;
	esac
	curl -sS --max-time 30 --unix-socket "$scratch/run$host/http.sock" \
	    "$@" "$BASE$http_path" 2>"$scratch/curl"
}

# raw FORMAT [ARGUMENT ...]: send the bytes that printf makes of these, and read
# the answer into STATUS, BODY and HEADERS; STATUS is "" if nginx closed the
# connection without an answer.
raw() {
	# shellcheck disable=SC2059 # the caller passes the format
	printf "$@" >>"$scratch/sent/raw"
	# shellcheck disable=SC2059 # the same
	printf "$@" | perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new($ARGV[0]) or die "connect: $!\n";
		local $/;
		local $SIG{PIPE} = "IGNORE";
		$s->autoflush(1);
		print $s <STDIN>;
		alarm 20;
		print <$s>' "$scratch/run$host/http.sock" \
	    >"$scratch/answer" 2>"$scratch/curl" || :
	envelope raw "" <"$scratch/answer"
	take_answer "$(cat "$scratch/answer")"
}

# jq ARGUMENT ...: gojq starts in a tenth of the time, and sorts the members of objects.
jq() {
	case $* in
	*tojson* | *@json* | *keys_unsorted* | *to_entries* | *'{'*) command jq "$@" ;;
	"-r "* | "-Rr "*) gojq "$@" ;;
	*) command jq "$@" ;;
	esac
}

# json FILTER: from the last body.
json() {
	jq -r "$1" 2>&1 <<-END
	$BODY
	END
}

# header NAME: its value in the last answer; NAME is in lower case.
header() {
	printf '%s\n' "$HEADERS" | awk -v want="$1:" '
		tolower($1) == want { sub(/^[^:]*: */, ""); print }'
}

# sql QUERY: as the owner; only values, with "|" between columns.
sql() {
	cluster_psql postgres assay -At -c "$1"
}

# change_setting NAME VALUE: change a setting of PostgreSQL, and wait until it is in
# force.
change_setting() {
	sql "alter system set $1 = '$2'"
	await_setting "$@"
}

# setting_is NAME VALUE: new sessions have this setting of PostgreSQL.
# shellcheck disable=SC2317 # stack_until calls it
setting_is() {
	[ "$(sql "show $1")" = "$2" ]
}

# await_setting NAME VALUE: PostgreSQL reads its settings, of which one changed to
# this value.  When new sessions have it, all processes have the signal.  The process
# that makes a checkpoint reads the settings first.
await_setting() {
	sql "select pg_reload_conf()" >/dev/null
	stack_until 20 "$stack_pg_pid" setting_is "$@" ||
	    stack_die "PostgreSQL does not take $1 = $2"
	sql checkpoint
}

# metric NAME: the value of one line of /metrics, NAME with its labels.
metric() {
	http GET /metrics
	printf '%s\n' "$BODY" | awk -v name="$1" '$1 == name { print $2 }'
}

# login_event USER [MEMBERS]: the JSON of a login, with more members of subject.
login_event() {
	printf '{"type":"account.login","subject":{"userId":"%s"%s}}' "$1" "${2-}"
}

# log_in EMAIL PASSWORD [curl option ...]: send a login.
log_in() {
	log_in_body="{\"email\":\"$1\",\"password\":\"$2\"}"
	shift 2
	http POST /v1/auth/login "$log_in_body" "$@"
}

# log_in_from ADDRESS EMAIL PASSWORD: log in through a proxy.
log_in_from() {
	log_in "$2" "$3" -H "X-Forwarded-For: $1"
}

# open_session EMAIL PASSWORD: log in without a token; from then on TOKEN is the
# token of the new session, or empty if the login failed.
open_session() {
	TOKEN=
	log_in "$@"
	[ "$STATUS" != 200 ] || TOKEN=$(json .token)
}

# token_claim NAME: this claim of TOKEN.
token_claim() {
	printf '%s' "$TOKEN" | jq -Rr "split(\".\")[1] |
	    gsub(\"-\"; \"+\") | gsub(\"_\"; \"/\") | @base64d | fromjson | .$1"
}

# prepare METHOD PATH BODY: http() until the answer is 2xx, because workers of operators
# may still start.
prepare() {
	for prepare_n in 1 2 3 4 5; do
		http "$@"
		case $STATUS in
		2*) return ;;
		esac
		echo "# $2: $STATUS $BODY"
		sleep "$prepare_n"
	done
}

# Register the first operator; from then on http() sends TOKEN.
admin_token() {
	prepare POST /v1/auth/register \
	    '{"email":"admin@example.com","password":"correct horse"}'
	TOKEN=$(json .token)
}

# api_key [SCOPES]: make a key, by default with all scopes; from then on http()
# sends KEY.  Needs admin_token.
api_key() {
	prepare POST /v1/apikeys "{\"name\":\"test\"${1:+,\"scopes\":$1}}"
	KEY=$(json .plaintext)
}

# The stack.

# start_database [option ...]: with more options of postgres.
start_database() {
	stack_pg_start "$scratch/pg" "$scratch/run" "$scratch/log/postgres.log" \
	    "$@"
}

# Stop PostgreSQL as if its machine had disappeared.
stop_database() {
	stack_end "$stack_pg_pid" INT
	stack_pg_pid=
}

# Kill PostgreSQL with all of its processes.  The server stops before the kill, so that
# it starts no more of them; a new server would refuse to start beside one.
kill_database() {
	kill -STOP "$stack_pg_pid"
	sessions=$(pgrep -P "$stack_pg_pid")
	stack_end "$stack_pg_pid" KILL
	stack_pg_pid=
	for session in $sessions; do
		stack_until 15 0 stack_gone "$session"
	done
}

# with_urls URL COMMAND [ARGUMENT ...]: run it with the connection strings that the
# command URL prints for each role.
with_urls() {
	urls_of=$1
	shift
	"$@" DATABASE_URL="$("$urls_of" assay_decide)" \
	    OPERATOR_DATABASE_URL="$("$urls_of" assay_operator)" \
	    COMPANION_DATABASE_URL="$("$urls_of" assay_companion)" \
	    RETAIN_DATABASE_URL="$("$urls_of" assay_retain)"
}

# with_settings COMMAND [NAME=VALUE ...]: run it with the default settings of the
# scenarios and these.
with_settings() {
	settings_command=$1
	shift
	set -- DATABASE_URL="host=$scratch/run dbname=assay user=assay_decide" \
	    OPERATOR_DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator" \
	    COMPANION_DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion" \
	    RETAIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_retain" \
	    DECIDE_SOCKET="$scratch/run$host/decide.sock" DECIDE_WORKERS=2 \
	    OPERATOR_SOCKET="$scratch/run$host/operator.sock" OPERATOR_WORKERS=2 \
	    SPOOL_DIR="$scratch/spool$host" \
	    AUTH_SECRET=6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8 \
	    RATE_LIMIT_DECISIONS_PER_MIN=100000 RATE_LIMIT_LOGIN_PER_MIN=1000 \
	    RATE_LIMIT_LABELS_PER_MIN=100000 \
	    ASAN_OPTIONS=abort_on_error=0:detect_leaks=1 \
	    UBSAN_OPTIONS=print_stacktrace=1 LOG_LEVEL=debug CORE_DUMPS=true \
	    LD_PRELOAD="$cheap_scrypt" "$@"
	printf '%s\n' "$@" >>"$scratch/sent/settings"
	"$settings_command" "$@"
}

# start_pool [NAME=VALUE ...]: with more settings; does not wait until the pool
# is ready.  POOL is the path of another program to run instead.
start_pool() {
	with_settings run_pool "$@"
}

run_pool() {
	stack_pool_start "${POOL:-$scratch/bin/assay-fcgi}" \
	    "$scratch/log/pool$host.log" "$@"
	stack_until 20 "$stack_pool_pid" test -S "$scratch/run$host/operator.sock"
}

# start_cron ARGUMENTS [NAME=VALUE ...]: run the companion in the background,
# "work --for 10m" for example.  stop_cron stops the last one.
start_cron() {
	cron_arguments=$1
	shift
	with_settings run_cron "$@"
}

run_cron() {
	stack_cron_start "$scratch/bin/assay-cron" "$scratch/log/cron$host.log" \
	    "$cron_arguments" "$@"
	cron_pids="$stack_cron_pid $cron_pids"
}

stop_cron() {
	stack_end "$stack_cron_pid" TERM
	stack_cron_pid=
}

# cron ARGUMENTS [NAME=VALUE ...]: run the companion and wait for its end; its
# log is $scratch/log/cron.log.  Returns its exit status.
cron() {
	start_cron "$@"
	wait "$stack_cron_pid"
}

stop_pool() {
	stack_end "$stack_pool_pid" TERM
	stack_pool_pid=
}

# start_nginx [NAME=VALUE ...]: with more variables of the template.
start_nginx() {
	rm -f "$scratch/run$host/http.sock"
	stack_nginx_start "$scratch/nginx" "$scratch/run$host" "$scratch/log" \
	    LISTEN="unix:$scratch/run$host/http.sock" EXEMPT=yes \
	    DECIDE_SOCKET="$scratch/run$host/decide.sock" \
	    OPERATOR_SOCKET="$scratch/run$host/operator.sock" "$@"
}

stop_nginx() {
	stack_end "$stack_nginx_pid" TERM
	stack_nginx_pid=
}

# start_stack [NAME=VALUE ...]: start everything, with more settings of the pool,
# and wait until the pool is ready.  The database may run already.
start_stack() {
	[ -n "$stack_pg_pid" ] || start_database
	start_pool "$@"
	start_nginx
	wait_ready
}

# start_signed_in [NAME=VALUE ...]: start_stack, admin_token and api_key.
start_signed_in() {
	start_stack "$@"
	admin_token
	api_key
}

# start_with_key [NAME=VALUE ...]: the same, but http() sends KEY alone; the
# admin's token is in $token.
start_with_key() {
	start_signed_in "$@"
	# shellcheck disable=SC2034 # for scenarios
	token=$TOKEN
	TOKEN=
}

# start_host N [NAME=VALUE ...]: start another pool and nginx on the same
# database, as if on another host, and wait until they are ready.  http() uses
# them while host=N.
start_host() {
	host=$1
	shift
	host_pids="$stack_pool_pid $stack_nginx_pid"
	mkdir -p "$scratch/run$host" "$scratch/spool$host"
	stack_own "$scratch/run$host" "$scratch/spool$host"
	start_pool "$@"
	start_nginx
	more_pids="$stack_nginx_pid $stack_pool_pid $more_pids"
	wait_ready
	stack_pool_pid=${host_pids% *}
	stack_nginx_pid=${host_pids#* }
	host=
}

# on HOST METHOD PATH [BODY]: send a request to that host.
on() {
	host=$1
	shift
	http "$@"
	host=
}

# start_redis [OPTION ...]: start Redis on a unix socket, with a password, and
# wait until it answers.
REDIS_PASSWORD=open-sesame-4711
start_redis() {
	mkdir -p "$scratch/redis"
	stack_own "$scratch/redis"
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig KILL redis-server --port 0 \
	    --unixsocket "$scratch/run/redis.sock" --unixsocketperm 700 \
	    --requirepass "$REDIS_PASSWORD" --dir "$scratch/redis" \
	    --save '' "$@") </dev/null >>"$scratch/log/redis.log" 2>&1 &
	redis_pid=$!
	stack_until 20 "$redis_pid" redis_answers ||
	    { not_ok "Redis answers"; exit 1; }
}

redis_answers() {
	[ "$(redis ping)" = PONG ]
}

# redis COMMAND ...: as the default user.
redis() {
	REDISCLI_AUTH=$REDIS_PASSWORD redis-cli -s "$scratch/run/redis.sock" \
	    "$@"
}

stop_stack() {
	for stop_pid in $cron_pids $more_pids; do
		stack_end "$stop_pid" TERM
	done
	stop_nginx
	stop_pool
	stack_end "$stack_pg_pid" QUIT
	stack_end "$redis_pid" KILL
}

is_ready() {
	"$builddir/t/http/request" "$scratch/run$host/http.sock" GET /readyz "" \
	    2>/dev/null | grep -q '^HTTP/1.1 200'
}

# ready_is "STATUS STORE REDIS": /readyz answers this.
ready_is() {
	http GET /readyz
	[ "$STATUS $(json '.checks | "\(.store) \(.redis)"')" = "$1" ]
}

# Wait until /readyz answers 200.
wait_ready() {
	stack_until 30 "$stack_pool_pid" is_ready ||
	    { not_ok "the stack is ready"; exit 1; }
}

# Wait until each decide worker has rules and policies, so that it can decide without
# the database.
wait_loaded() {
	stack_until 30 "$stack_pool_pid" all_loaded ||
	    { not_ok "each decide worker has rules and policies"; exit 1; }
}

all_loaded() {
	for loaded_pid in $(worker_pids decide); do
		grep -q "pid=$loaded_pid .*event=policies_loaded" \
		    "$scratch/log/pool$host.log" || return 1
	done
}

# worker_pids GROUP: of its running workers, oldest first, from the log.
worker_pids() {
	sed -n "s/.* event=worker_started group=$1 worker_pid=//p" \
	    "$scratch/log/pool$host.log" | while read -r worker_pid; do
		stack_gone "$worker_pid" || echo "$worker_pid"
	done
}

# free_port: set port to a free TCP port.
# shellcheck disable=SC2034 # the scenario reads it
free_port() {
	port=$(stack_port)
}

# The nginx template with a second log, outside of the searched logs, that has
# a copy of every request.  Only scenarios of load shedding let the pool see how
# long a request waited: elsewhere a busy machine would decide what is shed.
nginx_copy() {
	case $scenario in
	2604-* | 5605-*) nginx_received= ;;
	*) nginx_received=/ENGINE_RECEIVED/d ;;
	esac
	mkdir -m 700 "$scratch/nginx" "$scratch/sent"
	stack_own "$scratch/sent"
	cp "$srcdir/nginx/render" "$srcdir/nginx/main.conf.in" "$scratch/nginx/"
	{
		cat <<-'END'
			log_format sent escape=none '$request_uri\n'
				'x-api-key: $http_x_api_key\n'
				'authorization: $http_authorization\n'
				'idempotency-key: $http_idempotency_key\n'
				'$http_x_forwarded_for $http_user_agent\n'
				'$http_referer $http_cookie\n$request_body\n';
		END
		sed "$nginx_received
s,^\(.*access_log \).*/nginx-access.log assay.*;,&\
\1$scratch/sent/nginx sent;," "$srcdir/nginx/assay.conf.in"
	} >"$scratch/nginx/assay.conf.in"
}

# Every scenario starts with this.
cluster_scratch
nginx_copy
cluster_copy
# The first session of a database prepares what those of the workers then load.
stack_pg_db=assay
for program in assay-cron assay-fcgi assayctl; do
	ln "$builddir/$program" "$scratch/bin/" 2>/dev/null ||
	    cp "$builddir/$program" "$scratch/bin/"
done
# cheap_scrypt: what programs that hash passwords get as LD_PRELOAD, if make check has
# built it; not in a build with sanitizers, which must be loaded first.
cheap_scrypt=
if [ -e "$builddir/t/http/scrypt.so" ] &&
    ! grep -q '^#define ARENA_MALLOC' "$builddir/config.h"; then
	cp "$builddir/t/http/scrypt.so" "$scratch/bin/"
	cheap_scrypt=$scratch/bin/scrypt.so
fi
