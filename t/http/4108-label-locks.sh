#!/bin/sh
# SPDX-License-Identifier: ISC
# Concurrent labels of the same tags, and labels while another session holds
# the lock of a tag or a label.
. "$(dirname "$0")/lib.sh"
use list labels lock

start_labels

# chargebacks_at_once EVENT: send more of them than there are workers.
chargebacks_at_once() {
	for n in 1 2 3 4 5 6; do
		curl -s -o /dev/null --unix-socket "$scratch/run/http.sock" \
		    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
		    -d "{\"eventId\":\"$1\"}" \
		    "$BASE/v1/labels/chargeback" &
	done
}

# Concurrent labels of the same events and tags.  On a slow machine one may wait too
# long for a tag; its client tries again.
for n in 1 2 3 4 5 6 7 8; do
	decide_order "m-$n" watched
done
http GET '/v1/cases?limit=8'
cases=$(json '.[] | select(.eventId | startswith("m-")) | .id')
pids=
for n in 1 2 3 4 5 6 7 8; do
	for again in 1 2; do
		curl -s -o "$scratch/label.$n.$again" -w '%{http_code}\n' --retry 5 \
		    --unix-socket "$scratch/run/http.sock" -H "X-API-Key: $KEY" \
		    -H 'Content-Type: application/json' \
		    -d "{\"eventId\":\"m-$n\"}" "$BASE/v1/labels/chargeback" \
		    >"$scratch/many.$n.$again" &
		pids="$pids $!"
	done
done
for id in $cases; do
	curl -s -o "$scratch/label.$id" -w '%{http_code}\n' --retry 5 \
	    --unix-socket "$scratch/run/http.sock" -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' -d '{"outcome":"legit"}' \
	    "$BASE/v1/cases/$id/resolve" >"$scratch/many.$id" &
	pids="$pids $!"
done
# shellcheck disable=SC2086 # several
wait $pids
is "of 24 concurrent labels of 8 events every one is accepted" \
    "$(cat "$scratch"/many.* | sort | uniq -c |
    awk '{ print $1, $2 }' | paste -sd ,)" "8 200,16 202"
is "concurrent labels of 8 events count as eight frauds" "$(tag_weights)" \
    "amount 8/0 43!, velocity 3/0 39!"
is "concurrent labels make one event for each source" \
    "$(sql "select count(*), count(distinct data)
    from assay.outbox where data like '%\"m-%'")" '16|16'
is "the counts of tags are the sums of the labels" \
    "$(sql "select tag, fraud, legit
    from assay.tag_count order by 1")" "$(sql "select tag, count(*)
    filter (where credited_outcome = 'fraud'), count(*) filter (where
    credited_outcome = 'legit') from assay.label, unnest(tags) as tag
    group by 1 order by 1")"

# A locked tag or label delays neither chargebacks nor the decisions behind
# them; the companion matches the label later.
decide_order held-1
decide_order held-2 watched
http POST "/v1/cases/$(sql "select id from assay.review_case
    where event_id = 'held-2'")/resolve" '{"outcome":"legit"}'
before=$(tag_weights)
hold_lock 'select from assay.tag_count for update'
send_chargeback held-1
is "a chargeback answers 202 while its tag is locked" "$STATUS $BODY" \
    '202 {"recorded":true}'
send_chargeback held-2
is "a chargeback that replaces a label answers 202 while its tag is locked" \
    "$STATUS" 202
chargebacks_at_once held-1
decide_order held-3
is "a decision answers 200 while chargebacks wait for a tag" "$STATUS" 200
is "a locked tag keeps its counts" "$(tag_weights)" "$before"
release_lock
check "a label is matched when its tag is unlocked" \
    stack_until 20 0 is_matched held-1
check "a replaced label is matched when its tag is unlocked" \
    stack_until 20 0 is_matched held-2
is "the unlocked tags have the new counts" \
    "$(tag_weights)" "amount 10/0 43!, velocity 4/0 41!"
hold_lock "select from assay.label where event_id = 'held-1' for update"
send_chargeback held-1
is_error "a chargeback of a locked label answers 503" 503 UNAVAILABLE
chargebacks_at_once held-1
decide_order held-4
is "a decision answers 200 while chargebacks wait for a label" "$STATUS" 200
release_lock
finish
