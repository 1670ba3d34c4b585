#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure: what goes, what stays, and that the user starts from nothing.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/recount.sh
. "$(dirname "$0")/recount.sh"

start_stack
admin_token
api_key
token=$TOKEN
TOKEN=

# order ID USER MEMBERS: decide on one, with these members of subject besides.
order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":20.5,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"$2\"${3:+,$3}}}"
}

# erase USER: as an admin.
erase() {
	TOKEN=$token
	http POST /v1/privacy/erase "{\"userId\":\"$1\"}"
	TOKEN=
}

# signals: of the last decision.
signals() {
	sql "select concat_ws(' ', s->>'device.firstSeen',
	    s->>'device.fingerprintFirstSeen', s->>'anomaly.samples',
	    s->>'velocity.attemptsLast24h', s->>'graph.ringSize',
	    s->>'graph.usersOnIp', s->>'graph.usersOnPhone')
	from (select replay::json->'signals' as s from assay.detail
	    order by decided_at desc limit 1) x"
}

mine='"deviceId":"d-mine","fingerprint":"f-mine","ip":"196.188.7.8",
    "phone":"+251911234599"'
for i in 1 2 3; do
	order "o-$i" u-gone "$mine"
done
order o-shared u-gone '"deviceId":"d-ours"'
order o-too u-gone '"ip":"196.188.9.9"'
order o-other u-stays '"deviceId":"d-ours","fingerprint":"f-mine"'
order o-third u-third '"deviceId":"d-third","ip":"196.188.9.9"'
http POST /v1/decisions '{"type":"account.login",
    "subject":{"userId":"u-gone"}}' -H 'Idempotency-Key: k-header'
order o-4 u-gone "$mine"
is "the user is known" "$(signals)" "false false 5 6 9 1 1"
is "the recount agrees" "$(recount)" ""
for user in u-gone u-stays; do
	http POST /v1/decisions/async "{\"id\":\"later-$user\",
	    \"type\":\"account.login\",\"subject\":{\"userId\":\"$user\"}}"
	sql "insert into assay.outbox (event, data, user_id, correlation_id)
	values ('alert.anomaly.v1', '{}', '$user', 'c');
	insert into assay.delivery (id, subscriber_id, event, data, user_id,
	    correlation_id, occurred_at)
	values ('ntd_$user', 'ntf_1', 'alert.anomaly.v1', '{}', '$user', 'c',
	    now());
	insert into assay.dead_letter select * from assay.delivery
	where user_id = '$user'"
done
TOKEN=$token
http POST /v1/auth/logout-all
http POST /v1/auth/login '{"email":"admin@example.com","password":"correct horse"}'
token=$(json .token)
TOKEN=
kept() {
	sql "select (select count(*) from assay.verdict_log),
	    (select count(*) from assay.review_case),
	    (select count(*) from assay.list_entry)"
}
before=$(kept)

erase u-gone
is "what is gone is told" "$STATUS $(json 'tojson')" '200 {"userId":"u-gone","replaySamplesRemoved":7,"activityEntriesRemoved":7,"graph":true,"baseline":true,"complete":true}'
is "the log, cases and lists stay" "$(kept)" "$before"
is "nothing has its name" "$(sql "select (select count(*) from assay.detail
    where user_id = 'u-gone'), (select count(*) from assay.user_state where
    user_id = 'u-gone'), (select count(*) from assay.entity where key = 'u-gone')")" \
    "0|0|0"
is "nor what it alone had" "$(sql "select key from assay.entity where key in
    ('d-mine', '196.188.7.8', '251911234599', 'd-ours', 'f-mine',
    '196.188.9.9') order by key")" "196.188.9.9
d-ours
f-mine"
is "its keys are forgotten, those of others not" "$(sql "select key
    from assay.idempotency order by key")" "o-other
o-third"
is "what is still to be decided and told is that of another" "$(sql "select
    (select string_agg(user_id, ' ') from assay.async_queue),
    (select string_agg(user_id, ' ') from assay.outbox),
    (select string_agg(user_id, ' ') from assay.delivery),
    (select string_agg(user_id, ' ') from assay.dead_letter)")" \
    "u-stays|u-stays|u-stays|u-stays"
is "the recount agrees" "$(recount)" ""
is "nobody can tell whose the rows were" "$(sql "select count(*),
    count(distinct key), bool_and(key like chr(1) || '%') from assay.entity
    where kind = 0 and key <> chr(1)")" "6|6|t"
TOKEN=$token
http GET /v1/graph/user/u-gone
is_json "an entity never seen" '[.users, .devices, .ips, .phones, .ringSize] |
    tojson' '[[],[],[],[],1]'
http GET /v1/graph/device/d-ours
is_json "the neighbours do not name it" '"\(.users | join(" ")) \(.ringSize)"' \
    "u-stays 2"
http GET /v1/graph/user/u-third
is_json "the component fell apart" '"\(.users | length) \(.ringSize)"' "0 3"
TOKEN=

order o-7 u-stays '"deviceId":"d-ours"'
is "a neighbour is where it was" "$(signals)" "false 1 1 2"
order o-1 u-gone "$mine"
is "it is decided anew, under a key that it had used" \
    "$STATUS $(header x-engine-idempotent-replay)" "200 "
is "it starts from nothing" "$(signals)" "true false 0 0 1 0 0"
is "and is linked again" "$(recount)" ""
order o-8 u-gone "$mine"
is "from then on it counts" "$(signals)" "false false 1 1 4 1 1"

erase u-gone
is "it is gone again" "$(json '"\(.replaySamplesRemoved) \(.activityEntriesRemoved) \(.graph) \(.baseline)"')" "2 2 true true"
erase u-gone
is "and then there is nothing to erase" "$STATUS $(json tojson)" '200 {"userId":"u-gone","replaySamplesRemoved":0,"activityEntriesRemoved":0,"graph":false,"baseline":false,"complete":true}'
erase u-never-seen
is "nor of somebody unknown" "$STATUS $(json .graph)" "200 false"
is "the recount agrees" "$(recount)" ""

# Parts that windows have passed are not counted; one that a list decided has
# a request only.
order o-9 u-parts
order o-10 u-parts
order o-11 u-parts
sql "update assay.detail set request = null where event_id = 'o-9';
    update assay.detail set replay = null where event_id = 'o-10'"
erase u-parts
is_json "requests and samples are counted apart" '"\(.replaySamplesRemoved)
    \(.activityEntriesRemoved)" | gsub("\\s+"; " ")' "2 2"
is "and all rows go" "$(sql "select count(*) from assay.detail
    where user_id = 'u-parts'")" 0

# More than one transaction's worth, and some of what comes while it works.
sql "insert into assay.detail (decided_at, verdict_id, event_id, event_type,
	user_id, request, replay)
select now() + case when n > 2400 then interval '35 days' else '0 s' end,
    'vd_' || n, 'e-' || n, 'order.place', 'u-many', '{}', '{}'
    from generate_series(1, 2500) n"
erase u-many
is "in many transactions, up to when it began" "$(json .replaySamplesRemoved)
$(sql "delete from assay.detail where user_id = 'u-many' returning 1" | wc -l)" \
    "2400
100"

# A long list of devices, in a component that has grown beyond the cap.
order o-13 u-hub '"deviceId":"d-hub","ip":"196.188.5.5"'
order o-14 u-rim '"deviceId":"d-hub"'
sql "with made as (
	insert into assay.entity (kind, key, users, parent)
	select 2, 'rim-' || n, 1, (select coalesce(parent, id)
	    from assay.entity where key = 'u-hub')
	from generate_series(1, 2200) n returning id
), root as (
	update assay.entity set size = 500 where id = (select
	    coalesce(parent, id) from assay.entity where key = 'u-hub')
)
insert into assay.link (a, b) select e.id, made.id from made, assay.entity e
where e.key = 'u-hub'" >/dev/null
erase u-hub
is "many devices" "$STATUS $(json .graph)" "200 true"
is "without a trace" "$(sql "select count(*) from assay.entity
    where key like 'rim-%' or key in ('u-hub', '196.188.5.5')")" 0
TOKEN=$token
http GET /v1/graph/user/u-rim
is_json "a large component stays as large as it was" .ringSize 500
http GET /v1/graph/device/d-hub
is_json "but its counters do not" '.users | join(" ")' u-rim
TOKEN=
is "of those too" "$(sql "select users from assay.entity
    where key = 'd-hub'")" 1
order o-15 u-new '"deviceId":"d-hub"'
is "and who comes is in it" "$(signals)" "false 0 0 1"
order o-16 u-new
is "as before" "$(signals)" "1 1 500"

# Fingerprints are many and in no component.
order o-17 u-prints '"deviceId":"d-prints"'
sql "with made as (
	insert into assay.entity (kind, key, users)
	select 5, 'print-' || n, 1 from generate_series(1, 1500) n returning id
)
insert into assay.link (a, b) select e.id, made.id from made, assay.entity e
where e.key = 'u-prints'" >/dev/null
erase u-prints
is "many fingerprints" "$STATUS $(json .graph) $(sql "select count(*)
    from assay.entity where key like 'print-%' or key like '%-prints'")" \
    "200 true 0"

# While a decision of the user is under way, nothing of it is erased.
order o-18 u-slow '"deviceId":"d-slow"'
mkfifo "$scratch/fifo"
cluster_psql postgres assay -q <"$scratch/fifo" &
holder=$!
exec 8>"$scratch/fifo"
key=$(perl -e 'use bigint; my $h = 0xcbf29ce484222325;
    $h = (($h ^ ord $_) * 0x100000001b3) & 0xffffffffffffffff
	for split //, "u-slow";
    print $h >= 2 ** 63 ? $h - 2 ** 64 : $h')
echo "begin; select pg_advisory_xact_lock($key) \g /dev/null" >&8
(
	erase u-slow
	json .graph >"$scratch/slow"
) &
request=$!
sleep 0.5
is "erasure waits for the user's lock" "$(sql "select count(*)
    from assay.user_state where user_id = 'u-slow'") $(sql "select count(*)
    from pg_locks where locktype = 'advisory' and not granted")" "1 1"
echo "commit;" >&8
exec 8>&-
wait "$holder" "$request"
is "and then erases" "$(cat "$scratch/slow")" true

TOKEN=$token
for body in '{}' '{"userId":""}' '{"userId":7}' '{"userId":null}' \
    '{"userId":"u","why":"x"}' '{"userid":"u"}' '[]' \
    "{\"userId\":\"$(printf '%0129d' 0)\"}" '{"userId":"a\u0007b"}'; do
	http POST /v1/privacy/erase "$body"
	is_error "refused: $(printf '%.30s' "$body")" 400 INVALID_REQUEST
done
http POST /v1/privacy/erase '{"userId":'
is_error "no JSON" 400 INVALID_JSON
http GET /v1/privacy/erase
is_error "nothing to read" 405 METHOD_NOT_ALLOWED
http GET '/v1/audit?limit=200'
is_json "every erasure is in the trail" '.entries | map(select(.action ==
    "POST /v1/privacy/erase" and .params.userId == "u-gone")) |
    map(.status) | tojson' '[200,200,200]'
sql "update assay.operator set role = 'analyst'"
http POST /v1/privacy/erase '{"userId":"u-stays"}'
is_error "an analyst" 403 FORBIDDEN
TOKEN=
http POST /v1/privacy/erase '{"userId":"u-stays"}'
is_error "nobody" 401 UNAUTHENTICATED
finish
