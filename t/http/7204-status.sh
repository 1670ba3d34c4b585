#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/status: what waits, and whether decisions are made as usual.
. "$(dirname "$0")/lib.sh"
use ctl away

start_signed_in
login admin@example.com 'correct horse'
http GET /v1/status
is_json "a new service is not degraded and nothing waits" \
    'del(.version, .drift) | tojson' '{"degraded":false,"database":"up",'\
'"spoolRecords":0,"outboxEvents":0,"outboxOldestSeconds":0,'\
'"asyncQueueEvents":0,"deadLetters":{"webhooks":0,"alerts":0},'\
'"analyticsLagSeconds":0,"model":{"refused":false}}'
is_json "each event type has its drift, null before the first check" \
    '"\(.drift | length) \(.drift | map(.psi) | unique)"' "7 [null]"
want=$(json .version)
http GET /health
is_json "the version is that of /health" .version "$want"

sql "insert into assay.drift values ('order.place', '2026-11-20', 0.25);
    insert into assay.outbox (event, data, correlation_id, occurred_at)
    values ('x', '{}', 'c', now() - interval '1 hour'), ('x', '{}', 'c', now());
    insert into assay.dead_letter (id, subscriber_id, event, data,
	correlation_id, occurred_at)
    values ('whd_1', 'w', 'x', '{}', 'c', now()),
	('whd_2', 'w', 'x', '{}', 'c', now()),
	('ntd_1', 'n', 'x', '{}', 'c', now())"
http POST /v1/decisions/async '{"id":"a-1","type":"order.place",
    "subject":{"userId":"u-1"}}'
http POST /v1/decisions '{"type":"order.place","subject":{"userId":"u-2"}}'
http GET /v1/status
is_json "the status counts what waits" '"\(.outboxEvents) \(
    .outboxOldestSeconds > 3590) \(.asyncQueueEvents) \(.deadLetters.webhooks) \(
    .deadLetters.alerts) \(.analyticsLagSeconds > 0)"' "2 true 1 2 1 true"
is_json "the status has the drift of the last check" \
    '.drift[] | select(.psi) | "\(.eventType) \(.psi)"' "order.place 0.25"
is_json "work that waits does not degrade decisions" .degraded false
ctl status
check "assayctl status prints the dead letters" prints 'dead letters webhooks  *2'
sql "update assay.operator set role = 'analyst'"
http GET /v1/status
is "an analyst may read the status" "$STATUS" 200
http GET '/v1/status?verbose=1'
is_error "an unknown parameter answers 400" 400 INVALID_REQUEST
http POST /v1/status
is_error "POST on the status answers 405" 405 METHOD_NOT_ALLOWED
token=$TOKEN
TOKEN=
http GET /v1/status
is_error "the status answers 401 with a service key" 401 UNAUTHENTICATED
TOKEN=$token

# The role of the decide workers cannot connect; that of operators can.
sql "alter role assay_decide nologin;
    select pg_terminate_backend(pid) from pg_stat_activity
    where usename = 'assay_decide'" >/dev/null
http POST /v1/decisions '{"type":"order.place","subject":{"userId":"u-3"}}'
is_json "a decision without a database is degraded" .score -1
http GET /v1/status
is_json "the status says that decisions are degraded" \
    '"\(.degraded) \(.database) \(.spoolRecords)"' "true down 1"
sql "alter role assay_decide login"
wait_ready
wait_drained
http GET /v1/status
is_json "the status says when decisions are made as usual again" \
    '"\(.degraded) \(.database) \(.spoolRecords)"' "false up 0"
finish
