#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker takes along the decisions that wait: one transaction, and to each
# caller the same answer as if it had come alone.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack DECIDE_WORKERS=1
admin_token
api_key '["labels"]'
labels=$KEY
api_key
TOKEN=
worker=$(pgrep -P "$stack_pool_pid" -o)
mkdir "$scratch/set"

# say N BODY [curl option ...]: the Nth of the requests that come together.
say() {
	i=$1
	body=$2
	shift 2
	curl -sS --max-time 20 --unix-socket "$scratch/run/http.sock" \
	    -D "$scratch/set/$i.head" -o "$scratch/set/$i.body" \
	    -H "X-API-Key: ${key:-$KEY}" ${body:+--data-binary} \
	    ${body:+"$body"} -H "Content-Type: ${type:-application/json}" "$@" \
	    "${url:-$BASE/v1/decisions}" &
	said="$said $!"
}

# event ID USER [MORE]: an event, MORE being members of its subject.
event() {
	printf '{"id":"%s","type":"account.login","subject":{"userId":"%s"%s}}' \
	    "$1" "$2" "${3-}"
}

# The worker sees nothing until all of them wait; what is on its way to it
# has a line in /proc/net/unix, like the listening socket.
halt() {
	said=
	rm -f "$scratch"/set/*
	kill -STOP "$worker"
}
# shellcheck disable=SC2317 # called by stack_until
waiting() {
	[ "$(grep -c "$scratch/run/decide.sock" /proc/net/unix)" -gt "$1" ]
}
go() {
	stack_until 20 "$stack_pool_pid" waiting "$1" || not_ok "$1 wait"
	kill -CONT "$worker"
}
heard() {
	for pid in $said; do
		wait "$pid"
	done
}

# lock_of USER: the number of the user's lock, as lib/txn/txn.c makes it.
lock_of() {
	perl -e 'use integer; my $h = 0xcbf29ce484222325;
	    $h = ($h ^ ord) * 0x100000001b3 for split //, shift;
	    print $h' "$1"
}
# shellcheck disable=SC2317
locked() {
	[ "$(sql "select count(*) from pg_locks where locktype = 'advisory'")" \
	    -eq "$1" ]
}

# holds TABLE: somebody does, against writers.
# shellcheck disable=SC2317
holds() {
	sql "select mode from pg_locks where relation = '$1'::regclass" |
	    grep -qE '^(AccessExclusive|Share)Lock$'
}
# shellcheck disable=SC2317
stuck() {
	sql "select wait_event_type from pg_stat_activity
	    where application_name = 'assay decide'" | grep -q '^Lock$'
}

# status N; body N FILTER: of the Nth answer.
status() {
	sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$scratch/set/$1.head"
}
body() {
	jq -r "$2" "$scratch/set/$1.body"
}

# written: the decisions of this attempt, and of how many transactions.
written() {
	sql "select count(*), count(distinct xid) from assay.verdict_log
	    where event_id like 'c$attempt-%'"
}

# In case that the machine was slow enough for them to be shed, or for taking
# along to end before they were all there, once more.
for attempt in 1 2 3 4 5; do
	halt
	n=0
	while [ "$n" -lt 14 ]; do
		n=$((n + 1))
		say "$n" "$(event "c$attempt-$n" "c-$((n % 10))-$attempt" \
		    ',"deviceId":"cd"')"
	done
	go 14
	heard
	[ "$(written)" != "14|1" ] || break
done
is "all have an answer" "$(cat "$scratch"/set/*.head |
    grep -c '^HTTP.* 200')" 14
is "of one transaction" "$(written)" "14|1"
for n in 1 5 14; do
	is "answer $n is that of its event" "$(body "$n" .eventId)" \
	    "c$attempt-$n"
done
is "an event counts those of its user before it in the set" "$(sql "
    select string_agg(n::text, ' ' order by seen) from (
	select (replay::json #>> '{signals,velocity.attemptsLast24h}')::int
	    as seen, count(*) as n
	from assay.detail where event_id like 'c$attempt-%' group by 1) d")" \
    "10 4"
is "and their device the users" "$(sql "select users from assay.entity
    where key = 'cd' and kind = 2")" "$((attempt * 10))"

# Neighbours of all kinds.
http POST /v1/decisions "$(event old m-old)"
old=$(json .id)
for attempt in 1 2 3 4 5; do
	halt
	say 1 "$(event "m$attempt-1" m-1)"
	say 2 '{"type":"account.login"}'
	key=ak_live_0 say 3 "$(event "m$attempt-3" m-3)"
	key=$labels say 4 "$(event "m$attempt-4" m-4)"
	say 5 "$(event old m-old)"
	say 6 "$(event "m$attempt-6" m-6)" -H "Idempotency-Key: k$attempt"
	say 7 "$(event "m$attempt-7" m-7)" -H "Idempotency-Key: k$attempt"
	say 8 '{"type":' -H 'X-Correlation-Id: mine'
	type=text/plain say 9 "$(event "m$attempt-9" m-9)"
	key=ak_live_$(printf '%048d' 0) say 10 "$(event "m$attempt-10" m-10)"
	url=$BASE/health say 11 ''
	url=$BASE/v1/decisions/old say 12 ''
	url=$BASE/v1/decisions/batch say 13 \
	    "{\"events\":[$(event "m$attempt-1" m-1),$(event "m$attempt-b" m-1)]}"
	url=$BASE/v1/decisions/%C3%28 say 14 ''
	go 14
	heard
	cat "$scratch"/set/*.head | grep -q '^HTTP.* 503' || break
done
for case in "1 200" "2 400 INGEST_INVALID" "3 401 INVALID_API_KEY" \
    "4 403 INSUFFICIENT_SCOPE" "5 200" "6 200" "7 200" "8 400 INVALID_JSON" \
    "9 415 UNSUPPORTED_MEDIA_TYPE" "10 401 INVALID_API_KEY" "11 200" "12 200" \
    "13 200" "14 400 INVALID_REQUEST"; do
	n=${case%% *}
	got="$n $(status "$n") $(body "$n" '.code // ""')"
	is "neighbour $n" "${got% }" "$case"
done
is "the replay is marked and has its answer" "$(body 5 .id) $(grep -ci \
    '^x-engine-idempotent-replay: true' "$scratch/set/5.head")" "$old 1"
is "of two with one key one is decided" "$(body 6 .id)" "$(body 7 .id)"
is "and the other a replay" "$(cat "$scratch/set/6.head" \
    "$scratch/set/7.head" | grep -ci '^x-engine-idempotent-replay: true')" 1
is "the batch came after the set" "$(body 13 '.results[0].decision.id')" \
    "$(body 1 .id)"
is "a caller's correlation id comes back" "$(grep -ci \
    '^x-correlation-id: mine' "$scratch/set/8.head")" 1
is "refused ones left nothing" "$(sql "select count(*) from assay.verdict_log
    where event_id in ('m$attempt-3', 'm$attempt-4', 'm$attempt-10')")" 0

# Users whom somebody holds delay nobody else, nor each other.
mkfifo "$scratch/hold"
cluster_psql postgres assay -q <"$scratch/hold" >/dev/null &
holder=$!
exec 3>"$scratch/hold"
echo "select pg_advisory_lock($(lock_of hot)),
    pg_advisory_lock($(lock_of warm));" >&3
stack_until 10 "$stack_pg_pid" locked 2
for attempt in 1 2 3 4 5; do
	halt
	say 1 "$(event "h$attempt-hot" hot)"
	say 2 "$(event "h$attempt-warm" warm)"
	for n in 3 4 5; do
		say "$n" "$(event "h$attempt-$n" "cold-$n")"
	done
	go 5
	# shellcheck disable=SC2086 # pids
	set -- $said
	said="$3 $4 $5"
	heard
	cat "$scratch"/set/[3-5].head | grep -q '^HTTP.* 503' || break
	wait "$1" "$2"
done
check "the held users still wait" kill -0 "$1" "$2"
is "while the others have their decision" "$(body 3 .score) $(body 5 .score)" \
    "0 0"
echo "select pg_advisory_unlock($(lock_of warm));" >&3
wait "$2"
is "one that is let go is decided" "$(body 2 '.score >= 0')" true
wait "$1"
is "one that is not gets the policy's answer" "$(body 1 .score)" -1

# Nor does a key that somebody else is about to take.
echo "select pg_advisory_unlock_all(); begin; insert into assay.idempotency
    values ('taken', 'vd_x', 'taken', now());" >&3
stack_until 10 "$stack_pg_pid" locked 0
for attempt in 1 2 3 4 5; do
	halt
	say 1 "$(event taken t-1)"
	for n in 2 3 4 5 6; do
		say "$n" "$(event "t$attempt-$n" "t-$n")"
	done
	go 6
	heard
	cat "$scratch"/set/*.head | grep -q '^HTTP.* 503' || break
done
is "neighbours of a stuck event are decided" "$(for n in 2 3 4 5 6; do
    body "$n" .score; done | sort | uniq -c | tr -d ' \n')" 50
is "the stuck one gets the policy's answer" "$(body 1 .score)" -1
echo "rollback;" >&3
exec 3>&-
wait "$holder"

# Killed with a set in hand: nobody got an answer, and who asks again finds or
# makes exactly one decision.
mkfifo "$scratch/hold2"
cluster_psql postgres assay -q <"$scratch/hold2" >/dev/null &
holder=$!
exec 3>"$scratch/hold2"
echo "begin; lock table assay.idempotency in share mode;" >&3
stack_until 10 "$stack_pg_pid" holds assay.idempotency
halt
for n in 1 2 3 4 5 6; do
	say "$n" "$(event "d-$n" "d-$n")"
done
go 6
stack_until 10 "$stack_pg_pid" stuck || not_ok "the set is stuck"
kill -KILL "$worker"
heard
is "none of them was answered" "$(cat "$scratch"/set/*.head |
    grep -c '^HTTP.* 503')" 6
echo "rollback;" >&3
exec 3>&-
wait "$holder"
wait_ready
for n in 1 2 3 4 5 6; do
	http POST /v1/decisions "$(event "d-$n" "d-$n")"
	again=$(json .id)
	http POST /v1/decisions "$(event "d-$n" "d-$n")"
	is "event $n asked again has one decision" "$again $(sql "select
	    count(*) from assay.verdict_log where event_id = 'd-$n'")" \
	    "$(json .id) 1"
done
finish
