#!/bin/sh
# SPDX-License-Identifier: ISC
# The verdict log and the activity log, as operators read them.
. "$(dirname "$0")/lib.sh"
use list

start_signed_in

# decide_payment EVENT [MEMBERS [SUBJECT]]: decide a card payment with these
# members, and these of its subject.
decide_payment() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"card.authorize\"
	    ${2:+,$2},\"subject\":{\"userId\":\"u-1\"${3:+,$3}}}"
}

for kind in verdicts activity; do
	http GET /v1/$kind
	is "the log of $kind is empty at first" "$STATUS $BODY" "200 []"
done
decide_payment e-1 '"amount":5000.10,"currency":"eur","instrument":{"kind":"card",
    "bin":"411111"},"attributes":{"ip":"kept as sent"}' \
    '"ip":"196.188.7.9","phone":"+251 911 234 544","deviceId":"d"'
made=$BODY
http GET /v1/verdicts
is "GET /v1/verdicts has the verdict, the score and the tags" \
    "$(json '.[0] | del(.id, .decidedAt) | tojson')" \
    '{"eventId":"e-1","eventType":"card.authorize","verdict":"allow",'\
'"score":14,"tags":["amount"]}'
is "a verdict of the log has the id and the time of the answer" \
    "$(json '.[0] | "\(.id) \(.decidedAt)"')" \
    "$(printf '%s' "$made" | jq -r '"\(.id) \(.decidedAt)"')"
http GET /v1/activity
is "GET /v1/activity has the whole decision" "$(json '.[0] | del(.request,
    .eventType, .mode) | tojson')" "$(printf '%s' "$made" | jq -c '{id, eventId,
    verdict, score, reasons, policyId, policyVersion, decidedAt}')"
is "GET /v1/activity has the request with masked personal data" \
    "$(json '.[0].request | tojson')" \
    '{"id":"e-1","type":"card.authorize","amount":5000.1,"currency":"EUR",'\
'"subject":{"userId":"u-1","deviceId":"d","ip":"196.188.•.•",'\
'"phone":"+2519•••••44"},"instrument":{"kind":"card","bin":"411111"},'\
'"attributes":{"ip":"kept as sent"}}'
is "the request has the amount as it was sent" "$(printf '%s' "$BODY" |
    grep -o '"amount":[0-9.]*')" '"amount":5000.10'

decide_payment e-1
is "a second request for the event is a replay" \
    "$(header x-engine-idempotent-replay)" true
http POST /v1/decisions/batch '{"events":[{"id":"b-1","type":"order.place",
    "subject":{"userId":"u-2"}},{"id":"b-2","type":"account.login",
    "subject":{"userId":"u-3"}},{"type":"none"}]}'
list_user block u-4
http POST /v1/decisions '{"id":"l-1","type":"order.place",
    "subject":{"userId":"u-4"}}'
http GET /v1/verdicts
is_json "the log has every decision once, the newest first" \
    'map("\(.verdict) \(.score)
    \(.tags) \(.eventId[0:2])" | gsub("\\s+"; " ")) | [.[0], .[3]] | join(", ")' \
    'deny -1 ["list.block"] l-, allow 14 ["amount"] e-'
is_json "the log has decisions of batches and replays once by type" \
    'map(.eventType) | sort | join(" ")' \
    "account.login card.authorize order.place order.place"
http GET /v1/activity
is_json "the activity log has the same events" \
    'map(.eventId) | sort | join(" ")' "b-1 b-2 e-1 l-1"

# Pages.
sql "delete from assay.decision_detail"
n=0
while [ $n -lt 8 ]; do
	n=$((n + 1))
	set --
	for m in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26
	do
		set -- "$@" "{\"id\":\"p-$n-$m\",\"type\":\"order.place\",\
\"subject\":{\"userId\":\"p-$n-$m\"}}"
	done
	http POST /v1/decisions/batch "{\"events\":[$(printf '%s\n' "$@" |
	    paste -sd ,)]}"
done
http GET /v1/verdicts
is_json "a query without a limit finds 25 verdicts" length 25
http GET '/v1/verdicts?limit=100'
is_json "a query finds 100 verdicts at most" length 100
http GET /v1/activity
is_json "a query without a limit finds 100 activities" length 100
http GET '/v1/activity?limit=200'
is_json "a query finds 200 activities at most" length 200
for kind in verdicts activity; do
	before=
	n=0
	: >"$scratch/ids"
	while [ $n -lt 8 ]; do
		n=$((n + 1))
		http GET "/v1/$kind?limit=30$before"
		json '.[].id' >>"$scratch/ids"
		before=$(json '.[-1].id // "" | "&before=\(.)"')
		[ "$before" != "&before=" ] || break
	done
	is "the pages of the $kind have every entry once" \
	    "$(grep -c vd_ "$scratch/ids") $(sort -u "$scratch/ids" | grep -c vd_)" \
	    "$([ $kind = verdicts ] && echo 212 212 || echo 208 208)"
	check "the pages of the $kind are sorted" \
	    sh -c "LC_ALL=C sort -rc '$scratch/ids'"
done
http GET '/v1/verdicts?limit=1&before=vd_00000000000000000000000000'
is "a page before the first verdict is empty" "$STATUS $BODY" "200 []"
http GET '/v1/verdicts?limit=1&before=vd_vvvvvvvvvvvvvvvvvvvvvvvvvv'
is_json "a page before the largest id has the newest verdict" length 1

# Erased and pruned requests.
sql "update assay.decision_detail set request = null where event_id not like 'p-3-%'"
http GET '/v1/activity?limit=200'
is_json "the activity log omits erased requests" \
    '"\(length) \(map(.eventId[0:4]) |
    unique | join(" "))"' "26 p-3-"
http GET '/v1/verdicts?limit=1'
is_json "the verdict of an erased request stays in the log" \
    '.[0].eventId[0:4]' p-8-

# Rejected requests.
for query in limit=0 limit=101 limit=201 limit=-1 limit=x before= before=vd_1 \
    before=cse_00000000000000000000000000 \
    before=vd_0000000000000000000000000w; do
	http GET "/v1/verdicts?$query"
	is_error "GET /v1/verdicts with $query answers 400" 400 INVALID_REQUEST
	[ $query != limit=101 ] || query=limit=202
	http GET "/v1/activity?$query"
	is_error "GET /v1/activity with $query answers 400" 400 INVALID_REQUEST
done
TOKEN=
for kind in verdicts activity; do
	http GET /v1/$kind
	is_error "without a token the $kind log answers 401" 401 UNAUTHENTICATED
	http POST /v1/$kind '{}'
	is_error "POST to the $kind log answers 405" 405 METHOD_NOT_ALLOWED
done
finish
