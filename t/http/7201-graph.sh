#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/graph: the entities that an entity was seen with.
. "$(dirname "$0")/lib.sh"

start_with_key

# decide_login USER MEMBERS: one login, with these members of subject.
decide_login() {
	http POST /v1/decisions "{\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$1\",$2}}"
}

# show_neighbours PATH WANT [WHO]: each list sorted and joined.
show_neighbours() {
	http GET "/v1/graph/$1"
	is "${3:-an admin} sees the neighbours of $1" \
	    "$STATUS $(json '([.users, .devices, .ips, .phones] |
	    map(sort | join(" "))) + ["\(.ringSize)"] | join(", ")')" "200 $2"
}

decide_login u-1 '"deviceId":"d 1/a?","ip":"196.188.10.11","phone":"+251 911 234 544"'
decide_login u-2 '"deviceId":"d 1/a?","fingerprint":"f-secret"'
decide_login u-3 '"ip":"2001:db8:0::0:7","fingerprint":"f-secret"'
decide_login u-3 '"ip":"196.188.10.11"'
decide_login u-4 '"deviceId":"d-4"'

http GET /v1/graph/user/u-1
is_error "the graph answers 401 with a service key" 401 UNAUTHENTICATED
KEY=
TOKEN=$token

http GET /v1/graph/user/u-1
is_json "an entity has these fields" 'keys | join(" ")' \
    "devices edges id ips kind links phones ringSize risk users"
is_json "an entity repeats kind and id of the request" \
    '"\(.kind) \(.id)"' "user u-1"
show_neighbours user/u-1 "u-2 u-3, d 1/a?, 196.188.10.11, 251911234544, 7"
show_neighbours user/u-2 "u-1, d 1/a?, , , 7"
show_neighbours user/u-3 "u-1, , 196.188.10.11 2001:db8::, , 7"
show_neighbours user/u-4 ", d-4, , , 2"
show_neighbours device/d%201%2Fa%3F "u-1 u-2, , 196.188.10.11, 251911234544, 7"
show_neighbours ip/196.188.10.11 "u-1 u-3, d 1/a?, , 251911234544, 7"
show_neighbours phone/251911234544 "u-1, d 1/a?, 196.188.10.11, , 7"
show_neighbours user/d-4 ", , , , 1"
show_neighbours user/u-404 ", , , , 1"

# Ids are normalised as in events.
show_neighbours ip/::ffff:196.188.10.11 "u-1 u-3, d 1/a?, , 251911234544, 7"
show_neighbours ip/2001:0DB8::9 "u-3, , , , 7"
http GET /v1/graph/phone/%2B251-911-234-544
is_json "a phone is normalised as in events" \
    '"\(.id) \(.users[0])"' "251911234544 u-1"

for path in card/411111 User/u-1 fingerprint/f-secret ip/196.188.10 \
    phone/12345 user/%07 user/%ff; do
	http GET "/v1/graph/$path"
	is_error "the path $path answers 400" 400 INVALID_REQUEST
done
http GET /v1/graph/ip/196.188.10.300
is_json "the error does not repeat the bad address" .message \
    "id must be an IPv4 or IPv6 address"
http GET "/v1/graph/user/$(printf '%0129d' 0)"
is_error "an id of 129 bytes answers 400" 400 INVALID_REQUEST
http GET /v1/graph/user/
is_error "an empty id answers 404" 404 NOT_FOUND
http GET /v1/graph/user/u-1/links
is_error "a path below an entity answers 404" 404 NOT_FOUND
http POST /v1/graph/user/u-1
is_error "POST on an entity answers 405" 405 METHOD_NOT_ALLOWED
sql "update assay.operator set role = 'analyst'"
show_neighbours user/u-4 ", d-4, , , 2" "an analyst"
TOKEN=
http GET /v1/graph/user/u-1
is_error "the graph answers 401 without credentials" 401 UNAUTHENTICATED
TOKEN=$token
is "reading the graph leaves no entry in the audit trail" \
    "$(sql "select count(*) from assay.audit
    where action like 'GET%'")" 0

# reveal BODY WANT: the status, the value, and what the trail has of it.
reveal() {
	http POST /v1/graph/reveal "$1"
	is "the reveal of $1" "$STATUS $(json '.value // .code') $(sql "select status,
	    params from assay.audit where action = 'POST /v1/graph/reveal'
	    order by number desc limit 1" | tr '|' ' ')" "$2"
}
reveal '{"subject":"phone","value":"+251 911 234 544","userId":"u-1"}' \
    '200 251911234544 200 {"subject":"phone","value":"+2519•••••44","userId":"u-1"}'
reveal '{"subject":"ip","value":"2001:0db8::","userId":null}' \
    '200 2001:db8:: 200 {"subject":"ip","value":"2001:db8:•","userId":null}'
reveal '{"subject":"ip","value":"196.188.10.300"}' \
    '400 INVALID_REQUEST 400 {"subject":"ip","value":"•"}'
reveal '{"subject":"user","value":"u-1"}' \
    '400 INVALID_REQUEST 400 {"subject":"user"}'
reveal '{"subject":"ip","value":"1.2.3.4","userId":"\u0007"}' \
    '400 INVALID_REQUEST 400 {"subject":"ip","value":"1.2.•.•","userId":"\u0007"}'

# At most a hundred of each kind, the newest first.
sql "with made as (
	insert into assay.entity (kind, key)
	select 1, 'm-' || n from generate_series(1, 1500) n returning id
), ip as (
	update assay.entity set users = 500 where key = '196.188.10.11'
	returning id
)
insert into assay.entity_link (older, newer) select ip.id, made.id from made, ip" >/dev/null
http GET /v1/graph/ip/196.188.10.11
is_json "a busy address shows its newest 100 users" \
    '"\(.users | length) \(.users[0:2] | join(" "))"' \
    "100 m-1500 m-1499"
http GET /v1/graph/user/u-3
is_json "a user of a busy address shows the nearest users" \
    '"\(.users | length) \(.users[0]) \(.users | index("u-3"))"' \
    "100 m-1500 null"
finish
