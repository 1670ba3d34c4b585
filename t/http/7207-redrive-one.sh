#!/bin/sh
# SPDX-License-Identifier: ISC
# The redrive of one dead letter, of webhooks and of alert channels.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
login admin@example.com 'correct horse'
http POST /v1/webhooks '{"url":"https://hooks.example.com/","events":["case.resolved.v1"]}'
webhook=$(json .id)
http POST /v1/notifications '{"type":"slack","url":"https://hooks.example.com/",
    "events":["verdict.reached.v1"]}'
channel=$(json .id)
sql "insert into assay.dead_letter (id, subscriber_id, event, data,
	correlation_id, occurred_at, attempts, last_error)
    select p.prefix || lpad(n::text, 26, '0'), p.subscriber, 'x', '{}', 'c',
	now(), 8, 'e'
    from (values ('whd_', '$webhook'), ('ntd_', '$channel')) p(prefix, subscriber),
	generate_series(1, 4) n" >/dev/null
id() { printf '%026d' "$1"; }
states() {
	sql "select (select count(*) from assay.dead_letter),
	    (select count(*) from assay.delivery where attempts = 0)"
}

http POST "/v1/webhooks/deliveries/whd_$(id 2)/redrive"
is "one dead letter is pending again" "$STATUS $BODY $(states)" \
    '200 {"requeued" : 1} 7|1'
http POST "/v1/webhooks/deliveries/whd_$(id 2)/redrive"
is_error "a delivery that is pending answers 404" 404 NOT_FOUND
alert=ntd_$(id 1)
http POST "/v1/notifications/deliveries/$alert/redrive"
is "one alert is pending again" "$STATUS $BODY $(states)" \
    '200 {"requeued" : 1} 6|2'
http POST "/v1/webhooks/deliveries/ntd_$(id 2)/redrive"
is_error "an alert is no delivery of a webhook" 404 NOT_FOUND
http POST "/v1/notifications/deliveries/whd_$(id 1)/redrive"
is_error "a delivery of a webhook is no alert" 404 NOT_FOUND
http POST /v1/webhooks/deliveries/whd_/redrive
is_error "an id that no delivery has answers 404" 404 NOT_FOUND
is "a redrive has its entry in the audit trail" "$(sql "select count(*)
    from assay.audit where action like '%/redrive' and status = 200")" 2
ctl webhooks retry "whd_$(id 3)"
check "assayctl webhooks retry retries one" prints '1 dead letters'

# Of several requests at the same time one succeeds.
for n in 1 2 3 4 5; do
	curl -s --unix-socket "$scratch/run/http.sock" -o /dev/null -X POST \
	    -H "Authorization: Bearer $TOKEN" -w '%{http_code}\n' \
	    "$BASE/v1/webhooks/deliveries/whd_$(id 4)/redrive" \
	    >"$scratch/status.$n" &
	pids="${pids:-} $!"
done
# shellcheck disable=SC2086 # words
wait $pids
is "of five redrives at a time one succeeds" \
    "$(sort "$scratch"/status.* | paste -sd ' ')" "200 404 404 404 404"
is "a dead letter is pending once" "$(states)" "4|4"

http POST "/v1/webhooks/$webhook/revoke"
http POST "/v1/webhooks/deliveries/whd_$(id 1)/redrive"
is "a dead letter to a revoked endpoint is dropped" "$STATUS $BODY" \
    '200 {"requeued" : 0}'
sql "update assay.operator set role = 'analyst'"
http POST "/v1/notifications/deliveries/ntd_$(id 2)/redrive"
is_error "an analyst may not redrive" 403 FORBIDDEN
finish
