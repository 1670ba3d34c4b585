# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Labels of events.  Sourced after lib.sh and list.sh.

# The stack, the companion that matches labels, a webhook for the events of
# labels, a watched and a blocked user.
start_labels() {
	start_stack DECIDE_WORKERS=4
	start_cron "work project --for 10m"
	admin_token
	api_key
	sql "insert into assay.webhook_endpoint (id, url, events, secret,
	    created_by)
	    values ('whk_1', 'https://example.com',
		array['label.recorded.v1'], 's', 'me')"
	list_user watch watched
	list_user block blocked
}

# decide_order EVENT [USER [AMOUNT]]: decide an order.
decide_order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${3:-5000},\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"${2:-u}\"}}"
}

# send_chargeback EVENT: label it as fraud.
send_chargeback() {
	http POST /v1/labels/chargeback "{\"eventId\":\"$1\"}"
}

# tag_weights: "TAG FRAUD/LEGIT WEIGHT" of each tag, "!" after a trusted one.
tag_weights() {
	http GET /v1/model
	json '.weights | map("\(.tag) \(.fraud)/\(.legit) \(.weight)\(
	    if .trusted then "!" else "" end)") | join(", ")'
}

# label_events EVENT: how many events of the outbox are about its labels.
label_events() {
	sql "select count(*) from assay.outbox where data::json->>'eventId' = '$1'"
}

# is_matched EVENT: its label counts for the tags of the event.
# shellcheck disable=SC2317 # called by check
is_matched() {
	[ "$(sql "select count(*) from assay.label where event_id = '$1'
	    and credited_outcome = outcome")" = 1 ]
}
