#!/bin/sh
# SPDX-License-Identifier: ISC
# Retention while clocks are wrong: it removes nothing while those of the database and
# of the host differ, and little if both are ahead.
. "$(dirname "$0")/lib.sh"
use load past retain

# 400 days.
ahead=34560000
cp "$builddir/t/http/clock.so" "$scratch/bin/"

# restart_database [AHEAD]: start it again, with a clock that is so many seconds ahead.
restart_database() {
	stop_database
	if [ $# -gt 0 ]; then
		export CLOCK_AHEAD="$1" LD_PRELOAD="$scratch/bin/clock.so"
	fi
	start_database
	unset CLOCK_AHEAD LD_PRELOAD
	wait_ready
}
this_month=$(date -u +%Y%m)
# kept: the rows, and whether this month has its partitions.  An older month may end with
# the one day more.
kept() {
	echo "$(rows_left) $(sql "select count(*) from pg_inherits
	    where inhrelid::regclass::text ~ '_$this_month\$'")"
}

start_signed_in
add_history
cron retain
is "a sweep with right clocks removes what is older than the windows" \
    "$(rows_left)" "$want"
http POST /v1/decisions '{"id":"before","type":"account.login",
    "subject":{"userId":"x"}}'
is "an event is decided" "$STATUS" 200

restart_database "$ahead"
cron retain && not_ok "a sweep fails while the clock of the database is ahead"
is "the log says once which clock differs, and by how much" "$(grep -c \
    'level=error .*event=job_step_failed .*server is 345[56][0-9]* s ahead of' \
    "$scratch/log/cron.log")" 1
http POST /v1/config/retention/run
is_error "a sweep of an operator answers 503" 503 UNAVAILABLE
is "nothing is removed while the clocks differ" "$(kept)" "$want 2"

# Both are ahead, as on one machine: the sweep believes one day more.
retain_ahead() {
	cron retain CLOCK_AHEAD="$ahead" LD_PRELOAD="$scratch/bin/clock.so" \
	    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1
}
retain_ahead
is "a sweep removes one day more if both clocks are ahead" "$(kept)" \
    "4368|1068|854|1068|72|29|364 2"
is "the next sweep is not due at once" \
    "$(retain_ahead
	rows_left)" "4368|1068|854|1068|72|29|364"

restart_database
cron retain
is "nothing more is removed when the clocks are right again" "$(rows_left)" \
    "4368|1068|854|1068|72|29|364"
http POST /v1/decisions '{"id":"before","type":"account.login",
    "subject":{"userId":"x"}}'
is "an event is known from before" "$STATUS $(header x-engine-idempotent-replay)" \
    "200 true"
http POST /v1/decisions '{"id":"after","type":"account.login",
    "subject":{"userId":"x"}}'
is_json "a new event is scored" '.score >= 0' true

# A month without partitions.
sql "drop table assay.verdict_log_$this_month, assay.decision_detail_$this_month"
http GET /readyz
is_json "without partitions for this month the pool is not ready" \
    '"\(.status) \(.checks.schema | split(";")[0])"' \
    "not_ready no partition holds the decisions of this month"
cron retain
check "the companion makes them, and the pool is ready" stack_until 20 0 is_ready
finish
