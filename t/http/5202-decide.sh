#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion decides the events for later as the pool would: each once, each
# user's in their order.
. "$(dirname "$0")/lib.sh"
use async

start_async

check "the companion ends well with an empty queue" cron decide
is "with an empty queue no event is decided" "$(last_count decided)" 0

# A decision of the companion leaves what a decision of the pool leaves.
decide_later o-1 u-1 '"deviceId":"d-1","ip":"196.188.1.2","phone":"+251911234544"'
is "a queued event has no decision" "$(decision_of o-1)" "404 NOT_FOUND - -"
cron decide
is "the companion decides a queued event" "$(decision_of o-1)" "200 o-1 allow 0"
is "a decided event leaves the queue" "$(queued_events)" ""
is "a decision has its log entry, sample, key, state and links once" \
    "$(sql "select
    (select count(*) from assay.verdict_log where event_id = 'o-1'
	and correlation_id = 'cor-o-1'),
    (select count(*) from assay.decision_detail where event_id = 'o-1'
	and user_id = 'u-1' and sample is not null),
    (select count(*) from assay.idempotency where key = 'o-1'),
    (select count(*) from assay.user_state where user_id = 'u-1'),
    (select count(*) from assay.entity_link)")" "1|1|1|1|6"
check "the log of the companion has the decision" grep -q \
    'req=cor-o-1 event=queued_event_decided ms=[0-9]* verdict=allow' "$log"
is "the pool answers a decided event as a replay" \
    "$(http POST /v1/decisions '{"id":"o-1",
    "type":"payment.authorize","subject":{"userId":"u-1"}}'
    header x-engine-idempotent-replay)" true
decide_later o-1 u-1
is "a decided event is not queued again" "$STATUS $(queued_events)" "202 "

# Events of a user are decided in their order, beside those of others.
for i in 1 2 3 4 5 6 7; do
	decide_later "v-$i" u-many
done
decide_later o-2 u-2
cron decide
is "each event of a user sees those before it" "$(sql "select string_agg(
    event_id || '=' || (signals(sample)->>'velocity.attemptsLast24h'),
    ' ' order by decided_at) from assay.decision_detail where user_id = 'u-many'")" \
    "v-1=0 v-2=1 v-3=2 v-4=3 v-5=4 v-6=5 v-7=6"
is "the run logs how many events it decided" "$(last_count decided)" 8

# Reviews and lists.
TOKEN=$admin
review_payments
is "a policy that reviews every payment is published" "$STATUS" 200
for entry in block:u-block allow:u-allow; do
	http POST /v1/lists "{\"kind\":\"${entry%:*}\",\"subject\":\"user\",
	    \"value\":\"${entry#*:}\"}"
	is "an entry to ${entry%:*} a user is added" "$STATUS" 201
done
TOKEN=
decide_later o-3 u-3
decide_later o-block u-block
decide_later o-allow u-allow
cron decide
is "the companion decides by the published policy" \
    "$(decision_of o-3)" "200 o-3 review 0"
is "a review has a case in its queue, by the published policy" \
    "$(sql "select c.event_id, c.queue,
    v.policy_version from assay.review_case c
    join assay.verdict_log v on v.id = c.verdict_id")" "o-3|later|later-1"
is "the companion denies a blocked user" \
    "$(decision_of o-block)" "200 o-block deny -1"
is "the companion allows an allowed user" \
    "$(decision_of o-allow)" "200 o-allow allow -1"

# A synchronous request decides first.
decide_later o-4 u-4
http POST /v1/decisions '{"id":"o-4","type":"account.login",
    "subject":{"userId":"u-other"}}'
is "a synchronous request decides a queued event" "$STATUS" 200
cron decide
is "the companion drops an event that has a decision" \
    "$(last_count decided) $(last_count dropped) $(queued_events)" "0 1 "
is "an event of queue and request is decided once" \
    "$(sql "select count(*) from assay.verdict_log
    where event_id = 'o-4'")" 1

finish
