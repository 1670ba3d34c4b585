#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion beside the stack: jobs once and for a time, several at once,
# what it says, and how it ends.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u1"}}'
is "a decision" "$STATUS" 200
check "project, once" cron project
check "says what it did" grep -q \
    'job=project .*run=done .*decisions=[0-9]* labels=0' "$scratch/log/cron.log"
check "drain, once" cron "drain --once"
check "several for a while" cron "work project drain --for 1s"
is "each said so" "$(grep -c 'run=done' "$scratch/log/cron.log")" 4

start_cron "work --for 10m"
# shellcheck disable=SC2317 # stack_until calls it
# works N: so many jobs are under way.
works() {
	[ "$(pgrep -c -P "$stack_cron_pid")" -eq "$1" ]
}
check "all at work" stack_until 10 "$stack_cron_pid" works 5
kill -s TERM "$stack_cron_pid"
ended=0
wait "$stack_cron_pid" || ended=$?
is "TERM ends them all well" "$ended" 0
# It dies of TERM before it has begun, or ends well.
# shellcheck disable=SC2317 # stack_until calls it
is_itself() {
	[ "$(cat "/proc/$stack_cron_pid/comm")" = assay-cron ]
}
for ms in 00 01 02 03 00 01 02 03 00 01 02 03; do
	start_cron "work --for 10m"
	stack_until 10 "$stack_cron_pid" is_itself
	sleep "0.$ms"
	kill -s TERM "$stack_cron_pid"
	ended=0
	wait "$stack_cron_pid" 2>/dev/null || ended=$?
	echo "$ended"
done >"$scratch/ended"
is "also when they have hardly begun" \
    "$(grep -vx -e 0 -e 143 "$scratch/ended")" ""

start_cron "work decide project --for 10m"
stack_until 10 "$stack_cron_pid" works 2
killed=$(pgrep -o -P "$stack_cron_pid")
kill -s KILL "$killed"
# shellcheck disable=SC2317 # stack_until calls it
is_another() {
	works 2 && [ "$(pgrep -o -P "$stack_cron_pid")" != "$killed" ]
}
check "what is killed begins again" stack_until 10 "$stack_cron_pid" is_another
http POST /v1/decisions/async '{"id":"e-1","type":"account.login",
    "subject":{"userId":"u1"}}'
# shellcheck disable=SC2317 # stack_until calls it
decided() {
	http GET /v1/decisions/e-1
	[ "$STATUS" = 200 ]
}
check "and goes on" stack_until 10 "$stack_cron_pid" decided
kill -s TERM "$stack_cron_pid"
ended=0
wait "$stack_cron_pid" || ended=$?
is "which is not forgotten at the end" "$ended" 70

stop_database
ended=0
cron "work" || ended=$?
is "without a database" "$ended" 75
finish
