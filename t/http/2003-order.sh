#!/bin/sh
# SPDX-License-Identifier: ISC
# Each event of a user counts all earlier ones: in parallel and in batches, whatever
# the database's own settings are.
. "$(dirname "$0")/lib.sh"

# What an administrator may have set for the database, the service does not assume.
start_database
sql "alter database assay set default_transaction_isolation = 'serializable';
    alter database assay set lock_timeout = '1ms';
    alter database assay set timezone = 'Asia/Kolkata'"
start_with_key DECIDE_WORKERS=6

# 60 at once: each counts another number of earlier events.
seq 60 | xargs -P 12 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -o /dev/null \
    "$BASE/v1/decisions" \
    -d '{"id":"p-{}","type":"card.refund","amount":10,"currency":"EUR","subject":{"userId":"busy","deviceId":"d-{}"}}'
is "60 parallel events count 0 to 59 earlier ones, each number once" "$(sql "
    select count(*), count(distinct n), min(n), max(n) from (
	select (signals(sample) ->> 'velocity.attemptsLast2m')::int n
	from assay.decision_detail where user_id = 'busy') s")" "60|60|0|59"
is "parallel events count every device" "$(sql "
    select max((signals(sample) ->> 'graph.devicesOnUser')::int),
    max((signals(sample) ->> 'graph.ringSize')::int)
    from assay.decision_detail where user_id = 'busy'")" "59|60"
is "parallel events make one component" "$(sql "select max(size)
    from assay.entity where parent is null")" 61

# A batch decides in order; each event counts those before it.
http POST /v1/decisions/batch "$(jq -cn '{events: [range(30) | {id: "q-\(.)",
    type: "payment.authorize", amount: 5, currency: "EUR",
    subject: {userId: (if . % 3 == 0 then "a" else "b\(.)" end),
    deviceId: "shared"}}]}')"
is_json "a batch answers in input order" '[.results[] | .ok] | all' true
is "a batch counts one user's events in order" "$(sql "
    select string_agg(signals(sample) ->> 'velocity.attemptsLast2m', ','
	order by split_part(event_id, '-', 2)::int)
    from assay.decision_detail where user_id = 'a'")" "0,1,2,3,4,5,6,7,8,9"
is "a batch counts the users of a shared device in order" "$(sql "
    select string_agg(signals(sample) ->> 'graph.usersOnDevice', ','
	order by split_part(event_id, '-', 2)::int)
    from assay.decision_detail where event_id in ('q-0', 'q-1', 'q-2', 'q-3', 'q-4')")" \
    "0,1,2,3,3"
is "a batch counts the ring in order" "$(sql "
    select string_agg(signals(sample) ->> 'graph.ringSize', ','
	order by split_part(event_id, '-', 2)::int)
    from assay.decision_detail where event_id in ('q-0', 'q-3', 'q-6')")" "1,4,6"
is "a batch sees a device for the first time once" \
    "$(sql "select count(*) from assay.decision_detail
    where event_id like 'q-%'
    and signals(sample) ->> 'device.firstSeen' = 'true'")" 1

# Batches with the same users in different orders do not deadlock.
for i in 1 2 3 4 5 6; do
	jq -cn --argjson i "$i" '{events: [range(40) | {id: "x-\($i)-\(.)",
	    type: "account.login",
	    subject: {userId: "w\((. * 7 * $i) % 40)", ip: "81.2.69.\(. % 5)"}}]}' \
	    >"$scratch/batch.$i"
done
seq 6 | xargs -P 6 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    -o "$scratch/out.{}" --data-binary "@$scratch/batch.{}" \
    "$BASE/v1/decisions/batch"
is "crossing batches are all decided" "$(cat "$scratch"/out.* |
    jq -r '.results[] | .decision.score >= 0' | sort | uniq -c |
    tr -s ' ')" " 240 true"
is "crossing batches count every event" "$(sql "select sum(n) from (
    select max((signals(sample) ->> 'velocity.attemptsLast2m')::int) + 1 n
    from assay.decision_detail where event_id like 'x-%' group by user_id) s")" 240
is "an address's count of users equals its links" \
    "$(sql "select string_agg(users::text, ',')
    from assay.entity where kind = 3")" \
    "$(sql "select string_agg(n::text, ',') from (select (select count(*)
	from assay.entity_link l join assay.entity u on u.kind = 1
	and u.id in (l.older, l.newer) where e.id in (l.older, l.newer)) n
	from assay.entity e where kind = 3) s")"

# Invalid batches.
http POST /v1/decisions/batch '{"events":[]}'
is_error "an empty batch answers 400" 400 INVALID_BATCH
http POST /v1/decisions/batch "$(jq -cn '{events: [range(101) | {}]}')"
is_error "a batch of 101 events answers 400" 400 INVALID_BATCH
http POST /v1/decisions/batch '[]'
is_error "a batch that is an array answers 400" 400 INVALID_BATCH
http POST /v1/decisions/batch '{"events":[{"type":"nope","subject":{}},
    {"type":"account.login","subject":{"userId":"z"}},7]}'
is_json "a bad event fails only its own entry" \
    '[.results[] | if .ok then .decision.verdict else .error.code end] | join(" ")' \
    "INGEST_UNKNOWN_TYPE allow INGEST_INVALID"
finish
