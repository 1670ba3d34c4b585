#!/bin/sh
# SPDX-License-Identifier: ISC
# Webhook endpoints: made, listed, revoked, refused.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token

http GET /v1/webhooks
is_json "there are events to subscribe to, and nobody does" \
    'tojson' '{"events":["verdict.reached.v1","case.resolved.v1","label.recorded.v1"],"endpoints":[]}'

http POST /v1/webhooks \
    '{"url":"https://hooks.example.com/in?t=ab12","events":["verdict.reached.v1","case.resolved.v1"]}'
is "an endpoint is made" "$STATUS" 201
is_json "with these fields" 'keys | sort | join(" ")' \
    "active events failures id secret url"
is_json "as it was asked for" \
    '"\(.url) \(.events | join(",")) \(.active) \(.failures)"' \
    "https://hooks.example.com/in?t=ab12 verdict.reached.v1,case.resolved.v1 true 0"
is_json "under an id" '.id | test("^whk_[0-9a-v]{26}$")' true
is_json "with a secret of 32 bytes" '.secret |
    test("^whsec_[A-Za-z0-9+/]{43}=$")' true
is "that no cache keeps" "$(header cache-control)" no-store
id=$(json .id)
secret=$(json .secret)
http POST /v1/webhooks \
    '{"url":"http://hooks.example.com/2","events":["label.recorded.v1"]}'
is "plain http is taken" "$STATUS" 201
is_json "each has a secret of its own" ".secret == \"$secret\"" false

http GET /v1/webhooks
is_json "all are listed, newest first" '.endpoints | map(.url) | join(" ")' \
    "http://hooks.example.com/2 https://hooks.example.com/in?t=ab12"
is_json "without their secrets" '.endpoints[0] | keys | join(" ")' \
    "active events failures id lastStatus url"
is_json "nothing was sent yet" '.endpoints[0] | "\(.lastStatus) \(.failures)"' \
    "null 0"

# Refusals.
while read -r what body; do
	http POST /v1/webhooks "$body"
	is_error "$what" 400 INVALID_REQUEST
done <<-'END'
	no_url {"events":["verdict.reached.v1"]}
	a_number_for_one {"url":7,"events":["verdict.reached.v1"]}
	no_events {"url":"https://hooks.example.com/"}
	an_empty_array {"url":"https://hooks.example.com/","events":[]}
	a_text_for_it {"url":"https://hooks.example.com/","events":"verdict.reached.v1"}
	an_event_that_is_none {"url":"https://hooks.example.com/","events":["verdict.reached.v2"]}
	one_of_alerts {"url":"https://hooks.example.com/","events":["alert.anomaly.v1"]}
	one_twice {"url":"https://hooks.example.com/","events":["case.resolved.v1","case.resolved.v1"]}
	a_number_among_them {"url":"https://hooks.example.com/","events":["case.resolved.v1",1]}
	a_null_among_them {"url":"https://hooks.example.com/","events":[null]}
	too_many {"url":"https://hooks.example.com/","events":["a","b","c","d","e","f","g"]}
	a_secret_of_the_caller {"url":"https://hooks.example.com/","events":["case.resolved.v1"],"secret":"x"}
	another_scheme {"url":"ftp://hooks.example.com/","events":["case.resolved.v1"]}
	a_user_in_it {"url":"https://u:pw@hooks.example.com/","events":["case.resolved.v1"]}
	a_fragment {"url":"https://hooks.example.com/#x","events":["case.resolved.v1"]}
	control_bytes {"url":"https://hooks.example.com/\u000d\u000aX: y","events":["case.resolved.v1"]}
	localhost {"url":"http://localhost:5432/","events":["case.resolved.v1"]}
	loopback {"url":"http://127.0.0.1/","events":["case.resolved.v1"]}
	short {"url":"http://127.1/","events":["case.resolved.v1"]}
	decimal {"url":"http://2130706433/","events":["case.resolved.v1"]}
	octal {"url":"http://0177.0.0.1/","events":["case.resolved.v1"]}
	hexadecimal {"url":"http://0x7f.1/","events":["case.resolved.v1"]}
	metadata {"url":"http://169.254.169.254/latest/","events":["case.resolved.v1"]}
	loopback_of_IPv6 {"url":"http://[::1]/","events":["case.resolved.v1"]}
	mapped {"url":"http://[::ffff:10.0.0.1]/","events":["case.resolved.v1"]}
	translated {"url":"http://[64:ff9b::10.0.0.1]/","events":["case.resolved.v1"]}
END
is_json "a refusal names the field" '.message' "url must have a public host, unless ALLOW_PRIVATE_TARGETS is true"
http POST /v1/webhooks "{\"url\":\"https://hooks.example.com/$(printf \
    '%02050d' 0)\",\"events\":[\"case.resolved.v1\"]}"
is_error "a URL too long" 400 INVALID_REQUEST
http POST /v1/webhooks '[]'
is_error "no object" 400 INVALID_REQUEST
http POST /v1/webhooks '{'
is_error "no JSON" 400 INVALID_JSON
http GET /v1/webhooks
is_json "none of these was made" '.endpoints | length' 2

# Revoking.
http POST /v1/webhooks/whk_0/revoke
is_error "an endpoint that never was" 404 NOT_FOUND
sql "insert into assay.delivery (id, subscriber_id, event, data,
    correlation_id, occurred_at)
    select 'whd_' || n || right(id, 3), id, 'case.resolved.v1', '{}', 'c', now()
    from assay.webhook_endpoint, generate_series(1, 3) n"
http POST "/v1/webhooks/$id/revoke"
is "one is revoked" "$STATUS $BODY" '200 {"ok":true}'
http POST "/v1/webhooks/$id/revoke"
is "and may be again" "$STATUS $BODY" '200 {"ok":true}'
http GET /v1/webhooks
is_json "it is listed as inactive" \
    ".endpoints[] | select(.id == \"$id\") | .active" false
is_json "the other is not" ".endpoints[] | select(.id != \"$id\") | .active" true
is "what waited for it is dropped" \
    "$(sql "select count(*), count(*) filter (where subscriber_id = '$id')
    from assay.delivery")" "3|0"

http GET /v1/audit
is_json "the trail shows no more of a URL than its host" '.entries[] |
    select(.action == "POST /v1/webhooks" and .status == 201) |
    .params.url' "http://hooks.example.com/…
https://hooks.example.com/…"

# For development.
stop_pool
start_pool ALLOW_PRIVATE_TARGETS=true
wait_ready
http POST /v1/webhooks \
    '{"url":"http://127.0.0.1:8080/","events":["verdict.reached.v1"]}'
is "private hosts may be allowed" "$STATUS" 201
finish
