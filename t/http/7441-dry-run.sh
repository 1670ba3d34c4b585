#!/bin/sh
# SPDX-License-Identifier: ISC
# Dry runs: a request with X-Engine-Mode: shadow gets a decision, is marked in
# the activity log, and leaves nothing else behind.
. "$(dirname "$0")/lib.sh"
use dryrun

start_signed_in DECIDE_WORKERS=1 ALLOW_PRIVATE_TARGETS=true
http POST /v1/notifications '{"type":"webhook","name":"anomalies",
    "url":"https://127.0.0.1:1/","events":["alert.anomaly.v1"]}'

for n in 1 2 3 4 5; do
	decide_live "e-$n" u-1 "2$n.50"
done
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-blocked"}'
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-watched"}'
decide_live settle u-2 10
table_digests >"$scratch/before"

# Dry runs of a known user, of a new one, of listed ones, and repeated.
dry_run s-1 u-1 9000.25
answer=$(answer_seen)
is "a dry run answers 200 with its mode" \
    "$STATUS $(header x-engine-mode)" "200 shadow"
is_json "a dry run answers with a decision" \
    '"\(.eventId) \(.score > 30) \(.policyVersion)"' \
    "s-1 true v0.4.0"
is_json "the body of a dry run has shadow true" .shadow true
is "a dry run shows an anomaly that has a subscriber" \
    "$(json '.reasons | map(.tag) | index("amount_spike") != null')" true
dry_run s-1 u-1 9000.25
is "a repeated dry run gets the same decision" "$(answer_seen)" "$answer"
is "a repeated dry run is not a replay" \
    "$(header x-engine-idempotent-replay)" ""
http POST /v1/decisions "$(event_body s-1 u-1 9000.25)" \
    -H 'X-Engine-Mode: shadow' -H 'Idempotency-Key: key-1'
is "a dry run with a key gets the same decision" "$(answer_seen)" "$answer"
dry_run s-2 u-new 9000
new=$(answer_seen)
is "a dry run of a new user answers 200" "$STATUS" 200
dry_run s-3 u-blocked 1
is "the block list denies a dry run" "$(answer_seen)" \
    'deny -1 [{"tag":"list.block","points":0}]'
dry_run s-4 u-watched 1
is "the watch list holds a dry run at review" "$(json .verdict)" review
dry_run e-1 u-1 9000.25
is "a dry run of a decided event id is decided again" "$(answer_seen)" "$answer"
http POST /v1/decisions/batch "{\"events\":[$(event_body b-1 u-new 9000),
    {\"type\":\"none\"},$(event_body b-2 u-new 9000)]}" -H 'X-Engine-Mode: shadow'
is "a batch of dry runs answers 200 with its mode" \
    "$STATUS $(header x-engine-mode)" "200 shadow"
is_json "each decision of the batch has shadow true" \
    '.results | map(.decision.shadow)
    | map(tostring) | join(" ")' "true null true"
is_json "dry runs of one batch do not see each other" '.results | map(.ok,
    (.decision // {} | "\(.verdict) \(.score) \(.reasons | tojson)"))
    | "\(.[0]) \(.[2]) \(.[4]) \(.[1] == .[5])"' "true false true true"
table_digests >"$scratch/after"
check "dry runs change no table but the details" \
    diff "$scratch/before" "$scratch/after"

# The activity log and other lists.
http GET /v1/activity
is_json "the activity log shows the dry runs as shadow" \
    '[.[] | select(.mode == "shadow") | .eventId] | sort | join(" ")' \
    "b-1 b-2 e-1 s-1 s-1 s-1 s-2 s-3 s-4"
is_json "the activity log shows the live decisions as live" \
    '[.[] | select(.mode == "live") | .eventId] | sort | join(" ")' \
    "e-1 e-2 e-3 e-4 e-5 settle"
is "the activity log has the answer of a dry run" \
    "$(json '.[] | select(.eventId == "s-2") |
    "\(.verdict) \(.score) \(.reasons | tojson)"')" "$new"
is_json "the activity log has policy, type and id of a dry run" \
    '.[] | select(.eventId == "s-2") |
    "\(.policyVersion) \(.eventType) \(.id[0:3])"' \
    "v0.4.0 wallet.withdraw vd_"
is_json "the activity log masks the request of a dry run" \
    '.[] | select(.eventId == "s-2") |
    "\(.request.subject.ip) \(.request.subject.phone)"' \
    "196.188.•.• +2519•••••44"
http GET "/v1/activity?limit=3"
before=$(json '.[-1].id')
http GET "/v1/activity?limit=200&before=$before"
is_json "the pages of the activity log have every entry" length 12
http GET /v1/verdicts
is_json "the verdict log has no dry run" \
    'map(.eventId) | sort | unique | join(" ")' "e-1 e-2 e-3 e-4 e-5 settle"
http GET /v1/decisions/s-1
is_error "a dry run's id answers 404" 404 NOT_FOUND
http GET /v1/decisions/e-1
is_json "the id of a live decision answers that one" .verdict allow
http GET /v1/cases
is_json "dry runs open no case" length 0
TOKEN_KEPT=$TOKEN
TOKEN=
http GET /metrics
is "dry runs are counted in their own metric" "$(printf '%s\n' "$BODY" | awk '
    /^engine_decisions_total/ { real += $2 }
    /^engine_shadow_decisions_total/ { shadows += $2 }
    END { print real, shadows }')" "6 9"
TOKEN=$TOKEN_KEPT

# The live event after its dry run.
decide_live s-2 u-new 9000
is "the live event gets the decision of its dry run" "$(answer_seen)" "$new"
decide_live s-2 u-new 9000
is "the live decision is replayed" "$(header x-engine-idempotent-replay)" true
http POST /v1/decisions "$(event_body s-5 u-3 1)" -H 'Idempotency-Key: key-1'
is "the idempotency key of a dry run is free" \
    "$STATUS $(header x-engine-idempotent-replay)" "200 "
http POST /v1/decisions "$(event_body s-6 u-3 1)" -H 'X-Engine-Mode: live'
is_json "a live decision has no member shadow" 'has("shadow")' false
http POST /v1/decisions "$(event_body s-7 u-3 1)" -H 'X-Engine-Mode: enforce'
is "the mode enforce is live" "$STATUS $(header x-engine-mode)" "200 "
is "a decision in mode enforce is in the verdict log" \
    "$(sql "select count(*) from assay.verdict_log
    where event_id = 's-7'")" 1
http POST /v1/decisions "$(event_body s-6 u-3 1)" -H 'X-Engine-Mode: live'
is "a decision in mode live is in the verdict log" \
    "$STATUS $(header x-engine-mode) $(sql "select count(*)
    from assay.verdict_log where event_id = 's-6'")" "200  1"
finish
