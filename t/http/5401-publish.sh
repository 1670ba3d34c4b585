#!/bin/sh
# SPDX-License-Identifier: ISC
# From verdict log and outbox to deliveries: each event once for each
# subscriber, whenever it commits and whoever is killed.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# Where nobody listens: what is queued stays.
url=http://127.0.0.1:1
start_stack ALLOW_PRIVATE_TARGETS=true
admin_token
api_key

# decide EVENT [USER [AMOUNT]]
decide() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${3:-20},\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"${2:-u-1}\"}}" \
	    -H "X-Correlation-Id: cor-$1"
}

# publish: once, all that is due.
# shellcheck disable=SC2317 # check calls it
publish() {
	cron "deliver --once"
}

# webhook EVENT ...: its id is in ID.
webhook() {
	http POST /v1/webhooks "{\"url\":\"$url/t\",
	    \"events\":[$(printf '"%s",' "$@" | sed 's/,$//')]}"
	ID=$(json .id)
}

# got SUBSCRIBER: which events are queued for it, as often as they are.
got() {
	sql "select string_agg(data::json ->> 'eventId', ' ' order by
	    data::json ->> 'eventId') from assay.delivery
	where subscriber_id = '$1'"
}

# Nobody subscribes; then somebody does, and hears of what comes after.
decide e-0
check "without subscribers" publish
is "nothing is queued" "$(sql "select count(*) from assay.delivery")" 0
decide e-1
webhook verdict.reached.v1
all=$ID
webhook case.resolved.v1 label.recorded.v1
rest=$ID
decide e-2
http POST /v1/decisions/batch '{"events":[
    {"id":"e-3","type":"account.login","subject":{"userId":"u-2"}},
    {"id":"e-4","type":"account.login","subject":{"userId":"u-2"}}]}'
http POST /v1/decisions/async '{"id":"e-4-later","type":"account.login",
    "subject":{"userId":"u-2"}}'
check "one is decided later" cron "decide --once"
check "what came after a subscription" publish
is "is queued for it" "$(got "$all")" "e-2 e-3 e-4 e-4-later"
is "and not for others" "$(got "$rest")" ""
http GET /v1/decisions/e-2
is "as the decision was answered, under the caller's correlation id" \
    "$(sql "select d.data::jsonb, d.correlation_id, d.event,
	d.occurred_at = v.decided_at
    from assay.delivery d join assay.verdict_log v
	on v.event_id = d.data::json ->> 'eventId' and v.event_id = 'e-2'")" \
    "$(sql "select '$BODY'::jsonb - 'id' - 'decidedAt' || jsonb_build_object(
	'verdictId', id, 'eventType', event_type, 'policyId', policy_id,
	'policyVersion', policy_version)
	from assay.verdict_log where event_id = 'e-2'")|cor-e-2|verdict.reached.v1|t"
check "once more" publish
is "each is queued once" "$(got "$all")" "e-2 e-3 e-4 e-4-later"
http GET /v1/webhooks/deliveries
is_json "they are shown" '[.pending[] | select(.id | test("^whd_[0-9a-v]{26}$"))]
    | length' 4

# Others than verdicts, with the request's correlation id.
sql "update assay.delivery set subscriber_id = 'sent'"
http POST /v1/labels/chargeback '{"eventId":"e-2"}' -H 'X-Correlation-Id: cor-l'
check "a label" publish
is "is queued for who wants labels" "$(sql "select subscriber_id, event,
    data::jsonb, correlation_id from assay.delivery
    where subscriber_id <> 'sent'")" "$rest|label.recorded.v1|{\"source\": \"chargeback\", \"eventId\": \"e-2\", \"outcome\": \"fraud\"}|cor-l"
is "and has left the outbox" "$(sql "select count(*) from assay.outbox")" 0

# One that began early and commits late, one that is rolled back.
mkfifo "$scratch/late" "$scratch/gone"
cluster_psql postgres assay -q <"$scratch/late" &
late=$!
cluster_psql postgres assay -q <"$scratch/gone" &
gone=$!
exec 8>"$scratch/late" 7>"$scratch/gone"
for event in late gone; do
	echo "begin; insert into assay.verdict_log (decided_at, id, event_id,
	    event_type, verdict, score, reasons, policy_id, policy_version,
	    correlation_id)
	values (clock_timestamp(), 'vd_$event', '$event', 'order.place', 'deny', 100,
	    '[]', 'p', 'v', 'c');
	insert into assay.outbox (event, data, correlation_id)
	values ('case.resolved.v1', '{\"eventId\":\"$event\"}', 'c');" \
	    >"$scratch/$event.sql"
done
cat "$scratch/late.sql" >&8
cat "$scratch/gone.sql" >&7
# shellcheck disable=SC2317 # stack_until calls it
both_hold() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where state = 'idle in transaction' and backend_xid is not null")" = 2 ]
}
stack_until 20 "$late" both_hold
decide e-5
sql "insert into assay.outbox (event, data, correlation_id)
    values ('case.resolved.v1', '{\"eventId\":\"case\"}', 'c')"
check "while two are open" publish
is "who overtakes them in the log waits" "$(got "$all")" ""
is "but not in the outbox" "$(got "$rest")" "case e-2"
echo "rollback;" >&7
echo "commit;" >&8
exec 8>&- 7>&-
wait "$late" "$gone"
check "when they have ended" publish
is "each is queued that was committed" "$(got "$all")" "e-5 late"
is "late ones of the outbox too" "$(got "$rest")" "case e-2 late"

# What has been sent is not to be sent under another id after a crash.
sql "alter database assay set synchronous_commit = off;
    create table public.told (how text);
    create function public.tell() returns trigger language plpgsql
    security definer as
	'begin insert into public.told
	values (current_setting(''synchronous_commit'')); return null; end';
    create trigger tell after insert on assay.delivery
    for each statement execute function public.tell()"
decide e-quick
check "where the server is told to be quick" publish
sql "drop trigger tell on assay.delivery"
is "what is queued is durable" "$(sql "select distinct how from told")" on
sql "delete from assay.delivery where data::json ->> 'eventId' = 'e-quick'"
sql "alter database assay reset synchronous_commit"

# Killed in the middle: the one that publishes, and its server's process.
sql "create function assay.wait() returns trigger language plpgsql
    as 'begin perform pg_sleep(30); return null; end'"
# shellcheck disable=SC2317 # stack_until calls it
publishing() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where query like '%publish_next%' and wait_event = 'PgSleep'")" = 1 ]
}
stop_it() {
	sql "select count(pg_terminate_backend(pid)) from pg_stat_activity
	    where wait_event = 'PgSleep'" >/dev/null
}
for i in 6 7 8; do
	decide "e-$i"
done
sql "insert into assay.outbox (event, data, correlation_id)
    values ('case.resolved.v1', '{\"eventId\":\"case-2\"}', 'c');
    create trigger wait after insert on assay.delivery
    for each statement execute function assay.wait()"
start_cron "deliver --for 10m"
victim=$stack_cron_pid
check "in the middle" stack_until 20 "$stack_cron_pid" publishing
check "another has nothing to do meanwhile" publish
is "and makes nothing of it" "$(got "$all")" "e-5 late"
kill -s KILL "$victim"
stop_it
start_cron "deliver --for 10m"
check "another begins" stack_until 20 "$stack_cron_pid" publishing
sql "drop trigger wait on assay.delivery" &
stop_it
wait $!
# shellcheck disable=SC2317 # stack_until calls it
all_got() {
	[ "$(got "$all")" = "e-5 e-6 e-7 e-8 late" ]
}
stack_until 20 "$stack_cron_pid" all_got || :
is "nothing is lost, nothing is doubled" "$(got "$all") $(got "$rest")" \
    "e-5 e-6 e-7 e-8 late case case-2 e-2 late"

# Two of them beside many decisions, with subscribers that come and go.
start_cron "deliver --for 10m"
webhook verdict.reached.v1
second=$ID
for i in $(seq 100 139); do
	decide "m-$i" "u-$((i % 5))"
	[ "$i" -ne 119 ] || http POST "/v1/webhooks/$second/revoke"
done
want=$(seq 100 139 | sed 's/^/m-/' | paste -sd ' ')
# shellcheck disable=SC2317 # stack_until calls it
all_got() {
	[ "$(got "$all")" = "e-5 e-6 e-7 e-8 late $want" ]
}
stack_until 20 "$stack_cron_pid" all_got || :
is "each is queued once" "$(got "$all")" "e-5 e-6 e-7 e-8 late $want"
check "who is revoked gets nothing from then on" sh -c \
    "! printf '%s' '$(got "$second")' | grep -q 'm-12[1-9]\\|m-13'"

# A channel: how severe it has to be, and how many.
http POST /v1/notifications "{\"type\":\"slack\",\"url\":\"$url/s\",
    \"events\":[\"verdict.reached.v1\"],\"minVerdict\":\"review\",
    \"throttlePerMin\":2}"
channel=$(json .id)
sql "insert into assay.list_entry (id, kind, subject, value, created_by)
    values ('lst_1', 'block', 'user', 'blocked', 'me');
    update assay.epoch set lists = lists + 1;
    update assay.list_subject set changed = 2 where subject = 'user'"
decide mild
sql "insert into assay.alert_minute values ('$channel',
    floor(extract(epoch from clock_timestamp()) / 60) + 1000000, 0)"
for i in 1 2 3 4; do
	decide "severe-$i" blocked
done
# shellcheck disable=SC2317 # stack_until calls it
told() {
	[ "$(sql "select count(*) from assay.delivery
	    where subscriber_id = '$all'
		and data::json ->> 'eventId' like 'severe-%'")" = 4 ]
}
stack_until 20 "$stack_cron_pid" told || :
is "only what is severe" "$(got "$channel" | grep -c mild)" 0
check "no more than its share" test "$(sql "select count(*)
    from assay.delivery where subscriber_id = '$channel'")" -le 4
stop_cron
check "and the log says what was done" grep -q \
    'job=deliver .*run=done .*events=[0-9]* throttled=[0-9]*' \
    "$scratch/log/cron.log"
finish
