#!/bin/sh
# SPDX-License-Identifier: ISC
# A receiver that was away for longer than its deliveries are attempted: it is
# probed, and gets its dead letters when it answers again.  What a receiver refuses
# permanently.
. "$(dirname "$0")/lib.sh"
use deliver

start_deliveries

# dead_letters: their ids, attempts, and whether they were sent again.
dead_letters() {
	sql "select id, attempts, resent from assay.dead_letter order by id" |
	    tr '\n' ' '
}
# let_time_pass: as if the letters were dead, and probed, 11 minutes ago.
let_time_pass() {
	sql "update assay.dead_letter set dead_at = dead_at - interval '11 min',
	    probed_at = probed_at - interval '11 min'"
}

# An outage of longer than eight attempts.
add_endpoint 500 away
away=$HOOK
http POST /v1/notifications "{\"type\":\"webhook\",
    \"url\":\"http://127.0.0.1:$PORT/200/alert\",
    \"events\":[\"alert.dead_letter.v1\"]}"
queue_deliveries "$away" 1 3
sql "update assay.delivery set attempts = 7"
cron deliver "$settings"
cron deliver "$settings"
dead='whd_000001|8|f whd_000002|8|f whd_000003|8|f '
is "the deliveries are dead after the eighth attempt" "$(dead_letters)" "$dead"
is "each dead letter makes an alert" "$(received_by alert | wc -l)" 3
is "a receiver that failed a moment ago is not probed" \
    "$(received_by away | wc -l)" 3
let_time_pass
cron deliver "$settings" RESEND_DEAD_LETTERS=false
is "without RESEND_DEAD_LETTERS nothing is probed" \
    "$(received_by away | wc -l)" 3
cron deliver "$settings"
is "after ten minutes the oldest dead letter probes the receiver" \
    "$(received_by away | tail -n +4 | cut -d ' ' -f 2)" whd_000001
is "a probe that fails is a dead letter again, as old as before" \
    "$(dead_letters)$(sql "select dead_at < now() - interval '11 min'
    from assay.dead_letter where id = 'whd_000001'")" \
    "whd_000001|9|f whd_000002|8|f whd_000003|8|f t"
cron deliver "$settings"
is "a probe makes no alert and is not repeated at once" \
    "$(received_by alert | wc -l) $(received_by away | wc -l)" "3 4"
let_time_pass
queue_deliveries "$away" 4 4
sql "update assay.delivery set next_attempt_at = now() + interval '1 h'"
cron deliver "$settings"
is "no probe is sent while a delivery is pending" "$(received_by away | wc -l)" 4
make_due
cron deliver "$settings"

# It answers again.
sql "update assay.webhook_endpoint set url = replace(url, '/500/', '/200/');
    delete from assay.delivery"
sql "update assay.webhook_endpoint set failures = 0"
cron deliver "$settings" RESEND_DEAD_LETTERS=false
is "without RESEND_DEAD_LETTERS nothing is sent again" "$(dead_letters)" \
    "whd_000001|9|f whd_000002|8|f whd_000003|8|f "
sql "update assay.webhook_endpoint set failures = 1"
cron deliver "$settings"
is "the next probe is another letter, and arrives" \
    "$(received_by away | sed -n '6 p' | cut -d ' ' -f 2)" whd_000002
cron deliver "$settings"
is "a receiver that answers gets its other dead letters" \
    "$(received_by away | tail -n 2 | cut -d ' ' -f 2 | sort | tr '\n' ' ')$(
    dead_letters)" "whd_000001 whd_000003 "

# A message that is refused permanently, by a receiver that takes others.
http POST /v1/notifications "{\"type\":\"telegram\",\"target\":\"-100\",
    \"url\":\"http://127.0.0.1:$PORT/chat/bot7:token-4711\",
    \"events\":[\"alert.anomaly.v1\"]}"
chat=$(json .id)
queue_deliveries "$chat" 20 20 alert.anomaly.v1
cron deliver "$settings"
http GET /v1/notifications/deliveries
is_json "a permanent refusal is dead at once, with what the receiver said" \
    '.dead[0] | "\(.attempts) \(.lastError)"' '1 status 400: {"ok":false,"error_code":400,"description":"Bad Request: chat bot7:... not found"}'
sql "update assay.alert_channel set failures = 0"
cron deliver "$settings"
is "a letter that was refused is sent once more after the receiver took another" \
    "$(received_by bot7:token-4711 | wc -l) $(dead_letters)" "2 ntd_000020|1|t "
sql "update assay.alert_channel set failures = 0"
cron deliver "$settings"
let_time_pass
cron deliver "$settings"
is "a letter that died twice waits for an operator" \
    "$(received_by bot7:token-4711 | wc -l) $(dead_letters)" "2 ntd_000020|1|t "
http POST /v1/notifications/deliveries/redrive
is_json "an operator redrives a letter that died twice" .requeued 1
cron deliver "$settings"
is "a redriven letter may be sent again by itself" "$(dead_letters)" \
    "ntd_000020|1|f "
http POST "/v1/notifications/$chat/revoke"
sql "update assay.alert_channel set failures = 0"
cron deliver "$settings"
is "a revoked channel gets no dead letter" \
    "$(received_by bot7:token-4711 | wc -l)" 3
finish
