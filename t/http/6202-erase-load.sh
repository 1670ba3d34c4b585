#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasures while others decide: counters, sizes and roots stay equal to a
# recount of the links; the next request finishes an erasure that was killed.
. "$(dirname "$0")/lib.sh"
use lock recount

start_signed_in DECIDE_WORKERS=3 OPERATOR_WORKERS=3

# Many clients decide on few users; every third client also erases some.
cat >"$scratch/client" <<'END'
n=$1
send() {
	curl -sS --retry 9 --max-time 20 --unix-socket "$SOCKET" -d @- \
	    -H "X-API-Key: $KEY" -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE$1" && echo
}
shape() {
	a=$(((n * 7 + $1 * 3) % 41))
	b=$(((n * 5 + $1 * 11) % 37))
	printf '{"id":"c-%d-%d","type":"account.login","subject":{"userId":"c-%d",' \
	    "$n" "$1" "$a"
	printf '"deviceId":"cd-%d","ip":"198.18.3.%d","phone":"2519220000%02d",' \
	    "$b" $(((a * 5 + n % 2) % 31)) $(((b * 3 + $1 % 2) % 29))
	printf '"fingerprint":"cf-%d"}}' $(((a * b) % 13))
}
for i in 1 2 3 4; do
	shape "$i" | send /v1/decisions
	[ $((n % 3)) -ne 0 ] || printf '{"userId":"c-%d"}' \
	    $(((n * 5 + i * 13) % 41)) | send /v1/privacy/erase
done
{
	printf '{"events":['
	for i in $(seq 4 9); do shape "$i" && printf ,; done
	shape 10 && printf ']}'
} | send /v1/decisions/batch
END
seq 48 | SOCKET="$scratch/run/http.sock" KEY="$KEY" TOKEN="$TOKEN" \
    BASE="$BASE" xargs -P 6 -I{} sh "$scratch/client" {} \
    >"$scratch/answers" 2>&1
is "every event gets a scored decision" "$(jq -r 'select((.userId
    or .error) | not) | (.results // [{decision: .}])[].decision.score >= 0' \
    <"$scratch/answers" | sort | uniq -c | tr -s ' ')" " 528 true"
is "every erasure gets an answer" "$(jq -r 'select(.userId) | .graph | type' \
    <"$scratch/answers" | sort | uniq -c | tr -s ' ')" " 64 boolean"
is "the graph equals a recount after decisions and erasures" "$(graph_faults)" ""

# Another decision of every user updates the user's stored root.
for i in $(seq 0 40); do
	http POST /v1/decisions "{\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"c-$i\",\"deviceId\":\"cd-$((i % 37))\"}}"
done
is "the graph equals a recount after the next decisions" "$(graph_faults)" ""

# decide_login USER MEMBERS: with these members of subject.
decide_login() {
	http POST /v1/decisions "{\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$1\",$2}}"
}

# during_erasure USER COMMAND ...: run it while an erasure of the user has done
# its work but not committed; the command waits for that.
during_erasure() {
	hold_lock "select assay.erase_identity(0, '$1', 1000)"
	shift
	("$@") &
	request=$!
	stack_until 20 "$lock_pid" session_is "wait_event_type = 'Lock'"
	release_lock
	wait "$request"
}

decide_login r-1 '"deviceId":"d-r","ip":"198.18.7.7"'
during_erasure r-1 decide_login r-2 '"ip":"198.18.7.7","phone":"251933111222"'
is "a decision meanwhile links its user to the erased address as a new one" \
    "$(sql "select e.users, (select count(*) from assay.entity_link l
	where e.id in (l.older, l.newer)) from assay.entity e
    where key = '198.18.7.7'")$(graph_faults)" "1|2"

# Only the erased user connects the device and the address.
decide_login s-1 '"ip":"198.18.8.8"'
decide_login s-1 '"deviceId":"d-s"'
decide_login s-2 '"ip":"198.18.8.8"'
decide_login s-3 '"deviceId":"d-s"'
during_erasure s-1 decide_login s-2 '"deviceId":"d-s"'
is "a decision meanwhile joins two parts that the erasure separates" \
    "$(graph_faults)" ""

# The server ends an erasure; the next request finishes it.
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, request, sample)
select now() - interval '1 s', 'vd_' || n, 'e-' || n, 'order.place', 'c-1',
    '{}', '{}' from generate_series(1, 2500) n"
sql "create function public.slow() returns trigger language plpgsql
    security definer as \$\$ begin
	perform pg_advisory_xact_lock(4711) where old.event_id = 'e-1500';
	return old;
    end \$\$"
month=$(sql "select to_char(now() at time zone 'UTC', 'YYYYMM')")
sql "create trigger slow before delete on assay.decision_detail_$month
    for each row execute function public.slow()"
hold_lock "select pg_advisory_xact_lock(4711)"
(http POST /v1/privacy/erase '{"userId":"c-1"}') &
request=$!
# Before that it may wait for other locks.
# shellcheck disable=SC2317 # stack_until calls it
is_ended() {
	[ "$(sql "select pg_terminate_backend(pid) from pg_locks
	    where locktype = 'advisory' and objid = 4711 and not granted")" = t ]
}
check "an erasure is killed at its 1,500th row" stack_until 20 "$lock_pid" is_ended
wait "$request"
release_lock
sql "drop trigger slow on assay.decision_detail_$month"
is "a killed erasure has removed a part" \
    "$(sql "select count(*) between 1 and 2400,
    (select count(*) from assay.entity where key = 'c-1')
    from assay.decision_detail where user_id = 'c-1'")" "t|0"
http POST /v1/privacy/erase '{"userId":"c-1"}'
is "the next request erases the rest" "$STATUS $(json '.replaySamplesRemoved > 0
    and (.graph | not)') $(sql "select count(*) from assay.decision_detail
    where user_id = 'c-1'")" "200 true 0"

for user in $(sql "select distinct user_id from assay.decision_detail"); do
	http POST /v1/privacy/erase "{\"userId\":\"$user\"}"
done
is "the tables are empty when all users are erased" "$(sql "select
    (select count(*) from assay.entity where kind > 0),
    (select count(*) from assay.entity_link),
    (select count(*) from assay.user_state),
    (select count(*) from assay.decision_detail),
    (select count(*) from assay.idempotency)")" "0|0|0|0|0"
finish
