#!/bin/sh
# SPDX-License-Identifier: ISC
# The verdict log and the activity log, as operators read them.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key

# decide EVENT [MEMBERS [SUBJECT]]: with these members besides.
decide() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"card.authorize\"
	    ${2:+,$2},\"subject\":{\"userId\":\"u-1\"${3:+,$3}}}"
}

for log in verdicts activity; do
	http GET /v1/$log
	is "no $log yet" "$STATUS $BODY" "200 []"
done
decide e-1 '"amount":5000.10,"currency":"eur","instrument":{"kind":"card",
    "bin":"411111"},"attributes":{"ip":"kept as sent"}' \
    '"ip":"196.188.7.9","phone":"+251 911 234 544","deviceId":"d"'
made=$BODY
http GET /v1/verdicts
is "a verdict" "$(json '.[0] | del(.id, .decidedAt) | tojson')" \
    '{"eventId":"e-1","eventType":"card.authorize","verdict":"allow",'\
'"score":14,"tags":["amount"]}'
is "is the one that was answered" "$(json '.[0] | "\(.id) \(.decidedAt)"')" \
    "$(printf '%s' "$made" | jq -r '"\(.id) \(.decidedAt)"')"
http GET /v1/activity
is "the activity has the whole decision" "$(json '.[0] | del(.request,
    .eventType, .mode) | tojson')" "$(printf '%s' "$made" | jq -c '{id, eventId,
    verdict, score, reasons, policyId, policyVersion, decidedAt}')"
is "and the request, masked" "$(json '.[0].request | tojson')" \
    '{"id":"e-1","type":"card.authorize","amount":5000.1,"currency":"EUR",'\
'"subject":{"userId":"u-1","deviceId":"d","ip":"196.188.•.•",'\
'"phone":"+2519•••••44"},"instrument":{"kind":"card","bin":"411111"},'\
'"attributes":{"ip":"kept as sent"}}'
is "with the amount as it was sent" "$(printf '%s' "$BODY" |
    grep -o '"amount":[0-9.]*')" '"amount":5000.10'

decide e-1
is "a replay" "$(header x-engine-idempotent-replay)" true
http POST /v1/decisions/batch '{"events":[{"id":"b-1","type":"order.place",
    "subject":{"userId":"u-2"}},{"id":"b-2","type":"account.login",
    "subject":{"userId":"u-3"}},{"type":"none"}]}'
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'block', 'user', 'u-4', 'me')"
sql "update assay.epoch set lists = lists + 1"
sql "update assay.list_subject set changed = 2 where subject = 'user'"
http POST /v1/decisions '{"id":"l-1","type":"order.place",
    "subject":{"userId":"u-4"}}'
http GET /v1/verdicts
is_json "every decision once, the newest first" 'map("\(.verdict) \(.score)
    \(.tags) \(.eventId[0:2])" | gsub("\\s+"; " ")) | [.[0], .[3]] | join(", ")' \
    'deny -1 ["list.block"] l-, allow 14 ["amount"] e-'
is_json "and of each kind" 'map(.eventType) | sort | join(" ")' \
    "account.login card.authorize order.place order.place"
http GET /v1/activity
is_json "in the activity log too" 'map(.eventId) | sort | join(" ")' \
    "b-1 b-2 e-1 l-1"

# Pages.
sql "delete from assay.detail"
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
is_json "25 verdicts at first" length 25
http GET '/v1/verdicts?limit=100'
is_json "100 at most" length 100
http GET /v1/activity
is_json "100 requests at first" length 100
http GET '/v1/activity?limit=200'
is_json "200 at most" length 200
for log in verdicts activity; do
	before=
	n=0
	: >"$scratch/ids"
	while [ $n -lt 8 ]; do
		n=$((n + 1))
		http GET "/v1/$log?limit=30$before"
		json '.[].id' >>"$scratch/ids"
		before=$(json '.[-1].id // "" | "&before=\(.)"')
		[ "$before" != "&before=" ] || break
	done
	is "page after page of the $log, nothing is twice or missing" \
	    "$(grep -c vd_ "$scratch/ids") $(sort -u "$scratch/ids" | grep -c vd_)" \
	    "$([ $log = verdicts ] && echo 212 212 || echo 208 208)"
	check "and all in order" sh -c "LC_ALL=C sort -rc '$scratch/ids'"
done
http GET '/v1/verdicts?limit=1&before=vd_00000000000000000000000000'
is "before the first" "$STATUS $BODY" "200 []"
http GET '/v1/verdicts?limit=1&before=vd_vvvvvvvvvvvvvvvvvvvvvvvvvv'
is_json "before the end of time" length 1

# What was erased or pruned.
sql "update assay.detail set request = null where event_id not like 'p-3-%'"
http GET '/v1/activity?limit=200'
is_json "a request that is gone" '"\(length) \(map(.eventId[0:4]) |
    unique | join(" "))"' "26 p-3-"
http GET '/v1/verdicts?limit=1'
is_json "leaves its verdict" '.[0].eventId[0:4]' p-8-

# What is refused.
for query in limit=0 limit=101 limit=201 limit=-1 limit=x before= before=vd_1 \
    before=cse_00000000000000000000000000 \
    before=vd_0000000000000000000000000w; do
	http GET "/v1/verdicts?$query"
	is_error "verdicts?$query" 400 INVALID_REQUEST
	[ $query != limit=101 ] || query=limit=201
	http GET "/v1/activity?$query"
	is_error "activity?$query" 400 INVALID_REQUEST
done
TOKEN=
for log in verdicts activity; do
	http GET /v1/$log
	is_error "services do not read the $log" 401 UNAUTHENTICATED
	http POST /v1/$log '{}'
	is_error "nothing is added to the $log by hand" 405 METHOD_NOT_ALLOWED
done
finish
