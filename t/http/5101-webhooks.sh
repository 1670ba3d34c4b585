#!/bin/sh
# SPDX-License-Identifier: ISC
# Webhook endpoints: added, listed, revoked and rejected.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token

http GET /v1/webhooks
is_json "GET /v1/webhooks has the events to subscribe to and no endpoint" \
    'tojson' '{"events":["verdict.reached.v1","case.resolved.v1","label.recorded.v1","verdict.revised.v1"],"endpoints":[]}'

http POST /v1/webhooks \
    '{"url":"https://hooks.example.com/in?t=ab12","events":["verdict.reached.v1","case.resolved.v1"]}'
is "an endpoint is added" "$STATUS" 201
is_json "a new endpoint has seven members" 'keys | sort | join(" ")' \
    "active events failures id secret url warnings"
is_json "a new endpoint has the URL and the events of the request" \
    '"\(.url) \(.events | join(",")) \(.active) \(.failures)"' \
    "https://hooks.example.com/in?t=ab12 verdict.reached.v1,case.resolved.v1 true 0"
is_json "a new endpoint has an id" '.id | test("^whk_[0-9a-v]{26}$")' true
is_json "a new endpoint has a secret of 32 bytes" '.secret |
    test("^whsec_[A-Za-z0-9+/]{43}=$")' true
is "no cache stores the answer with the secret" \
    "$(header cache-control)" no-store
id=$(json .id)
secret=$(json .secret)
http POST /v1/webhooks \
    '{"url":"http://hooks.example.com/2","events":["label.recorded.v1"]}'
is "an endpoint with plain http is added" "$STATUS" 201
is_json "each endpoint has another secret" ".secret == \"$secret\"" false

http GET /v1/webhooks
is_json "GET /v1/webhooks has the newest endpoint first" \
    '.endpoints | map(.url) | join(" ")' \
    "http://hooks.example.com/2 https://hooks.example.com/in?t=ab12"
is_json "GET /v1/webhooks has no secret" '.endpoints[0] | keys | join(" ")' \
    "active events failures id lastStatus url"
is_json "a new endpoint has neither a delivery nor a failure" \
    '.endpoints[0] | "\(.lastStatus) \(.failures)"' "null 0"

# Rejected endpoints.
while IFS='|' read -r what body; do
	http POST /v1/webhooks "$body"
	is_error "an endpoint $what answers 400" 400 INVALID_REQUEST
done <<-'END'
	without a URL|{"events":["verdict.reached.v1"]}
	with a number for the URL|{"url":7,"events":["verdict.reached.v1"]}
	without events|{"url":"https://hooks.example.com/"}
	with an empty array of events|{"url":"https://hooks.example.com/","events":[]}
	with a string of events|{"url":"https://hooks.example.com/","events":"verdict.reached.v1"}
	with an unknown event|{"url":"https://hooks.example.com/","events":["verdict.reached.v2"]}
	with an event of alerts|{"url":"https://hooks.example.com/","events":["alert.anomaly.v1"]}
	with an event twice|{"url":"https://hooks.example.com/","events":["case.resolved.v1","case.resolved.v1"]}
	with a number among the events|{"url":"https://hooks.example.com/","events":["case.resolved.v1",1]}
	with a null among the events|{"url":"https://hooks.example.com/","events":[null]}
	with too many events|{"url":"https://hooks.example.com/","events":["a","b","c","d","e","f","g"]}
	with a secret|{"url":"https://hooks.example.com/","events":["case.resolved.v1"],"secret":"x"}
	with another scheme|{"url":"ftp://hooks.example.com/","events":["case.resolved.v1"]}
	with a user in the URL|{"url":"https://u:pw@hooks.example.com/","events":["case.resolved.v1"]}
	with a fragment|{"url":"https://hooks.example.com/#x","events":["case.resolved.v1"]}
	with control bytes|{"url":"https://hooks.example.com/\u000d\u000aX: y","events":["case.resolved.v1"]}
	at localhost|{"url":"http://localhost:5432/","events":["case.resolved.v1"]}
	at the loopback address|{"url":"http://127.0.0.1/","events":["case.resolved.v1"]}
	at a short loopback address|{"url":"http://127.1/","events":["case.resolved.v1"]}
	at a decimal loopback address|{"url":"http://2130706433/","events":["case.resolved.v1"]}
	at an octal loopback address|{"url":"http://0177.0.0.1/","events":["case.resolved.v1"]}
	at a hexadecimal loopback address|{"url":"http://0x7f.1/","events":["case.resolved.v1"]}
	at a metadata address|{"url":"http://169.254.169.254/latest/","events":["case.resolved.v1"]}
	at the IPv6 loopback address|{"url":"http://[::1]/","events":["case.resolved.v1"]}
	at a mapped private address|{"url":"http://[::ffff:10.0.0.1]/","events":["case.resolved.v1"]}
	at a translated private address|{"url":"http://[64:ff9b::10.0.0.1]/","events":["case.resolved.v1"]}
END
is_json "the message says that the host must be public" \
    '.message' "url must have a public host, unless ALLOW_PRIVATE_TARGETS is true"
http POST /v1/webhooks "{\"url\":\"https://hooks.example.com/$(printf \
    '%02050d' 0)\",\"events\":[\"case.resolved.v1\"]}"
is_error "an endpoint with a URL of more than 2048 bytes answers 400" \
    400 INVALID_REQUEST
http POST /v1/webhooks '[]'
is_error "a body that is an array answers 400" 400 INVALID_REQUEST
http POST /v1/webhooks '{'
is_error "half a JSON body answers 400" 400 INVALID_JSON
http GET /v1/webhooks
is_json "a rejected endpoint is not stored" '.endpoints | length' 2

# Revoked endpoints.
http POST /v1/webhooks/whk_0/revoke
is_error "revoking an unknown endpoint answers 404" 404 NOT_FOUND
sql "insert into assay.delivery (id, subscriber_id, event, data,
    correlation_id, occurred_at)
    select 'whd_' || n || right(id, 3), id, 'case.resolved.v1', '{}', 'c', now()
    from assay.webhook_endpoint, generate_series(1, 3) n"
http POST "/v1/webhooks/$id/revoke"
is "an endpoint is revoked" "$STATUS $BODY" '200 {"ok":true}'
http POST "/v1/webhooks/$id/revoke"
is "revoking an endpoint twice answers 200" "$STATUS $BODY" '200 {"ok":true}'
http GET /v1/webhooks
is_json "a revoked endpoint is inactive" \
    ".endpoints[] | select(.id == \"$id\") | .active" false
is_json "another endpoint stays active" \
    ".endpoints[] | select(.id != \"$id\") | .active" true
is "a revoked endpoint has no pending deliveries" \
    "$(sql "select count(*), count(*) filter (where subscriber_id = '$id')
    from assay.delivery")" "3|0"

http GET /v1/audit
is_json "the audit trail has only the host of a URL" '.entries[] |
    select(.action == "POST /v1/webhooks" and .status == 201) |
    .params.url' "http://hooks.example.com/…
https://hooks.example.com/…"

# For development an endpoint can be private.
stop_pool
start_pool ALLOW_PRIVATE_TARGETS=true
wait_ready
http POST /v1/webhooks \
    '{"url":"http://127.0.0.1:8080/","events":["verdict.reached.v1"]}'
is "ALLOW_PRIVATE_TARGETS allows a private host" "$STATUS" 201

# Endpoints with one URL.
http POST /v1/webhooks \
    '{"url":"https://twice.example/","events":["verdict.reached.v1","case.resolved.v1"]}'
is_json "an endpoint whose URL no other endpoint has gets no warnings" \
    '.warnings | length' 0
id=$(json .id)
http POST /v1/webhooks \
    '{"url":"https://twice.example/","events":["label.recorded.v1"]}'
is_json "an endpoint that gets other events at the same URL has no warnings" '.warnings | length' 0
http POST /v1/webhooks \
    '{"url":"https://twice.example/","events":["case.resolved.v1","verdict.reached.v1"]}'
is_json "an endpoint that gets the same events at the same URL is warned about" \
    '.warnings | join(" ")' "this URL gets some events twice, also as $id"
finish
