#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit trail has every change by an operator, also refused ones, with
# secrets and personal data redacted.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token

http GET /v1/audit
is "the trail starts with the registration" "$STATUS $(json '"\(.total) \(
    .entries[0].action)"')" '200 1 POST /v1/auth/register'
http POST /v1/apikeys '{"name":"till 7","scopes":["decisions"]}'
id=$(json .key.id)
http GET /v1/audit
is_json "an entry has actor, role, action and status" '.entries[0] |
    "\(.actor) \(.role) \(.action) \(.status)"' \
    "admin@example.com admin POST /v1/apikeys 201"
is_json "an entry has the request's fields" '.entries[0].params | tojson' \
    '{"name":"till 7","scopes":["decisions"]}'
is_json "an entry has exactly the documented fields" \
    '.entries[0] | keys | join(" ")' \
    "action actor at id params role status"
is_json "an entry has an id of its form" \
    '.entries[0].id | test("^aud_[0-9a-v]{26}$")' true
is_json "an entry has its time in milliseconds" '.entries[0].at |
    test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$")' true

http POST "/v1/apikeys/$id/revoke?why=lost"
http POST /v1/apikeys/key_0/revoke
is_error "revoking an unknown key answers 404" 404 NOT_FOUND
http POST /v1/apikeys '{"name":"n","expiresinDays":3,"password":"hunter two",
    "apiKey":{"x":1},"ip":"196.188.1.2","phone":"+251911234544",
    "url":"https://u:pw@hooks.example.com/T0/B0/x?y","subject":"phone",
    "value":"+251911234544","list":[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1],
    "deep":{"ip":"2001:db8::1","ok":true,"phone":["+251911234544"],
	"subject":"phones","value":"+251911234544"},
    "few":[{"value":"+251911234544"},{"path":"event.amount","value":7}]}'
is_error "a key with unknown fields answers 400" 400 INVALID_REQUEST
http POST /v1/apikeys '{"name":'
is_error "a key with half a body answers 400" 400 INVALID_JSON
http GET /v1/audit
is_json "the trail has refused requests too, newest first" '.entries |
    map("\(.status) \(.action)") | join(", ")' \
    "400 POST /v1/apikeys, 400 POST /v1/apikeys, 404 POST /v1/apikeys/key_0/revoke, 200 POST /v1/apikeys/$id/revoke, 201 POST /v1/apikeys, 201 POST /v1/auth/register"
is_json "an entry for a malformed body has no params" \
    '.entries[0].params | tojson' '{}'
is_json "params redact secrets" '.entries[1].params |
    "\(.password) \(.apiKey) \(.name)"' "[redacted] [redacted] n"
is_json "params mask addresses and phone numbers in any field" \
    '.entries[1].params | "\(.ip) \(.phone) \(.value) \(.deep.ip)"' \
    "196.188.•.• +2519•••••44 +2519•••••44 2001:db8:•"
is_json "params mask values in lists and redact values of unknown subjects" \
    '.entries[1].params | "\(.deep.phone[0]) \(.deep.value) \(.few[0].value)
	\(.few[1].value)" | gsub("\\s+"; " ")' \
    "+2519•••••44 [redacted] [redacted] 7"
is_json "params cut a URL after its host" .entries[1].params.url \
    "https://hooks.example.com/…"
is_json "params cut a long list" '.entries[1].params.list | .[20]' "… 1 more"
is "no action keeps the query" "$(sql "select count(*) from assay.audit
    where action like '%?%'")" 0

http POST /v1/apikeys "{\"name\":\"$(printf '%0129d' 0 |
    sed 's/0/é/g')\",\"$(printf '%01000d' 0)\":1}"
http GET '/v1/audit?limit=1'
is_json "params cut long texts between characters" '.entries[0].params |
    "\(.name | length) \(.name[-1:]) \(keys[0] | length)"' "129 … 257"
is_json "total counts all entries, not only the page" \
    '"\(.total) \(.entries | length)"' "7 1"
http GET '/v1/audit?limit=2&offset=4'
is_json "the last page has the remaining entries" \
    '.entries | map(.status) | tojson' '[200,201]'
http GET '/v1/audit?limit=0'
is_error "a limit of 0 entries answers 400" 400 INVALID_REQUEST
http GET '/v1/audit?limit=201'
is_error "a limit of 201 entries answers 400" 400 INVALID_REQUEST
http GET '/v1/audit?limit=2'
last=$(json '.entries[1].id')
http GET '/v1/audit?limit=2&offset=2'
third=$(json '.entries[0].id')
http POST /v1/apikeys '{"name":"while one reads"}'
http GET "/v1/audit?limit=2&before=$last"
is "a page after an entry does not move when an entry is added" \
    "$(json '.entries[0].id')" "$third"
http GET '/v1/audit?before=aud_none'
is_error "a page after an unknown entry answers 404" 404 NOT_FOUND
http GET '/v1/audit?offset=-1'
is_error "a negative offset answers 400" 400 INVALID_REQUEST
http POST /v1/audit '{}'
is_error "adding an entry by hand answers 405" 405 METHOD_NOT_ALLOWED

# An entry is written whatever the path or body holds.
raw 'POST /v1/apikeys/\377%0128d/revoke HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n' \
    0 "$TOKEN"
is "a path that is not UTF-8 answers 400" \
    "$STATUS $(json .code)" "400 INVALID_REQUEST"
http GET '/v1/audit?limit=1'
is_json "the trail has the path that is not UTF-8" \
    '.entries[0] | "\(.status) \(.action[:24])"' \
    '400 POST /v1/apikeys/%FF0000'
http POST /v1/apikeys "{\"url\":\"https://$(printf '%0246d' 0)é/\"}"
http GET '/v1/audit?limit=1'
is_json "a long URL is not cut inside a character" \
    '.entries[0].params.url' '…'
http POST /v1/apikeys '{"url":["https://hooks.example.com/T1/B1"],
    "webhookUrl":"https://hooks.example.com/T1/B1","phone":251911234544,
    "phones":["+251911234544"],"subject":"ip","value":["196.188.1.2"]}'
is_error "a key with fields of wrong types answers 400" 400 INVALID_REQUEST
http GET '/v1/audit?limit=1'
is_json "params mask fields of wrong types too" '.entries[0].params |
    "\(.url[0]) \(.webhookUrl) \(.phone) \(.phones[0]) \(.value[0])"' \
    "https://hooks.example.com/… https://hooks.example.com/… +2519•••••44 +2519•••••44 196.188.•.•"
http POST /v1/apikeys "{\"name\":1.$(printf '%02000d' 0)}"
http GET '/v1/audit?limit=1'
is_json "params cut a long number" .entries[0].params.name "…"

good=$TOKEN
TOKEN=$good.x
http POST /v1/apikeys '{"name":"n"}'
is_error "a key with a bad token answers 401" 401 UNAUTHENTICATED
TOKEN=
http GET /v1/audit
is_error "reading the trail without a token answers 401" 401 UNAUTHENTICATED
TOKEN=$good
sql "update assay.operator set role = 'analyst'"
http POST /v1/apikeys '{"name":"n"}'
is_error "a key made by an analyst answers 403" 403 FORBIDDEN
http GET /v1/audit
is_error "an analyst reading the trail answers 403" 403 FORBIDDEN
sql "update assay.operator set role = 'admin'"
http GET /v1/audit
is_json "the trail has the analyst's attempt and none of unknown callers" \
    '"\(.total) \(.entries[0] | "\(.role) \(.status)")"' "13 analyst 403"
finish
