#!/bin/sh
# SPDX-License-Identifier: ISC
# Under load processes are killed again and again: each answer is stored exactly
# once, and all counts agree.
#
# TORTURE_MINUTES sets the length (`make torture`).  TORTURE_SEED repeats events
# and schedule, but not the timing of the machine.
# shellcheck disable=SC2317 # the faults are called by their names
. "$(dirname "$0")/lib.sh"
use faults

minutes=${TORTURE_MINUTES:-0}
seed=${TORTURE_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
history=$scratch/history
load_pid=
echo "# TORTURE_SEED=$seed"

# start_load SEED FIRST EVENTS: start the clients; they end with the scenario.
start_load() {
	API_KEY=$KEY setpriv --pdeathsig KILL "$builddir/t/torture/load" \
	    "$scratch/run/http.sock" "$history" 24 "$1" "$2" "$3" \
	    </dev/null >"$scratch/log/load.log" 2>&1 &
	load_pid=$!
}

# run_checker COMMAND ...: psql with the checker and the whole history.
run_checker() {
	cluster_psql postgres assay -At -f "$srcdir/t/torture/check.sql" \
	    -c "\\copy history from '$history' with (format csv, quote e'\\x01', delimiter e'\\x02')" \
	    "$@" 2>&1
}

# spool_is_drained: all degraded answers are in the database.
spool_is_drained() {
	curl -s --max-time 5 --unix-socket "$scratch/run/http.sock" \
	    "$BASE/metrics" | grep -qx 'engine_spool_records 0'
}

# make_schedule: print lines with a fault, a random number for it and the pause
# before it.  Each nine lines contain each fault of the deck.
make_schedule() {
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

# Without faults the checker finds nothing; then it must find each mutation.
start_load 1 0 300
wait "$load_pid"
is "without faults the checker finds nothing" \
    "$(run_checker -c 'select * from pg_temp.findings()')" ""
is "the checker finds every change of mutate.sql" \
    "$(run_checker -f "$srcdir/t/torture/mutate.sql")" ""

start_load "$seed" 1000000 0
end=$(($(date +%s) + minutes * 60))
make_schedule >"$scratch/schedule"
while read -r fault number pause <&7; do
	[ "$minutes" -eq 0 ] || [ "$(date +%s)" -lt "$end" ] || break
	sleep "$pause"
	if "fault_$fault" "$number" 2>>"$scratch/log/faults.log"; then
		echo "$fault" >>"$scratch/faults"
	fi
done 7<"$scratch/schedule"
wait_ready
kill -TERM "$load_pid"
check "the clients end without an error" wait "$load_pid"
check "the spool is drained after the faults" \
    stack_until 60 "$stack_pool_pid" spool_is_drained
echo "# survived:$(sort "$scratch/faults" | uniq -c |
    awk '{ printf "%s %s %d", (NR > 1 ? "," : ""), $2, $1 }')"
echo "# events: $(run_checker -c 'select pg_temp.summary()')"
is "every answer is stored once and all counts agree" \
    "$(run_checker -c 'select * from pg_temp.findings() limit 20')" "" ||
    gzip -c "$history" >"$builddir/t/http/$scenario.history.gz"
finish
