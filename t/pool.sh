#!/bin/sh
# SPDX-License-Identifier: ISC
# The pool by itself, without a database: sockets, signals, settings.  Takes
# the program from ASSAY_FCGI (default ./assay-fcgi) and prints TAP.
set -u

fcgi=${ASSAY_FCGI:-./assay-fcgi}
command -v cgi-fcgi >/dev/null ||
    { echo "1..0 # SKIP cgi-fcgi is missing: install libfcgi-bin"; exit 77; }

dir=$(mktemp -d) || exit 1
count=0
failed=0
master=
as= # a command and its arguments that start the pool as another user

finish() {
	[ -z "$master" ] || { kill "$master" && wait "$master"; } 2>/dev/null
	[ "$failed" -eq 0 ] || sed 's/^/# /' "$dir/log"
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# ok NAME COMMAND...: one test.
ok() {
	name=$1
	shift
	count=$((count + 1))
	if "$@" >"$dir/out" 2>&1; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' "$dir/out"
		failed=$((failed + 1))
	fi
}

# ask GROUP METHOD URI [PARAM=VALUE]...: the reply, body from standard input.
ask() {
	sock=$dir/$1.sock method=$2 uri=$3
	shift 3
	env -i REQUEST_METHOD="$method" REQUEST_URI="$uri" \
	    REMOTE_ADDR=192.0.2.1 PATH="$PATH" "$@" \
	    timeout 10 cgi-fcgi -bind -connect "$sock"
}

# within SECONDS COMMAND...: whether it succeeds in that time.
within() {
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}

workers() { ps -o pid= --ppid "$master" | tr -d ' ' | sort; }
count_is() { [ "$(workers | wc -l)" -eq "$1" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }
logged() { grep -q "$1" "$dir/log"; }

same_workers() { [ "$(workers)" = "$1" ]; }

# all_new OLD: as many workers as before, and none of them.
all_new() {
	now=$(workers)
	[ "$(echo "$now" | wc -l)" -eq "$(echo "$1" | wc -l)" ] || return 1
	for old in $1; do
		case "
$now
" in *"$old"*) return 1 ;; esac
	done
}

# start COUNT [NAME=VALUE]...: and wait for so many workers.
start() {
	want=$1
	shift
	# shellcheck disable=SC2086 # a command and its arguments
	env -i PATH="$PATH" ASAN_OPTIONS="${ASAN_OPTIONS-}" CORE_DUMPS=true \
	    "$@" $as "$fcgi" --config "$dir/conf" 2>>"$dir/log" </dev/null &
	master=$!
	within 5 count_is "$want"
}

refused() {
	printf '%s\n' "$1" >"$dir/bad"
	env -i "$fcgi" --check-config --config "$dir/bad"
	[ $? -eq 78 ] || return 1
	env -i "$fcgi" -n --config "$dir/bad" 2>&1 | grep "$dir/bad:$2"
}

no_redis() {
	env -i REDIS_URL=redis://cache t/no-redis -n
	[ $? -eq 78 ] || return 1
	env -i REDIS_URL=redis://cache t/no-redis -n 2>&1 |
	    grep '^no-redis: REDIS_URL: .*this build has no Redis' &&
	    env -i t/no-redis -n
}

usage_is_64() {
	"$fcgi" --nonsense
	[ $? -eq 64 ] || return 1
	"$fcgi" word
	[ $? -eq 64 ]
}

health() {
	ask decide GET /health >"$dir/reply" </dev/null &&
	    grep '^Status: 200' "$dir/reply" &&
	    grep '^Content-Type: application/json' "$dir/reply" &&
	    grep '^X-Correlation-Id: cor_' "$dir/reply" &&
	    grep '^X-Route: GET /health' "$dir/reply" &&
	    grep '"status":"ok"' "$dir/reply"
}

not_found() {
	ask operator GET '/no/such?x=1' HTTP_X_CORRELATION_ID=mine-1 \
	    >"$dir/reply" </dev/null &&
	    grep '^Status: 404' "$dir/reply" &&
	    grep '^X-Correlation-Id: mine-1' "$dir/reply" &&
	    grep '^{"error":true,"code":"NOT_FOUND","message":"' "$dir/reply" &&
	    logged 'req=mine-1 method=GET route=- status=404 '
}

head_has_no_body() {
	ask decide HEAD /health >"$dir/reply" </dev/null &&
	    grep '^Content-Length: [1-9]' "$dir/reply" &&
	    ! grep '"status"' "$dir/reply"
}

not_ready() {
	ask decide GET /readyz >"$dir/reply" </dev/null &&
	    grep '^Status: 503' "$dir/reply" &&
	    grep '"status":"not_ready".*"store":"down"' "$dir/reply"
}

metrics() {
	ask decide GET /metrics >"$dir/reply" </dev/null
	grep '^Status: 401' "$dir/reply" || return 1
	ask decide GET /metrics 'HTTP_AUTHORIZATION=Bearer tokenx' \
	    >"$dir/reply" </dev/null
	grep '^Status: 401' "$dir/reply" || return 1
	ask decide GET /metrics 'HTTP_AUTHORIZATION=Bearer token' \
	    >"$dir/reply" </dev/null
	grep '^Status: 200' "$dir/reply" &&
	    grep '^engine_workers{group="decide"} 2' "$dir/reply" &&
	    grep '^engine_workers_busy{group="decide"} 1' "$dir/reply" &&
	    grep 'requests_total{route="GET /metrics",status="4xx"} 2' \
		"$dir/reply" &&
	    grep '^engine_decisions_total{verdict="deny",cached="true"} 0' \
		"$dir/reply"
}

shed() {
	ask decide GET /v1/decisions/e ENGINE_RECEIVED=1000000000.000 \
	    >"$dir/reply" </dev/null &&
	    grep '^Status: 503' "$dir/reply" &&
	    grep '^Retry-After: 1' "$dir/reply" &&
	    grep '"code":"UNAVAILABLE"' "$dir/reply" &&
	    ask decide GET /v1/decisions/e ENGINE_RECEIVED="$(date +%s).000" \
		</dev/null | grep '^Status: 401' &&
	    ask decide GET /health ENGINE_RECEIVED=1000000000.000 \
		</dev/null | grep '^Status: 200'
}

# Decisions that wait long send operators away, who cost something.
operators_shed() {
	ask decide GET /v1/decisions/e ENGINE_RECEIVED=1000000000.000 \
	    </dev/null | grep '^Status: 503' || return 1
	ask operator GET /v1/auth/status >"$dir/reply" </dev/null
	grep '^Status: 503' "$dir/reply" &&
	    grep '^Retry-After: 1' "$dir/reply" &&
	    grep 'too many requests are waiting' "$dir/reply" &&
	    ask operator GET /no/such </dev/null | grep '^Status: 404' &&
	    within 5 operators_served
}
operators_served() {
	ask operator POST /v1/auth/login </dev/null | grep '^Status: 4'
}

# leave WHEN GROUP URI: a peer that goes in the middle of its parameters, or
# of its body, or before its answer; or that says nothing for a while.
leave() {
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
survived() {
	old=$(workers)
	for _ in 1 2 3; do
		leave params decide /health
		leave body operator /v1/auth/login
		leave answer decide /health
		leave answer operator /no/such
	done
	leave silent decide /health &
	leave silent decide /health &
	health && [ "$old" = "$(workers)" ]
}

# No descriptor is free for a connection: the next worker has one.  A worker
# may still hold the connection before, so one look may not be enough.
no_descriptor() {
	refused_to_accept || refused_to_accept || refused_to_accept
}
refused_to_accept() {
	for pid in $(workers); do
		free=0
		while [ -e "/proc/$pid/fd/$free" ]; do
			free=$((free + 1))
		done
		prlimit --pid "$pid" --nofile="$free":
	done
	health && logged 'worker=accept why="Too many open files'
}

# Workers that cannot start are tried again, later each time.
start_again() {
	limit=$(prlimit --pid "$master" --noheadings --output SOFT --nofile)
	prlimit --pid "$master" --nofile=5:
	kill -KILL "$(workers | head -n 1)"
	for ms in 100 200 400 800; do
		within 10 logged "worker=died .* pause_ms=$ms" || return 1
	done
	prlimit --pid "$master" --nofile="$limit":
	! logged 'pause_ms=1600' && health && within 10 count_is 4 &&
	    logged 'worker=start why="Too many open files'
}

# What systemd is told.
noted() { grep -q "$1" "$dir/notes"; }
notes_are() { [ "$(grep -c "$1" "$dir/notes")" -ge "$2" ]; }
notified() {
	perl -MSocket -e '
		$| = 1;
		socket my $s, AF_UNIX, SOCK_DGRAM, 0 or die;
		bind $s, sockaddr_un($ARGV[0]) or die;
		print "$_\n" while defined recv $s, $_, 999, 0' \
	    "$dir/notify" >"$dir/notes" &
	listener=$!
	within 5 test -S "$dir/notify"
	start 4 NOTIFY_SOCKET="$dir/notify" WATCHDOG_USEC=100000 &&
	    within 5 noted '^READY=1' && within 5 notes_are '^WATCHDOG=1' 3 &&
	    kill -HUP "$master" && within 5 noted '^RELOADING=1' &&
	    within 5 noted '^MONOTONIC_USEC=[0-9]' &&
	    within 5 notes_are '^READY=1' 2 &&
	    within 10 noted '^STATUS=2 decide and 2 operator workers, 0 decisions in the spool' ||
	    return 1
	kill -STOP "$master"
	before=$(cat "$dir/notes")
	sleep 0.5
	[ "$before" = "$(cat "$dir/notes")" ] || return 1
	kill -CONT "$master"
	kill -TERM "$master"
	wait "$master" && within 5 noted '^STOPPING=1'
	set -- $?
	kill "$listener"
	return "$1"
}

# A worker that hangs does not keep the pool.
hangs() {
	start 4 || return 1
	kill -STOP "$(workers | head -n 1)"
	kill -TERM "$master"
	wait "$master" && logged 'worker=stuck group='
}

# slow: a login whose body takes a second to arrive.
slow() {
	{ sleep 1; printf '{"a":"b"}\n'; } | ask operator POST /v1/auth/login \
	    CONTENT_LENGTH=10 CONTENT_TYPE=application/json >"$dir/slow"
}

truncated() {
	printf '{"a"' | ask operator POST /v1/auth/login CONTENT_LENGTH=10 \
	    CONTENT_TYPE=application/json >"$dir/reply"
	grep '^Status: 400' "$dir/reply"
}

killed() {
	old=$(workers)
	kill -KILL "$(echo "$old" | head -n 1)"
	within 5 count_is 4 && within 5 health &&
	    logged 'level=error.*worker=died.*signal=9'
}

reloaded() {
	old=$(workers)
	slow &
	waiter=$!
	sleep 0.3
	kill -HUP "$master"
	within 10 all_new "$old" && wait "$waiter" &&
	    grep '^Status: ' "$dir/slow" && health
}

bad_reload() {
	old=$(workers)
	cp "$dir/conf" "$dir/good"
	echo 'DECIDE_WORKERS=none' >>"$dir/conf"
	kill -HUP "$master"
	within 5 logged 'reload=refused where=.*conf:[0-9]* why="DECIDE_WORKERS'
	cp "$dir/good" "$dir/conf"
	sleep 0.5
	within 5 same_workers "$old" && within 5 health && return 0
	echo "before: $old after: $(workers)"
	return 1
}

# Who asks by --reload hears whether the settings were good.
asked_to_reload() {
	old=$(workers)
	"$fcgi" --reload "$master" || return 1
	within 10 all_new "$old" || return 1
	cp "$dir/conf" "$dir/good"
	echo 'DECIDE_WORKERS=none' >>"$dir/conf"
	old=$(workers)
	"$fcgi" --reload "$master"
	[ $? -eq 78 ] || return 1
	cp "$dir/good" "$dir/conf"
	"$fcgi" --reload 4000000
	[ $? -eq 68 ] || return 1
	"$fcgi" --reload x
	[ $? -eq 64 ] && [ "$old" = "$(workers)" ] && health
}

# What holds secrets leaves no core and lets nobody trace it, unless it may.
# cores_are LIMIT OWNER: of the master and a worker; it is the hard limit, since
# a sanitizer sets the soft one to 0.
cores_are() {
	for pid in "$master" "$(workers | head -n 1)"; do
		grep -q "^Max core file size  *[0-9a-z]*  *$1 " "/proc/$pid/limits" &&
		    [ "$(stat -c %u "/proc/$pid/environ")" = "$2" ] || return 1
	done
}
dumps() {
	[ "$(prlimit --core --noheadings --output HARD)" != 0 ] ||
	    [ "$1" = false ] || return 0
	owner=$(id -u)
	[ "$owner" -ne 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	[ "$owner" -ne 0 ] || { owner=65534; chmod 777 "$dir"; }
	start 4 CORE_DUMPS="$1" || return 1
	if [ "$1" = true ]; then
		cores_are '[1-9u][0-9a-z]*' "$owner"
	else
		cores_are 0 0
	fi
	set -- $?
	kill -TERM "$master"
	wait "$master"
	as=
	return "$1"
}

resized() {
	sed 's/^DECIDE_WORKERS=.*/DECIDE_WORKERS=3/' "$dir/good" >"$dir/conf"
	kill -HUP "$master"
	within 10 count_is 5 && health
}

second_instance_refused() {
	env -i "$fcgi" --config "$dir/conf" </dev/null
	[ $? -eq 69 ] && health
}

terminated() {
	slow &
	waiter=$!
	sleep 0.3
	kill -TERM "$master"
	wait "$waiter" && grep '^Status: ' "$dir/slow" &&
	    within 5 gone "$master" && wait "$master" &&
	    [ ! -e "$dir/decide.sock" ] && [ ! -e "$dir/operator.sock" ] &&
	    logged 'pool=stopped'
}

# Workers leave when their master dies; only then does nobody answer.
stale() {
	old=$(workers)
	kill -KILL "$master"
	wait "$master"
	for pid in $old; do
		within 5 gone "$pid" || return 1
	done
	[ -S "$dir/decide.sock" ] && start 4 && within 5 health
}

# In the journal each line has its priority, and what it stores itself is left
# out; a stream to another place is none of it.
# journal FILE: what systemd sets for a stream to it.
journal() { stat -c %d:%i "$1"; }
prioritized() {
	: >"$dir/journal"
	printf '%s\n' DECIDE_WORKERS=0 >"$dir/bad"
	stream=$(journal "$dir/journal")
	env -i JOURNAL_STREAM="$stream" "$fcgi" -n --config "$dir/bad" \
	    2>>"$dir/journal"
	[ $? -eq 78 ] && grep "^<3>$dir/bad:1: DECIDE_WORKERS" "$dir/journal" ||
	    return 1
	mv "$dir/log" "$dir/log.before"
	: >"$dir/log"
	start 4 JOURNAL_STREAM="$(journal "$dir/log")" LOG_LEVEL=debug &&
	    within 5 logged '^<7>level=debug worker=started group=decide ' &&
	    logged '^<6>level=info pool=started decide=2 operator=2$' &&
	    kill -KILL "$(workers | head -n 1)" &&
	    within 5 logged '^<3>level=error worker=died group='
	set -- $?
	kill -TERM "$master"
	wait "$master" && [ "$1" -eq 0 ] &&
	    ! grep -v '^<[3467]>level=[a-z]* [a-z_]*=' "$dir/log" || return 1
	: >"$dir/log"
	start 4 JOURNAL_STREAM="$(journal "$dir/log.before")" &&
	    within 5 logged '^program=assay-fcgi pid=[0-9]* level=info time='
	set -- $?
	kill -TERM "$master"
	wait "$master" && return "$1"
}

# What is missing on disk is said once, by its path, and by a check.
missing_files() {
	: >"$dir/log"
	start 4 GEOIP_DB="$dir/no.mmdb" DISK_HEALTH_PATHS="$dir,$dir/none" &&
	    within 5 health &&
	    [ "$(grep -c "level=warn .*geoip=missing path=$dir/no.mmdb why=" \
	    "$dir/log")" -eq 1 ] &&
	    [ "$(grep -c "disk=missing path=$dir/none why=" "$dir/log")" -eq 1 ] &&
	    ! logged "disk=missing path=$dir " &&
	    ask decide GET /metrics HTTP_AUTHORIZATION='Bearer token' \
	    >"$dir/reply" </dev/null &&
	    grep '^engine_geoip_loaded 0$' "$dir/reply"
	set -- $?
	kill -TERM "$master"
	wait "$master" && [ "$1" -eq 0 ] || return 1
	env -i GEOIP_DB="$dir/no.mmdb" "$fcgi" -n --config "$dir/conf" 2>&1 |
	    grep "geoip=missing path=$dir/no.mmdb why="
}

modes() { [ "$(stat -c %a "$dir/decide.sock")" = 660 ]; }

cat >"$dir/conf" <<END
DECIDE_SOCKET=$dir/decide.sock
OPERATOR_SOCKET=$dir/operator.sock
SPOOL_DIR=$dir/spool
DECIDE_WORKERS=2
OPERATOR_WORKERS=2
METRICS_TOKEN=token
DATABASE_URL=host=$dir
END
ok 'a bad value is refused with its line' refused 'DECIDE_WORKERS=0' 1:
ok 'an unknown name is refused' refused 'NO_SUCH=0' 1:
ok 'good settings are accepted' env -i "$fcgi" -n --config "$dir/conf"
ok 'a build without Redis refuses one' no_redis
ok 'a bad option is a usage error' usage_is_64
ok 'the pool starts' start 4
ok 'its sockets are for owner and group' modes
ok '/health answers' health
ok 'an unknown path gets the envelope' not_found
ok 'HEAD has no body' head_has_no_body
ok '/readyz says no without a database' not_ready
ok '/metrics asks for its token' metrics
ok 'what waited too long is shed' shed
ok 'and operators before decisions' operators_shed
ok 'a truncated body is refused' truncated
ok 'a peer that leaves or says nothing costs no worker' survived
ok 'a killed worker is replaced' killed
ok 'out of descriptors it is replaced too' no_descriptor
ok 'one that cannot start is tried again, ever later' start_again
ok 'HUP replaces all workers, and no request fails' reloaded
ok 'a bad reload changes nothing' bad_reload
ok 'who asks for a reload hears what came of it' asked_to_reload
ok 'a reload may change the number of workers' resized
ok 'a second instance does not steal the sockets' second_instance_refused
ok 'TERM lets a request in hand finish' terminated
cp "$dir/good" "$dir/conf"
ok 'it starts again' start 4
ok 'sockets of a dead instance are replaced' stale
kill "$master" && wait "$master"
ok 'systemd is told' notified
ok 'TERM ends a pool whose worker hangs' hangs
ok 'a crash leaves no core, and nobody may trace' dumps false
ok 'unless CORE_DUMPS allows it' dumps true
ok 'missing files are said once, by their paths' missing_files
ok 'lines in the journal have their priority' prioritized
master=
echo "1..$count"
[ "$failed" -eq 0 ]
