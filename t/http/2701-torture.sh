#!/bin/sh
# SPDX-License-Identifier: ISC
# Under load everything is killed, again and again: what clients were told is
# what is stored, once, and everything that is counted says the same.
#
# TORTURE_MINUTES makes it long (`make torture`), TORTURE_SEED repeats events
# and schedule, though not the machine's timing.
# shellcheck disable=SC2317 # the faults are called by their names
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

minutes=${TORTURE_MINUTES:-0}
seed=${TORTURE_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
history=$scratch/history
load_pid=
echo "# TORTURE_SEED=$seed"

# Torn pages are what full_page_writes mends, and kill -9 may tear one.
torture_database() {
	start_database -c full_page_writes=on
}

torture_pool() {
	start_pool DECIDE_WORKERS=4 RATE_LIMIT_DECISIONS_PER_MIN=2147483647
}

# load SEED FIRST EVENTS: clients in the background; they end with this script.
load() {
	API_KEY=$KEY setpriv --pdeathsig KILL "$builddir/t/torture/load" \
	    "$scratch/run/http.sock" "$history" 24 "$1" "$2" "$3" \
	    </dev/null >"$scratch/log/load.log" 2>&1 &
	load_pid=$!
}

# checker COMMAND ...: psql with the checker and the whole history.
checker() {
	cluster_psql postgres assay -At -f "$srcdir/t/torture/check.sql" \
	    -c "\\copy history from '$history' with (format csv, quote e'\\x01', delimiter e'\\x02')" \
	    "$@" 2>&1
}

# The decide workers that live, in no order: those that hold its socket.
workers() {
	inode=$(awk -v path="$scratch/run/decide.sock" \
	    '$8 == path && $4 == "00010000" { print $7 }' /proc/net/unix |
	    tail -n 1)
	for pid in $(pgrep -P "$stack_pool_pid"); do
		find "/proc/$pid/fd" -lname "socket:\[$inode\]" 2>/dev/null |
		    grep -q . && echo "$pid"
	done
}

# choose NUMBER: one of the lines, whichever number it is.
choose() {
	awk -v n="$1" '{ line[NR - 1] = $0 } END { if (NR) print line[n % NR] }'
}

# The faults.  Each takes a random number, and fails when there was nothing
# that it could have done.

fault_worker() {
	kill -KILL "$(workers | choose "$1")"
}

# One of them with as many requests in hand as it takes.
fault_burst() {
	all=$(workers)
	# shellcheck disable=SC2086 # pids
	kill -STOP $all && sleep 0.2
	# shellcheck disable=SC2086
	kill -CONT $all
	sleep "0.0$(($1 % 40 + 10))"
	kill -KILL "$(echo "$all" | choose "$1")"
}

fault_freeze() {
	worker=$(workers | choose "$1")
	kill -STOP "$worker" && sleep 1
	kill -CONT "$worker"
}

# The workers go with their master; then it is started again, as systemd does.
fault_master() {
	all=$(pgrep -P "$stack_pool_pid")
	stack_end "$stack_pool_pid" KILL
	for pid in $all; do
		stack_until 15 0 stack_gone "$pid" ||
		    not_ok "a worker outlives its master"
	done
	torture_pool
}

fault_backend() {
	kill -KILL "$(pgrep -P "$stack_pg_pid" -f 'postgres: assay_decide' |
	    choose "$1")"
}

fault_sessions() {
	[ "$(sql "select count(pg_terminate_backend(pid)) from pg_stat_activity
	    where application_name = 'assay decide'")" -gt 0 ]
}

# It is stopped first, so that none of its processes is missed.
fault_server() {
	kill -STOP "$stack_pg_pid"
	all=$(pgrep -P "$stack_pg_pid")
	stack_end "$stack_pg_pid" KILL
	for pid in $all; do
		stack_until 15 0 stack_gone "$pid"
	done
	torture_database
}

# Every degraded answer has come from the spool into the database.
drained() {
	curl -s --max-time 5 --unix-socket "$scratch/run/http.sock" \
	    "$BASE/metrics" | grep -qx 'engine_spool_records 0'
}

# Faults with a number and the pause before each, in decks that hold all.
schedule() {
	awk -v seed="$seed" -v decks="$((minutes * 10 + 1))" 'BEGIN {
		srand(seed)
		while (decks-- > 0) {
			n = split("worker worker burst burst freeze master " \
			    "backend sessions server", deck)
			for (; n > 0; n--) {
				i = int(rand() * n) + 1
				printf "%s %d %.2f\n", deck[i],
				    int(rand() * 1000), 0.1 + 0.6 * rand()
				deck[i] = deck[n]
			}
		}
	}'
}

torture_database
torture_pool
start_nginx
wait_ready
admin_token
api_key
TOKEN=

# A quiet hour first, on which the checker itself is tried.
load 1 0 300
wait "$load_pid"
is "without faults there is nothing to find" \
    "$(checker -c 'select * from pg_temp.findings()')" ""
is "whatever is tampered with, the checker says so" \
    "$(checker -f "$srcdir/t/torture/mutate.sql")" ""

load "$seed" 1000000 0
end=$(($(date +%s) + minutes * 60))
schedule >"$scratch/schedule"
while read -r fault number pause <&7; do
	[ "$minutes" -eq 0 ] || [ "$(date +%s)" -lt "$end" ] || break
	sleep "$pause"
	if "fault_$fault" "$number" 2>>"$scratch/log/faults.log"; then
		echo "$fault" >>"$scratch/faults"
	fi
done 7<"$scratch/schedule"
wait_ready
kill -TERM "$load_pid"
check "the clients come to their end" wait "$load_pid"
check "the spool is drained" stack_until 60 "$stack_pool_pid" drained
echo "# survived:$(sort "$scratch/faults" | uniq -c |
    awk '{ printf "%s %s %d", (NR > 1 ? "," : ""), $2, $1 }')"
echo "# events: $(checker -c 'select pg_temp.summary()')"
is "every answer is stored once, and all counts agree" \
    "$(checker -c 'select * from pg_temp.findings() limit 20')" "" ||
    gzip -c "$history" >"$builddir/t/http/$name.history.gz"
finish
