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
check "all at work" stack_until 10 "$stack_cron_pid" \
    sh -c "[ \$(pgrep -c -P $stack_cron_pid) -ge 2 ]"
kill -s TERM "$stack_cron_pid"
ended=0
wait "$stack_cron_pid" || ended=$?
is "TERM ends them all well" "$ended" 0

stop_database
ended=0
cron "work" || ended=$?
is "without a database" "$ended" 75
finish
