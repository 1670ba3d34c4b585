#!/bin/sh
# SPDX-License-Identifier: ISC
# The graph explorer: what an entity was seen with.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key
token=$TOKEN
TOKEN=

# login USER MEMBERS: an event, with these members of subject besides.
login() {
	http POST /v1/decisions "{\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$1\",$2}}"
}

# around PATH: in lists that are sorted and joined.
around() {
	http GET "/v1/graph/$1"
	is "$1" "$STATUS $(json '([.users, .devices, .ips, .phones] |
	    map(sort | join(" "))) + ["\(.ringSize)"] | join(", ")')" "200 $2"
}

login u-1 '"deviceId":"d 1/a?","ip":"196.188.10.11","phone":"+251 911 234 544"'
login u-2 '"deviceId":"d 1/a?","fingerprint":"f-secret"'
login u-3 '"ip":"2001:db8:0::0:7","fingerprint":"f-secret"'
login u-3 '"ip":"196.188.10.11"'
login u-4 '"deviceId":"d-4"'

http GET /v1/graph/user/u-1
is_error "a service key is no operator" 401 UNAUTHENTICATED
KEY=
TOKEN=$token

http GET /v1/graph/user/u-1
is_json "every field, and none besides" 'keys | join(" ")' \
    "devices id ips kind phones ringSize users"
is_json "what was asked about" '"\(.kind) \(.id)"' "user u-1"
around user/u-1 "u-2 u-3, d 1/a?, 196.188.10.11, 251911234544, 7"
around user/u-2 "u-1, d 1/a?, , , 7"
around user/u-3 "u-1, , 196.188.10.11 2001:db8::7, , 7"
around user/u-4 ", d-4, , , 2"
around device/d%201%2Fa%3F "u-1 u-2, , 196.188.10.11, 251911234544, 7"
around ip/196.188.10.11 "u-1 u-3, d 1/a?, , 251911234544, 7"
around phone/251911234544 "u-1, d 1/a?, 196.188.10.11, , 7"
around user/d-4 ", , , , 1"
around user/u-404 ", , , , 1"

# Ids take the form that they have in events.
around ip/::ffff:196.188.10.11 "u-1 u-3, d 1/a?, , 251911234544, 7"
around ip/2001:0DB8::7 "u-3, , , , 7"
http GET /v1/graph/phone/%2B251-911-234-544
is_json "the form that events have" '"\(.id) \(.users[0])"' "251911234544 u-1"

for path in card/411111 User/u-1 fingerprint/f-secret ip/196.188.10 \
    phone/12345 user/%07 user/%ff; do
	http GET "/v1/graph/$path"
	is_error "$path" 400 INVALID_REQUEST
done
http GET /v1/graph/ip/196.188.10.300
is_json "a refusal repeats nothing" .message \
    "id must be an IPv4 or IPv6 address"
http GET "/v1/graph/user/$(printf '%0129d' 0)"
is_error "a long id" 400 INVALID_REQUEST
http GET /v1/graph/user/
is_error "no id" 404 NOT_FOUND
http GET /v1/graph/user/u-1/links
is_error "further down" 404 NOT_FOUND
http POST /v1/graph/user/u-1
is_error "nothing to change" 405 METHOD_NOT_ALLOWED
sql "update assay.operator set role = 'analyst'"
around user/u-4 ", d-4, , , 2"
TOKEN=
http GET /v1/graph/user/u-1
is_error "nobody" 401 UNAUTHENTICATED
TOKEN=$token
is "looking is no change" "$(sql "select count(*) from assay.audit
    where action like 'GET%'")" 0

# A hundred of each kind, and no more, the newest first.
sql "with made as (
	insert into assay.entity (kind, key)
	select 1, 'm-' || n from generate_series(1, 1500) n returning id
), ip as (
	update assay.entity set users = 500 where key = '196.188.10.11'
	returning id
)
insert into assay.link (a, b) select ip.id, made.id from made, ip" >/dev/null
http GET /v1/graph/ip/196.188.10.11
is_json "a busy address" '"\(.users | length) \(.users[0:2] | join(" "))"' \
    "100 m-1500 m-1499"
http GET /v1/graph/user/u-3
is_json "who shares it, those who share less first" \
    '"\(.users | length) \(.users[0]) \(.users | index("u-3"))"' \
    "100 m-1500 null"
finish
