#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker decides waiting requests in one transaction: a held lock delays only the
# requests that need it, and a killed worker loses no event.
. "$(dirname "$0")/lib.sh"
use together lock

start_with_key DECIDE_WORKERS=1
worker=$(pgrep -P "$stack_pool_pid" -o)

# advisory_locks_are COUNT: check that many locks are held or waited for.
# shellcheck disable=SC2317 # called by stack_until
advisory_locks_are() {
	[ "$(sql "select count(*) from pg_locks where locktype = 'advisory'")" \
	    -eq "$1" ]
}
# worker_waits: check that the worker waits for a lock.
# shellcheck disable=SC2317 # called by stack_until
worker_waits() {
	sql "select wait_event_type from pg_stat_activity
	    where application_name = 'assay decide'" | grep -q '^Lock$'
}

# Two users' locks are held: their requests wait, the others do not.  On a busy
# machine the others may need longer than the locked ones may wait: then try again.
hold_lock "select pg_advisory_lock($(user_lock hot)),
    pg_advisory_lock($(user_lock warm))"
for attempt in $(seq 40); do
	stop_worker
	add_request 1 "$(event_of "h$attempt-hot" hot)"
	add_request 2 "$(event_of "h$attempt-warm" warm)"
	for n in 3 4 5; do
		add_request "$n" "$(event_of "h$attempt-$n" "cold-$n")"
	done
	resume_worker 5
	# shellcheck disable=SC2086 # pids
	set -- $request_pids
	request_pids="$3 $4 $5"
	await_requests
	! kill -0 "$1" "$2" 2>/dev/null || break
	wait "$1" "$2"
done
check "events of locked users wait" kill -0 "$1" "$2"
is "events of other users are decided beside the locked ones" \
    "$(request_json 3 .score) $(request_json 5 .score)" "0 0"
echo "select pg_advisory_unlock($(user_lock warm));" >&8
wait "$2"
is "an event whose user's lock is released is scored" \
    "$(request_json 2 '.score >= 0')" true
wait "$1"
is "an event whose user stays locked gets the onError verdict" \
    "$(request_json 1 .score)" -1

# Another transaction is about to take the key of one event.
echo "select pg_advisory_unlock_all(); insert into assay.idempotency
    values ('taken', 'vd_x', 'taken', now());" >&8
stack_until 10 "$stack_pg_pid" advisory_locks_are 0
for attempt in $(seq 40); do
	stop_worker
	add_request 1 "$(event_of taken t-1)"
	for n in 2 3 4 5 6; do
		add_request "$n" "$(event_of "t$attempt-$n" "t-$n")"
	done
	resume_worker 6
	await_requests
	[ "$(statuses_count 503)" -gt 0 ] || break
done
is "events beside one whose key is locked are scored" \
    "$(for n in 2 3 4 5 6; do
    request_json "$n" .score; done | sort | uniq -c | tr -d ' \n')" 50
is "an event whose key stays locked gets the onError verdict" \
    "$(request_json 1 .score)" -1
echo "rollback;" >&8
release_lock

# A worker is killed in its transaction: no request is answered, and a repeated
# request gets exactly one decision.  What it has not accepted yet, its successor
# answers: then try again.
for attempt in $(seq 40); do
	hold_lock "lock table assay.idempotency in share mode"
	stop_worker
	for n in 1 2 3 4 5 6; do
		add_request "$n" "$(event_of "d$attempt-$n" "d-$n")"
	done
	resume_worker 6
	stack_until 10 "$stack_pg_pid" worker_waits ||
	    not_ok "the transaction $attempt of six events waits for the lock"
	kill -KILL "$worker"
	await_requests
	release_lock
	wait_ready
	[ "$(statuses_count 503)" -ne 6 ] || break
	worker=$(pgrep -P "$stack_pool_pid" -n)
done
is "requests of a killed worker answer 503" "$(statuses_count 503)" 6
for n in 1 2 3 4 5 6; do
	http POST /v1/decisions "$(event_of "d$attempt-$n" "d-$n")"
	again=$(json .id)
	http POST /v1/decisions "$(event_of "d$attempt-$n" "d-$n")"
	is "event $n of the killed worker, sent again, has one decision" \
	    "$again $(sql "select
	    count(*) from assay.verdict_log where event_id = 'd$attempt-$n'")" \
	    "$(json .id) 1"
done
finish
