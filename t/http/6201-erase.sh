#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure: what POST /v1/privacy/erase removes, what it keeps, and that the user
# starts again as an unknown one.
. "$(dirname "$0")/lib.sh"
use erase recount

start_with_key

mine='"deviceId":"d-mine","fingerprint":"f-mine","ip":"196.188.7.8",
    "phone":"+251911234599"'
for i in 1 2 3; do
	decide_order "o-$i" u-gone "$mine"
done
decide_order o-shared u-gone '"deviceId":"d-ours"'
decide_order o-too u-gone '"ip":"196.188.9.9"'
decide_order o-other u-stays '"deviceId":"d-ours","fingerprint":"f-mine"'
decide_order o-third u-third '"deviceId":"d-third","ip":"196.188.9.9"'
http POST /v1/decisions '{"type":"account.login",
    "subject":{"userId":"u-gone"}}' -H 'Idempotency-Key: k-header'
decide_order o-4 u-gone "$mine"
is "the signals know the user before the erasure" \
    "$(last_signals)" "false false 5 6 9 1 1"
is "the stored graph agrees with a recount before the erasure" "$(graph_faults)" ""
for user in u-gone u-stays; do
	http POST /v1/decisions/async "{\"id\":\"later-$user\",
	    \"type\":\"account.login\",\"subject\":{\"userId\":\"$user\"}}"
	sql "insert into assay.outbox (event, data, user_id, correlation_id)
	values ('alert.anomaly.v1', '{}', '$user', 'c');
	insert into assay.delivery (id, subscriber_id, event, data, user_id,
	    correlation_id, occurred_at)
	values ('ntd_$user', 'ntf_1', 'alert.anomaly.v1', '{}', '$user', 'c',
	    now());
	insert into assay.dead_letter (id, subscriber_id, event, data, user_id,
	    correlation_id, occurred_at)
	select id, subscriber_id, event, data, user_id, correlation_id, occurred_at
	from assay.delivery where user_id = '$user'"
done
TOKEN=$token
http POST /v1/auth/logout-all
http POST /v1/auth/login '{"email":"admin@example.com","password":"correct horse"}'
token=$(json .token)
TOKEN=
kept_rows() {
	sql "select (select count(*) from assay.verdict_log),
	    (select count(*) from assay.review_case),
	    (select count(*) from assay.list_entry)"
}
before=$(kept_rows)

stored='{"decisions":7,"requests":7,"samples":7,"cases":1,"links":6,"events":4,"views":0,"exceptions":0,"graph":true,"baseline":true,"listEntries":0}'
nothing='{"decisions":0,"requests":0,"samples":0,"cases":0,"links":0,"events":0,"views":0,"exceptions":0,"graph":false,"baseline":false,"listEntries":0}'
TOKEN=$token
http POST /v1/privacy/erase '{"userId":"u-gone","rehearse":true}'
TOKEN=
is "a rehearsal shows what is stored and removes nothing" \
    "$STATUS $(json tojson)" '200 {"userId":"u-gone","replaySamplesRemoved":0,"activityEntriesRemoved":0,"graph":false,"baseline":false,"complete":false,"rehearse":true,"stored":'"$stored}"
erase_user u-gone
is "the answer counts what was removed" \
    "$STATUS $(json 'tojson')" '200 {"userId":"u-gone","replaySamplesRemoved":7,"activityEntriesRemoved":7,"graph":true,"baseline":true,"complete":true,"rehearse":false,"stored":'"$stored}"
is "verdict log, cases and lists keep their rows" "$(kept_rows)" "$before"
is "no table names the erased user" \
    "$(sql "select (select count(*) from assay.decision_detail
    where user_id = 'u-gone'), (select count(*) from assay.user_state where
    user_id = 'u-gone'), (select count(*) from assay.entity where key = 'u-gone')")" \
    "0|0|0"
is "entities that only the erased user had are gone" \
    "$(sql "select key from assay.entity where key in
    ('d-mine', '196.188.7.8', '251911234599', 'd-ours', 'f-mine',
    '196.188.9.9') order by key")" "196.188.9.9
d-ours
f-mine"
is "the erased user's idempotency keys are gone, others stay" "$(sql "select key
    from assay.idempotency order by key")" "o-other
o-third"
is "queued work of the erased user is gone, others' stays" "$(sql "select
    (select string_agg(user_id, ' ') from assay.async_queue),
    (select string_agg(user_id, ' ') from assay.outbox),
    (select string_agg(user_id, ' ') from assay.delivery),
    (select string_agg(user_id, ' ') from assay.dead_letter)")" \
    "u-stays|u-stays|u-stays|u-stays"
is "the stored graph agrees with a recount after the erasure" "$(graph_faults)" ""
is "the entities that remain have random keys" "$(sql "select count(*),
    count(distinct key), bool_and(key like chr(1) || '%') from assay.entity
    where kind = 0 and key <> chr(1)")" "6|6|t"
TOKEN=$token
http GET /v1/graph/user/u-gone
is_json "the graph shows the erased user as never seen" \
    '[.users, .devices, .ips, .phones, .ringSize] |
    tojson' '[[],[],[],[],1]'
http GET /v1/graph/device/d-ours
is_json "the neighbours of a shared device do not name the erased user" \
    '"\(.users | join(" ")) \(.ringSize)"' \
    "u-stays 2"
http GET /v1/graph/user/u-third
is_json "a component that only the erased user joined falls apart" \
    '"\(.users | length) \(.ringSize)"' "0 3"
TOKEN=

decide_order o-7 u-stays '"deviceId":"d-ours"'
is "a neighbour keeps its graph and its counters" \
    "$(last_signals)" "false 1 1 2"
decide_order o-1 u-gone "$mine"
is "an event id of the erased user is decided again, not replayed" \
    "$STATUS $(header x-engine-idempotent-replay)" "200 "
is "the erased user starts with empty signals" \
    "$(last_signals)" "true false 0 0 1 0 0"
is "the stored graph agrees with a recount after a new decision" "$(graph_faults)" ""
decide_order o-8 u-gone "$mine"
is "new decisions of an erased user count from zero" \
    "$(last_signals)" "false false 1 1 4 1 1"

erase_user u-gone
is "a second erasure removes the new data" \
    "$(json '"\(.replaySamplesRemoved) \(.activityEntriesRemoved) \(.graph) \(.baseline)"')" "2 2 true true"
erase_user u-gone
is "an erasure without data removes nothing" \
    "$STATUS $(json tojson)" '200 {"userId":"u-gone","replaySamplesRemoved":0,"activityEntriesRemoved":0,"graph":false,"baseline":false,"complete":true,"rehearse":false,"stored":'"$nothing}"
erase_user u-never-seen
is "an unknown user has nothing to erase" "$STATUS $(json .graph)" "200 false"
is "the stored graph agrees with a recount after all erasures" "$(graph_faults)" ""

TOKEN=$token
http GET '/v1/audit?limit=200'
is_json "the audit trail has every erasure of the user" \
    '.entries | map(select(.action ==
    "POST /v1/privacy/erase" and .params.userId == "u-gone")) |
    map(.status) | tojson' '[200,200,200,200]'
is_json "the audit trail tells a rehearsal from an erasure" \
    '.entries | map(select(.params.rehearse)) | length' 1
sql "update assay.operator set role = 'analyst'"
http POST /v1/privacy/erase '{"userId":"u-stays"}'
is_error "an analyst may not erase" 403 FORBIDDEN
TOKEN=
http POST /v1/privacy/erase '{"userId":"u-stays"}'
is_error "a user cannot be erased without a token" 401 UNAUTHENTICATED
finish
