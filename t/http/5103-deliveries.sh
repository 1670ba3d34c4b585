#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries that are pending or dead, and the redrive of dead ones.
. "$(dirname "$0")/lib.sh"
use lock

# The clock of the pool is ten minutes behind the database's.
cp "$builddir/t/http/clock.so" "$scratch/bin/"
start_stack LD_PRELOAD="$scratch/bin/clock.so" CLOCK_AHEAD=-600 \
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1
admin_token
http POST /v1/webhooks '{"url":"https://a.example/","events":["case.resolved.v1"]}'
hook=$(json .id)
http POST /v1/webhooks '{"url":"https://b.example/","events":["case.resolved.v1"]}'
gone=$(json .id)
http POST /v1/notifications \
    '{"type":"slack","url":"https://c.example/","events":["alert.anomaly.v1"]}'
channel=$(json .id)

http GET /v1/webhooks/deliveries
is "there are no deliveries at first" \
    "$STATUS $BODY" '200 {"pending" : [], "dead" : []}'
http POST /v1/webhooks/deliveries/redrive
is "a redrive without dead deliveries requeues none" \
    "$STATUS $BODY" '200 {"requeued":0}'

# store_deliveries TABLE PREFIX SUBSCRIBER FROM TO: store these as the companion
# does.
store_deliveries() {
	sql "insert into assay.$1 (id, subscriber_id, event, data,
	    correlation_id, occurred_at, attempts, last_error)
	    select '$2' || to_char(n, 'FM0000'), '$3', 'case.resolved.v1',
		'{}', 'c', now(), 3, 'timed out'
	    from generate_series($4, $5) n"
}
store_deliveries delivery whd_ "$hook" 1 205
store_deliveries dead_letter whd_ "$hook" 301 2500
store_deliveries dead_letter whd_ "$gone" 3001 3001
store_deliveries delivery ntd_ "$channel" 1 2
store_deliveries dead_letter ntd_ "$channel" 11 12

http GET /v1/webhooks/deliveries
is_json "GET of deliveries has the newest 200 pending and dead ones" \
    '[.pending, .dead] |
    map("\(length) \(.[0].id) \(.[-1].id)") | join(", ")' \
    "200 whd_0205 whd_0006, 200 whd_3001 whd_2302"
is_json "a pending delivery has its endpoint, event, attempts and error" \
    '.pending[0] | "\(.endpointId) \(.event) \(.status)
    \(.attempts) \(.lastError) \(.nextAttemptAt | type)" | gsub("\\s+"; " ")' \
    "$hook case.resolved.v1 pending 3 timed out string"
is_json "a dead delivery has its endpoint and no next attempt" '.dead[0] |
    "\(.endpointId) \(.status) \(.nextAttemptAt)"' "$gone dead null"
http GET /v1/notifications/deliveries
is_json "alerts have a separate list" '[.pending, .dead] |
    map(map(.id + " " + .channelId) | join(",")) | join(" ")' \
    "ntd_0002 $channel,ntd_0001 $channel ntd_0012 $channel,ntd_0011 $channel"

# A redrive requeues the dead deliveries of active endpoints.
http POST "/v1/webhooks/$gone/revoke"
http POST /v1/webhooks/deliveries/redrive
is "a redrive requeues every dead delivery of an active endpoint" \
    "$STATUS $BODY" '200 {"requeued":2200}'
is "a redriven delivery is due at once with no attempts" \
    "$(sql "select count(*), max(attempts),
    max(next_attempt_at) <= clock_timestamp(), count(last_error)
    from assay.delivery where id between 'whd_0301' and 'whd_9999'")" \
    "2200|0|t|0"
is "a redrive of webhooks leaves the alerts" \
    "$(sql "select count(*) from assay.dead_letter")" 2
http POST /v1/webhooks/deliveries/redrive
is "a second redrive requeues none" "$STATUS $BODY" '200 {"requeued":0}'

# The database fails in the second of the transactions of a redrive.
store_deliveries dead_letter whd_ "$hook" 4001 6001
sql "create function public.away() returns trigger language plpgsql as '
    begin perform pg_terminate_backend(pg_backend_pid()); return old; end';
    create trigger away before delete on assay.dead_letter for each row
    when (old.id = 'whd_6001') execute function public.away()"
http POST /v1/webhooks/deliveries/redrive
is "a redrive that loses the database keeps what it committed" \
    "$STATUS $(sql "select count(*)
    from assay.dead_letter where id like 'whd%'")" "503 1"
http GET '/v1/audit?limit=2'
is_json "the audit trail has the part that succeeded and the failure" \
    '.entries | map("\(.status) \(.action)") | join(", ")' \
    "503 POST /v1/webhooks/deliveries/redrive, 200 POST /v1/webhooks/deliveries/redrive"
sql "drop trigger away on assay.dead_letter;
    delete from assay.dead_letter where id = 'whd_6001';
    delete from assay.delivery where id > 'whd_4000'"
http POST /v1/notifications/deliveries/redrive
is "a redrive of alerts requeues both" "$STATUS $BODY" '200 {"requeued":2}'
http GET /v1/audit
is_json "the audit trail has the redrive of alerts" \
    '.entries[0] | "\(.status) \(.action)"' \
    "200 POST /v1/notifications/deliveries/redrive"

# A user is erased while the dead deliveries of the user are redriven.
store_deliveries dead_letter whd_ "$hook" 5001 5003
sql "update assay.dead_letter set user_id = 'u-1'"
hold_lock "select assay.delivery_redrive('whd_', now(), 9)"
(http POST /v1/privacy/erase '{"userId":"u-1"}') &
request=$!
stack_until 20 "$request" session_is "wait_event_type = 'Lock'"
release_lock
wait "$request"
is "an erasure beside a redrive leaves no delivery of the user" \
    "$(sql "select count(*)
    from assay.delivery where user_id = 'u-1'")" 0

# The companion can leave a delivery for a revoked endpoint.
store_deliveries delivery whd_ "$gone" 9000 9000
http GET /v1/webhooks/deliveries
is_json "a delivery to a revoked endpoint is not listed" \
    '.pending[0].id' whd_2500
finish
