#!/bin/sh
# SPDX-License-Identifier: ISC
# The fraud rates of devices and ips: what a decision sees of labels, and when;
# that each is counted once, whoever is killed; and what erasure leaves.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/past.sh
. "$(dirname "$0")/past.sh"
# shellcheck source=t/http/days.sh
. "$(dirname "$0")/days.sh"

start_stack
admin_token
api_key
token=$TOKEN
TOKEN=
months 4

# order ID USER MEMBERS: decide on one, with these members of subject besides.
order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":20.5,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"$2\"${3:+,$3}}}"
}

# erase USER: as an admin.
erase() {
	TOKEN=$token
	http POST /v1/privacy/erase "{\"userId\":\"$1\"}"
	TOKEN=
}

# risk: the rates of the last decision, for its device over 30, 7 and 1 days
# and its labels, and for its ip.
risk() {
	sql "select string_agg(coalesce(trim_scale(round(
		(replay::json->'signals'->>('risk.' || w.name))::numeric, 6))
		::text, '-'), ' ' order by w.place)
	from (select * from assay.detail order by decided_at desc limit 1) d,
	    (values (1, 'deviceFraudRate'), (2, 'deviceFraudRate7d'),
		(3, 'deviceFraudRate1d'), (4, 'deviceLabels'),
		(5, 'ipFraudRate')) as w(place, name)"
}

# back DAYS LIKE: as if those events had been so many days ago.
back() {
	for table in detail verdict_log; do
		sql "update assay.$table
		    set decided_at = decided_at - interval '$1 days'
		    where event_id like '$2'"
	done
}

here='"deviceId":"d-shop","ip":"196.188.7.8"'

# Nothing is known, then there are decisions, then labels.
order o-0 u-0
is "without device and ip the signals are unknown" "$(risk)" "- - - - -"
for i in 1 2 3 4; do
	order "o-$i" "u-$i" "$here"
done
is "one never counted has the rate of nothing" "$(risk)" \
    "0.01 0.01 0.01 0 0.01"
back 8 'o-_'
check "decisions are counted" cron project
is "each once, for its device and its ip" "$(days_counted)" "$(days_recounted)"
order p-1 u-1 "$here"
is "after the delay they are legit without a label" "$(risk)" \
    "0.002 0.002 0.002 0 0.002"
# Some were credited whose decisions the log does not have any more.
sql "insert into assay.label (event_id, chargeback, tags, credited)
    select 'a-' || n, 'fraud', '{}', 'fraud' from generate_series(1, 50) n"
http POST /v1/labels/chargeback '{"eventId":"o-2"}'
order p-2 u-2 "$here"
is "who decides sees no label that was not counted" "$(risk)" \
    "0.002 0.002 0.002 0 0.002"
check "a label is counted" cron project
order p-3 u-3 "$here"
is "on the day of its decision" "$(risk)" "0.202 0.202 0.202 1 0.202"
sql "select assay.label_put('o-3', 'analyst', 'legit', 'c')" >/dev/null
cron project
order p-4 u-4 "$here"
is "one that says legit is a label and no fraud" "$(risk)" \
    "0.202 0.202 0.202 2 0.202"
http POST /v1/labels/chargeback '{"eventId":"o-3"}'
cron project
order p-5 u-5 '"deviceId":"d-shop"'
is "and moves when it is fraud after all" "$(risk)" "0.402 0.402 0.402 2 -"
cron project
is "the counts agree" "$(days_counted)" "$(days_recounted)"

# Days that are younger than the delay, and windows that are over.
order p-6 u-5 '"deviceId":"d-shop"'
http POST /v1/labels/chargeback '{"eventId":"p-6"}'
back 7 p-6
cron project
order q-1 u-1 "$here"
is "what is as young as the delay does not count yet" "$(risk)" \
    "0.402 0.402 0.402 2 0.402"
start_host 2 LABEL_DELAY_DAYS=6
on 2 POST /v1/decisions "{\"id\":\"q-2\",\"type\":\"order.place\",
    \"subject\":{\"userId\":\"u-2\",$here}}"
is "with a shorter delay it does" "$(risk)" \
    "0.501667 0.501667 0.505 3 0.402"
for i in 1 2 3; do
	order "r-$i" u-1 '"deviceId":"d-old"'
	http POST /v1/labels/chargeback "{\"eventId\":\"r-$i\"}"
done
back 14 r-1
back 15 r-2
back 38 r-3
cron project
order s-1 u-1 '"deviceId":"d-old"'
is "each window has its days" "$(risk)" \
    "0.67 0.505 0.01 2 -"
back 60 s-1
is "the counts agree, also of days long ago" "$(cron project; days_counted)" \
    "$(days_recounted)"

# Rules may use them.
TOKEN=$token
http POST /v1/rules '{"eventType":"order.place","version":"by-risk",
    "dsl":"rule r { when risk.deviceFraudRate >= 0.4 && risk.deviceLabels > 1 && risk.ipFraudRate > 0.1 then score += 60, tag bad_place }"}'
is "a rule with them is taken" "$STATUS" 200
TOKEN=
order t-1 u-6 "$here"
is_json "and fires" '.reasons | tojson' '[{"tag":"bad_place","points":60}]'
order t-2 u-6 '"deviceId":"d-new","ip":"196.188.7.8"'
is_json "where it should" '.reasons | tojson' '[]'

# A list decides without the score: no event of the device.
TOKEN=$token
http POST /v1/lists '{"kind":"allow","subject":"user","value":"u-good"}'
TOKEN=
order t-3 u-good "$here"
is "what a list decides has no device to be counted for" "$STATUS $(sql "select
    count(*) from assay.detail
    where event_id = 't-3' and num_nonnulls(device, ip) = 0")" "200 1"

# traffic ROUND: decisions of few devices and ips, and labels, some of them
# before their decision and some that change.
traffic() {
	for i in 1 2 3; do
		events=
		for j in 1 2 3 4 5 6 7 8; do
			events="$events{\"id\":\"e-$1-$i-$j\",\"type\":\"order.place\",
			    \"subject\":{\"userId\":\"w-$j\",
			    \"deviceId\":\"d-$((j % 3))\",
			    \"ip\":\"196.188.1.$((i + j % 2))\"}},"
		done
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-1\"}"
		sql "select assay.label_put('e-$1-$i-' || n, 'analyst', 'legit', 'c')
		    from generate_series(2, 4) n" >/dev/null
		http POST /v1/decisions/batch "{\"events\":[${events%,}]}"
		http POST /v1/labels/chargeback "{\"eventId\":\"e-$1-$i-2\"}"
	done
}

# Two companions, killed again and again, and then the server with them.
killed=0
(traffic 1; traffic 2; traffic 3) >/dev/null &
working=$!
while kill -0 "$working" 2>/dev/null; do
	start_cron "project --for 10m"
	first=$stack_cron_pid
	start_cron "project --for 10m"
	sleep "0.$((killed % 5 + 2))"
	kill -s KILL "$first" "$stack_cron_pid"
	wait "$first" "$stack_cron_pid" 2>/dev/null
	killed=$((killed + 1))
done
check "companions were killed" [ "$killed" -gt 1 ]
start_cron "project --for 10m"
first=$stack_cron_pid
start_cron "project --for 10m"
traffic 4 >/dev/null
backend=$(pgrep -P "$stack_pg_pid" -f 'postgres: assay_companion' | head -n 1)
check "a backend was killed" kill -s KILL "$backend"
stack_until 30 "$stack_pg_pid" sql "select 1"
wait_ready
traffic 5 >/dev/null
stack_until 40 0 days_agree
is "every event and every label is counted once" "$(days_counted)" "$(days_recounted)"
check "there was something to count" [ "$(days_counted | awk -F '|' '
    { n += $3; l += $4 } END { print n + l }')" -gt 200 ]

# Killed between the cursor and the counts; decisions wait for neither.
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"

# session NAME SQL: a transaction that has done this, and waits for finish_it.
session() {
	mkfifo "$scratch/$1"
	cluster_psql postgres assay -q <"$scratch/$1" >/dev/null 2>&1 &
	holder=$!
	exec 8>"$scratch/$1"
	echo "begin; $2;" >&8
}
finish_it() {
	echo "commit;" >&8
	exec 8>&-
	wait "$holder"
}
# shellcheck disable=SC2317 # stack_until calls them
held() {
	[ "$(sql "select count(*) from pg_locks
	    where relation = 'assay.entity_risk'::regclass
		and mode = 'ShareLock'")" = 1 ]
}
# shellcheck disable=SC2317
writing() {
	[ "$(sql "select count(*) from pg_locks
	    where relation = 'assay.entity_risk'::regclass
		and mode = 'RowExclusiveLock'")" = 1 ]
}
# shellcheck disable=SC2317
waits() {
	[ "$(sql "select count(*) from pg_locks where not granted
	    and $1")" = 1 ]
}
session writers "lock table assay.entity_risk in share mode"
stack_until 10 0 held
order y-1 u-1 '"deviceId":"d-held","ip":"196.188.7.9"'
start_cron "project --for 10m"
stack_until 20 0 waits "relation = 'assay.entity_risk'::regclass"
order y-2 u-1 '"deviceId":"d-held","ip":"196.188.7.9"'
is "a decision waits for nobody who counts" "$STATUS $(json '.score >= 0')" \
    "200 true"
kill -s KILL "$stack_cron_pid"
wait "$stack_cron_pid" 2>/dev/null
finish_it
cron project
is "what was not counted yet is counted by the next" "$(days_counted)" \
    "$(days_recounted)"

# An erasure waits for who counts, who else would count for nobody.
order y-3 u-held '"deviceId":"d-held2"'
session counting "select assay.analytics_lock();
    select assay.risk_put(array[e.id], array[20770], array['\\x01'::bytea])
    from assay.entity e where e.key = 'd-held2'"
stack_until 10 0 writing
erase u-held &
request=$!
stack_until 10 0 waits "locktype = 'advisory'" ||
    not_ok "the erasure waits"
finish_it
wait "$request"
is "and leaves nothing" "$(sql "select count(*) from assay.entity_risk r
    where not exists (select from assay.entity e
	where e.id = r.entity and e.kind in (2, 3))")" 0
start_cron "project --for 10m"
first=$stack_cron_pid
start_cron "project --for 10m"

# Users go while the companions count: nothing is counted of who is nobody.
for round in 6 7; do
	traffic "$round"
	for j in 1 2 3 4 5 6 7 8; do
		erase "w-$j"
	done
done
is "nothing is counted of an entity that was erased" "$(sql "select count(*)
    from assay.entity_risk r where not exists (select from assay.entity e
	where e.id = r.entity and e.kind in (2, 3))")" 0
kill -s TERM "$first" "$stack_cron_pid"
wait "$first" "$stack_cron_pid"

# What an erased user shared stays a number; nothing is added to it.
order v-1 x-gone "$here"
order v-2 x-gone '"deviceId":"d-own","ip":"196.188.5.5"'
back 8 'v-_'
cron project
before=$(days_counted)
own=$(sql "select string_agg(id::text, '|') from assay.entity
    where key in ('d-own', '196.188.5.5')")
check "its own device and ip were counted" \
    [ "$(printf '%s\n' "$before" | grep -cE "^($own)\|")" = 2 ]
erase x-gone
is "what is its own goes" "$(days_counted)" \
    "$(printf '%s\n' "$before" | grep -vE "^($own)\|")"
before=$(days_counted)
http POST /v1/labels/chargeback '{"eventId":"v-1"}'
cron project
is "a label of it counts for nobody" "$(days_counted)" "$before"
is "and is done with" "$(sql "select count(*) from assay.label
    where credited is not null and risk is null")" 0
order v-3 x-gone '"deviceId":"d-own","ip":"196.188.5.5"'
is "who comes again starts from nothing" "$(risk)" "0.01 0.01 0.01 0 0.01"
cron project
before=$(days_counted)
check "the log is counted anew" cron "project --rebuild"
is "which touches none of this" "$(days_counted)" "$before"
finish
