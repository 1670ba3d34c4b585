#!/bin/sh
# SPDX-License-Identifier: ISC
# Queries for review cases: by event, user, queue and status, in pages.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases

open_case e-1
http GET '/v1/cases?eventId=e-1'
is_json "a query finds a case by its event" 'map(.eventId) | join(" ")' e-1
http GET '/v1/cases?userId=watched'
is_json "a query finds a case by its user" 'map(.eventId) | join(" ")' e-1
http GET '/v1/cases?userId=watched&queue=none'
is "a query for a user and another queue finds no case" "$BODY" "[]"
http GET '/v1/cases?userId=watched&status=resolved'
is "a query for a user and another status finds no case" "$BODY" "[]"
http GET '/v1/cases?eventId=e-0'
is "a query for an unknown event finds no case" "$STATUS $BODY" "200 []"
http GET '/v1/cases?userId=nobody'
is "a query for a user without events finds no case" "$STATUS $BODY" "200 []"
http GET '/v1/cases?userId=watched&eventId=e-1'
is_error "a query for an event and a user answers 400" 400 INVALID_REQUEST
for query in state=open eventid=e-1 limit=1\&x=; do
	http GET "/v1/cases?$query"
	is_error "an unknown parameter answers 400: $query" \
	    400 INVALID_REQUEST
done
http GET '/v1/apikeys?revoked=true'
is_error "a parameter of a route that takes none answers 400" \
    400 INVALID_REQUEST
http GET '/v1/cases?before=cse_none'
is_error "a page after an unknown case answers 404" 404 CASE_NOT_FOUND

# Three resolved cases and an open one, in pages.
for event in e-1 e-2 e-3; do
	[ $event = e-1 ] || open_case $event
	http POST "/v1/cases/$CASE/resolve" '{"outcome":"fraud"}'
done
open_case e-4
http GET '/v1/cases?limit=2'
is_json "GET /v1/cases has the newest case first" \
    'map(.eventId) | join(" ")' "e-4 e-3"
http GET '/v1/cases?limit=2&offset=1'
is_json "a page of cases has its limit and offset" \
    'map(.eventId) | join(" ")' "e-3 e-2"
http GET '/v1/cases?status=resolved'
is_json "a query finds the resolved cases" \
    'map(.eventId) | join(" ")' "e-3 e-2 e-1"
http GET '/v1/cases?status=open&queue=risk-ops'
is_json "a query finds the open cases of a queue" \
    'map(.eventId) | join(" ")' e-4
http GET '/v1/cases?status=assigned'
is "a query for assigned cases finds none" "$STATUS $BODY" "200 []"
http GET '/v1/cases?offset=4'
is "a page beyond the last case is empty" "$STATUS $BODY" "200 []"
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    opened_at) select 'cse_' || lpad(n::text, 26, '0'), 'x-' || n, 'vd_0', 'big', 50,
    now() from generate_series(1, 600) n"
http GET '/v1/cases?queue=big'
is_json "a query without a limit finds 100 cases" \
    '"\(length) \(.[0].eventId)"' "100 x-600"
last=$(json '.[-1].id')
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    opened_at) values ('cse_vvvv', 'x-z', 'vd_0', 'big', 50, now()),
    ('cse_vvvu', 'x-y', 'vd_1', 'a first one', 50, now())"
http GET "/v1/cases?queue=big&before=$last"
is_json "the page after a case does not change when a case opens" \
    'map(.id) | index("'"$last"'") == null and length > 0' true
next=$(json '.[0].id')
http GET "/v1/cases?queue=*&before=$last"
is_json "the page after a case can have all queues" \
    'map(.id) | index("'"$next"'") != null' true
http GET '/v1/cases?queue=*&limit=2'
is_json "a query for all queues finds cases of two" 'map(.queue) | join(", ")' \
    "big, a first one"
http GET '/v1/cases?queue=*&limit=500'
is_json "all queues are sorted by the time of the case" \
    'map(.openedAt) == (map(.openedAt) | sort | reverse)' true
sql "delete from assay.review_case where id in ('cse_vvvv', 'cse_vvvu')"
http GET '/v1/cases?queue=big&limit=500&offset=100'
is_json "a query finds 500 cases at most" \
    '"\(length) \(.[0].eventId) \(.[499].eventId)"' "500 x-500 x-1"
http GET '/v1/cases?queue=none'
is "a query for an unknown queue finds no case" "$STATUS $BODY" "200 []"
for query in limit=0 limit=501 limit=x limit= offset=-1 offset=2147483648 \
    status=closed status= status=OPEN; do
	http GET "/v1/cases?$query"
	is_error "a query with $query answers 400" 400 INVALID_REQUEST
done
finish
