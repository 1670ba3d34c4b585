#!/bin/sh
# SPDX-License-Identifier: ISC
# After a promotion the former primary runs again and takes writes, as if nothing
# fenced it: no program writes there.
. "$(dirname "$0")/lib.sh"
use away ctl standby

start_servers standby -c max_connections=500
order='{"type":"order.place","subject":{"userId":"u-1"}}'

# sessions_of SQL: how many sessions of Assay a server has.
sessions_of() {
	"$1" "select count(*) from pg_stat_activity where application_name like 'assay%'"
}
# shellcheck disable=SC2317 # stack_until calls it
companion_on_standby() {
	[ "$(standby_sql "select count(*) from pg_stat_activity
	    where application_name = 'assay cron'")" -gt 0 ]
}
# shellcheck disable=SC2317 # stack_until calls it
engine_says() {
	http GET /readyz
	[ "$(json .checks.engine)" = "$1" ]
}
# shellcheck disable=SC2317 # stack_until calls it
no_session_on_former() {
	[ "$(sessions_of sql)" = 0 ]
}
# logged_on SQL, keys_on SQL: how many decisions, or API keys, a server has.
logged_on() {
	"$1" "select count(*) from assay.verdict_log"
}
keys_on() {
	"$1" "select count(*) from assay.service_key"
}

with_urls servers_url start_pool
start_nginx
wait_ready
admin_token
api_key
ask_decision "$order"
is "the primary has the first decision" "$(logged_on sql)" 1

# The primary freezes, the standby is promoted, and the primary goes on.
signal_processes "$primary_pid" STOP
standby_sql "select pg_promote()" >/dev/null
check "decisions go to the standby that was promoted" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
signal_processes "$primary_pid" CONT

# The new primary is down for a moment.
stack_end "$standby_pid" INT
ask_decision "$order"
is "a decision is degraded rather than made on the former primary" \
    "$(brief_answer)" "200 allow -1 engine.degraded"
is "the former primary has no new decision" "$(logged_on sql)" 1
check "/readyz says that only a former primary takes writes" \
    stack_until 20 "$stack_pool_pid" engine_says "the only server that takes writes is a former primary; start the primary, or restart this program if that server is right"
is "the database of a pool without its primary is down" \
    "$STATUS $(json .checks.store)" "503 down"
http GET "/v1/verdicts?limit=1"
is_error "operators are not answered from the former primary" 503 UNAVAILABLE
check "the log names the former primary" grep -q \
    "level=error .*event=database_connect_failed host=$scratch/run .*kind=former " \
    "$scratch/log/pool.log"
start_standby
check "decisions go to the new primary when it runs again" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
wait_drained

# Programs that start now know nothing of the promotion.
stop_pool
with_urls servers_url start_pool
wait_ready
with_urls servers_url start_cron "work --for 10m"
before=$(logged_on standby_sql)
ask_decision "$order"
is "a pool that starts asks both servers and uses the new primary" \
    "$(logged_on standby_sql)" $((before + 1))
check "the companion uses the new primary" \
    stack_until 20 "$stack_cron_pid" companion_on_standby
ADMIN_DATABASE_URL=$(servers_url postgres) ctl key create by-ctl
is "assayctl makes a key on the new primary" \
    "$STATUS $(keys_on sql) $(keys_on standby_sql)" "0 1 2"
# A program that looks for the primary asks both servers and leaves the other one.
check "no program keeps a session with the former primary" \
    stack_until 20 "$stack_cron_pid" no_session_on_former
stop_cron

# An administrator wants the former primary back.
stop_pool
stack_end "$standby_pid" INT
with_urls servers_url start_pool
wait_ready
ask_decision "$order"
is "without the other server a pool that starts uses the former primary" \
    "$(json '.score >= 0') $(logged_on sql)" "true 2"
finish
