#!/bin/sh
# SPDX-License-Identifier: ISC
# Decisions get the CPU before operators: nice values of workers and sessions.
. "$(dirname "$0")/lib.sh"

# nice_of GROUP: print the different nice values of its workers.
nice_of() {
	for pid in $(worker_pids "$1"); do
		ps -o ni= -p "$pid" | tr -d ' '
	done | sort -u
}

# session_nice_of GROUP: print the different nice values of their sessions.
session_nice_of() {
	for pid in $(worker_pids "$1"); do
		sed 's/.* nice //' "/proc/$pid/autogroup"
	done | sort -u
}

# The sessions of decide workers, and the session of the master.
sessions() {
	for pid in $(worker_pids decide) "$stack_pool_pid"; do
		ps -o sid= -p "$pid"
	done
}

own_sessions() { [ "$(sessions | sort | uniq -d)" = "" ]; }

start_with_key
is "decide workers have a nice value of 0" "$(nice_of decide)" 0
is "operator workers have a nice value of 10" "$(nice_of operator)" 10
check "no decide worker shares a session with another one or the master" \
    stack_until 10 "$stack_pool_pid" own_sessions
if [ -r "/proc/$$/autogroup" ]; then
	is "the sessions of decide workers have a nice value of 0" \
	    "$(session_nice_of decide)" 0
	is "the session of operator workers has a nice value of 10" \
	    "$(session_nice_of operator)" 10
fi

# shellcheck disable=SC2317 # called by name
replaced() { [ "$(worker_pids decide | grep -c -v "^$first$")" = 2 ]; }
first=$(worker_pids decide | sed -n 1p)
kill -KILL "$first"
check "the master replaces a killed decide worker" \
    stack_until 10 "$stack_pool_pid" replaced
# A new worker leaves the session of the master soon after it was forked.
check "a decide worker that replaces another has its own session" \
    stack_until 10 "$stack_pool_pid" own_sessions
finish
