# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A second server of PostgreSQL, a standby that streams from the first.  Sourced
# after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# start_servers NAME [option ...]: both servers, with these options of postgres.
# NAME is the standby's for the first server.  primary_pid and standby_pid are
# the servers.
start_servers() {
	mkdir "$scratch/run-b"
	stack_own "$scratch/run-b"
	cp -a "$scratch/pg" "$scratch/pg-b"
	cat >>"$scratch/pg-b/postgresql.conf" <<-END
		primary_conninfo = 'host=$scratch/run user=postgres application_name=$1'
	END
	touch "$scratch/pg-b/standby.signal"
	stack_own "$scratch/pg-b"
	shift
	start_database "$@"
	primary_pid=$stack_pg_pid
	start_standby "$@"
}

# start_standby [option ...]: start the second server again: a standby, or promoted.
start_standby() {
	stack_pg_start "$scratch/pg-b" "$scratch/run-b" \
	    "$scratch/log/postgres-b.log" "$@"
	standby_pid=$stack_pg_pid
	stack_pg_pid=$primary_pid
	more_pids="$standby_pid $more_pids"
}

# servers_url ROLE: the connection string with both servers.
servers_url() {
	echo "host=$scratch/run,$scratch/run-b dbname=assay user=$1"
}

# standby_sql QUERY: as sql, on the second server.
standby_sql() {
	"$(stack_pg_bin)/psql" -X -q -At -v ON_ERROR_STOP=1 \
	    -h "$scratch/run-b" -U postgres -d assay -c "$1"
}

# signal_processes PID SIGNAL: send it to the server and all its processes.
signal_processes() {
	# shellcheck disable=SC2046 # several
	kill -s "$2" "$1" $(pgrep -P "$1")
}
