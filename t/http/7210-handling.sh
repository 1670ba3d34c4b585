#!/bin/sh
# SPDX-License-Identifier: ISC
# The analytics summary of some days, an event type and a queue, and how long
# analysts took to resolve cases.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
login admin@example.com 'correct horse'
sql "insert into assay.analytics_count (kind, day, event_type, name, n)
    select k.kind, (now() at time zone 'UTC')::date - d, t.type, k.name, t.n
    from (values ('verdict', 'allow'), ('score', '57'), ('tag', 'fast'))
	k(kind, name), generate_series(0, 9) d,
	(values ('order.place', 1), ('account.login', 10)) t(type, n)"
day=$(date -u -d '2 days ago' +%F)

# counts QUERY WANT LABEL: the decisions, the days, the bucket of 50 and the tag.
counts() {
	http GET "/v1/analytics/summary?$1"
	is_json "$3" '"\(.totals.decisions) \(.byDay | length) \(
	    .scoreBuckets[5]) \(.topTags.fast)"' "$2"
}
counts "since=$day" "33 3 33 33" "the days since one"
counts "until=$day" "88 8 88 88" "the days until one"
counts "since=$day&until=$day" "11 1 11 11" "one day"
counts "since=$day&eventType=order.place" "3 3 3 3" "the days of an event type"
counts eventType=order.place "10 10 10 10" "an event type without days"
counts "since=2000-01-01&until=2000-01-02" "0 0 0 null" "days without decisions"
counts "since=$day&until=2000-01-02" "0 0 0 null" "days that end before they begin"
counts queue=none "0 10 0 null" "a queue does not select decisions"

sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
	status, outcome, resolved_by, resolved_at, opened_at)
    select 'cse_' || n, 'e-' || n, 'vd_' || n,
	case when n <= 8 then 'q1' else 'q2' end, 50, 'resolved',
	(array['fraud', 'legit', 'inconclusive'])[1 + n % 3],
	case when n <= 9 then 'ana@example.com' else 'bob@example.com' end,
	now() - interval '1 day', now() - interval '1 day' - n * interval '10 s'
    from generate_series(1, 10) n"
http GET /v1/analytics/summary
is_json "the summary has the times of resolved cases" '.handling | tojson' \
    '{"resolved":10,"medianSeconds":55,"p90Seconds":91}'
is_json "the summary has the cases of each analyst" '.analysts | tojson' \
    '[{"analyst":"ana@example.com","resolved":9,"fraud":3,"legit":3,"inconclusive":3,"medianSeconds":50},{"analyst":"bob@example.com","resolved":1,"fraud":0,"legit":1,"inconclusive":0,"medianSeconds":100}]'
http GET '/v1/analytics/summary?queue=q2'
is_json "a queue selects cases" .handling.resolved 2
http GET "/v1/analytics/summary?since=$(date -u +%F)"
is_json "days select cases" '"\(.handling.resolved) \(.analysts)"' "0 []"
ctl analytics --queue q1
check "assayctl analytics prints the cases of analysts" \
    prints 'ana@example.com  *8'
for query in since=x since=2026-1-1 until=2026-02-30 eventType=none days=1; do
	http GET "/v1/analytics/summary?$query"
	is_error "GET /v1/analytics/summary with $query answers 400" \
	    400 INVALID_REQUEST
done
finish
