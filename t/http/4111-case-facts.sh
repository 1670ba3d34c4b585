#!/bin/sh
# SPDX-License-Identifier: ISC
# What a case says about its event, and queries by that, by assignee, score and
# time, in three orders.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases

# decide_watched EVENT MEMBERS: an event that opens a case.
decide_watched() {
	http POST /v1/decisions "{\"id\":\"$1\",$2,
	    \"subject\":{\"userId\":\"watched\"}}"
}
# finds LABEL QUERY EVENTS: a query finds the cases of these events, in order.
finds() {
	http GET "/v1/cases?$2"
	is_json "$1" 'map(.eventId) | join(" ")' "$3"
}

decide_watched e-1 '"type":"order.place","amount":12.50,"currency":"EUR"'
decide_watched e-2 '"type":"card.authorize","amount":1e-7,"currency":"USD"'
decide_watched e-3 '"type":"account.login"'
decide_watched e-4 '"type":"order.place","amount":9000,"currency":"EUR"'
finds "each review opens a case" order=oldest "e-1 e-2 e-3 e-4"
is_json "a case has the type, amount and currency of its event" \
    'map("\(.eventType) \(.amount) \(.currency)") | join(", ")' \
    "order.place 12.5 EUR, card.authorize 1e-7 USD, account.login null null, \
order.place 9000 EUR"
is_json "a case has the tags of the rules that fired, most points first" \
    '"\(.[3].tags | join(" ")) \(.[3].tags == .[0].tags)"' \
    "amount list.watch false"
decide_watched e-5 '"type":"order.place","amount":1e-400,"currency":"EUR"'
finds "an amount that is too small for a double is 0" maxAmount=0 e-5

finds "eventType selects cases" eventType=account.login e-3
finds "currency selects cases" currency=USD e-2
finds "minAmount selects cases" minAmount=12.5 "e-4 e-1"
finds "minAmount and maxAmount select cases" 'minAmount=1&maxAmount=8999.99' e-1
finds "tag selects cases" tag=amount e-4
finds "no case has an unknown tag" tag=nothing ""
finds "filters are combined" 'tag=list.watch&currency=EUR&minAmount=1' \
    "e-4 e-1"

# Scores and times of our own, the ids in the order of the events.
sql "update assay.review_case set score = case event_id when 'e-1' then 70
    when 'e-2' then 90 when 'e-3' then 70 else 20 end,
    opened_at = '2026-01-01Z'::timestamptz
	+ right(event_id, 1)::int * interval '1 hour'"
finds "newest cases come first" '' "e-5 e-4 e-3 e-2 e-1"
finds "order=score has the highest score first, of equals the oldest" \
    order=score "e-2 e-1 e-3 e-4 e-5"
finds "minScore and maxScore select cases" 'minScore=70&maxScore=89' "e-3 e-1"
finds "a score selects cases in the order of scores" \
    'minScore=21&maxScore=70&order=score' "e-1 e-3"
finds "openedAfter includes its time, openedBefore does not" \
    'openedAfter=2026-01-01T02:00:00Z&openedBefore=2026-01-01T04:00:00Z' "e-3 e-2"
finds "a time selects cases in the order of scores" \
    'openedBefore=2026-01-01T04:00:00Z&order=score' "e-2 e-1 e-3"

# Pages of two in each order are the whole list.
for order in newest oldest score; do
	http GET "/v1/cases?order=$order"
	whole=$(json 'map(.id) | join(" ")')
	pages=
	after=
	for _ in 1 2 3; do
		http GET "/v1/cases?order=$order&limit=2$after"
		pages="$pages $(json 'map(.id) | join(" ")')"
		after="&after=$(json '.[-1].id')"
	done
	is "pages in the order $order follow each other" "$pages" " $whole"
	finds "the page after the last case is empty in the order $order" \
	    "order=$order&limit=2$after" ""
done
http GET '/v1/cases?order=score&limit=1'
CASE=$(json '.[0].id')
http POST "/v1/cases/$CASE/resolve" '{"outcome":"legit"}'
finds "a cursor stays where it was when its case is resolved" \
    "order=score&limit=2&after=$CASE" "e-1 e-3"

# Assignees.
CASE=$(sql "select id from assay.review_case where event_id = 'e-4'")
http POST "/v1/cases/$CASE/assign"
finds "assignee=me finds the caller's cases" assignee=me "e-4 e-2"
finds "assignee goes with a status" 'assignee=me&status=assigned' e-4
finds "assignee finds an operator by email" "assignee=$me&order=score" "e-2 e-4"
finds "assignee=none finds open cases" assignee=none "e-5 e-3 e-1"
finds "no assigned case has no assignee" 'assignee=none&status=assigned' ""
finds "an unknown assignee has no cases" assignee=nobody@example.com ""

for query in order=best order= assignee=me\&before=cse_1\&after=cse_2 \
    eventType=order currency=eur currency=EURO \
    minAmount=-1 minAmount=1e3 minAmount=1.2.3 minAmount= minAmount=. \
    maxAmount=1000000000000001 tag= tag=a%27b tag=a,b minScore=-1 \
    maxScore=101 minScore=x openedAfter=yesterday openedBefore= \
    snoozed=yes snoozed=; do
	http GET "/v1/cases?$query"
	is_error "a query with $query answers 400" 400 INVALID_REQUEST
done
http GET '/v1/cases?after=cse_none&order=score'
is_error "a page after an unknown case answers 404" 404 CASE_NOT_FOUND
finish
