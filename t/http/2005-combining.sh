#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker decides waiting requests in one transaction, and each caller gets the
# answer that it would get alone.
. "$(dirname "$0")/lib.sh"
use together

start_stack DECIDE_WORKERS=1
admin_token
api_key '["labels"]'
labels=$KEY
api_key
TOKEN=
worker=$(pgrep -P "$stack_pool_pid" -o)

# rows_written: print the numbers of verdicts and transactions of this attempt.
rows_written() {
	sql "select count(*), count(distinct xid) from assay.verdict_log
	    where event_id like 'c$attempt-%'"
}

# A worker accepts requests for 5 ms.  On a busy machine it may decide before it has
# read all of them: then try again.
for attempt in $(seq 40); do
	stop_worker
	n=0
	while [ "$n" -lt 14 ]; do
		n=$((n + 1))
		add_request "$n" \
		    "$(event_of "c$attempt-$n" "c-$((n % 10))-$attempt" \
		    ',"deviceId":"cd"')"
	done
	resume_worker 14
	await_requests
	[ "$(rows_written)" != "14|1" ] || break
done
is "14 requests at once are answered" "$(statuses_count 200)" 14
is "14 requests at once make one transaction" "$(rows_written)" "14|1"
for n in 1 5 14; do
	is "answer $n of the transaction is that of its event" \
	    "$(request_json "$n" .eventId)" \
	    "c$attempt-$n"
done
is "an event counts its user's earlier ones in the transaction" "$(sql "
    select string_agg(n::text, ' ' order by seen) from (
	select (signals(sample) ->> 'velocity.attemptsLast24h')::int
	    as seen, count(*) as n
	from assay.decision_detail where event_id like 'c$attempt-%' group by 1) d")" \
    "10 4"
is "a shared device counts the users of the transaction" \
    "$(sql "select users from assay.entity
    where key = 'cd' and kind = 2")" "$((attempt * 10))"

# Requests of all kinds together.
http POST /v1/decisions "$(event_of old m-old)"
old=$(json .id)
for attempt in $(seq 40); do
	stop_worker
	add_request 1 "$(event_of "m$attempt-1" m-1)"
	add_request 2 '{"type":"account.login"}'
	request_key=ak_live_0 add_request 3 "$(event_of "m$attempt-3" m-3)"
	request_key=$labels add_request 4 "$(event_of "m$attempt-4" m-4)"
	add_request 5 "$(event_of old m-old)"
	add_request 6 "$(event_of "m$attempt-6" m-6)" -H "Idempotency-Key: k$attempt"
	add_request 7 "$(event_of "m$attempt-7" m-7)" -H "Idempotency-Key: k$attempt"
	add_request 8 '{"type":' -H 'X-Correlation-Id: mine'
	request_type=text/plain add_request 9 "$(event_of "m$attempt-9" m-9)"
	request_key=ak_live_$(printf '%048d' 0) add_request 10 "$(event_of "m$attempt-10" m-10)"
	request_url=$BASE/health add_request 11 ''
	request_url=$BASE/v1/decisions/old add_request 12 ''
	request_url=$BASE/v1/decisions/batch add_request 13 \
	    "{\"events\":[$(event_of "m$attempt-1" m-1),$(event_of "m$attempt-b" m-1)]}"
	request_url=$BASE/v1/decisions/%C3%28 add_request 14 ''
	resume_worker 14
	await_requests
	[ "$(statuses_count 503)" -gt 0 ] || break
done
for case in "1 200" "2 400 INGEST_INVALID" "3 401 INVALID_API_KEY" \
    "4 403 INSUFFICIENT_SCOPE" "5 200" "6 200" "7 200" "8 400 INVALID_JSON" \
    "9 415 UNSUPPORTED_MEDIA_TYPE" "10 401 INVALID_API_KEY" "11 200" "12 200" \
    "13 200" "14 400 INVALID_REQUEST"; do
	n=${case%% *}
	got="$n $(request_status "$n") $(request_json "$n" '.code // ""')"
	is "request $n of all kinds gets its own answer" "${got% }" "$case"
done
is "a replay beside others gets the first answer, marked" \
    "$(request_json 5 .id) $(grep -ci \
    '^x-engine-idempotent-replay: true' "$scratch/together/5.head")" "$old 1"
is "of two requests with one key one is decided" \
    "$(request_json 6 .id)" "$(request_json 7 .id)"
is "of two requests with one key the other is a replay" \
    "$(cat "$scratch/together/6.head" \
    "$scratch/together/7.head" | grep -ci '^x-engine-idempotent-replay: true')" 1
is "a batch is decided after the combined events" \
    "$(request_json 13 '.results[0].decision.id')" \
    "$(request_json 1 .id)"
is "a combined answer repeats its correlation id" "$(grep -ci \
    '^x-correlation-id: mine' "$scratch/together/8.head")" 1
is "refused requests beside others write no verdict" \
    "$(sql "select count(*) from assay.verdict_log
    where event_id in ('m$attempt-3', 'm$attempt-4', 'm$attempt-10')")" 0
finish
