# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Events that the companion publishes to subscribers.  Sourced after lib.sh.
# shellcheck disable=SC2034 # ID is for the scenarios

# No receiver listens here: deliveries stay queued.
url=http://127.0.0.1:1

# The stack, an administrator and an API key.
start_publish() {
	start_signed_in ALLOW_PRIVATE_TARGETS=true
}

# decide_order EVENT [USER [AMOUNT]]: decide an order.
decide_order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${3:-20},\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"${2:-u-1}\"}}" \
	    -H "X-Correlation-Id: cor-$1"
}

# Publish all events once.
# shellcheck disable=SC2317 # check calls it
publish_once() {
	cron "deliver --once"
}

# subscribe_webhook EVENT ...: add a webhook for these events; its id is in ID.
subscribe_webhook() {
	http POST /v1/webhooks "{\"url\":\"$url/t\",
	    \"events\":[$(printf '"%s",' "$@" | sed 's/,$//')]}"
	ID=$(json .id)
}

# queued_for SUBSCRIBER: the events that are queued for it, each time that they
# are.
queued_for() {
	sql "select string_agg(data::json ->> 'eventId', ' ' order by
	    data::json ->> 'eventId') from assay.delivery
	where subscriber_id = '$1'"
}
