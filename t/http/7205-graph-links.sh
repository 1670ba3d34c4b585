#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/graph: when the neighbours of an entity were first seen, the links among
# them, and the fraud history of a device.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
start_cron "work project --for 10m"
admin_token
api_key
login admin@example.com 'correct horse'

# decide_login EVENT USER MEMBERS: one login, with these members of subject.
decide_login() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$2\",$3}}"
}

# draw PATH: the edges of an entity, each with the names of its two ends.
# shellcheck disable=SC2016 # this is jq
draw() {
	http GET "/v1/graph/$1"
	json '.links as $l | [.edges[] | map($l[.].id) | sort | join("-")] |
	    sort | join(" ")'
}

decide_login e-1 u-1 '"deviceId":"d-1","ip":"196.188.10.11"'
decide_login e-2 u-2 '"deviceId":"d-1"'
decide_login e-3 u-3 '"ip":"196.188.10.11"'
is "a user has the links among its neighbours and related users" \
    "$(draw user/u-1)" "196.188.10.11-d-1 196.188.10.11-u-3 d-1-u-2"
is "a device has the links among its neighbours" \
    "$(draw device/d-1)" "196.188.10.11-u-1"
http GET /v1/graph/user/u-1
is_json "links are users, devices and addresses with their users" \
    '.links | map("\(.kind) \(.id) \(.users)") | sort | join(", ")' \
    "device d-1 2, ip 196.188.10.11 2, user u-2 0, user u-3 0"
is_json "links have the time at which they were first seen" \
    '.links | map(.firstSeen | test("^20.*Z$")) | all' true
is_json "a user has its decisions" '.risk | tojson' \
    '{"events":1,"frauds":0,"labels":0}'
sql "update assay.entity set first_seen = null where key = 'd-1'"
http GET /v1/graph/user/u-1
is_json "an entity of an earlier release has no first time" \
    '.links[] | select(.id == "d-1") | .firstSeen' null
http GET /v1/graph/user/u-404
is_json "an unknown entity has no links" \
    '"\(.links) \(.edges) \(.risk)"' "[] [] null"

http POST /v1/labels/chargeback '{"eventId":"e-1"}'
# risk_is WANT: the device has this history.
# shellcheck disable=SC2317 # called by name
risk_is() {
	http GET /v1/graph/device/d-1
	[ "$(json '.risk | "\(.events) \(.frauds) \(.labels)"')" = "$1" ]
}
check "a device has its events and frauds" stack_until 20 "$stack_pool_pid" \
    risk_is "2 1 1"
# facts PATH: each link with its events, frauds and labels.
facts() {
	http GET "/v1/graph/$1"
	json '.links | map("\(.id) \(.risk | "\(.events) \(.frauds) \(.labels)")") |
	    sort | join(", ")'
}
is "the links of a device have their events and frauds" "$(facts device/d-1)" \
    "196.188.10.11 2 1 1, u-1 1 1 1, u-2 1 0 0"
is "the links of a user have their events and frauds" "$(facts user/u-3)" \
    "196.188.10.11 2 1 1, u-1 1 1 1"
ctl graph device d-1
check "assayctl graph prints the links and the frauds" \
    prints 'fraud  *1|.*user  *u-1'

# A busy entity: 50 links of each kind.
sql "with made as (
	insert into assay.entity (kind, key)
	select 1 + n % 4, 'm-' || n from generate_series(1, 900) n returning id
), hub as (
	insert into assay.entity (kind, key) values (2, 'hub') returning id
), kept as (
	insert into assay.entity_link (older, newer)
	select least(made.id, hub.id), greatest(made.id, hub.id) from made, hub
)
insert into assay.entity_link (older, newer)
select m.id, n.id from made m, made n where m.id < n.id
on conflict do nothing" >/dev/null
http GET /v1/graph/device/hub
is_json "a busy entity has 50 links of each kind" \
    '.links | group_by(.kind) | map(length) | tojson' "[50,50,50,50]"
is_json "a busy entity has all links among these" '.edges | length' 19900
is_json "edges name positions of links" \
    '[.edges[][] | . >= 0 and . < 200] | all' true
TOKEN=
http GET /v1/graph/device/d-1
is_error "the graph answers 401 without a token" 401 UNAUTHENTICATED
finish
