#!/bin/sh
# SPDX-License-Identifier: ISC
# Shadow requests: answered like decisions, marked in the activity log, and
# nothing else of them stays anywhere.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack DECIDE_WORKERS=1 ALLOW_PRIVATE_TARGETS=true
admin_token
api_key
http POST /v1/notifications '{"type":"webhook","name":"anomalies",
    "url":"https://127.0.0.1:1/","events":["alert.anomaly.v1"]}'
worker=$(pgrep -P "$stack_pool_pid" -o)

# event ID USER AMOUNT [SUBJECT]: with these members of subject besides.
event() {
	printf '{"id":"%s","type":"wallet.withdraw","amount":%s,
	    "currency":"EUR","subject":{"userId":"%s","deviceId":"d-%s",
	    "ip":"196.188.7.9","phone":"+251911234544"%s}}' \
	    "$1" "$3" "$2" "$2" "${4-}"
}
decide() { http POST /v1/decisions "$(event "$@")"; }
shadow() {
	http POST /v1/decisions "$(event "$@")" -H "X-Engine-Mode: shadow"
}
decided() { json '"\(.verdict) \(.score) \(.reasons | tojson)"'; }

# everything: a line a table that changes with decisions, but for the details.
everything() {
	for table in $(sql "select tablename from pg_tables
	    where schemaname = 'assay' and tablename !~ '^detail'
	    order by tablename"); do
		echo "$table $(sql "select md5(string_agg(t::text, ' '
		    order by t::text)) from assay.\"$table\" t")"
	done
}

for n in 1 2 3 4 5; do
	decide "e-$n" u-1 "2$n.50"
done
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-blocked"}'
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-watched"}'
decide settle u-2 10
everything >"$scratch/before"

# Of a user that is known, of one that is not, by lists, and again.
shadow s-1 u-1 9000.25
answer=$(decided)
is "a shadow is answered" "$STATUS $(header x-engine-mode)" "200 shadow"
is_json "with a decision" '"\(.eventId) \(.score > 30) \(.policyVersion)"' \
    "s-1 true v0.4.0"
is_json "which says in its body that it is a shadow" .shadow true
is "it is an anomaly, which somebody wants to hear of" \
    "$(json '.reasons | map(.tag) | index("amount_spike") != null')" true
shadow s-1 u-1 9000.25
is "and is decided again, like before" "$(decided)" "$answer"
is "as no replay" "$(header x-engine-idempotent-replay)" ""
http POST /v1/decisions "$(event s-1 u-1 9000.25)" \
    -H 'X-Engine-Mode: shadow' -H 'Idempotency-Key: key-1'
is "under a key, too" "$(decided)" "$answer"
shadow s-2 u-new 9000
new=$(decided)
is "one of a user who is new" "$STATUS" 200
shadow s-3 u-blocked 1
is "the block list holds" "$(decided)" \
    'deny -1 [{"tag":"list.block","points":0}]'
shadow s-4 u-watched 1
is "so does the watch list" "$(json .verdict)" review
shadow e-1 u-1 9000.25
is "an id that was decided is decided anew" "$(decided)" "$answer"
http POST /v1/decisions/batch "{\"events\":[$(event b-1 u-new 9000),
    {\"type\":\"none\"},$(event b-2 u-new 9000)]}" -H 'X-Engine-Mode: shadow'
is "a batch" "$STATUS $(header x-engine-mode)" "200 shadow"
is_json "says so of each decision" '.results | map(.decision.shadow)
    | map(tostring) | join(" ")' "true null true"
is_json "has them all, none after another" '.results | map(.ok,
    (.decision // {} | "\(.verdict) \(.score) \(.reasons | tojson)"))
    | "\(.[0]) \(.[2]) \(.[4]) \(.[1] == .[5])"' "true false true true"
everything >"$scratch/after"
check "and nothing changed anywhere" diff "$scratch/before" "$scratch/after"

# The activity log.
http GET /v1/activity
is_json "the activity log has them, marked" \
    '[.[] | select(.mode == "shadow") | .eventId] | sort | join(" ")' \
    "b-1 b-2 e-1 s-1 s-1 s-1 s-2 s-3 s-4"
is_json "beside the decisions" \
    '[.[] | select(.mode == "live") | .eventId] | sort | join(" ")' \
    "e-1 e-2 e-3 e-4 e-5 settle"
is "with what was answered" "$(json '.[] | select(.eventId == "s-2") |
    "\(.verdict) \(.score) \(.reasons | tojson)"')" "$new"
is_json "by which policy" '.[] | select(.eventId == "s-2") |
    "\(.policyVersion) \(.eventType) \(.id[0:3])"' \
    "v0.4.0 wallet.withdraw vd_"
is_json "and the request, masked" '.[] | select(.eventId == "s-2") |
    "\(.request.subject.ip) \(.request.subject.phone)"' \
    "196.188.•.• +2519•••••44"
http GET "/v1/activity?limit=3"
before=$(json '.[-1].id')
http GET "/v1/activity?limit=200&before=$before"
is_json "page after page" length 12
http GET /v1/verdicts
is_json "the verdict log has none" \
    'map(.eventId) | sort | unique | join(" ")' "e-1 e-2 e-3 e-4 e-5 settle"
http GET /v1/decisions/s-1
is_error "nor does its id find one" 404 NOT_FOUND
http GET /v1/decisions/e-1
is_json "but the decision, where there is one" .verdict allow
http GET /v1/cases
is_json "and there is no case" length 0
TOKEN_KEPT=$TOKEN
TOKEN=
http GET /metrics
is "they are counted by themselves" "$(printf '%s\n' "$BODY" | awk '
    /^engine_decisions_total/ { real += $2 }
    /^engine_shadow_decisions_total/ { shadows += $2 }
    END { print real, shadows }')" "6 9"
TOKEN=$TOKEN_KEPT

# What was only tried is real when it comes, and as the shadow said.
decide s-2 u-new 9000
is "the event itself is decided as its shadow was" "$(decided)" "$new"
decide s-2 u-new 9000
is "and this is kept" "$(header x-engine-idempotent-replay)" true
http POST /v1/decisions "$(event s-5 u-3 1)" -H 'Idempotency-Key: key-1'
is "the key of a shadow is free" \
    "$STATUS $(header x-engine-idempotent-replay)" "200 "
http POST /v1/decisions "$(event s-6 u-3 1)" -H 'X-Engine-Mode: live'
is_json "a real decision says nothing of shadows" 'has("shadow")' false
http POST /v1/decisions "$(event s-7 u-3 1)" -H 'X-Engine-Mode: enforce'
is "enforce is live" "$STATUS $(header x-engine-mode)" "200 "
is "and is decided for good" "$(sql "select count(*) from assay.verdict_log
    where event_id = 's-7'")" 1
http POST /v1/decisions "$(event s-6 u-3 1)" -H 'X-Engine-Mode: live'
is "live is what it says" "$STATUS $(header x-engine-mode) $(sql "select count(*)
    from assay.verdict_log where event_id = 's-6'")" "200  1"

# Together with decisions in one transaction.
mkdir "$scratch/set"
kill -STOP "$worker"
said=
for n in 1 2 3 4 5 6; do
	mode=live
	[ $((n % 2)) -eq 0 ] || mode=shadow
	curl -sS --max-time 20 --unix-socket "$scratch/run/http.sock" \
	    -o "$scratch/set/$n" -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' -H "X-Engine-Mode: $mode" \
	    --data-binary "$(event "t-$n" "u-t$n" 9000 ',"fingerprint":"f"')" \
	    "$BASE/v1/decisions" &
	said="$said $!"
done
# shellcheck disable=SC2317 # called by stack_until
waiting() {
	[ "$(grep -c "$scratch/run/decide.sock" /proc/net/unix)" -gt 6 ]
}
stack_until 20 "$stack_pool_pid" waiting || not_ok "six wait"
kill -CONT "$worker"
for pid in $said; do
	wait "$pid"
done
is "all are answered" "$(grep -c '"verdict"' "$scratch"/set/* |
    cut -d: -f2 | paste -sd ' ')" "1 1 1 1 1 1"
is "and the real ones alone are kept" "$(sql "select string_agg(event_id, ' '
    order by event_id) from assay.verdict_log where event_id ~ '^t-'")" \
    "t-2 t-4 t-6"
is "with their states" "$(sql "select string_agg(user_id, ' '
    order by user_id) from assay.user_state where user_id ~ '^u-t'")" \
    "u-t2 u-t4 u-t6"

# What is refused.
everything >"$scratch/before"
for mode in ';' ': SHADOW' ': shadow, live' ': on'; do
	http POST /v1/decisions "$(event r-1 u-1 1)" -H "X-Engine-Mode$mode"
	is_error "no mode$mode" 400 INVALID_REQUEST
done
http POST /v1/decisions "$(event r-1 u-1 1)" -H 'X-Engine-Mode: live' \
    -H 'X-Engine-Mode: shadow'
is_error "nor two" 400 INVALID_REQUEST
for mode in ': shadow' ': enforce' ': live' ';'; do
	http POST /v1/decisions "$(event r-1 u-1 1)" -H "X-Verdict-Mode$mode"
	is_error "X-Verdict-Mode$mode is another service's" 400 INVALID_REQUEST
	is "the refusal names the header to use" "$(json .message)" \
	    "X-Verdict-Mode is not known here: use X-Engine-Mode, live or shadow"
done
http POST /v1/decisions/batch "{\"events\":[$(event r-1 u-1 1)]}" \
    -H 'X-Verdict-Mode: shadow'
is_error "nor for a batch" 400 INVALID_REQUEST
http POST /v1/decisions/async "$(event r-2 u-1 1)" -H 'X-Verdict-Mode: shadow'
is_error "nor for later" 400 INVALID_REQUEST
http POST /v1/decisions/async "$(event r-2 u-1 1)" -H 'X-Engine-Mode: shadow'
is_error "a shadow that nobody would see" 400 INVALID_REQUEST
KEY_KEPT=$KEY
KEY=ak_live_000000000000000000000000000000000000000000000000
shadow r-3 u-1 1
is_error "no shadow without a key" 401 INVALID_API_KEY
KEY=$KEY_KEPT
everything >"$scratch/after"
check "nothing came of that" diff "$scratch/before" "$scratch/after"
is "in the details neither" "$(sql "select count(*) from assay.detail
    where event_id ~ '^r-'")" 0

# An erasure takes them along.
http POST /v1/privacy/erase '{"userId":"u-1"}'
is "an erased user has no shadow" "$STATUS $(sql "select count(*)
    from assay.detail where user_id = 'u-1'")" "200 0"

# One that cannot be decided is an error: its answer would be no answer.
stop_database
shadow a-1 u-1 1
is_error "without the database there is none" 503 UNAVAILABLE
is "and none is put aside" "$(find "$scratch/spool" -type f -size +0 ! -name write.lock)" ""
start_database
wait_ready
finish
