#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries that wait or were given up, and beginning with them anew.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# The pool's clock is not the database's.
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
is "there are none" "$STATUS $BODY" '200 {"pending" : [], "dead" : []}'
http POST /v1/webhooks/deliveries/redrive
is "and none to begin with anew" "$STATUS $BODY" '200 {"requeued":0}'

# queue TABLE PREFIX SUBSCRIBER FROM TO: deliveries as the companion has them.
queue() {
	sql "insert into assay.$1 (id, subscriber_id, event, data,
	    correlation_id, occurred_at, attempts, last_error)
	    select '$2' || to_char(n, 'FM0000'), '$3', 'case.resolved.v1',
		'{}', 'c', now(), 3, 'timed out'
	    from generate_series($4, $5) n"
}
queue delivery whd_ "$hook" 1 205
queue dead_letter whd_ "$hook" 301 2500
queue dead_letter whd_ "$gone" 3001 3001
queue delivery ntd_ "$channel" 1 2
queue dead_letter ntd_ "$channel" 11 12

http GET /v1/webhooks/deliveries
is_json "the newest are shown, pending and dead" '[.pending, .dead] |
    map("\(length) \(.[0].id) \(.[-1].id)") | join(", ")' \
    "200 whd_0205 whd_0006, 200 whd_3001 whd_2302"
is_json "a pending one" '.pending[0] | "\(.endpointId) \(.event) \(.status)
    \(.attempts) \(.lastError) \(.nextAttemptAt | type)" | gsub("\\s+"; " ")' \
    "$hook case.resolved.v1 pending 3 timed out string"
is_json "a dead one" '.dead[0] |
    "\(.endpointId) \(.status) \(.nextAttemptAt)"' "$gone dead null"
http GET /v1/notifications/deliveries
is_json "alerts are apart" '[.pending, .dead] |
    map(map(.id + " " + .channelId) | join(",")) | join(" ")' \
    "ntd_0002 $channel,ntd_0001 $channel ntd_0012 $channel,ntd_0011 $channel"

# What died for an endpoint that was revoked is not sent.
http POST "/v1/webhooks/$gone/revoke"
http POST /v1/webhooks/deliveries/redrive
is "every dead one is pending again" "$STATUS $BODY" '200 {"requeued":2200}'
is "from the beginning, at once" "$(sql "select count(*), max(attempts),
    max(next_attempt_at) <= clock_timestamp(), count(last_error)
    from assay.delivery where id between 'whd_0301' and 'whd_9999'")" \
    "2200|0|t|0"
is "of webhooks alone" "$(sql "select count(*) from assay.dead_letter")" 2
http POST /v1/webhooks/deliveries/redrive
is "once" "$STATUS $BODY" '200 {"requeued":0}'

# The database goes away in the second of the transactions that many take.
queue dead_letter whd_ "$hook" 4001 6001
sql "create function public.away() returns trigger language plpgsql as '
    begin perform pg_terminate_backend(pg_backend_pid()); return old; end';
    create trigger away before delete on assay.dead_letter for each row
    when (old.id = 'whd_6001') execute function public.away()"
http POST /v1/webhooks/deliveries/redrive
is "half of it was done" "$STATUS $(sql "select count(*)
    from assay.dead_letter where id like 'whd%'")" "503 1"
http GET '/v1/audit?limit=2'
is_json "and told, as what became of the rest" \
    '.entries | map("\(.status) \(.action)") | join(", ")' \
    "503 POST /v1/webhooks/deliveries/redrive, 200 POST /v1/webhooks/deliveries/redrive"
sql "drop trigger away on assay.dead_letter;
    delete from assay.dead_letter where id = 'whd_6001';
    delete from assay.delivery where id > 'whd_4000'"
http POST /v1/notifications/deliveries/redrive
is "and of alerts" "$STATUS $BODY" '200 {"requeued":2}'
http GET /v1/audit
is_json "the trail tells it" '.entries[0] | "\(.status) \(.action)"' \
    "200 POST /v1/notifications/deliveries/redrive"

# A user is erased at the moment that what died of it is redriven.
queue dead_letter whd_ "$hook" 5001 5003
sql "update assay.dead_letter set user_id = 'u-1'"
mkfifo "$scratch/redrive"
cluster_psql postgres assay -q <"$scratch/redrive" &
holder=$!
exec 8>"$scratch/redrive"
echo "begin; select assay.delivery_redrive('whd_', now(), 9) \\g /dev/null" >&8
# waits CONDITION: one session does.
# shellcheck disable=SC2317 # stack_until calls it
waits() {
	[ "$(sql "select count(*) from pg_stat_activity where $1")" = 1 ]
}
stack_until 20 "$holder" waits "state = 'idle in transaction'"
(http POST /v1/privacy/erase '{"userId":"u-1"}') &
request=$!
stack_until 20 "$holder" waits "wait_event_type = 'Lock'"
echo "commit;" >&8
exec 8>&-
wait "$holder" "$request"
is "nothing of it is left to be sent" "$(sql "select count(*)
    from assay.delivery where user_id = 'u-1'")" 0

# What a companion left behind for a revoked endpoint is not shown.
queue delivery whd_ "$gone" 9000 9000
http GET /v1/webhooks/deliveries
is_json "what is not sent is not pending" '.pending[0].id' whd_2500
finish
