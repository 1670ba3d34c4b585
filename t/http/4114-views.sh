#!/bin/sh
# SPDX-License-Identifier: ISC
# Saved views: an operator's own and shared ones.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
admin=$TOKEN
sql "insert into assay.operator (email, role, password)
    select w.email, 'analyst', o.password from assay.operator o,
	(values ('ana@example.com'), ('ben@example.com')) as w(email)"
for name in ana ben; do
	http POST /v1/auth/login \
	    "{\"email\":\"$name@example.com\",\"password\":\"correct horse\"}"
	eval "$name=\$(json .token)"
done

# save NAME SHARED [QUERY]: save a view of the cases.
save() {
	http POST /v1/views "{\"name\":\"$1\",\"screen\":\"cases\",
	    \"shared\":$2,\"query\":${3-"{}"}}"
}
views() {
	json 'map("\(.name) \(.owner) \(.mine)") | join(", ")'
}

# shellcheck disable=SC2154 # set by eval
TOKEN=$ana
http GET /v1/views
is "there are no views at first" "$STATUS $BODY" "200 []"
save 'large ones' true '{"minAmount":"1000","order":"score"}'
is "a view is saved" "$STATUS $(json 'del(.id) | tojson')" "201 \
{\"name\":\"large ones\",\"screen\":\"cases\",\"query\":{\"minAmount\":\"1000\",\
\"order\":\"score\"},\"shared\":true,\"owner\":\"ana@example.com\",\"mine\":true}"
shared=$(json .id)
save mine false '{"userId":"u-1"}'
private=$(json .id)
save mine false
is_error "a name is used once for a screen" 409 VIEW_EXISTS
http POST /v1/views \
    '{"name":"mine","screen":"decisions","shared":false,"query":{}}'
is "another screen may have the same name" "$STATUS" 201
http GET /v1/views
is "an operator sees all views of their own" "$(views)" "large ones \
ana@example.com true, mine ana@example.com true, mine ana@example.com true"

# shellcheck disable=SC2154 # set by eval
TOKEN=$ben
http GET /v1/views
is "another operator sees the shared view alone" "$(views)" \
    "large ones ana@example.com false"
# stays VIEW ID: DELETE of the view answers 404.
stays() {
	http DELETE "/v1/views/$2"
	is_error "another operator cannot delete $1" 404 NOT_FOUND
}
stays "a shared view" "$shared"
stays "a private view" "$private"
stays "an unknown view" viw_none
save mine false
is "two operators may use the same name" "$STATUS" 201
TOKEN=$admin
http DELETE "/v1/views/$shared"
is "an admin deletes a shared view" "$STATUS $(json tojson)" '200 {"ok":true}'

for body in '{}' '{"name":"","screen":"cases","shared":true,"query":{}}' \
    '{"name":"x","screen":"rules","shared":true,"query":{}}' \
    '{"name":"x","screen":"cases","shared":1,"query":{}}' \
    '{"name":"x","screen":"cases","shared":true,"query":[]}' \
    '{"name":"x","screen":"cases","shared":true,"query":{"a":1}}' \
    '{"name":"x","screen":"cases","shared":true,"query":{"a":null}}' \
    '{"name":"x","screen":"cases","shared":true,"query":{"a b":"c"}}' \
    '{"name":"x","screen":"cases","shared":true,"query":{"a":"b\n"}}'; do
	http POST /v1/views "$body"
	is_error "a view is refused: $body" 400 INVALID_REQUEST
done
save x true "{\"a\":\"$(printf '%0257d' 0)\"}"
is_error "a value of 257 bytes is refused" 400 INVALID_REQUEST
save x true "{$(seq -s, 17 | sed 's/[0-9]*/"a&":""/g')}"
is_error "17 parameters are refused" 400 INVALID_REQUEST
save x true '{"userId":"4111 1111 1111 1111"}'
is_error "a card number in a view is refused" 400 INGEST_PAN_REJECTED
save 4111111111111111 true
is_error "a card number as a name is refused" 400 INGEST_PAN_REJECTED
save '<img onerror=\u202ealert(1)>' true \
    '{"tag":"\u0027; drop table assay.saved_view; --"}'
is_json "a hostile text is kept as it is" .query.tag \
    "'; drop table assay.saved_view; --"
sql "insert into assay.saved_view select 'viw_' || n, 'admin@example.com', 'cases', n, '{}',
    false from generate_series(1, 98) n" 2>/dev/null
save 'the last one' false
is "the hundredth view is saved" "$STATUS" 201
save 'one too many' false
is_error "a view after the hundredth is refused" 409 VIEWS_FULL

http POST /v1/privacy/erase '{"userId":"u-1"}'
is "erasing a user deletes the views of that user" "$STATUS $(sql "select
    count(*) from assay.saved_view where query like '%u-1%'")" "200 0"
finish
