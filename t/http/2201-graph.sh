#!/bin/sh
# SPDX-License-Identifier: ISC
# The entity graph: identifiers of no one make no link; under parallel events its
# counters and sizes equal a recount of the links.
. "$(dirname "$0")/lib.sh"
use recount lock

start_with_key DECIDE_WORKERS=6 \
    PLACEHOLDERS=device:kiosk-7,ip:198.51.100.0/24,phone:+442079460123

# strangers NAME MEMBERS: nine users with these members of subject, where @ is their
# number, pay 20 EUR, twice; print the last verdict, and the tags behind it.
strangers() {
	events=
	for i in 1 2 3 4 5 6 7 8 9; do
		events="$events,{\"type\":\"card.authorize\",\"amount\":20,
		    \"currency\":\"EUR\",\"instrument\":{\"kind\":\"card\"},
		    \"subject\":{\"userId\":\"$1-$i\",$(
		    echo "$2" | sed "s/@/$i/")}}"
	done
	http POST /v1/decisions/batch "{\"events\":[${events#,}]}"
	http POST /v1/decisions/batch "{\"events\":[${events#,}]}"
	json '.results[8].decision | "\(.verdict) \(.reasons | map(.tag) | join(" "))"'
}
is "nine users of one device are a ring" "$(strangers d '"deviceId":"d-9"')" "challenge ring shared_device"
is "nine users of one address are a ring" "$(strangers a '"ip":"203.0.113.9"')" "challenge ring"
is "nine addresses of one /64 are one address" \
    "$(strangers s '"ip":"2a00:1450:4001:80b::@"')" "challenge ring"
is "nine addresses of nine /64 are strangers" \
    "$(strangers t '"ip":"2a00:1450:4001:@::9"')" "allow "
i=0
while read -r members; do
	i=$((i + 1))
	is "nine users with $members are strangers" "$(strangers "n$i" "$members")" "allow "
done <<'END'
"deviceId":"00000000-0000-0000-0000-000000000000"
"deviceId":"Unknown","fingerprint":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"deviceId":"kiosk-7"
"ip":"10.0.0.7"
"ip":"fd00::7"
"ip":"198.51.100.9"
"phone":"+44 (0)20 7946 0123"
END
is "the graph has no identifiers of no one" "$(sql "select count(*) from assay.entity
    where kind > 1 and key not in ('d-9', '203.0.113.9')
	and key not like '2a00:%'")" 0
is "identifiers of no one are counted by kind" "$(for kind in device ip phone fingerprint; do
	metric "engine_placeholders_total{kind=\"$kind\"}"
done | tr '\n' ' ')" "54 54 18 18 "

# A batch pushes a known link out of the user's 64 and then meets it again.
http POST /v1/decisions "$(login_event u-1 ',"deviceId":"d-top","ip":"198.18.9.9"')"
http POST /v1/decisions "$(login_event u-1 ',"deviceId":"d-old","ip":"198.18.9.9"')"
events=
for i in $(seq 1 30); do
	events="$events$(login_event u-1 ",\"deviceId\":\"x-$i\",\"ip\":\"198.18.0.$i\""),"
done
http POST /v1/decisions/batch \
    "{\"events\":[$events$(login_event u-1 ',"deviceId":"d-old","ip":"198.18.9.9"')]}"
is "a batch that forgets a link and meets it again is decided" \
    "$STATUS $(json '[.results[] | select(.ok and .decision.score >= 0)] |
    length')" "200 31"
http POST /v1/decisions "$(login_event u-1 ',"deviceId":"d-old"')"
is "a link that was met again is counted once" "$(sql "select signals(sample) ->>
    'graph.usersOnDevice', signals(sample) ->>
    'graph.devicesOnUser' from assay.decision_detail
    order by decided_at desc limit 1")" "1|32"
is "after a forgotten link the counters equal a recount" "$(graph_faults)" ""

# Many clients with few entities: single events and batches at once.
cat >"$scratch/client" <<'END'
n=$1
shape() {
	a=$(((n * 7 + $1 * 3) % 23))
	b=$(((n * 5 + $1 * 11) % 19))
	printf '{"id":"c-%d-%d","type":"account.login","subject":{"userId":"c-%d",' \
	    "$n" "$1" "$a"
	printf '"deviceId":"cd-%d","ip":"198.18.3.%d","phone":"2519220000%02d",' \
	    "$b" $(((a + n) % 17)) $(((b + $1) % 29))
	printf '"fingerprint":"cf-%d"}}' $(((a * b) % 13))
}
for i in 1 2 3 4 5 6; do
	shape "$i" | curl -sS --max-time 20 --unix-socket "$SOCKET" -d @- \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    "$BASE/v1/decisions" && echo
done
{
	printf '{"events":['
	for i in $(seq 4 20); do shape "$i" && printf ,; done
	shape 21 && printf ']}'
} | curl -sS --max-time 20 --unix-socket "$SOCKET" -d @- \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    "$BASE/v1/decisions/batch" && echo
END
seq 40 | SOCKET="$scratch/run/http.sock" KEY="$KEY" BASE="$BASE" \
    xargs -P 12 -I{} sh "$scratch/client" {} >"$scratch/answers" 2>&1
is "every parallel event is scored" "$(jq -r '(.results // [
    {decision: .}])[].decision.score >= 0' <"$scratch/answers" | sort |
    uniq -c | tr -s ' ')" " 960 true"
is "every parallel event is decided once" \
    "$(sql "select count(*), count(distinct event_id)
    from assay.verdict_log where event_id like 'c-%'")" "840|840"
is "every parallel event counts all earlier ones of its user" \
    "$(sql "select count(*) from (
	select row_number() over (partition by user_id order by decided_at) - 1
	<> (signals(sample) ->> 'velocity.attemptsLast24h')::int as wrong
	from assay.decision_detail where user_id like 'c-%') x where wrong")" 0
is "after parallel events the counters equal a recount" "$(graph_faults)" ""

# All roots that an event needs are united while the event waits for them.
for i in 1 2 3 4 5; do
	http POST /v1/decisions/batch "{\"events\":[
	    $(login_event "m-$i" ",\"deviceId\":\"md-$i\""),
	    $(login_event "m-$i" ",\"ip\":\"198.18.1.$i\",\"phone\":\"2519110000$i\""),
	    $(login_event "top-$i" ",\"deviceId\":\"td-$i\",\"ip\":\"198.18.2.$i\"")]}"
done
http POST /v1/decisions "$(login_event m-5 ',"deviceId":"td-5"')"
hold_lock "update assay.entity r set parent = t.id from assay.entity t
where r.parent is null and t.parent is null and (r.id, t.id) in (
	select (select coalesce(parent, id) from assay.entity where key = 'm-' || i),
	(select coalesce(parent, id) from assay.entity where key = 'top-' || i)
	from generate_series(1, 5) i);
update assay.entity t set size = 7 where t.id in (
	select parent from assay.entity where key like 'm-%')
	and t.parent is null"
(
	http POST /v1/decisions "$(login_event m-5 ',"deviceId":"md-2","ip":"198.18.1.3",
	    "phone":"25191100004","fingerprint":"f-1"')"
	json .score >"$scratch/moved"
) &
request=$!
check "an event waits for its roots" stack_until 20 "$request" lock_waiters_are 1
release_lock
wait "$request"
is "an event whose roots move while it waits is scored" \
    "$(cat "$scratch/moved")" 0
finish
