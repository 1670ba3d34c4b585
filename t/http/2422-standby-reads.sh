#!/bin/sh
# SPDX-License-Identifier: ISC
# With OPERATOR_READ_DATABASE_URL a standby answers large reads of operators, never with
# older data than the primary has.  While it is behind, stopped or frozen, fails in the
# middle, or is another database, the primary answers.
. "$(dirname "$0")/lib.sh"
use list load lock standby

reader="host=$scratch/run-b dbname=assay user=assay_operator"

# reads SERVER: how many large reads were answered so.
reads() {
	metric "engine_standby_reads_total{server=\"$1\"}"
}

# decide_and_see ID: decide an event, and print what a read at once shows of it.
decide_and_see() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"subject\":{\"userId\":\"u-1\",\"deviceId\":\"d-1\"}}"
	http GET '/v1/verdicts?limit=1'
	json '.[0].eventId'
}

# standby_answers METHOD PATH [BODY]: the request was answered by the standby.
# from_standby: ask until it was.  After a failure the standby rests for seconds.
# shellcheck disable=SC2317 # called by name
standby_answers() {
	standby_read_count=$(reads standby)
	http "$@"
	standby_read_status=$STATUS standby_read_body=$BODY
	[ "$(reads standby)" -gt "$standby_read_count" ]
}
from_standby() {
	stack_until 30 0 standby_answers "$@"
	STATUS=$standby_read_status BODY=$standby_read_body
}

# counted SERVER COMMAND ...: run it, and print how many more reads were answered so.
counted() {
	counted_before=$(reads "$1")
	counted_server=$1
	shift
	"$@" >"$scratch/counted"
	echo "$(($(reads "$counted_server") - counted_before)) $(cat "$scratch/counted")"
}

start_servers copy -c max_standby_streaming_delay=60s
start_signed_in OPERATOR_READ_DATABASE_URL="$reader"
is "a read shows the decision before it" "$(decide_and_see e-first)" e-first
late=0
for n in $(seq 20); do
	[ "$(decide_and_see "e-$n")" = "e-$n" ] || late=$((late + 1))
done
is "each of twenty reads shows the decision before it" "$late" 0
check "the standby has answered some of them" [ "$(reads standby)" -gt 0 ]
is "no server follows another database or timeline" "$(standby_sql "select
    assay.log_missing(0, 1, assay.database_number()),
    assay.log_missing(0, 1, 5), assay.log_missing(0, 2, assay.database_number())")" \
    "0||"

# Each route that may read the standby succeeds there, so it writes nothing.
for path in /v1/verdicts /v1/activity /v1/analytics/summary \
    '/v1/analytics/rules?eventType=order.place' '/v1/model/drift' \
    /v1/graph/device/d-1 /v1/policies/pol_order_place/histogram; do
	from_standby GET "$path"
	is "a standby answers GET ${path%%\?*}" "$STATUS" 200
done
from_standby POST /v1/backtest '{"eventType":"order.place"}'
is "a standby has the samples of a backtest" "$STATUS $(json .sampleSize)" "200 21"
http GET "/v1/backtest/$(json .id)"
is "the primary keeps the result of a backtest" "$STATUS" 200
is "these are all routes that may read the standby" \
    "$(grep -c '^STANDBY_READ(' "$srcdir/fcgi/gate/standby_reads.tbl")" 8

# Behind: what is committed on the primary is shown, by the primary.
standby_sql 'select pg_wal_replay_pause()' >/dev/null
is "a read shows a decision that the standby has not" \
    "$(counted behind decide_and_see e-paused)" "1 e-paused"
save_entry block user u-paused
search_entries '"subject":"user","value":"u-paused"'
is "what no standby answers shows the change before it" "$FOUND" "200 block u-paused"
standby_sql 'select pg_wal_replay_resume()' >/dev/null
check "the standby answers again" from_standby GET /v1/verdicts

# It fails in the middle: the primary does the work again.
hold_lock "lock table assay.label in access exclusive mode"
# shellcheck disable=SC2317 # called by name
standby_waits() {
	[ "$(standby_sql "select count(*) from pg_stat_activity
	    where application_name = 'assay read' and wait_event_type = 'Lock'")" = 1 ]
}
sql 'select pg_switch_wal()' >/dev/null
start_backtest() {
	post_later "$1" /v1/backtest '{"eventType":"order.place"}' \
	    -H "Authorization: Bearer $TOKEN"
	check "the backtest $1 waits on the standby" stack_until 20 0 standby_waits
}
start_backtest cancelled
http GET /v1/backtest
http POST "/v1/backtest/$(json '.running[0].id')/cancel"
standby_sql "select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'assay read'" >/dev/null
await_answer cancelled
is "a cancelled backtest is not done again" "$STATUS $(json .code)" \
    "409 BACKTEST_CANCELLED"
start_backtest failing
stack_end "$standby_pid" INT
check "the backtest waits on the primary" stack_until 20 0 lock_waiters_are 1
release_lock
await_answer failing
is "a backtest succeeds though its standby has ended" \
    "$STATUS $(json .sampleSize)" "200 22"
is "a read succeeds without the standby" \
    "$(counted away decide_and_see e-killed)" "1 e-killed"
check "the log says that the standby is away" grep -q \
    'level=warn .*event=standby_read_failed why=' "$scratch/log/pool.log"
http GET /readyz
is "the pool is ready without the standby" "$STATUS" 200
start_standby
check "the standby answers after its start" from_standby GET /v1/verdicts
check "the log says that the standby answers again" grep -q \
    'level=warn .*event=standby_read_again' "$scratch/log/pool.log"

signal_processes "$standby_pid" STOP
is "a read succeeds while the standby is frozen" \
    "$(counted away decide_and_see e-frozen)" "1 e-frozen"
signal_processes "$standby_pid" CONT
check "the standby answers after it was frozen" from_standby GET /v1/verdicts

# Promoted by mistake, it is another database: its answers would be old.
standby_sql 'select pg_promote()' >/dev/null
is "no read is of a server that was promoted" \
    "$(counted away decide_and_see e-promoted)" "1 e-promoted"
stack_end "$standby_pid" INT
stop_pool
sql 'create database other' >/dev/null
start_pool OPERATOR_READ_DATABASE_URL="host=$scratch/run dbname=other user=assay_operator"
wait_ready
is "no read is of another database" "$(counted away decide_and_see e-other)" "1 e-other"
is "several servers are refused" "$(OPERATOR_READ_DATABASE_URL='host=a,b' \
    "$scratch/bin/assay-fcgi" -n 2>&1 | grep -c 'must name one server')" 1
finish
