#!/bin/sh
# SPDX-License-Identifier: ISC
# Alert channels: added, listed, tested, revoked and rejected.
. "$(dirname "$0")/lib.sh"

start_stack NOTIFY_THROTTLE_PER_MIN=17
admin_token

http GET /v1/notifications
is_json "GET /v1/notifications has the events of alerts and no channel" \
    'tojson' \
    '{"events":["verdict.reached.v1","case.resolved.v1","label.recorded.v1","alert.anomaly.v1","alert.dead_letter.v1","alert.drift.v1","alert.rollout.v1","verdict.revised.v1"],"channels":[]}'

http POST /v1/notifications '{"type":"slack",
    "url":"https://hooks.slack.example/services/T0/B0/tokentoken",
    "events":["verdict.reached.v1","alert.anomaly.v1"],"minVerdict":"review"}'
is "a channel is added" "$STATUS" 201
is_json "the answer does not have the token of the URL" \
    'tojson | contains("tokentoken")' false
is_json "the answer has a hint of the URL" \
    .urlHint "https://hooks.slack.example/…"
is_json "a new channel has the members of the request and the default throttle" \
    '"\(.type) \(.events | join(",")) \(.minVerdict)
    \(.throttlePerMin) \(.active) \(.failures)" | gsub("\\s+"; " ")' \
    "slack verdict.reached.v1,alert.anomaly.v1 review 17 true 0"
is_json "a new channel has an id" '.id | test("^ntf_[0-9a-v]{26}$")' true
slack=$(json .id)
http POST /v1/notifications '{"type":"telegram","target":"-100123",
    "url":"https://api.telegram.example/bot77:tokentoken/sendMessage",
    "events":["alert.dead_letter.v1"],"throttlePerMin":0}'
is_json "a telegram channel has a target and no throttle" \
    '"\(.type) \(.throttlePerMin) \(has("minVerdict"))"' "telegram 0 false"
telegram=$(json .id)
http POST /v1/notifications '{"type":"webhook","url":"https://a.example",
    "events":["verdict.reached.v1","case.resolved.v1","label.recorded.v1",
    "alert.anomaly.v1","alert.dead_letter.v1","alert.drift.v1","alert.rollout.v1",
    "verdict.revised.v1"],
    "throttlePerMin":2147483647}'
is_json "a webhook channel has all events and the largest throttle" \
    '"\(.type) \(.events | length) \(.urlHint) \(.throttlePerMin)"' \
    "webhook 8 https://a.example 2147483647"
http GET /v1/notifications
is_json "GET /v1/notifications has the newest channel first" \
    '.channels | map(.type) | join(" ")' "webhook telegram slack"
is_json "GET /v1/notifications has no URL" \
    '[.channels[] | has("url")] | any' false
is "the database has the whole URL and the target" "$(sql "select url, target
    from assay.alert_channel where type = 'telegram'")" \
    "https://api.telegram.example/bot77:tokentoken/sendMessage|-100123"

# Rejected channels.
while IFS='|' read -r what body; do
	http POST /v1/notifications "$body"
	is_error "a channel $what answers 400" 400 INVALID_REQUEST
done <<-'END'
	without a type|{"url":"https://a.example","events":["alert.anomaly.v1"]}
	with an unknown type|{"type":"email","url":"https://a.example","events":["alert.anomaly.v1"]}
	without a URL|{"type":"slack","events":["alert.anomaly.v1"]}
	with plain http|{"type":"slack","url":"http://a.example","events":["alert.anomaly.v1"]}
	with a private host|{"type":"slack","url":"https://10.1.2.3/","events":["alert.anomaly.v1"]}
	without a chat|{"type":"telegram","url":"https://a.example","events":["alert.anomaly.v1"]}
	with an empty chat|{"type":"telegram","url":"https://a.example","target":"","events":["alert.anomaly.v1"]}
	with a chat for another type|{"type":"slack","url":"https://a.example","target":"-1","events":["alert.anomaly.v1"]}
	without events|{"type":"slack","url":"https://a.example"}
	with an empty array of events|{"type":"slack","url":"https://a.example","events":[]}
	with an unknown event|{"type":"slack","url":"https://a.example","events":["alert.test.v1"]}
	with an event twice|{"type":"slack","url":"https://a.example","events":["alert.anomaly.v1","alert.anomaly.v1"]}
	with an unknown verdict|{"type":"slack","url":"https://a.example","events":["verdict.reached.v1"],"minVerdict":"block"}
	with a number for the verdict|{"type":"slack","url":"https://a.example","events":["verdict.reached.v1"],"minVerdict":2}
	with a negative throttle|{"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttlePerMin":-1}
	with a fraction for the throttle|{"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttlePerMin":0.5}
	with a throttle above the largest|{"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttlePerMin":2147483648}
	with an unknown field|{"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttle":1}
END
http GET /v1/notifications
is_json "a rejected channel is not stored" '.channels | length' 3

# Test alerts.
http POST "/v1/notifications/$slack/test" '' -H 'X-Correlation-Id: try-1'
is "a test alert is queued" "$STATUS $BODY" '200 {"ok":true}'
is "a test alert is due at once for its channel" \
    "$(sql "select subscriber_id, event, data,
    correlation_id, attempts, next_attempt_at <= clock_timestamp()
    from assay.delivery")" \
    "$slack|alert.test.v1|{\"channelId\" : \"$slack\"}|try-1|0|t"
http GET /v1/notifications/deliveries
is_json "a test alert is a pending delivery" '.pending[0] |
    "\(.channelId) \(.event) \(.status) \(.attempts) \(.lastError)"' \
    "$slack alert.test.v1 pending 0 null"
is_json "a delivery of an alert has an id" \
    '.pending[0].id | test("^ntd_[0-9a-v]{26}$")' true
http POST /v1/notifications/ntf_0/test
is_error "a test of an unknown channel answers 404" 404 NOT_FOUND

# Revoked channels.
http POST /v1/notifications/ntf_0/revoke
is_error "revoking an unknown channel answers 404" 404 NOT_FOUND
http POST "/v1/notifications/$slack/revoke"
is "a channel is revoked" "$STATUS $BODY" '200 {"ok":true}'
http GET /v1/notifications/deliveries
is_json "a revoked channel has no pending deliveries" '.pending | length' 0
http POST "/v1/notifications/$slack/test"
is_error "a test of a revoked channel answers 404" 404 NOT_FOUND
http POST "/v1/notifications/$telegram/test"
is "another channel can be tested" "$STATUS" 200
http GET /v1/notifications
is_json "GET /v1/notifications has the revoked channel as inactive" \
    '.channels | map(.active) | tojson' "[true,true,false]"

http GET /v1/audit
is_json "the audit trail does not have the token of a URL" \
    '[.entries[].params.url // empty | contains("tokentoken")] | any' false

# For development a channel can be private and without TLS.
stop_pool
start_pool ALLOW_PRIVATE_TARGETS=true
wait_ready
http POST /v1/notifications '{"type":"slack","url":"http://localhost:9/x",
    "events":["alert.anomaly.v1"]}'
is "ALLOW_PRIVATE_TARGETS allows plain http to the loopback" \
    "$STATUS $(json .urlHint)" "201 http://localhost:9/…"
finish
