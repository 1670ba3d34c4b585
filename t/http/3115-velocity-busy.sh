#!/bin/sh
# SPDX-License-Identifier: ISC
# A user whose lock another transaction has does not delay, by the states of its
# velocities, the others that a worker decides together with it.
. "$(dirname "$0")/lib.sh"
use lock together velocities

start_stack DECIDE_WORKERS=1
admin_token
api_key
publish_velocities account.login one 'velocity own = count by userId over 24h
velocity seen = count by deviceId over 24h
rule r_any { when velocity.own > 0 then score += 1, tag any }'
cron velocity
begin_fills
cron velocity
http POST /v1/decisions "$(event_of a-1 busy ',"deviceId":"d"')"
TOKEN=
worker=$(pgrep -P "$stack_pool_pid" -o)

# is_answered N: the Nth of the waiting requests has its answer.
is_answered() { [ "$(request_status "$1")" = 200 ]; }

# The lock and the states are held as by a decision of another worker.
hold_lock "select pg_advisory_xact_lock($(user_lock busy));
    select 1 from assay.velocity_state for update"
stop_worker
add_request 1 "$(event_of b-1 busy ',"deviceId":"d"')"
add_request 2 "$(event_of b-2 other)"
resume_worker 2
check "another user is answered while the states of the busy one are locked" \
    stack_until 20 "$lock_pid" is_answered 2
is "no statement has waited until its timeout" \
    "$(grep -c "statement timeout" "$scratch/log/postgres.log")" 0
check "the busy user waits" [ "$(request_status 1)" = "" ]
release_lock
await_requests
is "the busy user is decided after that" "$(request_status 1) $(request_json 1 \
    '.reasons | map(.tag) | join(" ")')" "200 any"
is "the event of the busy user is counted" "$(sql "select json_object_agg(v.definition, s.value)
    from assay.decision_detail d, json_each_text(d.sample::json -> 'velocities') s(id, value)
    join assay.velocity v on v.id::text = s.id where d.event_id = 'b-1'" |
    jq -r '[.[]] | sort | join(" ")')" "2 2"
finish
