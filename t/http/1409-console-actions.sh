#!/bin/sh
# SPDX-License-Identifier: ISC
# What operators find and change in the console, apart from cases and rules:
# commands of assayctl, target times of queues, users and rules by the search, list
# entries.
. "$(dirname "$0")/lib.sh"
use chromium

need_chromium
start_console
add_analysts
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-77"}'
is "an entry without an end is stored" "$STATUS" 201
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-soon",
    "reason":"once","expiresAt":"'"$(date -u -d '+3 days' +%FT%TZ)"'"}'
is "an entry with an end is stored" "$STATUS" 201
for n in 1 2 3 4; do
	http POST /v1/decisions '{"id":"a'$n'","type":"order.place","amount":5000,
	    "currency":"EUR","subject":{"userId":"u-77","ip":"196.188.1.2",
	    "phone":"+251 911 234 544"}}'
	is "the event $n is to be reviewed" "$(json .verdict)" review
done
http POST /v1/webhooks '{"url":"https://hooks.example.com/in",
    "events":["case.resolved.v1"]}'
http POST "/v1/webhooks/$(json .id)/revoke"
is "a webhook is revoked" "$STATUS" 200
sql "insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
	occurred_at, dead_at)
    select 'whd_' || n, 'whk_0', 'case.resolved.v1', '{}', 'c', now(),
	now() - interval '20 days' from generate_series(1, 3) n"
http GET '/v1/cases?queue=*'
queue=$(json '.[0].queue')

start_tcp_site
run_steps actions.mjs 30 \
    "{\"password\":\"correct horse\",\"user\":\"u-77\",\"queue\":\"$queue\"}"
is "the trail has each value that was shown, masked" "$(sql "select params
    from assay.audit where action = 'POST /v1/graph/reveal' order by number")" \
    '{"subject":"ip","value":"196.188.•.•","userId":"u-77"}
{"subject":"phone","value":"+2519•••••44","userId":null}'
finish
