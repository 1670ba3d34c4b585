#!/bin/sh
# SPDX-License-Identifier: ISC
# Requests for chargebacks: the event ids and keys that are accepted, and no
# answer of 202 without a stored label.
. "$(dirname "$0")/lib.sh"
use list labels

start_labels

# An event id of a label is one that an event can have.
http POST /v1/labels/chargeback "$(printf '{"eventId":"%0128d"}' 0)"
is "an event id of 128 bytes is accepted" "$STATUS" 202
http POST /v1/labels/chargeback '{"eventId":"é/\"%"}'
is "an event id with quotes and letters of any script is accepted" \
    "$STATUS $(sql "select count(*) from assay.label
    where event_id = 'é/\"%'")" "202 1"
for body in '{}' '[]' '{"eventId":""}' '{"eventId":null}' '{"eventId":7}' \
    "$(printf '{"eventId":"%0129d"}' 0)" '{"eventId":"a\u0001"}' \
    '{"eventId":"a\u0085"}' '{"eventId":"e","outcome":"fraud"}'; do
	http POST /v1/labels/chargeback "$body"
	is_error "a chargeback with the body $(printf %.40s "$body") answers 400" \
	    400 INVALID_REQUEST
done
http POST /v1/labels/chargeback '{"eventId":"a","eventId":"b"}'
is_error "a chargeback with two event ids answers 400" 400 INVALID_JSON
http POST /v1/labels/chargeback
is_error "a chargeback without a body answers 400" 400 INVALID_JSON
http POST /v1/labels/chargeback "" -H 'Content-Type: text/csv' -d 'e-1'
is_error "a chargeback of another content type answers 415" \
    415 UNSUPPORTED_MEDIA_TYPE
http GET /v1/labels/chargeback
is_error "GET of chargebacks answers 405" 405 METHOD_NOT_ALLOWED
http POST /v1/labels/analyst '{"eventId":"e-1"}'
is_error "there is no route for an analyst's label" 404 NOT_FOUND

# Only a key with the scope labels stores a label.
both=$KEY
KEY=
send_chargeback x-1
is_error "with a token alone a chargeback answers 401" 401 INVALID_API_KEY
api_key '["decisions"]'
send_chargeback x-1
is_error "with a key for decisions a chargeback answers 403" \
    403 INSUFFICIENT_SCOPE
http POST /v1/labels/chargeback '{}'
is_error "the scope is checked before the body" 403 INSUFFICIENT_SCOPE
KEY=ak_live_000000000000000000000000000000000000000000000000
send_chargeback x-1
is_error "with an unknown key a chargeback answers 401" 401 INVALID_API_KEY
api_key '["labels"]'
send_chargeback x-2
is "with a key for labels a chargeback answers 202" "$STATUS" 202
decide_order x-3
is_error "with a key for labels a decision answers 403" 403 INSUFFICIENT_SCOPE
KEY=$both
is "a rejected chargeback stores no label" \
    "$(sql "select event_id from assay.label
    where event_id like 'x-%'")" x-2
# Without a database a chargeback is refused.
stop_database
send_chargeback gone
is_error "a chargeback without a database answers 503" 503 UNAVAILABLE
start_database
wait_ready
send_chargeback gone
is "a chargeback answers 202 when the database is back" "$STATUS" 202
decide_order gone
check "a label is matched when the database was away" \
    stack_until 30 0 is_matched gone
finish
