#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries that arrive: what is sent, how it is signed, the form of alerts,
# and what is not sent.
. "$(dirname "$0")/lib.sh"
use deliver

start_deliveries

# A receiver that answers, and a companion whose clock is two hours ahead.
cp "$builddir/t/http/clock.so" "$scratch/bin/"
add_endpoint 200 fine
fine=$HOOK
queue_deliveries "$fine" 1 1 case.resolved.v1 '{"caseId":"cse_1","outcome":"fraud"}'
check "the companion of a host with another clock ends well" \
    cron deliver "$settings" CLOCK_AHEAD=7200 LD_PRELOAD="$scratch/bin/clock.so" \
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1
is "a delivery arrives with its event and two good signatures" \
    "$(received_by fine | cut -d ' ' -f 1-5)" \
    "fine whd_000001 case.resolved.v1 good good"
check "a delivery has the user agent of Assay" \
    grep -Eq ' Assay/[0-9.]+$' "$mail/received"
is "a delivery has its envelope and data" "$(cat "$mail/body.whd_000001.1")" \
    '{"id":"whd_000001","type":"case.resolved.v1","occurredAt":"2026-01-02T03:04:05.678Z","correlationId":"cor_x","data":{"caseId":"cse_1","outcome":"fraud"}}'
is "a delivery that arrived is removed" "$(pending_state whd_000001)" ""
http GET /v1/webhooks
is_json "an endpoint shows that it received a delivery" \
    '.endpoints[0] | "\(.lastStatus) \(.failures)"' "delivered 0"
check "the companion logs the counts of its run" grep -q \
    'job=deliver event=run_ended .*events=0 throttled=0 delivered=1 failed=0 dead=0' "$scratch/log/cron.log"

# Alerts have the form of their channel.
for type in slack telegram webhook; do
	target=
	[ $type != telegram ] || target='"target":"-100",'
	http POST /v1/notifications "{\"type\":\"$type\",$target
	    \"url\":\"http://127.0.0.1:$PORT/200/$type\",
	    \"events\":[\"alert.anomaly.v1\"]}"
	http POST "/v1/notifications/$(json .id)/test"
	is "a test alert of the type $type is queued" "$STATUS" 200
done
cron deliver "$settings"
# body_of TYPE FILTER: what jq's filter makes of the body of an alert.
body_of() {
	jq -r "$2" <"$mail/body.$(received_by "$1" | cut -d ' ' -f 2).1"
}
is "a slack alert has a text" \
    "$(body_of slack 'keys[0] + " " + (.text | .[:24])')" \
    "text test alert: channel ntf_"
is "a telegram alert has a chat and a text" \
    "$(body_of telegram '(keys | join(" ")) + " " + .chat_id')" "chat_id text -100"
is "a webhook alert has its event as data and as text" \
    "$(body_of webhook '(keys | join(" ")) + " " + .type')" \
    "data occurredAt text type alert.test.v1"
is "an alert has no signature" \
    "$(grep -cE '^(slack|telegram|webhook) .* - - Assay' "$mail/received")" 3

# A revoked endpoint gets nothing.
add_endpoint 200 gone
queue_deliveries "$HOOK" 80 81
http POST "/v1/webhooks/$HOOK/revoke"
queue_deliveries "$HOOK" 82 82
cron deliver "$settings"
is "a delivery to a revoked endpoint is removed unsent" \
    "$(received_by gone)$(sql \
    "select count(*) from assay.delivery")" 0

# TERM ends the companion while a receiver hangs.
add_endpoint hang hang2
queue_deliveries "$HOOK" 90 90
start_cron "deliver --for 10m" "$settings"
stack_until 10 "$stack_cron_pid" grep -q '^hang2 ' "$mail/received"
stop_cron
is "TERM releases a delivery in progress without an attempt" \
    "$(sql "select attempts, claimed_until
    from assay.delivery")" "0|"

finish
