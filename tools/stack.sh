# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Functions that start and stop PostgreSQL, the pool, the companion and nginx as
# private processes of one script.  quickstart, t/http/lib.sh and t/sql.sh
# source this file.
# shellcheck disable=SC2034 # the pids are read there
#
# PostgreSQL refuses to run as root.  If the script runs as root, it starts
# every process as the user "postgres" of Debian's package.  Each process has
# its own session, so that Ctrl-C reaches only the script; it gets a signal if
# the script is killed; and it does not inherit descriptors 8 and 9, which hold
# the locks of the scripts.

if [ "$(id -u)" -eq 0 ]; then
	stack_user=postgres
	stack_as="setsid setpriv --reuid=postgres --regid=postgres --init-groups"
else
	stack_user=
	stack_as="setsid setpriv"
fi
PATH=$PATH:/usr/sbin:/sbin

# Print the reason on standard error and exit.
stack_die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# Make the user of the programs the owner of these files.
stack_own() {
	[ -z "$stack_user" ] || chown -R "$stack_user:" "$@"
}

# True if that user can enter this directory.
stack_reaches() {
	[ -z "$stack_user" ] ||
	    setpriv --reuid=postgres --regid=postgres --init-groups \
	    test -x "$1"
}

# Print the directory of PostgreSQL's programs: the newest version, at least 15.
stack_pg_bin() {
	for stack_v in 19 18 17 16 15; do
		if [ -x "/usr/lib/postgresql/$stack_v/bin/initdb" ]; then
			echo "/usr/lib/postgresql/$stack_v/bin"
			return
		fi
	done
	dirname "$(command -v postgres)"
}

# Create an empty cluster in a directory; its superuser is "postgres".
stack_pg_init() {
	mkdir -p "$1"
	stack_own "$1"
	chmod 700 "$1"
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && $stack_as "$(stack_pg_bin)/initdb" -D "$1" -U postgres \
	    --auth=trust --encoding=UTF8 --locale=C --no-sync \
	    --wal-segsize=4 >/dev/null)
}

# stack_pg_start DATA SOCKETS LOG [option ...]: start PostgreSQL on a unix
# socket in SOCKETS only, wait until it answers, and set stack_pg_pid.  The first
# session uses the database stack_pg_db, by default postgres.
stack_pg_start() {
	stack_pg_data=$1
	stack_pg_sockets=$2
	stack_pg_log=$3
	shift 3
	# Background jobs of a shell ignore INT, so the backends would too.
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig INT "$(stack_pg_bin)/postgres" \
	    -D "$stack_pg_data" -c listen_addresses= \
	    -c unix_socket_directories="$stack_pg_sockets" \
	    -c unix_socket_permissions=0700 "$@") \
	    </dev/null >>"$stack_pg_log" 2>&1 8>&- 9>&- &
	stack_pg_pid=$!
	stack_until 30 "$stack_pg_pid" "$(stack_pg_bin)/pg_isready" -q \
	    -h "$stack_pg_sockets" -U postgres -d "${stack_pg_db:-postgres}" ||
	    stack_die "PostgreSQL did not start: $(tail -n 3 "$stack_pg_log")"
}

# stack_until SECONDS PID COMMAND ...: wait until the command succeeds.  Fail when
# the process has ended (0: no process), or after at least SECONDS.  The command runs
# every 50 ms in the first second, then every 250 ms; each of these counts as 100 ms,
# so that a busy machine has more time.
stack_until() {
	stack_last=$(($1 * 20))
	stack_n=0
	stack_pid=$2
	shift 2
	while ! "$@" >/dev/null 2>&1; do
		[ "$stack_n" -lt "$stack_last" ] || return 1
		[ "$stack_pid" -eq 0 ] || kill -0 "$stack_pid" 2>/dev/null ||
		    return 1
		if [ "$stack_n" -lt 20 ]; then
			stack_n=$((stack_n + 1))
			sleep 0.05
		else
			stack_n=$((stack_n + 2))
			sleep 0.25
		fi
	done
}

# stack_end PID SIGNAL [SECONDS]: stop a process that this script started; kill
# it if it has not ended in time.  An empty PID does nothing.
stack_end() {
	[ -n "$1" ] || return 0
	kill -s "$2" "$1" 2>/dev/null || return 0
	stack_until "${3:-15}" 0 stack_gone "$1" ||
	    kill -s KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

# stack_gone PID: true if the process does not exist or is a zombie.
stack_gone() {
	{ read -r stack_stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	case ${stack_stat##*) } in
	Z*) return 0 ;;
	*) return 1 ;;
	esac
}

# stack_pool_start PROGRAM LOG [NAME=VALUE ...]: start the pool with these
# settings in addition to the environment, and set stack_pool_pid.
stack_pool_start() {
	stack_program=$1
	stack_log=$2
	shift 2
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec env "$@" $stack_as --pdeathsig TERM "$stack_program") \
	    </dev/null >>"$stack_log" 2>&1 8>&- 9>&- &
	stack_pool_pid=$!
}

# stack_cron_start PROGRAM LOG ARGUMENTS [NAME=VALUE ...]: start the companion
# in the same way, and set stack_cron_pid.
stack_cron_start() {
	stack_program=$1
	stack_log=$2
	stack_arguments=$3
	shift 3
	# shellcheck disable=SC2086 # commands and their arguments
	(cd / && exec env "$@" $stack_as --pdeathsig TERM "$stack_program" \
	    $stack_arguments) </dev/null >>"$stack_log" 2>&1 8>&- 9>&- &
	stack_cron_pid=$!
}

# stack_nginx_start TEMPLATES RUN LOGS [NAME=VALUE ...]: render the loopback
# site into RUN, start nginx with it, and set stack_nginx_pid.
stack_nginx_start() {
	stack_templates=$1
	stack_run=$2
	stack_logs=$3
	shift 3
	"$stack_templates/render" loopback "$stack_templates/assay.conf.in" \
	    LOG_DIR="$stack_logs" MAINTENANCE="$stack_run/maintenance" "$@" \
	    >"$stack_run/site.conf" || return 1
	"$stack_templates/render" loopback "$stack_templates/main.conf.in" \
	    RUN_DIR="$stack_run" LOG_DIR="$stack_logs" \
	    SITE="$stack_run/site.conf" >"$stack_run/nginx.conf" || return 1
	stack_own "$stack_run/site.conf" "$stack_run/nginx.conf"
	rm -f "$stack_run/nginx.pid"
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig TERM nginx -p "$stack_run" \
	    -e "$stack_logs/nginx-error.log" -c "$stack_run/nginx.conf") \
	    </dev/null >>"$stack_logs/nginx-start.log" 2>&1 8>&- 9>&- &
	stack_nginx_pid=$!
	stack_until 10 "$stack_nginx_pid" test -s "$stack_run/nginx.pid" ||
	    stack_die "nginx did not start: \
$(cat "$stack_logs/nginx-start.log" "$stack_logs/nginx-error.log")"
}

# stack_browser: print the path of Chromium.  chromium-headless-shell takes a quarter
# less CPU time than chromium --headless.
stack_browser() {
	command -v chromium-headless-shell || command -v chromium
}

# stack_docs SRC DIR: copy the files that nginx serves as /docs from the sources
# into DIR, in the installed layout.
stack_docs() {
	cp -R "$1/docs" "$2/"
	cp -R "$1/third_party/swagger-ui" "$2/docs/"
}

# stack_port: print a free TCP port.
stack_port() {
	perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(Listen => 1,
		    LocalAddr => "127.0.0.1");
		print $s->sockport'
}

# stack_console SRC DIR: make the files of the console in the same way, also
# compressed.  The version in their paths is a hash of them, because a browser
# never loads a file of the same version again.
stack_console() {
	stack_new=$2/console/new
	mkdir -p "$stack_new"
	(cd "$1" && awk -v into="$stack_new" -f tools/bundle.awk \
	    console/bundles.tbl) || return 1
	stack_version=$(cat "$stack_new"/* | sha256sum | cut -c 1-12)
	gzip -nk9 "$stack_new"/* || return 1
	mv "$stack_new" "$2/console/$stack_version"
	sed "s/@VERSION@/$stack_version/g" "$1/console/index.html.in" \
	    >"$2/console/index.html"
}
