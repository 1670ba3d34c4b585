#!/bin/sh
# SPDX-License-Identifier: ISC
# The pool without a database: sockets, signals and settings.  ASSAY_FCGI is the
# program, by default ./assay-fcgi.
set -u

fcgi=${ASSAY_FCGI:-./assay-fcgi}
command -v cgi-fcgi >/dev/null ||
    { echo "1..0 # SKIP cgi-fcgi is missing: install libfcgi-bin"; exit 77; }

dir=$(mktemp -d) || exit 1
tap_count=0
tap_failed=0
master=
as= # the command that starts the pool as another user

clean_up() {
	[ -z "$master" ] || { kill "$master" && wait "$master"; } 2>/dev/null
	[ "$tap_failed" -eq 0 ] || sed 's/^/# /' "$dir/log"
	rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# check WHAT COMMAND ...: the command succeeds.
check() {
	tap_what=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@" >"$dir/out" 2>&1; then
		echo "ok $tap_count - $tap_what"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_what"
		sed 's/^/#   /' "$dir/out"
	fi
}

# send_request GROUP METHOD URI [PARAM=VALUE] ...: print the reply; the body is
# standard input.
send_request() {
	sock=$dir/$1.sock method=$2 uri=$3
	shift 3
	env -i REQUEST_METHOD="$method" REQUEST_URI="$uri" \
	    REMOTE_ADDR=192.0.2.1 PATH="$PATH" "$@" \
	    timeout 10 cgi-fcgi -bind -connect "$sock"
}

# within SECONDS COMMAND ...: whether the command succeeds in that time.
within() {
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}

worker_pids() { ps -o pid= --ppid "$master" | tr -d ' ' | sort; }
worker_count_is() { [ "$(worker_pids | wc -l)" -eq "$1" ]; }
process_gone() { ! kill -0 "$1" 2>/dev/null; }
log_has() { grep -q "$1" "$dir/log"; }

same_workers() { [ "$(worker_pids)" = "$1" ]; }
# workers_stay COUNT: there are that many workers, and the same a second later.
workers_stay() {
	worker_count_is "$1" || return 1
	stay=$(worker_pids)
	sleep 1
	same_workers "$stay"
}

# workers_replaced OLD: there are as many workers as before, and none of OLD.
workers_replaced() {
	now=$(worker_pids)
	[ "$(echo "$now" | wc -l)" -eq "$(echo "$1" | wc -l)" ] || return 1
	for old in $1; do
		case "
$now
" in *"$old"*) return 1 ;; esac
	done
}

# start_pool COUNT [NAME=VALUE] ...: start the pool with these settings, and wait
# for that many workers.
start_pool() {
	want=$1
	shift
	# shellcheck disable=SC2086 # a command and its arguments
	env -i PATH="$PATH" ASAN_OPTIONS="${ASAN_OPTIONS-}" CORE_DUMPS=true \
	    "$@" $as "$fcgi" --config "$dir/conf" 2>>"$dir/log" </dev/null &
	master=$!
	within 5 worker_count_is "$want"
}

# settings_refused SETTING LINE: the check names the file and the line.
settings_refused() {
	printf '%s\n' "$1" >"$dir/bad"
	env -i "$fcgi" --check-config --config "$dir/bad"
	[ $? -eq 78 ] || return 1
	env -i "$fcgi" -n --config "$dir/bad" 2>&1 | grep "$dir/bad:$2"
}

usage_is_64() {
	"$fcgi" --nonsense
	[ $? -eq 64 ] || return 1
	"$fcgi" word
	[ $? -eq 64 ]
}

health_answers() {
	send_request decide GET /health >"$dir/reply" </dev/null &&
	    grep '^Status: 200' "$dir/reply" &&
	    grep '^Content-Type: application/json' "$dir/reply" &&
	    grep '^X-Correlation-Id: cor_' "$dir/reply" &&
	    grep '^X-Route: GET /health' "$dir/reply" &&
	    grep '"status":"ok"' "$dir/reply"
}

unknown_path_answers() {
	send_request operator GET '/no/such?x=1' HTTP_X_CORRELATION_ID=mine-1 \
	    >"$dir/reply" </dev/null &&
	    grep '^Status: 404' "$dir/reply" &&
	    grep '^X-Correlation-Id: mine-1' "$dir/reply" &&
	    grep '^{"error":true,"code":"NOT_FOUND","message":"' "$dir/reply" &&
	    within 10 log_has 'req=mine-1 method=GET route=- status=404 '
}

head_has_no_body() {
	send_request decide HEAD /health >"$dir/reply" </dev/null &&
	    grep '^Content-Length: [1-9]' "$dir/reply" &&
	    ! grep '"status"' "$dir/reply"
}

readyz_answers_503() {
	send_request decide GET /readyz >"$dir/reply" </dev/null &&
	    grep '^Status: 503' "$dir/reply" &&
	    grep '"status":"not_ready".*"store":"down"' "$dir/reply"
}

metrics_need_token() {
	send_request decide GET /metrics >"$dir/reply" </dev/null
	grep '^Status: 401' "$dir/reply" || return 1
	send_request decide GET /metrics 'HTTP_AUTHORIZATION=Bearer tokenx' \
	    >"$dir/reply" </dev/null
	grep '^Status: 401' "$dir/reply" || return 1
	send_request decide GET /metrics 'HTTP_AUTHORIZATION=Bearer token' \
	    >"$dir/reply" </dev/null
	grep '^Status: 200' "$dir/reply" &&
	    grep '^engine_workers{group="decide"} 2' "$dir/reply" &&
	    grep '^engine_workers_busy{group="decide"} 1' "$dir/reply" &&
	    grep 'requests_total{route="GET /metrics",status="4xx"} 2' \
		"$dir/reply" &&
	    grep '^engine_decisions_total{verdict="deny",cached="true"} 0' \
		"$dir/reply"
}

old_request_shed() {
	send_request decide GET /v1/decisions/e ENGINE_RECEIVED=1000000000.000 \
	    >"$dir/reply" </dev/null &&
	    grep '^Status: 503' "$dir/reply" &&
	    grep '^Retry-After: 1' "$dir/reply" &&
	    grep '"code":"UNAVAILABLE"' "$dir/reply" &&
	    send_request decide GET /v1/decisions/e \
		ENGINE_RECEIVED="$(date +%s.%3N)" </dev/null | grep '^Status: 401' &&
	    send_request decide GET /health ENGINE_RECEIVED=1000000000.000 \
		</dev/null | grep '^Status: 200'
}

# While decisions wait long, requests of operators are shed if they use the
# database or a password.
operators_shed_first() {
	send_request decide GET /v1/decisions/e ENGINE_RECEIVED=1000000000.000 \
	    </dev/null | grep '^Status: 503' || return 1
	send_request operator GET /v1/auth/status >"$dir/reply" </dev/null
	grep '^Status: 503' "$dir/reply" &&
	    grep '^Retry-After: 1' "$dir/reply" &&
	    grep 'too many requests are waiting' "$dir/reply" &&
	    send_request operator GET /no/such </dev/null | grep '^Status: 404' &&
	    within 5 operators_served
}
operators_served() {
	send_request operator POST /v1/auth/login </dev/null | grep '^Status: 4'
}

# drop_connection WHEN GROUP URI: a peer that closes the connection inside its
# parameters, inside its body or before its answer, or that sends nothing for a
# second.
drop_connection() {
	perl -MIO::Socket::UNIX -e '
		my ($when, $path, $uri) = @ARGV;
		my $s = IO::Socket::UNIX->new($path) or die;
		sub record { pack("CCnnCx", 1, $_[0], 1, length $_[1], 0) . $_[1] }
		my %params = (REQUEST_METHOD => "GET", REQUEST_URI => $uri);
		%params = (%params, REQUEST_METHOD => "POST",
		    CONTENT_TYPE => "application/json", CONTENT_LENGTH => 40)
		    if $when eq "body";
		my $head = record(1, pack("nCx5", 1, 0)) . record(4, join "",
		    map { pack("CC", length, length $params{$_}) . $_ .
		    $params{$_} } keys %params);
		sleep 1 if $when eq "silent";
		syswrite $s, substr $head, 0, 40 if $when eq "params";
		syswrite $s, $head . record(4, "") . record(5, "{\"a\":")
		    if $when eq "body";
		syswrite $s, $head . record(4, "") . record(5, "")
		    if $when eq "answer"' "$1" "$dir/$2.sock" "$3"
}
workers_survive_peers() {
	old=$(worker_pids)
	for _ in 1 2 3; do
		drop_connection params decide /health
		drop_connection body operator /v1/auth/login
		drop_connection answer decide /health
		drop_connection answer operator /no/such
	done
	drop_connection silent decide /health &
	drop_connection silent decide /health &
	health_answers && [ "$old" = "$(worker_pids)" ]
}

# A worker without a free descriptor ends and another one answers.  It can still
# hold its last connection, so the test tries three times.
full_worker_survives() {
	limit=$(prlimit --pid "$master" --noheadings --output SOFT --nofile)
	fill_descriptors || fill_descriptors || fill_descriptors || return 1
	# The others would end at their next connection, in a later test.
	for pid in $(worker_pids); do
		prlimit --pid "$pid" --nofile="$limit": || :
	done
	within 10 workers_stay 4
}
fill_descriptors() {
	for pid in $(worker_pids); do
		free=0
		while [ -e "/proc/$pid/fd/$free" ]; do
			free=$((free + 1))
		done
		prlimit --pid "$pid" --nofile="$free":
	done
	health_answers && within 10 log_has 'event=worker_accept_failed why="Too many open files'
}

# The master starts a worker again after pauses that double.
worker_start_retried() {
	limit=$(prlimit --pid "$master" --noheadings --output SOFT --nofile)
	prlimit --pid "$master" --nofile=5:
	kill -KILL "$(worker_pids | head -n 1)"
	for ms in 100 200 400 800; do
		within 10 log_has "event=worker_died .* pause_ms=$ms" || return 1
	done
	prlimit --pid "$master" --nofile="$limit":
	! log_has 'pause_ms=1600' && health_answers &&
	    within 10 workers_stay 4 &&
	    within 10 log_has 'event=worker_start_failed step=socket why="Too many open files'
}

# The master reports its state to systemd.
notes_have() { grep -q "$1" "$dir/notes"; }
notes_count() { [ "$(grep -c "$1" "$dir/notes")" -ge "$2" ]; }
systemd_notified() {
	perl -MSocket -e '
		$| = 1;
		socket my $s, AF_UNIX, SOCK_DGRAM, 0 or die;
		bind $s, sockaddr_un($ARGV[0]) or die;
		print "$_\n" while defined recv $s, $_, 999, 0' \
	    "$dir/notify" >"$dir/notes" &
	listener=$!
	within 5 test -S "$dir/notify"
	start_pool 4 NOTIFY_SOCKET="$dir/notify" WATCHDOG_USEC=100000 &&
	    within 5 notes_have '^READY=1' &&
	    within 5 notes_count '^WATCHDOG=1' 3 &&
	    kill -HUP "$master" && within 5 notes_have '^RELOADING=1' &&
	    within 5 notes_have '^MONOTONIC_USEC=[0-9]' &&
	    within 5 notes_count '^READY=1' 2 &&
	    within 10 notes_have '^STATUS=2 decide and 2 operator workers, 0 decisions in the spool' ||
	    return 1
	kill -STOP "$master"
	before=$(cat "$dir/notes")
	sleep 0.5
	[ "$before" = "$(cat "$dir/notes")" ] || return 1
	kill -CONT "$master"
	kill -TERM "$master"
	wait "$master" && within 5 notes_have '^STOPPING=1'
	set -- $?
	kill "$listener"
	return "$1"
}

# The pool ends although a worker hangs.
hung_worker_killed() {
	start_pool 4 || return 1
	kill -STOP "$(worker_pids | head -n 1)"
	kill -TERM "$master"
	wait "$master" && log_has 'event=worker_killed group='
}

# Send a login whose body takes a second to arrive.
send_slow_login() {
	{ sleep 1; printf '{"a":"b"}\n'; } |
	    send_request operator POST /v1/auth/login CONTENT_LENGTH=10 CONTENT_TYPE=application/json >"$dir/slow"
}

truncated_body_rejected() {
	printf '{"a"' |
	    send_request operator POST /v1/auth/login CONTENT_LENGTH=10 \
	    CONTENT_TYPE=application/json >"$dir/reply"
	grep '^Status: 400' "$dir/reply"
}

killed_worker_replaced() {
	old=$(worker_pids)
	kill -KILL "$(echo "$old" | head -n 1)"
	within 5 worker_count_is 4 && within 5 health_answers &&
	    within 10 log_has 'level=error.*event=worker_died.*signal=9'
}

# As logrotate would send them to nginx.
rotation_signals_ignored() {
	within 5 worker_count_is 4 || return 1
	old=$(worker_pids)
	for pid in $master $old; do
		kill -USR1 "$pid"
		kill -USR2 "$pid"
	done
	workers_stay 4 && same_workers "$old" && health_answers
}

reload_replaces_workers() {
	old=$(worker_pids)
	send_slow_login &
	waiter=$!
	sleep 0.3
	kill -HUP "$master"
	within 10 workers_replaced "$old" && wait "$waiter" &&
	    grep '^Status: ' "$dir/slow" && health_answers
}

bad_reload_refused() {
	old=$(worker_pids)
	cp "$dir/conf" "$dir/good"
	echo 'DECIDE_WORKERS=none' >>"$dir/conf"
	kill -HUP "$master"
	within 5 log_has 'event=reload_refused where=.*conf:[0-9]* why="DECIDE_WORKERS'
	cp "$dir/good" "$dir/conf"
	sleep 0.5
	within 5 same_workers "$old" && within 5 health_answers && return 0
	echo "before: $old after: $(worker_pids)"
	grep -v ' method=' "$dir/log" | tail -n 12
	return 1
}

# --reload exits with the result of the reload.
reload_reports_result() {
	old=$(worker_pids)
	"$fcgi" --reload "$master" || return 1
	within 10 workers_replaced "$old" || return 1
	cp "$dir/conf" "$dir/good"
	echo 'DECIDE_WORKERS=none' >>"$dir/conf"
	old=$(worker_pids)
	"$fcgi" --reload "$master"
	[ $? -eq 78 ] || return 1
	cp "$dir/good" "$dir/conf"
	"$fcgi" --reload 4000000
	[ $? -eq 68 ] || return 1
	"$fcgi" --reload x
	[ $? -eq 64 ] && [ "$old" = "$(worker_pids)" ] && health_answers
}

# The processes have secrets: without CORE_DUMPS they leave no core and cannot be
# traced.
# core_limits_are LIMIT OWNER: check the hard limit of core files of the master
# and a worker, because a sanitizer sets the soft one to 0.
core_limits_are() {
	for pid in "$master" "$(worker_pids | head -n 1)"; do
		grep -q "^Max core file size  *[0-9a-z]*  *$1 " "/proc/$pid/limits" &&
		    [ "$(stat -c %u "/proc/$pid/environ")" = "$2" ] || return 1
	done
}
core_dumps_are() {
	[ "$(prlimit --core --noheadings --output HARD)" != 0 ] ||
	    [ "$1" = false ] || return 0
	owner=$(id -u)
	[ "$owner" -ne 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	[ "$owner" -ne 0 ] || { owner=65534; chmod 777 "$dir"; }
	start_pool 4 CORE_DUMPS="$1" || return 1
	if [ "$1" = true ]; then
		core_limits_are '[1-9u][0-9a-z]*' "$owner"
	else
		core_limits_are 0 0
	fi
	set -- $?
	kill -TERM "$master"
	wait "$master"
	as=
	return "$1"
}

reload_resizes_pool() {
	sed 's/^DECIDE_WORKERS=.*/DECIDE_WORKERS=3/' "$dir/good" >"$dir/conf"
	kill -HUP "$master"
	within 10 worker_count_is 5 && health_answers
}

second_instance_refused() {
	env -i "$fcgi" --config "$dir/conf" </dev/null
	[ $? -eq 69 ] && health_answers
}

term_finishes_request() {
	send_slow_login &
	waiter=$!
	sleep 0.3
	kill -TERM "$master"
	wait "$waiter" && grep '^Status: ' "$dir/slow" &&
	    within 5 process_gone "$master" && wait "$master" &&
	    [ ! -e "$dir/decide.sock" ] && [ ! -e "$dir/operator.sock" ] &&
	    log_has 'event=pool_stopped'
}

# The workers end when their master is killed; their sockets stay and are then
# replaced.
stale_sockets_replaced() {
	old=$(worker_pids)
	kill -KILL "$master"
	wait "$master"
	for pid in $old; do
		within 5 process_gone "$pid" || return 1
	done
	[ -S "$dir/decide.sock" ] && start_pool 4 && within 5 health_answers
}

# In the journal each line has its priority and omits the fields that the journal
# stores itself.  A line in another stream has no priority and all fields.
# journal_stream FILE: the value of JOURNAL_STREAM for this file.
journal_stream() { stat -c %d:%i "$1"; }
journal_has_priorities() {
	: >"$dir/journal"
	printf '%s\n' DECIDE_WORKERS=0 >"$dir/bad"
	stream=$(journal_stream "$dir/journal")
	env -i JOURNAL_STREAM="$stream" "$fcgi" -n --config "$dir/bad" \
	    2>>"$dir/journal"
	[ $? -eq 78 ] && grep "^<3>$dir/bad:1: DECIDE_WORKERS" "$dir/journal" ||
	    return 1
	mv "$dir/log" "$dir/log.before"
	: >"$dir/log"
	start_pool 4 JOURNAL_STREAM="$(journal_stream "$dir/log")" LOG_LEVEL=debug &&
	    within 5 log_has '^<7>level=debug event=worker_started group=decide ' &&
	    log_has '^<6>level=info event=pool_started decide=2 operator=2$' &&
	    kill -KILL "$(worker_pids | head -n 1)" &&
	    within 5 log_has '^<3>level=error event=worker_died group='
	set -- $?
	kill -TERM "$master"
	wait "$master" && [ "$1" -eq 0 ] &&
	    ! grep -v '^<[3467]>level=[a-z]* [a-z_]*=' "$dir/log" || return 1
	: >"$dir/log"
	start_pool 4 JOURNAL_STREAM="$(journal_stream "$dir/log.before")" &&
	    within 5 log_has '^program=assay-fcgi pid=[0-9]* level=info time='
	set -- $?
	kill -TERM "$master"
	wait "$master" && return "$1"
}

# A missing file is logged once, with its path; -n prints it as well.
missing_files_logged() {
	: >"$dir/log"
	start_pool 4 GEOIP_DB="$dir/no.mmdb" DISK_HEALTH_PATHS="$dir,$dir/none" &&
	    within 5 health_answers &&
	    [ "$(grep -c "level=warn .*event=geoip_open_failed path=$dir/no.mmdb why=" \
	    "$dir/log")" -eq 1 ] &&
	    [ "$(grep -c "event=disk_path_missing path=$dir/none why=" "$dir/log")" -eq 1 ] &&
	    ! log_has "event=disk_path_missing path=$dir " &&
	    send_request decide GET /metrics HTTP_AUTHORIZATION='Bearer token' \
	    >"$dir/reply" </dev/null &&
	    grep '^engine_geoip_loaded{database="places"} 0$' "$dir/reply" &&
	    grep '^engine_geoip_configured{database="places"} 1$' "$dir/reply"
	set -- $?
	kill -TERM "$master"
	wait "$master" && [ "$1" -eq 0 ] || return 1
	env -i GEOIP_DB="$dir/no.mmdb" "$fcgi" -n --config "$dir/conf" 2>&1 |
	    grep "event=geoip_open_failed path=$dir/no.mmdb why="
}

socket_modes_right() { [ "$(stat -c %a "$dir/decide.sock")" = 660 ]; }

cat >"$dir/conf" <<END
DECIDE_SOCKET=$dir/decide.sock
OPERATOR_SOCKET=$dir/operator.sock
SPOOL_DIR=$dir/spool
DECIDE_WORKERS=2
OPERATOR_WORKERS=2
METRICS_TOKEN=token
DATABASE_URL=host=$dir
END
check 'a bad value is refused with its line' \
    settings_refused 'DECIDE_WORKERS=0' 1:
check 'an unknown setting is refused with its line' \
    settings_refused 'NO_SUCH=0' 1:
check 'good settings are accepted' env -i "$fcgi" -n --config "$dir/conf"
check 'a bad option exits 64' usage_is_64
check 'the pool starts four workers' start_pool 4
check 'the sockets are for owner and group' socket_modes_right
check 'GET /health answers 200' health_answers
check 'an unknown path answers 404 in the envelope' unknown_path_answers
check 'the answer to HEAD has no body' head_has_no_body
check 'GET /readyz answers 503 without a database' readyz_answers_503
check 'GET /metrics needs the token' metrics_need_token
check 'a request that waited too long is shed' old_request_shed
check 'operators are shed while decisions wait' operators_shed_first
check 'a truncated body answers 400' truncated_body_rejected
check 'a peer that leaves or is silent costs no worker' workers_survive_peers
check 'a killed worker is replaced' killed_worker_replaced
check 'USR1 and USR2 change nothing' rotation_signals_ignored
check 'a worker without free descriptors is replaced' full_worker_survives
check 'a worker that cannot start is tried again after longer pauses' \
    worker_start_retried
check 'HUP replaces all workers and no request fails' reload_replaces_workers
check 'a bad reload keeps the workers' bad_reload_refused
check '--reload exits with the result of the reload' reload_reports_result
check 'a reload changes the number of workers' reload_resizes_pool
check 'a second instance does not take the sockets' second_instance_refused
check 'TERM lets a request in progress finish' term_finishes_request
cp "$dir/good" "$dir/conf"
check 'the pool starts again after TERM' start_pool 4
check 'the sockets of a killed instance are replaced' stale_sockets_replaced
kill "$master" && wait "$master"
check 'systemd gets the state of the pool' systemd_notified
check 'TERM ends a pool whose worker hangs' hung_worker_killed
check 'without CORE_DUMPS a process leaves no core and no trace' \
    core_dumps_are false
check 'CORE_DUMPS allows cores and traces' core_dumps_are true
check 'a missing file is logged once with its path' missing_files_logged
check 'lines in the journal have their priority' journal_has_priorities
master=
echo "1..$tap_count"
[ "$tap_failed" -eq 0 ]
