#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit trail: every change of an operator, also a refused one, in the
# transaction of the change.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"

start_stack
admin_token

http GET /v1/audit
is "nothing has been changed since the registration" "$STATUS $(json '"\(.total) \(
    .entries[0].action)"')" '200 1 POST /v1/auth/register'
http POST /v1/apikeys '{"name":"till 7","scopes":["decisions"]}'
id=$(json .key.id)
http GET /v1/audit
is_json "a change is told" '.entries[0] |
    "\(.actor) \(.role) \(.action) \(.status)"' \
    "admin@example.com admin POST /v1/apikeys 201"
is_json "with what was asked for" '.entries[0].params | tojson' \
    '{"name":"till 7","scopes":["decisions"]}'
is_json "and all its fields" '.entries[0] | keys | join(" ")' \
    "action actor at id params role status"
is_json "under an id" '.entries[0].id | test("^aud_[0-9a-v]{26}$")' true
is_json "at a time" '.entries[0].at |
    test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$")' true

http POST "/v1/apikeys/$id/revoke?why=lost"
http POST /v1/apikeys/key_0/revoke
is_error "one that never was" 404 NOT_FOUND
http POST /v1/apikeys '{"name":"n","expiresinDays":3,"password":"hunter two",
    "apiKey":{"x":1},"ip":"196.188.1.2","phone":"+251911234544",
    "url":"https://u:pw@hooks.example.com/T0/B0/x?y","subject":"phone",
    "value":"+251911234544","list":[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1],
    "deep":{"ip":"2001:db8::1","ok":true,"phone":["+251911234544"],
	"subject":"phones","value":"+251911234544"},
    "few":[{"value":"+251911234544"},{"path":"event.amount","value":7}]}'
is_error "a mistyped field" 400 INVALID_REQUEST
http POST /v1/apikeys '{"name":'
is_error "no JSON" 400 INVALID_JSON
http GET /v1/audit
is_json "refusals are told too, newest first" '.entries |
    map("\(.status) \(.action)") | join(", ")' \
    "400 POST /v1/apikeys, 400 POST /v1/apikeys, 404 POST /v1/apikeys/key_0/revoke, 200 POST /v1/apikeys/$id/revoke, 201 POST /v1/apikeys, 201 POST /v1/auth/register"
is_json "without a body" '.entries[0].params | tojson' '{}'
is_json "secrets are redacted" '.entries[1].params |
    "\(.password) \(.apiKey) \(.name)"' "[redacted] [redacted] n"
is_json "addresses and numbers masked, wherever they are" \
    '.entries[1].params | "\(.ip) \(.phone) \(.value) \(.deep.ip)"' \
    "196.188.•.• +2519•••••44 +2519•••••44 2001:db8:•"
is_json "also in a list, or of no subject that there is" \
    '.entries[1].params | "\(.deep.phone[0]) \(.deep.value) \(.few[0].value)
	\(.few[1].value)" | gsub("\\s+"; " ")' \
    "+2519•••••44 [redacted] [redacted] 7"
is_json "URLs cut after the host" .entries[1].params.url \
    "https://hooks.example.com/…"
is_json "long lists cut" '.entries[1].params.list | .[20]' "… 1 more"
is "no query is kept" "$(sql "select count(*) from assay.audit
    where action like '%?%'")" 0

http POST /v1/apikeys "{\"name\":\"$(printf '%0129d' 0 |
    sed 's/0/é/g')\",\"$(printf '%01000d' 0)\":1}"
http GET '/v1/audit?limit=1'
is_json "long texts are cut between characters" '.entries[0].params |
    "\(.name | length) \(.name[-1:]) \(keys[0] | length)"' "129 … 257"
is_json "and the total is of all" '"\(.total) \(.entries | length)"' "7 1"
http GET '/v1/audit?limit=2&offset=4'
is_json "the last page" '.entries | map(.status) | tojson' '[200,201]'
http GET '/v1/audit?limit=0'
is_error "no entries" 400 INVALID_REQUEST
http GET '/v1/audit?limit=201'
is_error "too many" 400 INVALID_REQUEST
http GET '/v1/audit?limit=2'
last=$(json '.entries[1].id')
http GET '/v1/audit?limit=2&offset=2'
third=$(json '.entries[0].id')
http POST /v1/apikeys '{"name":"while one reads"}'
http GET "/v1/audit?limit=2&before=$last"
is "the page after an entry is the same when another one comes" \
    "$(json '.entries[0].id')" "$third"
http GET '/v1/audit?before=aud_none'
is_error "pages begin after an entry that there is" 404 NOT_FOUND
http GET '/v1/audit?offset=-1'
is_error "before the first" 400 INVALID_REQUEST
http POST /v1/audit '{}'
is_error "nothing is added by hand" 405 METHOD_NOT_ALLOWED

# Nor is one lost for what its path or body holds.
raw 'POST /v1/apikeys/\377%0128d/revoke HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n' \
    0 "$TOKEN"
is "a path that is no text" "$STATUS $(json .code)" "400 INVALID_REQUEST"
http GET '/v1/audit?limit=1'
is_json "is told of" '.entries[0] | "\(.status) \(.action[:24])"' \
    '400 POST /v1/apikeys/%FF0000'
http POST /v1/apikeys "{\"url\":\"https://$(printf '%0246d' 0)é/\"}"
http GET '/v1/audit?limit=1'
is_json "nor is a URL cut inside of a character" \
    '.entries[0].params.url' '…'
http POST /v1/apikeys '{"url":["https://hooks.example.com/T1/B1"],
    "webhookUrl":"https://hooks.example.com/T1/B1","phone":251911234544,
    "phones":["+251911234544"],"subject":"ip","value":["196.188.1.2"]}'
is_error "fields of the wrong type" 400 INVALID_REQUEST
http GET '/v1/audit?limit=1'
is_json "are masked like those of the right one" '.entries[0].params |
    "\(.url[0]) \(.webhookUrl) \(.phone) \(.phones[0]) \(.value[0])"' \
    "https://hooks.example.com/… https://hooks.example.com/… +2519•••••44 +2519•••••44 196.188.•.•"
http POST /v1/apikeys "{\"name\":1.$(printf '%02000d' 0)}"
http GET '/v1/audit?limit=1'
is_json "a long number is cut" .entries[0].params.name "…"

good=$TOKEN
TOKEN=$good.x
http POST /v1/apikeys '{"name":"n"}'
is_error "a stranger" 401 UNAUTHENTICATED
TOKEN=
http GET /v1/audit
is_error "nobody" 401 UNAUTHENTICATED
TOKEN=$good
sql "update assay.operator set role = 'analyst'"
http POST /v1/apikeys '{"name":"n"}'
is_error "an analyst" 403 FORBIDDEN
http GET /v1/audit
is_error "reads no trail either" 403 FORBIDDEN
sql "update assay.operator set role = 'admin'"
http GET /v1/audit
is_json "of whom an attempt is told, but of strangers none" \
    '"\(.total) \(.entries[0] | "\(.role) \(.status)")"' "13 analyst 403"

# A change whose entry cannot be written is none.
sql 'alter table assay.audit add constraint never check (status <> 201)
    not valid'
http POST /v1/apikeys '{"name":"unheard of"}'
is_error "a change that cannot be told" 500 INTERNAL
is "is not made" "$(sql "select count(*) from assay.service_key
    where name = 'unheard of'")" 0
sql 'alter table assay.audit drop constraint never'
http GET '/v1/audit?limit=1'
is_json "and the attempt is told" '.entries[0].status' 500

# Nor is one that the database gave up, but that may be sent again.
hold 'lock table assay.service_key'
later waited /v1/apikeys '{"name":"held up"}' -H "Authorization: Bearer $TOKEN"
stack_until 20 0 waits_are 1
sql "select pg_cancel_backend(pid) from pg_locks where not granted" >/dev/null
now waited
release
is_error "a change that waits for too long" 503 UNAVAILABLE
is "is to be sent again" "$(header retry-after)" 1
is "and is not made" "$(sql "select count(*) from assay.service_key
    where name = 'held up'")" 0
check "of which the log says why" grep -q \
    'request=failed code=UNAVAILABLE why="database error 57014' \
    "$scratch/log/pool.log"
finish
