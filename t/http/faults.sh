# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The faults of the torture scenario.  Each takes a random number, and fails when it
# found nothing to do.  Sourced after lib.sh.
# shellcheck disable=SC2154,SC2317 # variables of lib.sh; called by name

# Torn pages need full_page_writes, and kill -9 may tear one.
torture_database() {
	start_database -c full_page_writes=on
}

torture_pool() {
	start_pool DECIDE_WORKERS=4 RATE_LIMIT_DECISIONS_PER_MIN=2147483647
}

# decide_workers: the running ones, in no order: those that hold the socket.
decide_workers() {
	socket_inode=$(awk -v path="$scratch/run/decide.sock" \
	    '$8 == path && $4 == "00010000" { print $7 }' /proc/net/unix |
	    tail -n 1)
	for worker_pid in $(pgrep -P "$stack_pool_pid"); do
		find "/proc/$worker_pid/fd" -lname "socket:\[$socket_inode\]" 2>/dev/null |
		    grep -q . && echo "$worker_pid"
	done
}

# choose_line NUMBER: the line with this number, modulo their count.
choose_line() {
	awk -v n="$1" '{ line[NR - 1] = $0 } END { if (NR) print line[n % NR] }'
}

fault_worker() {
	kill -KILL "$(decide_workers | choose_line "$1")"
}

# Kill a worker while it has as many requests as it can take.
fault_burst() {
	fault_pids=$(decide_workers)
	# shellcheck disable=SC2086 # pids
	kill -STOP $fault_pids && sleep 0.2
	# shellcheck disable=SC2086
	kill -CONT $fault_pids
	sleep "0.0$(($1 % 40 + 10))"
	kill -KILL "$(echo "$fault_pids" | choose_line "$1")"
}

fault_freeze() {
	fault_pid=$(decide_workers | choose_line "$1")
	kill -STOP "$fault_pid" && sleep 1
	kill -CONT "$fault_pid"
}

# Kill the master; its workers end.  Then start the pool, as systemd does.
fault_master() {
	fault_pids=$(pgrep -P "$stack_pool_pid")
	stack_end "$stack_pool_pid" KILL
	for fault_pid in $fault_pids; do
		stack_until 15 0 stack_gone "$fault_pid" ||
		    not_ok "worker $fault_pid ends with its master"
	done
	torture_pool
}

fault_backend() {
	kill -KILL "$(pgrep -P "$stack_pg_pid" -f 'postgres: assay_decide' |
	    choose_line "$1")"
}

fault_sessions() {
	[ "$(sql "select count(pg_terminate_backend(pid)) from pg_stat_activity
	    where application_name = 'assay decide'")" -gt 0 ]
}

fault_server() {
	kill_database
	torture_database
}
