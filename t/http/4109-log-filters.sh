#!/bin/sh
# SPDX-License-Identifier: ISC
# The filters of the verdict log and of the activity log.
. "$(dirname "$0")/lib.sh"
use ctl past

start_signed_in
login admin@example.com 'correct horse'
add_months 1

# decide_event EVENT TYPE USER [AMOUNT [HEADER]]: decide one event.
decide_event() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"$2\"
	    ${4:+,\"amount\":$4,\"currency\":\"EUR\"},
	    \"subject\":{\"userId\":\"$3\"}}" ${5:+-H "$5"}
}

# finds LOG QUERY EVENTS LABEL: the events that a page of a log has.
finds() {
	http GET "/v1/$1?$2"
	is "$4" "$STATUS $(json 'map(.eventId) | join(" ")')" "200 $3"
}

decide_event e-1 card.authorize u-1 5000
decide_event e-2 order.place u-1
decide_event e-3 order.place u-2
middle=$(json .decidedAt)
decide_event e-4 card.authorize u-3 5000
decide_event e-5 order.place u-1 "" "X-Engine-Mode: shadow"
decide_event e-6 card.authorize u-3
sql "update assay.verdict_log set verdict = 'deny' where event_id = 'e-3'"

for log in verdicts activity; do
	finds $log eventType=card.authorize "e-6 e-4 e-1" \
	    "the $log of an event type"
	finds $log tag=amount "e-4 e-1" "the $log with a tag"
	finds $log tag=amoun "" "a part of a tag finds no $log"
	finds $log verdict=deny e-3 "the $log with a verdict"
	finds $log 'minScore=14&maxScore=14' "e-4 e-1" "the $log with a score"
	finds $log 'minScore=15' "" "no $log with a higher score"
	finds $log "since=$middle&limit=2" "e-6 $([ $log = verdicts ] &&
	    echo e-4 || echo e-5)" "the $log since a time"
	finds $log "until=$middle" "e-2 e-1" "the $log before a time"
	finds $log 'userId=u-3&tag=amount' e-4 \
	    "the $log of a user and a tag"
	finds $log 'userId=u-404' "" "an unknown user has no $log"
	finds $log 'until=1970-01-01T00:00:00Z' "" "no $log before 1970"
	is "a complete page of the $log has no Assay-Read-Until" \
	    "$(header assay-read-until)" ""
	http GET "/v1/$log?eventType=card.authorize&limit=1"
	finds $log "eventType=card.authorize&limit=1&before=$(json '.[0].id')" \
	    e-4 "the second page of the $log keeps the filter"
done
finds verdicts userId=u-1 "e-2 e-1" "the verdicts of a user are decisions"
finds activity userId=u-1 "e-5 e-2 e-1" \
    "the activity of a user includes dry runs"

# Without since, filters other than the user look at seven days.
sql "update assay.verdict_log set decided_at = decided_at - interval '8 days'
    where event_id in ('e-1', 'e-2');
    update assay.decision_detail set decided_at = decided_at - interval '8 days'
    where event_id in ('e-1', 'e-2')"
week=$(date -u -d '9 days ago' +%FT%TZ)
finds verdicts tag=amount e-4 "a filter looks at the last seven days"
finds verdicts "tag=amount&since=$week" "e-4 e-1" "since looks further back"
finds verdicts "tag=amount&until=$(date -u -d '3 days ago' +%FT%TZ)" e-1 \
    "the seven days end at until"
finds verdicts "userId=u-1&eventType=card.authorize" e-1 \
    "the decisions of a user are found however old they are"

# A walk ends after 100,000 rows and says how far it looked.
sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
	verdict, score, reasons, policy_id, policy_version, correlation_id)
    select now() - interval '1 hour' - n * interval '10 ms',
	'vd_' || lpad(n::text, 26, '0'), 'm-' || n, 'order.place', 'allow', 3,
	'[]', 'p', 'v', 'c' from generate_series(1, 250000) n" >/dev/null
# Without statistics the walk may take longer than its request may.
sql "vacuum analyze assay.verdict_log"
finds verdicts tag=amount e-4 "a long walk finds the newest"
until=$(header assay-read-until)
check "Assay-Read-Until is a time" sh -c "date -d '$until' >/dev/null"
turns=0
while [ -n "$until" ] && [ $turns -lt 9 ]; do
	turns=$((turns + 1))
	http GET "/v1/verdicts?tag=amount&since=$week&until=$until"
	until=$(header assay-read-until)
done
is "following Assay-Read-Until reaches the oldest decision" \
    "$(json '.[0].eventId') $((turns > 0 && turns < 4))" "e-1 1"

for query in eventType=none eventType= verdict=ok minScore=101 minScore=-1 \
    maxScore=x since=yesterday until= tags=amount userID=u-1; do
	http GET "/v1/verdicts?$query"
	is_error "GET /v1/verdicts with $query answers 400" 400 INVALID_REQUEST
	http GET "/v1/activity?$query"
	is_error "GET /v1/activity with $query answers 400" 400 INVALID_REQUEST
done
finds verdicts "tag=%27%22%5D%7D" "" "a tag with quotes is only a text"

ctl activity --user u-3 --tag amount --max-score 14
check "assayctl activity has the filters" prints 'e-4'
ctl verdicts --verdict deny
check "assayctl verdicts has the filters" prints 'deny .*e-3'
TOKEN=
http GET "/v1/activity?userId=u-1"
is_error "the filters answer 401 without a token" 401 UNAUTHENTICATED
stop_nginx
check "nginx has logged the queries" grep -qF 'route="GET /v1/verdicts"' \
    "$scratch/log/nginx-access.log"
is "no log of nginx has a user id of a query" \
    "$(cat "$scratch"/log/nginx* | grep -c 'u-404')" 0
finish
