#!/bin/sh
# SPDX-License-Identifier: ISC
# One event: the answer, every row that it writes, and what is refused.
. "$(dirname "$0")/lib.sh"

start_with_key

http POST /v1/decisions '{"id":"e-1","type":"card.authorize","amount":42.50,
    "currency":"eur","subject":{"userId":"u-1","deviceId":"d-1",
    "ip":"196.188.7.9","phone":"+251 91 234 5644"},
    "instrument":{"kind":"card","bin":"411111","issuerCountry":"et",
    "threeDS":true},"attributes":{"merchant":"m-1"}}' \
    -H 'X-Correlation-Id: corr-1'
is "an event is answered 200" "$STATUS" 200
is_json "a decision has exactly eight fields" 'keys | sort | join(" ")' \
    "decidedAt eventId id policyId policyVersion reasons score verdict"
is_json "the fields of a decision have their types" \
    '[(.id | startswith("vd_")), .eventId, .verdict,
    .score, (.reasons | type), .policyId, .policyVersion,
    (.decidedAt | test("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"))]
    | map(tostring) | join(" ")' \
    "true e-1 allow 0 array pol_card_authorize v0.4.0 true"
is "the answer repeats the caller's correlation id" \
    "$(header x-correlation-id)" corr-1
is "the answer shows the budget of the key" "$(header x-ratelimit-limit)" 100000
is "the answer does not show X-Route" "$(header x-route)" ""
verdict=$(json .id)

# The rows that the decision wrote.
is "the verdict log has one row, without the user" "$(sql "
    select id = '$verdict', verdict, score, correlation_id, review_queue is null
    from assay.verdict_log where event_id = 'e-1'")" "t|allow|0|corr-1|t"
is "the stored request is masked" "$(sql "
    select request::json #>> '{subject,ip}', request::json #>> '{subject,phone}',
    request::json ->> 'amount', request::json ->> 'currency'
    from assay.decision_detail where event_id = 'e-1'")" "196.188.•.•|+2519•••••44|42.50|EUR"
is "the stored signals are those before the event" "$(sql "
    select signals(sample) ->> 'velocity.attemptsLast2m',
    signals(sample) ->> 'device.firstSeen',
    signals(sample) ->> 'graph.ringSize',
    signals(sample) ->> 'attr.merchant',
    sample like '%196.188%' or sample like '%251912%'
    from assay.decision_detail where event_id = 'e-1'")" "0|true|1|m-1|f"
is "the event makes four entities, six links and one component" "$(sql "
    select (select count(*) from assay.entity),
    (select count(*) from assay.entity_link),
    (select string_agg(size::text, ',') from assay.entity where parent is null)
    ")" "4|6|4"
is "the event makes one small user state" \
    "$(sql "select count(*), max(length(state)) < 300
    from assay.user_state where user_id = 'u-1'")" "1|t"

# The decision by its event.
http GET /v1/decisions/e-1
is "the decision is found by its event" "$STATUS $(json .id)" "200 $verdict"
is_json "the decision on an event has exactly six fields" 'keys | join(" ")' \
    "decidedAt eventId id reasons score verdict"
http GET /v1/decisions/nobody
is_error "an unknown event answers 404" 404 NOT_FOUND
http POST /v1/decisions \
    '{"type":"account.login","subject":{"userId":"ü/1"},"id":"weiß/1 %"}'
http GET /v1/decisions/wei%C3%9F%2F1%20%25
is "an event with any characters in its id is found" \
    "$STATUS $(json .eventId)" \
    "200 weiß/1 %"

# A review opens a case.
http POST /v1/decisions '{"id":"e-2","type":"order.place","amount":9000,
    "currency":"EUR","subject":{"userId":"u-2"}}'
is "one fired rule allows" "$(json '"\(.verdict) \(.score)"')" "allow 14"
http POST /v1/decisions '{"id":"e-3","type":"card.authorize","amount":9000,
    "currency":"EUR","subject":{"userId":"u-3"},"instrument":{"threeDS":false}}'
is "two fired rules challenge" "$(json '"\(.verdict) \(.score)", (.reasons[] |
    "\(.tag) \(.points)")' | paste -sd ,)" "challenge 36,no_3ds 22,amount 14"
for i in 1 2 3 4 5; do
	http POST /v1/decisions "{\"id\":\"r-$i\",\"type\":\"card.authorize\",
	    \"amount\":9000,\"currency\":\"EUR\",\"subject\":{\"userId\":\"u-4\"},
	    \"instrument\":{\"threeDS\":true}}"
done
http POST /v1/decisions '{"id":"r-6","type":"card.authorize","amount":9000,
    "currency":"EUR","subject":{"userId":"u-4"},"instrument":{"threeDS":false}}'
is "three fired rules review" "$(json '"\(.verdict) \(.score)"')" "review 64"
is "a review opens a case with its first trail entry" "$(sql "
    select c.queue, c.score, c.status, t.action, t.actor
    from assay.review_case c join assay.case_trail t on t.case_id = c.id
    where c.event_id = 'r-6' and c.id like 'cse_%'")" \
    "risk-ops|64|open|opened|engine"

# Refused events write nothing.
before=$(sql "select count(*) from assay.verdict_log")
# rejects_event STATUS CODE BODY: the event is answered with this error.
rejects_event() {
	http POST /v1/decisions "$3"
	is_error "the event answers $1 $2: $3" "$1" "$2"
}
timed=$(metric engine_decision_duration_seconds_count)
rejects_event 400 INVALID_JSON '{"type":"card.authorize"'
rejects_event 400 INVALID_JSON '{"type":"a","type":"b"}'
rejects_event 400 INGEST_INVALID '[]'
rejects_event 400 INGEST_UNKNOWN_TYPE '{"subject":{"userId":"u"}}'
rejects_event 400 INGEST_UNKNOWN_TYPE '{"type":"card.steal","subject":{"userId":"u"}}'
rejects_event 400 INGEST_INVALID '{"type":"account.login"}'
rejects_event 400 INGEST_INVALID '{"type":"account.login","subject":{}}'
rejects_event 400 INGEST_INVALID '{"type":"account.login","subject":{"userId":7}}'
rejects_event 400 INGEST_INVALID \
    '{"type":"order.place","amount":-1,"currency":"EUR","subject":{"userId":"u"}}'
rejects_event 400 INGEST_INVALID \
    '{"type":"order.place","amount":1,"subject":{"userId":"u"}}'
rejects_event 400 INGEST_INVALID \
    '{"type":"account.login","subject":{"userId":"u","ip":"1.2.3"}}'
rejects_event 400 INGEST_PAN_REJECTED \
    '{"type":"account.login","subject":{"userId":"u"},"note":"4111 1111 1111 1111"}'
is "a refusal does not repeat a card number" \
    "$(printf '%s' "$BODY" | grep -c 4111)" 0
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u"}}' \
    -H 'Idempotency-Key: ä'
is_error "an idempotency key outside ASCII answers 400" 400 INVALID_REQUEST
is "refused events write no verdict" \
    "$(sql "select count(*) from assay.verdict_log")" "$before"
is "refused events are not in the histogram of durations" \
    "$(metric engine_decision_duration_seconds_count)" "$timed"
is "the pool's log holds no address, phone, card or user" \
    "$(grep -cE '196\.188|25191|4111|u-1' "$scratch/log/pool.log")" 0
finish
