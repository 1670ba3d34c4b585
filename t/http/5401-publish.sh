#!/bin/sh
# SPDX-License-Identifier: ISC
# Events of the verdict log and the outbox are queued once for each subscriber,
# with its lowest verdict and throttle.
. "$(dirname "$0")/lib.sh"
use publish

start_publish

# A subscription gets the events that follow it.
decide_order e-0
check "the companion ends well without a subscriber" publish_once
is "without a subscriber no delivery is queued" \
    "$(sql "select count(*) from assay.delivery")" 0
decide_order e-1
subscribe_webhook verdict.reached.v1
all=$ID
subscribe_webhook case.resolved.v1 label.recorded.v1
rest=$ID
decide_order e-2
http POST /v1/decisions/batch '{"events":[
    {"id":"e-3","type":"account.login","subject":{"userId":"u-2"}},
    {"id":"e-4","type":"account.login","subject":{"userId":"u-2"}}]}'
http POST /v1/decisions/async '{"id":"e-4-later","type":"account.login",
    "subject":{"userId":"u-2"}}'
check "the companion decides an event for later" cron "decide --once"
check "the companion publishes what follows a subscription" publish_once
is "each verdict after a subscription is queued for it" \
    "$(queued_for "$all")" "e-2 e-3 e-4 e-4-later"
is "a subscriber of other events gets no verdict" "$(queued_for "$rest")" ""
http GET /v1/decisions/e-2
is "a delivery has the decision as answered and its correlation id" \
    "$(sql "select d.data::jsonb, d.correlation_id, d.event,
	d.occurred_at = v.decided_at
    from assay.delivery d join assay.verdict_log v
	on v.event_id = d.data::json ->> 'eventId' and v.event_id = 'e-2'")" \
    "$(sql "select '$BODY'::jsonb - 'id' - 'decidedAt' || jsonb_build_object(
	'verdictId', id, 'eventType', event_type, 'policyId', policy_id,
	'policyVersion', policy_version)
	from assay.verdict_log where event_id = 'e-2'")|cor-e-2|verdict.reached.v1|t"
check "the companion publishes again without new events" publish_once
is "no event is queued twice" "$(queued_for "$all")" "e-2 e-3 e-4 e-4-later"
http GET /v1/webhooks/deliveries
is_json "GET of deliveries has each of them under an id" \
    '[.pending[] | select(.id | test("^whd_[0-9a-v]{26}$"))]
    | length' 4

# An event of another kind has the correlation id of its request.
sql "update assay.delivery set subscriber_id = 'sent'"
http POST /v1/labels/chargeback '{"eventId":"e-2"}' -H 'X-Correlation-Id: cor-l'
check "the companion publishes a label" publish_once
is "a label is queued for its subscriber" "$(sql "select subscriber_id, event,
    data::jsonb, correlation_id from assay.delivery
    where subscriber_id <> 'sent'")" "$rest|label.recorded.v1|{\"source\": \"chargeback\", \"eventId\": \"e-2\", \"outcome\": \"fraud\"}|cor-l"
is "a published event leaves the outbox" \
    "$(sql "select count(*) from assay.outbox")" 0

# A delivery is committed durably; otherwise a crash could repeat it under another
# id.
sql "alter database assay set synchronous_commit = off;
    create table public.commits (how text);
    create function public.log_commit() returns trigger language plpgsql
    security definer as
	'begin insert into public.commits
	values (current_setting(''synchronous_commit'')); return null; end';
    create trigger log_commit after insert on assay.delivery
    for each statement execute function public.log_commit()"
decide_order e-quick
check "the companion publishes with synchronous_commit off" publish_once
sql "drop trigger log_commit on assay.delivery"
is "a delivery is committed synchronously" \
    "$(sql "select distinct how from commits")" on
sql "delete from assay.delivery where data::json ->> 'eventId' = 'e-quick'"
sql "alter database assay reset synchronous_commit"

# A channel has a lowest verdict and a throttle.
start_cron "deliver --for 10m"
http POST /v1/notifications "{\"type\":\"slack\",\"url\":\"$url/s\",
    \"events\":[\"verdict.reached.v1\"],\"minVerdict\":\"review\",
    \"throttlePerMin\":2}"
channel=$(json .id)
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'block', 'user', 'blocked', 'me');
    update assay.epoch set lists = lists + 1;
    update assay.list_subject set changed = 2 where subject = 'user'"
decide_order mild
sql "insert into assay.alert_minute values ('$channel',
    floor(extract(epoch from clock_timestamp()) / 60) + 1000000, 0)"
for i in 1 2 3 4; do
	decide_order "severe-$i" blocked
done
# shellcheck disable=SC2317 # stack_until calls it
severe_queued() {
	[ "$(sql "select count(*) from assay.delivery
	    where subscriber_id = '$all'
		and data::json ->> 'eventId' like 'severe-%'")" = 4 ]
}
stack_until 20 "$stack_cron_pid" severe_queued || :
is "a channel gets no verdict below its minVerdict" \
    "$(queued_for "$channel" | grep -c mild)" 0
check "a channel gets at most two alerts a minute" test "$(sql "select count(*)
    from assay.delivery where subscriber_id = '$channel'")" -le 4
stop_cron
check "the companion logs how many events it published" grep -q \
    'job=deliver .*event=run_ended .*events=[0-9]* throttled=[0-9]*' \
    "$scratch/log/cron.log"
finish
