#!/bin/sh
# SPDX-License-Identifier: ISC
# A backtest that takes long: one at a time, the other workers go on, everyone
# sees how far it is, and it ends when its caller has gone, when its worker is
# killed, when the database ends it, and when the pool stops, but not when the
# settings are read again.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/backtest.sh
. "$srcdir/t/http/backtest.sh"

start_stack
admin_token
api_key
is "the sample is decided" "$(decide_sample)" ""
sql "insert into assay.detail (decided_at, verdict_id, event_id, event_type,
	user_id, replay)
    select decided_at, verdict_id || i, event_id || '-' || i, 'card.refund',
	user_id, replay
    from assay.detail, generate_series(1, 600) i
    where event_type = 'card.authorize'"
samples=$(sql "select count(*) from assay.detail
    where event_type = 'card.refund'")

# rules N: a body with so many rules that are slow and never fire.
rules() {
	awk -v n="$1" 'BEGIN {
		printf "{\"eventType\":\"card.refund\",\"dsl\":\""
		while (n-- > 0)
			printf "rule r%d { when !(event.amount < %d || " \
			    "graph.ringSize > %d) && geo.country == \\\"ET\\\" " \
			    "then score += 1, tag t%d }\\n", n, 1e9 + n, n, n % 9
		print "\"}" }'
}
rules 1000 >"$scratch/slow"
rules 200 >"$scratch/slower"

# send FILE: in the background, the answer to FILE.answer.
send() {
	curl -sS --max-time 100 --unix-socket "$scratch/run/http.sock" \
	    -o "$1.answer" -w '%{http_code}' -X POST --data-binary "@$1" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE/v1/backtest" \
	    >"$1.status" 2>"$scratch/curl" &
	curl_pid=$!
}
# backtest FILE: the same, and it has begun to read samples.
backtest() {
	send "$1"
	stack_until 20 "$curl_pid" runs || not_ok "a backtest runs"
}
# Whether samples are being read.
# shellcheck disable=SC2317 # called by name
runs() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where query like 'fetch forward%' and state <> 'idle'")" = 1 ]
}
# shellcheck disable=SC2317
ended() { ! runs; }
# Whether the running one is seen, how it goes on, and whether none is.
# shellcheck disable=SC2317
goes_on() {
	http GET /v1/backtest
	[ "$(json ".running[0].samples > ${seen:-0}")" = true ]
}
# shellcheck disable=SC2317
unseen() {
	http GET /v1/backtest
	[ "$BODY" = '{"running":[]}' ]
}
# answered FILE: wait for it; status and code or size are in ANSWER.
answered() {
	wait "$curl_pid"
	ANSWER="$(cat "$1.status") $(jq -r '.code // .sampleSize' "$1.answer")"
}

http GET /v1/backtest
is "none runs" "$STATUS $BODY" '200 {"running":[]}'
backtest "$scratch/slow"
is "it reads one snapshot and has no transaction id" "$(sql "select count(*),
    count(backend_xid) from pg_stat_activity
    where query like 'fetch forward%' and xact_start is not null")" "1|0"
http POST /v1/backtest '{"eventType":"card.authorize"}'
is_error "meanwhile a second is refused" 503 UNAVAILABLE
is "and may try again" "$(header retry-after | grep -c '^[1-9]')" 1
http GET /v1/apikeys
is "while operators are answered" "$STATUS" 200

check "it is seen" stack_until 20 "$curl_pid" goes_on
is_json "with its type, and how far it is" '.running | map([keys_unsorted,
    .eventType, .samples % 1000, .seconds > 0]) | tojson' \
    '[[["eventType","samples","of","seconds"],"card.refund",0,true]]'
of=$(json '.running[0].of')
is "of about so many" "$((of > samples * 9 / 10 && of < samples * 11 / 10))" 1
seen=$(json '.running[0].samples')
check "it goes on" stack_until 20 "$curl_pid" goes_on
seen=

kill "$curl_pid"
wait "$curl_pid" 2>/dev/null
check "it ends when its caller has gone" stack_until 10 0 ended
check "and is seen no more" stack_until 10 0 unseen
stack_until 10 0 grep -q 'route=/v1/backtest status=503' "$scratch/log/pool.log"
is "without a result" "$(grep -c backtest=done "$scratch/log/pool.log")" 0
http POST /v1/backtest '{"eventType":"card.authorize"}'
is "and another may run" "$STATUS" 200

is "which is seen no more when it is answered" \
    "$(http GET /v1/backtest; echo "$BODY")" '{"running":[]}'

backtest "$scratch/slow"
check "it is seen again" stack_until 20 "$curl_pid" goes_on
http GET /v1/backtest
idle=$(sed -n 's,.* pid=\([0-9]*\) .* method=GET route=/v1/backtest .*,\1,p' \
    "$scratch/log/pool.log" | tail -n 1)
kill -KILL "$(sed -n 's/.* worker=started group=operator worker_pid=//p' \
    "$scratch/log/pool.log" | grep -vx "$idle")"
answered "$scratch/slow"
is "a worker is killed" "$ANSWER" "503 UNAVAILABLE"
check "and leaves no ghost" stack_until 10 0 unseen

# A statement that waits for a lock, until somebody cancels it.
# shellcheck disable=SC2317
waits() { [ -n "$(sql "$waiting")" ]; }
waiting="select pid from pg_stat_activity
    where query like 'declare backtest%' and wait_event_type = 'Lock'"
sql "begin; lock table assay.label; select pg_sleep(60)" >/dev/null 2>&1 &
lock_pid=$!
# shellcheck disable=SC2317
locked() {
	[ "$(sql "select count(*) from pg_locks where granted
	    and mode = 'AccessExclusiveLock'
	    and relation = 'assay.label'::regclass")" = 1 ]
}
stack_until 10 "$lock_pid" locked
send "$scratch/slow"
check "it waits" stack_until 10 "$curl_pid" waits
sql "select pg_cancel_backend(pid) from ($waiting) w" >/dev/null
answered "$scratch/slow"
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where query like '%lock table%' and pid <> pg_backend_pid()" >/dev/null
wait "$lock_pid"
is "what the database ends says so" "$ANSWER" "503 UNAVAILABLE"
check "with the time that it may take" grep -q '600 seconds' \
    "$scratch/slow.answer"

backtest "$scratch/slower"
kill -HUP "$stack_pool_pid"
answered "$scratch/slower"
is "the settings are read again, and it goes on" "$ANSWER" "200 $samples"
is "with a rate" "$(jq '.samplesPerSecond > 0 and .seconds > 0' \
    "$scratch/slower.answer")" true

stack_until 10 0 is_ready
backtest "$scratch/slow"
kill -TERM "$stack_pool_pid"
answered "$scratch/slow"
is "a pool that stops ends it" "$ANSWER" "503 UNAVAILABLE"
check "and says why" grep -q 'being stopped' "$scratch/slow.answer"
check "and leaves in time" stack_until 10 0 stack_gone "$stack_pool_pid"
is "nobody was killed" "$(grep -c worker=stuck "$scratch/log/pool.log")" 0
finish
