# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Events for later and the companion that decides them.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # admin is for the scenarios, scratch of lib.sh

# The log of the companion.
log=$scratch/log/cron.log

# The stack, with an API key in KEY and the administrator's token in admin.
start_async() {
	start_signed_in
	admin=$TOKEN
	TOKEN=
}

# decide_later ID USER [MEMBERS]: queue an event, with these members of its
# subject.
decide_later() {
	http POST /v1/decisions/async "{\"id\":\"$1\",
	    \"type\":\"payment.authorize\",\"amount\":20,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"$2\"${3:+,$3}}}" \
	    -H "X-Correlation-Id: cor-$1"
}

# decision_of ID: "STATUS ID VERDICT SCORE" of an event.
decision_of() {
	http GET "/v1/decisions/$1"
	echo "$STATUS $(json '.eventId // .code') $(json '.verdict // "-"') $(
	    json '.score // "-"')"
}

# queued_events: the ids of the queued events, in their order.
queued_events() {
	sql "select string_agg(event_id, ' ' order by number)
	from assay.async_queue"
}

# last_count NAME: this count of the companion's last run.
last_count() {
	sed -n 's/.*event=run_ended.*/&/p' "$log" | tail -n 1 |
	    sed "s/.*\( $1=\)\([0-9]*\).*/\2/"
}

# Publish a policy that reviews every payment.
review_payments() {
	http POST /v1/policies '{"id":"pol_payment_authorize",
	    "version":"later-1","onError":"fail_closed","bands":[
	    {"verdict":"review","min":0,"max":100,"reviewQueue":"later"}]}'
}
