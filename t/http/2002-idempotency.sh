#!/bin/sh
# SPDX-License-Identifier: ISC
# One key, one decision: in a row, in parallel and inside a batch.
. "$(dirname "$0")/lib.sh"

start_with_key DECIDE_WORKERS=6

event='{"id":"same","type":"account.login","subject":{"userId":"u-1"}}'
http POST /v1/decisions "$event"
first=$BODY
is "the first decision of an event is not a replay" \
    "$(header x-engine-idempotent-replay)" ""
http POST /v1/decisions "$event"
is "the same event gets the same answer" "$BODY" "$first"
is "the repeated answer is marked as a replay" \
    "$(header x-engine-idempotent-replay)" true
is "a repeated event is decided once" \
    "$(sql "select count(*) from assay.verdict_log
    where event_id = 'same'")" 1

http POST /v1/decisions "$event" -H 'Idempotency-Key: order 17'
spaced=$(json .id)
http POST /v1/decisions "$event" -H 'Idempotency-Key: order 17'
is "a key with blanks inside is a key" "$STATUS $(json .id)" "200 $spaced"
http POST /v1/decisions "$event" -H 'Idempotency-Key: other'
is "another key decides the event again" \
    "$(json .eventId) $(header x-engine-idempotent-replay)" "same "
http POST /v1/decisions \
    '{"type":"account.login","subject":{"userId":"u-9"}}' \
    -H 'Idempotency-Key: other'
is "the key decides which answer is repeated, not the event" \
    "$(json .eventId)" same

# 24 equal events at once: one decision, one attempt.
seq 24 | xargs -P 24 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    -o "$scratch/dup.{}" "$BASE/v1/decisions" \
    -d '{"id":"dup","type":"account.login","subject":{"userId":"u-2"}}'
is "24 equal events at once get one decision" \
    "$(cat "$scratch"/dup.* | jq -r .id | sort -u |
    grep -c '^vd_')" 1
is "each of 24 equal events is answered" \
    "$(cat "$scratch"/dup.* | jq -r .id | wc -l)" 24
is "24 equal events make one verdict" \
    "$(sql "select count(*) from assay.verdict_log
    where event_id = 'dup'")" 1
http POST /v1/decisions \
    '{"id":"after","type":"account.login","subject":{"userId":"u-2"}}'
is "24 equal events count as one attempt" "$(sql "select signals(sample) ->>
    'velocity.attemptsLast2m' from assay.decision_detail
    where event_id = 'after'")" 1

# 24 users at once with one key, so each request takes another user's lock.
seq 24 | xargs -P 24 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    -H 'Idempotency-Key: shared' -o "$scratch/key.{}" "$BASE/v1/decisions" \
    -d '{"type":"account.login","subject":{"userId":"k-{}"}}'
is "24 users with one key get one decision" \
    "$(cat "$scratch"/key.* | jq -r .id |
    sort -u | grep -c '^vd_')" 1
is "of 24 users with one key one state is written" \
    "$(sql "select count(*) from assay.user_state
    where user_id like 'k-%'")" 1

# Inside one batch.
http POST /v1/decisions/batch '{"events":[
    {"id":"b-1","type":"account.login","subject":{"userId":"u-3"}},
    {"id":"b-1","type":"account.login","subject":{"userId":"u-3"}},
    {"id":"same","type":"account.login","subject":{"userId":"u-1"}}]}'
is_json "a batch answers a repeated event once" \
    '.results[0].decision.id == .results[1].decision.id' true
is_json "a batch repeats an earlier answer" '.results[2].decision.id' \
    "$(printf '%s' "$first" | jq -r .id)"
is "an event repeated in a batch is decided once" "$(sql "select count(*)
    from assay.verdict_log where event_id = 'b-1'")" 1
http GET /metrics
is "replays are counted as cached" "$(printf '%s\n' "$BODY" |
    awk '/^engine_decisions_total.*cached="true"/ { n += $2 } END { print n }')" \
    51
finish
