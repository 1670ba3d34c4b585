#!/bin/sh
# SPDX-License-Identifier: ISC
# Alert channels: made, listed, tested, revoked, refused.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack NOTIFY_THROTTLE_PER_MIN=17
admin_token

http GET /v1/notifications
is_json "there are events to be alerted of, and nobody is" 'tojson' \
    '{"events":["verdict.reached.v1","case.resolved.v1","label.recorded.v1","alert.anomaly.v1","alert.dead_letter.v1","alert.drift.v1"],"channels":[]}'

http POST /v1/notifications '{"type":"slack",
    "url":"https://hooks.slack.example/services/T0/B0/tokentoken",
    "events":["verdict.reached.v1","alert.anomaly.v1"],"minVerdict":"review"}'
is "a channel is made" "$STATUS" 201
is_json "its URL is not told" 'tojson | contains("tokentoken")' false
is_json "but a hint" .urlHint "https://hooks.slack.example/…"
is_json "as it was asked for" '"\(.type) \(.events | join(",")) \(.minVerdict)
    \(.throttlePerMin) \(.active) \(.failures)" | gsub("\\s+"; " ")' \
    "slack verdict.reached.v1,alert.anomaly.v1 review 17 true 0"
is_json "under an id" '.id | test("^ntf_[0-9a-v]{26}$")' true
slack=$(json .id)
http POST /v1/notifications '{"type":"telegram","target":"-100123",
    "url":"https://api.telegram.example/bot77:tokentoken/sendMessage",
    "events":["alert.dead_letter.v1"],"throttlePerMin":0}'
is_json "one with a target, without a throttle" \
    '"\(.type) \(.throttlePerMin) \(has("minVerdict"))"' "telegram 0 false"
telegram=$(json .id)
http POST /v1/notifications '{"type":"webhook","url":"https://a.example",
    "events":["label.recorded.v1"],"throttlePerMin":2147483647}'
is_json "one of any kind" '"\(.type) \(.urlHint) \(.throttlePerMin)"' \
    "webhook https://a.example 2147483647"
http GET /v1/notifications
is_json "all are listed, newest first" '.channels | map(.type) | join(" ")' \
    "webhook telegram slack"
is_json "without their URLs" '[.channels[] | has("url")] | any' false
is "what is kept is the whole" "$(sql "select url, target
    from assay.alert_channel where type = 'telegram'")" \
    "https://api.telegram.example/bot77:tokentoken/sendMessage|-100123"

# Refusals.
while read -r what body; do
	http POST /v1/notifications "$body"
	is_error "$what" 400 INVALID_REQUEST
done <<-'END'
	no_type {"url":"https://a.example","events":["alert.anomaly.v1"]}
	an_unknown_type {"type":"email","url":"https://a.example","events":["alert.anomaly.v1"]}
	no_url {"type":"slack","events":["alert.anomaly.v1"]}
	plain_http {"type":"slack","url":"http://a.example","events":["alert.anomaly.v1"]}
	a_private_host {"type":"slack","url":"https://10.1.2.3/","events":["alert.anomaly.v1"]}
	no_chat {"type":"telegram","url":"https://a.example","events":["alert.anomaly.v1"]}
	an_empty_chat {"type":"telegram","url":"https://a.example","target":"","events":["alert.anomaly.v1"]}
	a_chat_for_another {"type":"slack","url":"https://a.example","target":"-1","events":["alert.anomaly.v1"]}
	no_events {"type":"slack","url":"https://a.example"}
	none_of_them {"type":"slack","url":"https://a.example","events":[]}
	an_unknown_one {"type":"slack","url":"https://a.example","events":["alert.test.v1"]}
	one_twice {"type":"slack","url":"https://a.example","events":["alert.anomaly.v1","alert.anomaly.v1"]}
	an_unknown_verdict {"type":"slack","url":"https://a.example","events":["verdict.reached.v1"],"minVerdict":"block"}
	a_number_for_it {"type":"slack","url":"https://a.example","events":["verdict.reached.v1"],"minVerdict":2}
	a_negative_throttle {"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttlePerMin":-1}
	half_an_alert {"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttlePerMin":0.5}
	too_many_of_them {"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttlePerMin":2147483648}
	an_unknown_field {"type":"slack","url":"https://a.example","events":["alert.anomaly.v1"],"throttle":1}
END
http GET /v1/notifications
is_json "none of these was made" '.channels | length' 3

# A test alert.
http POST "/v1/notifications/$slack/test" '' -H 'X-Correlation-Id: try-1'
is "a test is on its way" "$STATUS $BODY" '200 {"ok":true}'
is "to that channel, at once" "$(sql "select subscriber_id, event, data,
    correlation_id, attempts, next_attempt_at <= clock_timestamp()
    from assay.delivery")" \
    "$slack|alert.test.v1|{\"channelId\" : \"$slack\"}|try-1|0|t"
http GET /v1/notifications/deliveries
is_json "it waits" '.pending[0] |
    "\(.channelId) \(.event) \(.status) \(.attempts) \(.lastError)"' \
    "$slack alert.test.v1 pending 0 null"
is_json "under an id" '.pending[0].id | test("^ntd_[0-9a-v]{26}$")' true
http POST /v1/notifications/ntf_0/test
is_error "no channel to be tested" 404 NOT_FOUND

# Revoking.
http POST /v1/notifications/ntf_0/revoke
is_error "a channel that never was" 404 NOT_FOUND
http POST "/v1/notifications/$slack/revoke"
is "one is revoked" "$STATUS $BODY" '200 {"ok":true}'
http GET /v1/notifications/deliveries
is_json "what waited for it is dropped" '.pending | length' 0
http POST "/v1/notifications/$slack/test"
is_error "it is tested no more" 404 NOT_FOUND
http POST "/v1/notifications/$telegram/test"
is "the others are" "$STATUS" 200
http GET /v1/notifications
is_json "it is listed as inactive" '.channels | map(.active) | tojson' \
    "[true,true,false]"

http GET /v1/audit
is_json "the trail shows no token of a URL" \
    '[.entries[].params.url // empty | contains("tokentoken")] | any' false

# For development.
stop_pool
start_pool ALLOW_PRIVATE_TARGETS=true
wait_ready
http POST /v1/notifications '{"type":"slack","url":"http://localhost:9/x",
    "events":["alert.anomaly.v1"]}'
is "plain http to this machine may be allowed" "$STATUS $(json .urlHint)" \
    "201 http://localhost:9/…"
finish
