#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/model/drift compares two windows of days with the numbers of the log.
. "$(dirname "$0")/lib.sh"
use tally past drift ctl

start_signed_in
http GET /v1/model/drift
is_json "drift without decisions has no index" '[.decisionsMin, .threshold,
    (.eventTypes | length), .eventTypes[0].eventType, .eventTypes[0].psi,
    .eventTypes[0].window.decisions, .eventTypes[0].window.p50,
    .tags, .calibration] | tojson' \
    '[200,0.25,7,"card.authorize",null,0,null,[],[]]'

hot='[{"tag":"hot","points":9}]'
add_months 2
log_scores card.authorize 35 8 30 "n % 61" \
    "case when n % 10 = 0 then '$hot' else '[]' end"
log_scores card.authorize 7 1 40 "40 + n % 61" \
    "case when n % 2 = 0 then '$hot' else '[]' end"
log_scores card.authorize 20 1 5 -1 \
    "'[{\"tag\":\"list.block\",\"points\":0}]'" deny
log_scores order.place 35 1 40 "r % 50" "'[{\"tag\":\"large\",\"points\":3}]'"
log_scores card.refund 35 8 100 "r" "'[]'"
log_scores card.refund 3 3 199 "5" "'[]'"
log_scores account.login 0 0 500 "77" "'[]'"
check "the companion counts the decisions" cron "project"
is "the counts agree with the log" "$(miscounted)" ""

# same_drift WHAT TYPE DAYS REFERENCE: the last answer agrees with the log.
same_drift() {
	is "$1" "$(json ".eventTypes[] | select(.eventType == \"$2\") | [.psi,
	    .window.decisions, .reference.decisions, (.window | .p10, .p50,
	    .p90, .p99), .reference.mean] | map(. + 0) | tojson")" \
	    "$(recount "$2" "$3" "$4")"
}
http GET /v1/model/drift
same_drift "scores that changed agree with the recount" card.authorize 7 28
same_drift "scores that did not change agree with the recount" order.place 7 28
is_json "too few decisions in a window give no index" \
    '[.eventTypes[] | select(.eventType == ("card.refund", "account.login")) |
    .psi, .window.decisions, .reference.decisions] | tojson' \
    "[null,199,2800,null,0,0]"
is_json "the windows are whole days up to yesterday" '[.window.from, .window.to,
    .reference.from, .reference.to] | join(" ")' "$(sql "select concat_ws(' ',
    t - 7, t - 1, t - 35, t - 8) from (select (now() at time zone 'UTC')::date) w(t)")"
is_json "the rates of a tag do not count decisions by lists" \
    '[.tags[] | select(.eventType ==
    "card.authorize") | [.tag, .window, .reference, (.psi > 0.5)]] | tojson' \
    '[["hot",0.5,0.1,true]]'
is_json "a tag that always fires has not drifted" '[.tags[] |
    select(.tag == "large") | .psi, .window, .reference] | tojson' '[0,1,1]'

# Other windows.
http GET "/v1/model/drift?eventType=card.authorize&days=6&reference=7"
is_json "eventType selects one event type" '.eventTypes | length' 1
same_drift "six days against seven agree with the recount" card.authorize 6 7
today=$(date -u +%F)
http GET "/v1/model/drift?eventType=account.login&days=1&reference=1&until=$today"
is_json "until=today includes today" '[.eventTypes[0].window.decisions,
    .eventTypes[0].window.p50, .window.to] | tojson' "[500,77,\"$today\"]"
for query in days=0 days=91 reference=0 reference=301 days=x eventType=card \
    until=2026-02-30 until=0000-01-01 until=today \
    until=2026-11-20T00:00:00Z until=2026-11-2%20 until= eventType=; do
	http GET "/v1/model/drift?$query"
	is_error "the query $query answers 400" 400 INVALID_REQUEST
done

# Labels by score, and by the probability of a model.
http POST /v1/decisions '{"id":"m-1","type":"order.place","amount":5,
    "currency":"EUR","subject":{"userId":"u"}}'
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, sample)
    select decided_at, id, event_id, event_type, 'u', case when event_type =
	'card.authorize' then '{\"scorer\":\"ml\",\"p\":0.31}' else
	'{\"scorer\":\"weighted\"}' end
    from assay.verdict_log where id ~ '^vd_(card.authorize|order.place)_[29]_[1-4]_allow'"
for event in card.authorize-2-1 card.authorize-2-2 order.place-2-3 \
    order.place-9-3; do
	http POST /v1/labels/chargeback "{\"eventId\":\"$event\"}"
done
sql "select assay.label_put('card.authorize-2-3', 'analyst', 'legit', 'c'),
    assay.label_put('order.place-2-4', 'analyst', 'legit', 'c')" >/dev/null
check "the companion counts the labels" cron "project"
http GET /v1/model/drift
is_json "the calibration compares labels with scores and probabilities" \
    '[.calibration[] | [.eventType,
    .by, .from, .to, .window.labels, .window.fraud, .window.mean,
    .reference.labels, .reference.rate]] | tojson' \
    '[["card.authorize","p",0.3,0.4,3,2,0.31,0,null],["order.place","score",0,9,2,1,3.5,1,1]]'
http POST /v1/labels/chargeback '{"eventId":"order.place-2-4"}'
check "the companion counts a changed label" cron "project"
http GET /v1/model/drift
is_json "a changed label moves in the calibration" \
    '[.calibration[1].window | .labels, .fraud, .rate] | tojson' \
    '[2,2,1]'

# Counts of a version without event types: a rebuild counts the log again.
before=$BODY
sql "create temporary table old as select kind, day, case kind when 'score'
	then (name::int / 10 * 10)::text else name end as name, sum(n) as n
    from assay.analytics_count group by 1, 2, 3;
    truncate assay.analytics_count;
    insert into assay.analytics_count (kind, day, name, n) select * from old"
http GET /v1/model/drift
is_json "counts without event types give no drift" \
    '[.eventTypes[].window.decisions] | add' 0
is "counts without event types keep their days" \
    "$(sql "select count(*) from assay.analytics_count
    where event_type <> ''") $(json '.window.to' | wc -l)" "0 1"
check "a rebuild exits 0" cron "project --rebuild"
is "the rebuilt counts agree with the log" "$(miscounted)" ""
http GET /v1/model/drift
is "drift is the same after a rebuild" "$BODY" "$before"

# assayctl drift.
login admin@example.com "correct horse"
ctl drift --type card.authorize
check "assayctl drift shows tags and calibration" \
    prints 'card.authorize .*|card.authorize  hot .* 50.0 %  *10.0 %|.*  p  '
ctl drift
is "assayctl drift fits into 80 columns" \
    "$(awk 'length > 80' "$scratch/out")" ""
ctl drift --days 0
is "assayctl drift refuses 0 days" "$STATUS" 64

# Access.
sql "update assay.operator set role = 'analyst'"
http GET /v1/model/drift
is "an analyst may read drift" "$STATUS" 200
TOKEN=
http GET /v1/model/drift
is_error "drift answers 401 with a service key" 401 UNAUTHENTICATED
finish
