#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion beside the stack: jobs that run once and for a time, several
# jobs, their logs and their ends.
. "$(dirname "$0")/lib.sh"

start_signed_in
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u1"}}'
is "a decision answers 200" "$STATUS" 200
check "the job project ends well after one run" cron project
check "the job project logs what it did" grep -q \
    'job=project .*event=run_ended .*decisions=[0-9]* labels=0' "$scratch/log/cron.log"
check "the job drain ends well with --once" cron "drain --once"
check "several jobs end well after a second" cron "work project drain --for 1s"
is "each job logs the end of its run" \
    "$(grep -c 'event=run_ended' "$scratch/log/cron.log")" 4

start_cron "work --for 10m"
# shellcheck disable=SC2317 # stack_until calls it
# jobs_run N: check that the companion has N processes of jobs.
jobs_run() {
	[ "$(pgrep -c -P "$stack_cron_pid")" -eq "$1" ]
}
check "work starts all of its jobs" stack_until 10 "$stack_cron_pid" \
    jobs_run "$(grep -c '^JOB([a-z]*, true,' "$srcdir/cron/jobs.tbl")"
kill -s TERM "$stack_cron_pid"
cron_status=0
wait "$stack_cron_pid" || cron_status=$?
is "TERM ends all jobs well" "$cron_status" 0
# A companion that has not started its jobs can die of TERM.
# shellcheck disable=SC2317 # stack_until calls it
is_itself() {
	[ "$(cat "/proc/$stack_cron_pid/comm")" = assay-cron ]
}
for ms in 00 01 02 03 00 01 02 03 00 01 02 03; do
	start_cron "work --for 10m"
	stack_until 10 "$stack_cron_pid" is_itself
	sleep "0.$ms"
	kill -s TERM "$stack_cron_pid"
	cron_status=0
	wait "$stack_cron_pid" 2>/dev/null || cron_status=$?
	echo "$cron_status"
done >"$scratch/statuses"
is "TERM ends a companion that has just started" \
    "$(grep -vx -e 0 -e 143 "$scratch/statuses")" ""

start_cron "work decide project --for 10m"
stack_until 10 "$stack_cron_pid" jobs_run 2
killed=$(pgrep -o -P "$stack_cron_pid")
kill -s KILL "$killed"
# shellcheck disable=SC2317 # stack_until calls it
is_restarted() {
	jobs_run 2 && [ "$(pgrep -o -P "$stack_cron_pid")" != "$killed" ]
}
check "the companion restarts a job that is killed" \
    stack_until 10 "$stack_cron_pid" is_restarted
http POST /v1/decisions/async '{"id":"e-1","type":"account.login",
    "subject":{"userId":"u1"}}'
# shellcheck disable=SC2317 # stack_until calls it
is_decided() {
	http GET /v1/decisions/e-1
	[ "$STATUS" = 200 ]
}
check "the restarted job decides an event" \
    stack_until 10 "$stack_cron_pid" is_decided
kill -s TERM "$stack_cron_pid"
cron_status=0
wait "$stack_cron_pid" || cron_status=$?
is "a companion whose job was killed ends with 70" "$cron_status" 70

stop_database
cron_status=0
cron "work" || cron_status=$?
is "a companion without a database ends with 75" "$cron_status" 75
finish
