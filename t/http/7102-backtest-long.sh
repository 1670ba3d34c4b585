#!/bin/sh
# SPDX-License-Identifier: ISC
# A long backtest: only one runs at a time, other workers serve, GET shows its
# progress.  It ends when its caller, its worker, the database or the pool
# ends it, but not at a reload.
. "$(dirname "$0")/lib.sh"
use backtest

start_signed_in
is "the service decides the shipped sample" "$(decide_sample)" ""
make_slow_samples
# start_backtest FILE: send it, and wait until it reads samples.
start_backtest() {
	send_backtest "$1"
	stack_until 20 "$curl_pid" samples_read || not_ok "a backtest runs"
}
# samples_read: check that a backtest reads samples.
# shellcheck disable=SC2317 # called by name
samples_read() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where query like 'fetch forward%' and state <> 'idle'")" = 1 ]
}
# shellcheck disable=SC2317
reading_ended() { ! samples_read; }
# backtest_moves: GET shows more samples than before.
# shellcheck disable=SC2317
backtest_moves() {
	http GET /v1/backtest
	[ "$(json ".running[0].samples > ${seen:-0}")" = true ]
}
# await_backtest FILE: wait for the answer; ANSWER is its status, and its code or
# sample size.
await_backtest() {
	wait "$curl_pid"
	ANSWER="$(cat "$1.status") $(jq -r '.code // .sampleSize' "$1.answer")"
}

http GET /v1/backtest
is "no backtest runs at first" "$STATUS $BODY" \
    '200 {"running":[],"kept":[]}'
start_backtest "$scratch/slow"
is "a backtest reads one snapshot without a transaction id" \
    "$(sql "select count(*),
    count(backend_xid) from pg_stat_activity
    where query like 'fetch forward%' and xact_start is not null")" "1|0"
http POST /v1/backtest '{"eventType":"card.authorize"}'
is_error "a second backtest answers 503 while one runs" 503 UNAVAILABLE
is "the second backtest may be retried" \
    "$(header retry-after | grep -c '^[1-9]')" 1
http GET /v1/apikeys
is "operators are answered while a backtest runs" "$STATUS" 200

check "GET shows the running backtest" stack_until 20 "$curl_pid" backtest_moves
is_json "GET shows event type, samples and seconds" \
    '.running | map([keys_unsorted,
    .eventType, .samples % 200, .seconds > 0]) | tojson' \
    '[[["id","eventType","samples","of","seconds"],"card.refund",0,true]]'
of=$(json '.running[0].of')
is "GET estimates the number of samples" \
    "$((of > samples * 9 / 10 && of < samples * 11 / 10))" 1
seen=$(json '.running[0].samples')
check "the number of samples grows" stack_until 20 "$curl_pid" backtest_moves
seen=

kill "$curl_pid"
wait "$curl_pid" 2>/dev/null
check "a backtest ends when its caller disconnects" \
    stack_until 10 0 reading_ended
check "GET shows no backtest after the disconnect" stack_until 10 0 none_running
stack_until 10 0 grep -q 'route=/v1/backtest status=503' "$scratch/log/pool.log"
is "a backtest without a caller logs no result" \
    "$(grep -c event=backtest_done "$scratch/log/pool.log")" 0
http POST /v1/backtest '{"eventType":"card.authorize"}'
is "another backtest may run after the disconnect" "$STATUS" 200

is "GET shows no backtest after the answer" \
    "$(http GET /v1/backtest; json .running)" '[]'

start_backtest "$scratch/slow"
check "GET shows the backtest whose worker will be killed" \
    stack_until 20 "$curl_pid" backtest_moves
http GET /v1/backtest
idle=$(sed -n 's,.* pid=\([0-9]*\) .* method=GET route=/v1/backtest .*,\1,p' \
    "$scratch/log/pool.log" | tail -n 1)
kill -KILL "$(sed -n 's/.* event=worker_started group=operator worker_pid=//p' \
    "$scratch/log/pool.log" | grep -vx "$idle")"
await_backtest "$scratch/slow"
is "a backtest answers 503 when its worker is killed" \
    "$ANSWER" "503 UNAVAILABLE"
check "GET shows no backtest after the worker was killed" \
    stack_until 10 0 none_running

# A worker that has just started would wait for the lock before it takes the request.
# shellcheck disable=SC2317
workers_prepared() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where usename = 'assay_operator' and state = 'idle'
		and query not like 'select assay.session_settings%'")" = 2 ]
}
check "both workers have their statements" \
    stack_until 20 "$stack_pool_pid" workers_prepared
# shellcheck disable=SC2317
backtest_cancelled() {
	sql "select pg_cancel_backend(pid) from pg_stat_activity
	    where query like 'declare backtest%' and wait_event_type = 'Lock'" \
	    >/dev/null
	stack_gone "$curl_pid"
}
sql "begin; lock table assay.label; select pg_sleep(60)" >/dev/null 2>&1 &
lock_pid=$!
# shellcheck disable=SC2317
label_locked() {
	[ "$(sql "select count(*) from pg_locks where granted
	    and mode = 'AccessExclusiveLock'
	    and relation = 'assay.label'::regclass")" = 1 ]
}
stack_until 10 "$lock_pid" label_locked
send_backtest "$scratch/slow"
check "a backtest waits for a lock on the labels, and is cancelled" \
    stack_until 20 0 backtest_cancelled
await_backtest "$scratch/slow"
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where query like '%lock table%' and pid <> pg_backend_pid()" >/dev/null
wait "$lock_pid"
is "a backtest answers 503 when the database cancels it" \
    "$ANSWER" "503 UNAVAILABLE"
check "the answer names the statement timeout" grep -q '600 seconds' \
    "$scratch/slow.answer"

start_backtest "$scratch/slower"
kill -HUP "$stack_pool_pid"
await_backtest "$scratch/slower"
is "a reload does not end a backtest" "$ANSWER" "200 $samples"
is "the answer has the rate of the backtest" \
    "$(jq '.samplesPerSecond > 0 and .seconds > 0' \
    "$scratch/slower.answer")" true

stack_until 10 0 is_ready
start_backtest "$scratch/slow"
kill -TERM "$stack_pool_pid"
await_backtest "$scratch/slow"
is "a backtest answers 503 when the pool stops" "$ANSWER" "503 UNAVAILABLE"
check "the answer says that the pool stops" \
    grep -q 'being stopped' "$scratch/slow.answer"
check "the pool stops in time although a backtest runs" \
    stack_until 10 0 stack_gone "$stack_pool_pid"
is "the master kills no worker as stuck" \
    "$(grep -c event=worker_killed "$scratch/log/pool.log")" 0
finish
