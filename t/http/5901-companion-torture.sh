#!/bin/sh
# SPDX-License-Identifier: ISC
# Two companions and PostgreSQL are killed again and again beside decisions,
# events for later and chargebacks: each accepted event is decided once, each
# event is delivered at least once under one id, and the analytics equal a
# recount.
#
# TORTURE_MINUTES sets the duration.
# shellcheck disable=SC2154,SC2317 # companion_1, and what stack_until calls
. "$(dirname "$0")/lib.sh"
use deliver days companions

rounds=$((${TORTURE_MINUTES:-0} * 12 + 2))

# start_work HOST: start a companion with the jobs of a host.
start_work() {
	start_companion "$1" "work --for 1h" ALLOW_PRIVATE_TARGETS=true \
	    LOG_LEVEL=info
}

# subscribe_receiver MODE NAME: add an endpoint of the receiver for verdicts and
# labels.
subscribe_receiver() {
	http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/$1/$2\",
	    \"events\":[\"verdict.reached.v1\",\"label.recorded.v1\"]}"
	echo "$2 $(json .secret)" >>"$mail/secrets"
}

# No companion has work left.
is_idle() {
	[ "$(sql "select (select count(*) from assay.async_queue) +
	    (select count(*) from assay.outbox) +
	    (select count(*) from assay.delivery) +
	    (select count(*) from assay.analytics_change) +
	    (select count(*) from assay.label
		where credited_outcome is not null and risk_outcome is null)")" -eq 0 ] &&
	    [ "$(sql "select count(*) from assay.verdict_log" |
		tr -d ' ')" = "$(sql "select coalesce(sum(n), 0)
		from assay.analytics_count where kind = 'verdict'")" ]
}

# accepted_ids KIND: the ids of what was accepted.
accepted_ids() {
	sed -n "s/^$1 //p" "$scratch/accepted" | LC_ALL=C sort
}

start_durable_database
start_stack ALLOW_PRIVATE_TARGETS=true
start_receiver
admin_token
api_key
subscribe_receiver 200 fine
subscribe_receiver once again
TOKEN=
start_work 1
start_work 2
send_load
i=0
while [ "$i" -lt "$rounds" ]; do
	i=$((i + 1))
	sleep 0.4
	kill_companion 1
	start_work 1
	sleep 0.3
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where application_name = 'assay cron'" >/dev/null
	sleep 0.4
	kill_companion 2
	kill_companion 1
	start_work 2
	start_work 1
	sleep 0.3
	crash_database
	wait_ready
	sleep 0.4
done
kill -s TERM "$load_pid"
wait "$load_pid"

# The claims of killed companions end after minutes; here they end at once.
check "companions and PostgreSQL leave no work behind" \
    stack_until 60 "$stack_cron_pid" eval \
    'sql "update assay.delivery set next_attempt_at = clock_timestamp(),
	claimed_until = null where claimed_until > clock_timestamp()
	+ interval '\''1 minute'\''" && is_idle'
kill -s TERM "$companion_1" "$companion_2"
wait "$companion_1" "$companion_2"

echo "# accepted: $(cut -d ' ' -f 1 "$scratch/accepted" | sort | uniq -c |
    awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 }')"
check "decisions, events for later and labels were accepted" \
    test "$(cut -d ' ' -f 1 "$scratch/accepted" |
    sort -u | wc -l)" -eq 3
is "each accepted event for later is decided" "$(sql "select event_id
    from assay.verdict_log where event_id like 'later-%'
	and reasons not like '%engine.degraded%'" | LC_ALL=C sort |
    uniq -c | awk '{ print $2, $1 }' | LC_ALL=C sort >"$scratch/decided"
    accepted_ids later | LC_ALL=C comm -23 - \
	"$(sed 's/ 1$//' "$scratch/decided" | LC_ALL=C sort >"$scratch/once"
	echo "$scratch/once")")" ""
is "no event for later is decided twice" \
    "$(grep -v ' 1$' "$scratch/decided")" ""
is "the samples are as many as the scored decisions" "$(sql "select count(*)
    from assay.decision_detail where sample is not null")" "$(sql "select count(*)
    from assay.verdict_log where score >= 0")"

cat "$mail"/body.* | jq -r '[.type, .data.verdictId // .data.eventId] | join(" ")' |
    LC_ALL=C sort -u >"$scratch/arrived"
is "every verdict is delivered" "$(sql "select 'verdict.reached.v1 ' || id
    from assay.verdict_log" | LC_ALL=C sort |
    LC_ALL=C comm -3 - "$(grep verdict "$scratch/arrived" \
	>"$scratch/arrived.verdicts"; echo "$scratch/arrived.verdicts")" |
    head -n 3)" ""
is "every accepted label is delivered" \
    "$(accepted_ids label | sed 's/^/label.recorded.v1 /' |
    LC_ALL=C comm -23 - "$scratch/arrived" | head -n 3)" ""
is "each event is delivered under one id to each endpoint" \
    "$(for endpoint in fine again; do
	received_by "$endpoint" | cut -d ' ' -f 2 | sort -u | while read -r id; do
		cat "$mail/body.$id.1"
		echo
	done | jq -r '[.type, .data.verdictId // .data.eventId] | join(" ")' |
	    sort | uniq -d
done | head -n 3)" ""
is "every delivery has two good signatures" \
    "$(cut -d ' ' -f 4,5 "$mail/received" | sort -u)" "good good"

is "the analytics equal a recount of the verdicts" "$(sql "
    select (decided_at at time zone 'UTC')::date, verdict, count(*)
    from assay.verdict_log group by 1, 2
    except select day, name, sum(n) from assay.analytics_count
	where kind = 'verdict' group by 1, 2")" ""
is "the analytics equal a recount of the labels" \
    "$(sql "select count(*) from assay.label")" \
    "$(sql "select n from assay.analytics_total
	where kind = 'label' and name = 'fraud'")"
is "the days of devices and addresses equal a recount" \
    "$(days_counted)" "$(days_recounted)"
check "the days have events and labels" [ "$(days_counted | awk -F '|' '
    $3 > 0 { n++ } $5 > 0 { l++ } END { print (n > 5 && l > 1) }')" = 1 ]
finish
