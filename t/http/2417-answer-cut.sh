#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker is killed in the middle of a large answer: the client's connection ends
# at once, before the length that the answer promised.
. "$(dirname "$0")/lib.sh"
use lock standby

start_stack DECIDE_WORKERS=1 OPERATOR_WORKERS=2
admin_token
path=/v1/rules/order.place/versions/seed@v0.4
sql "update assay.ruleset set text = text || repeat(E'\\n# a long text', 70000)
    where event_type = 'order.place' and version = 'seed@v0.4'"

# ask_version: print the status and the exit status of curl; fails within a minute.
ask_version() {
	curl -sS --max-time 60 --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" -o "$scratch/version" \
	    -w '%{http_code} ' "$BASE$path" 2>>"$scratch/curl"
	echo $?
}
is "the whole answer arrives" \
    "$(ask_version) $(jq '.text | length > 900000' <"$scratch/version")" \
    "200 0 true"
whole=$(wc -c <"$scratch/version")

# A lock holds the worker, which then writes while nginx does not read.
hold_lock "lock table assay.ruleset in access exclusive mode"
ask_version >"$scratch/outcome" &
client=$!
check "the worker waits for the lock" stack_until 20 "$lock_pid" session_is \
    "application_name = 'assay operator' and wait_event_type = 'Lock'"
signal_processes "$stack_nginx_pid" STOP
release_lock
# Where the kernel does not say what a process waits for, five seconds are enough.
# shellcheck disable=SC2317 # stack_until calls it
worker_is_blocked() {
	for worker in $(pgrep -P "$stack_pool_pid"); do
		! grep -q sock_alloc_send "/proc/$worker/wchan" || return 0
	done
	return 1
}
check "the worker has its text" stack_until 20 "$stack_pool_pid" session_is \
    "application_name = 'assay operator' and state = 'idle'
    and query like '%ruleset_version%'"
stack_until 5 "$stack_pool_pid" worker_is_blocked || :
# shellcheck disable=SC2046 # process ids
kill -s KILL $(pgrep -P "$stack_pool_pid")
signal_processes "$stack_nginx_pid" CONT
wait "$client"
is "curl says that the answer is not complete" \
    "$(cat "$scratch/outcome")" "200 18"
check "only a part of the answer has arrived" \
    test "$(wc -c <"$scratch/version")" -lt "$whole"
check "the pool goes on" stack_until 20 "$stack_pool_pid" is_ready
is "the whole answer arrives again" "$(ask_version)" "200 0"
finish
