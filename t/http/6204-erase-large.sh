#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure of users with much data: partial rows, thousands of rows, devices and
# fingerprints, a component above the cap, and a decision in progress.
. "$(dirname "$0")/lib.sh"
use lock erase

start_with_key

# Detail rows may have lost a part: retention cleared it, or a list decided and
# there is no sample.
decide_order o-9 u-parts
decide_order o-10 u-parts
decide_order o-11 u-parts
sql "update assay.decision_detail set request = null where event_id = 'o-9';
    update assay.decision_detail set sample = null where event_id = 'o-10'"
erase_user u-parts
is_json "the answer counts requests and samples separately" \
    '"\(.replaySamplesRemoved)
    \(.activityEntriesRemoved)" | gsub("\\s+"; " ")' "2 2"
is "rows that lost a part are erased, too" \
    "$(sql "select count(*) from assay.decision_detail
    where user_id = 'u-parts'")" 0

# An erasure takes several transactions.  It removes what is older than itself, and
# what a wrong clock has dated in the future.
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, request, sample)
select now() + case when n > 2400 then interval '35 days' else '0 s' end,
    'vd_' || n, 'e-' || n, 'order.place', 'u-many', '{}', '{}'
    from generate_series(1, 2500) n"
erase_user u-many
is "an erasure of 2500 rows removes them all, also those of the future" \
    "$(json .replaySamplesRemoved) $(detail_rows u-many)" "2500 0"

# A user with many devices, in a component above the size cap.
decide_order o-13 u-hub '"deviceId":"d-hub","ip":"196.188.5.5"'
decide_order o-14 u-rim '"deviceId":"d-hub"'
sql "with made as (
	insert into assay.entity (kind, key, users, parent)
	select 2, 'rim-' || n, 1, (select coalesce(parent, id)
	    from assay.entity where key = 'u-hub')
	from generate_series(1, 2200) n returning id
), root as (
	update assay.entity set size = 500 where id = (select
	    coalesce(parent, id) from assay.entity where key = 'u-hub')
)
insert into assay.entity_link (older, newer) select e.id, made.id from made, assay.entity e
where e.key = 'u-hub'" >/dev/null
erase_user u-hub
is "a user with 2200 devices is erased" "$STATUS $(json .graph)" "200 true"
is "no device of the erased user remains" \
    "$(sql "select count(*) from assay.entity
    where key like 'rim-%' or key in ('u-hub', '196.188.5.5')")" 0
TOKEN=$token
http GET /v1/graph/user/u-rim
is_json "a component above the cap keeps its size" .ringSize 500
http GET /v1/graph/device/d-hub
is_json "the shared device shows only the user who remains" \
    '.users | join(" ")' u-rim
TOKEN=
is "the shared device counts only the user who remains" \
    "$(sql "select users from assay.entity
    where key = 'd-hub'")" 1
decide_order o-15 u-new '"deviceId":"d-hub"'
is "a new user of the shared device joins the component" \
    "$(last_signals)" "false 0 0 1"
decide_order o-16 u-new
is "the next decision shows the component above the cap" \
    "$(last_signals)" "1 1 500"

# Fingerprints belong to no component.
decide_order o-17 u-prints '"deviceId":"d-prints"'
sql "with made as (
	insert into assay.entity (kind, key, users)
	select 5, 'print-' || n, 1 from generate_series(1, 1500) n returning id
)
insert into assay.entity_link (older, newer) select e.id, made.id from made, assay.entity e
where e.key = 'u-prints'" >/dev/null
erase_user u-prints
is "a user with 1500 fingerprints is erased" \
    "$STATUS $(json .graph) $(sql "select count(*)
    from assay.entity where key like 'print-%' or key like '%-prints'")" \
    "200 true 0"

# A decision holds the user's lock; the erasure waits for it.
decide_order o-18 u-slow '"deviceId":"d-slow"'
hold_lock "select pg_advisory_xact_lock($(user_lock u-slow))"
(
	erase_user u-slow
	json .graph >"$scratch/slow"
) &
request=$!
check "the erasure waits for the user's lock" \
    stack_until 20 "$request" lock_waiters_are 1
is "an erasure that waits has removed nothing of the user" "$(sql "select count(*)
    from assay.user_state where user_id = 'u-slow'")" 1
release_lock
wait "$request"
is "the erasure runs once the lock is free" "$(cat "$scratch/slow")" true

TOKEN=$token
for body in '{}' '{"userId":""}' '{"userId":7}' '{"userId":null}' \
    '{"userId":"u","why":"x"}' '{"userid":"u"}' '[]' \
    "{\"userId\":\"$(printf '%0129d' 0)\"}" '{"userId":"a\u0007b"}'; do
	http POST /v1/privacy/erase "$body"
	short=$(printf '%.30s' "$body")
	is_error "an erasure of $short answers 400" 400 INVALID_REQUEST
done
http POST /v1/privacy/erase '{"userId":'
is_error "an incomplete body answers 400" 400 INVALID_JSON
http GET /v1/privacy/erase
is_error "GET answers 405" 405 METHOD_NOT_ALLOWED
finish
