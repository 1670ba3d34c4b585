#!/bin/sh
# SPDX-License-Identifier: ISC
# What companions count is among the metrics of every pool, once; and so is
# what waits in the database, and since when.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

# An hour old, all of it.
start_database
cluster_psql postgres assay <<'END'
insert into assay.outbox (event, data, correlation_id, occurred_at)
values ('case.resolved.v1', '{}', 'c', now() - interval '1 hour');
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
values ('whk_1', 'https://a.example/', '{}', 'whsec_x', 'nobody'),
    ('whk_2', 'https://a.example/', '{}', 'whsec_x', 'nobody');
insert into assay.alert_channel (id, type, url, url_hint, events, active,
    created_by)
values ('ntf_1', 'slack', 'https://a.example/', '""', '{}', false, 'nobody');
insert into assay.delivery (id, subscriber_id, event, data, correlation_id,
    occurred_at, next_attempt_at)
select v.id, v.subscriber, 'case.resolved.v1', '{}', 'c', now(), now() - v.due
from (values ('whd_a', 'whk_1', interval '-1 hour'),
    ('whd_b', 'whk_2', interval '1 hour'),
    ('whd_c', 'whk_2', interval '1 minute'),
    ('ntd_d', 'ntf_1', interval '1 day')) as v(id, subscriber, due);
insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
    occurred_at)
values ('whd_e', 'whk_1', 'case.resolved.v1', '{}', 'c', now());
insert into assay.async_queue (event_id, user_id, event, correlation_id,
    accepted_at)
select 'e-' || n, 'u', '{}', 'c', now() - make_interval(hours => 4 - n)
from generate_series(1, 3) n;
END
start_pool
start_nginx
wait_ready
admin_token
api_key
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u1"}}'

# gauge WHAT NAME WANT: its value, of an age the whole hours.
gauge() {
	got=$(metric "$2")
	case $2 in
	*_seconds*) got=$((${got%%.*} / 3600)) ;;
	esac
	is "$1" "$got" "$3"
}
# has NAME VALUE: it has that value.
# shellcheck disable=SC2317 # called by stack_until
has() {
	[ "$(metric "$1")" = "$2" ]
}
soon() {
	what=$1
	shift
	check "$what" stack_until 20 "$stack_pool_pid" "$@"
}

# shellcheck disable=SC2317 # called by stack_until
lags() {
	[ "$(metric engine_analytics_lag_seconds)" != 0 ]
}
soon "what analytics have not counted yet grows old" lags
gauge "events that are no deliveries yet" engine_outbox_events 1
gauge "and their age" engine_outbox_oldest_seconds 1
gauge "deliveries that wait" 'engine_deliveries_pending{kind="webhook"}' 3
gauge "the first is due since" \
    'engine_deliveries_oldest_due_seconds{kind="webhook"}' 1
gauge "alerts that wait" 'engine_deliveries_pending{kind="alert"}' 1
gauge "are not due to who was revoked" \
    'engine_deliveries_oldest_due_seconds{kind="alert"}' 0
gauge "what was given up" 'engine_deliveries_dead{kind="webhook"}' 1
gauge "of either kind" 'engine_deliveries_dead{kind="alert"}' 0
gauge "events to decide" engine_async_queue_events 3
gauge "the first is waiting since" engine_async_queue_oldest_seconds 3
gauge "months ahead" engine_partition_months_ahead 24
http GET /metrics
printf '%s\n' "$BODY" >"$scratch/metrics"
sed -n 's/^GAUGE([a-z_]*, "\([a-z_]*\)".*/\1/p' "$srcdir/lib/shared/gauges.tbl" |
    sort -u | while read -r name; do
	[ "$(grep -c "^# TYPE $name gauge$" "$scratch/metrics")" = 1 ] ||
	    echo "$name"
done >"$scratch/missing"
is "each has its type, once" "$(cat "$scratch/missing")" ""

# torn FILE: a line that was never written whole, in a spool of the companion's
# own, for it to count.
mkdir "$scratch/spool-cron"
stack_own "$scratch/spool-cron"
torn() {
	echo half >"$scratch/spool-cron/$1.drain"
	stack_own "$scratch/spool-cron"
}
# shellcheck disable=SC2317 # called by stack_until
is_gone() {
	[ ! -e "$scratch/spool-cron/$1.drain" ]
}
# stored: what the database has of it.
stored() {
	sql "select n from assay.counter where metric = '$1'"
}
counted=engine_spool_torn_total
torn one
cron drain SPOOL_DIR="$scratch/spool-cron"
is "a run that ends leaves its counts" "$(stored "$counted")" 1
soon "which the pool shows" has $counted 1
start_host 2
sql "truncate assay.outbox, assay.async_queue, assay.delivery"
cron project
start_cron "drain --for 10m" SPOOL_DIR="$scratch/spool-cron"
torn two
soon "one that goes on adds its own meanwhile" has $counted 2
is "the database has their sum" "$(stored "$counted")" 2
gauge "what waited has gone" engine_async_queue_events 0
gauge "and so has its age" engine_async_queue_oldest_seconds 0
gauge "deliveries too" 'engine_deliveries_oldest_due_seconds{kind="webhook"}' 0
gauge "nothing is left to count" engine_analytics_lag_seconds 0
host=2
soon "another pool shows it once, too, since it began" has $counted 1
host=

# What companions alone count outlives both, and is not shown before it is
# known, or it would seem to have leapt.
kept=engine_alerts_throttled_total
sql "insert into assay.counter values ('$kept', 0, 0, 7)"
soon "what companions alone count is shown" has $kept 7

# What cannot be saved now is saved later.
sql "revoke execute on function assay.counter_add from assay_companion"
torn three
check "it counts on" stack_until 10 "$stack_cron_pid" is_gone three
check "and says what it cannot" stack_until 10 "$stack_cron_pid" \
    grep -q "metrics=unsaved" "$scratch/log/cron.log"
stop_database
is "what was known is shown without a database" "$(metric $counted) $(metric \
    engine_partition_months_ahead)" "2 24"
stop_pool
start_pool
check "a pool that starts without one answers" stack_until 10 \
    "$stack_pool_pid" has engine_database_up 0
is "and shows what it knows itself" "$(metric $counted)$(metric \
    engine_partition_months_ahead)$(metric $kept)" 0
start_database
sql "grant execute on function assay.counter_add to assay_companion"
# shellcheck disable=SC2317 # called by stack_until
all_stored() {
	[ "$(stored "$counted")" = 3 ]
}
check "nothing is lost" stack_until 20 "$stack_cron_pid" all_stored
soon "the pool, which has begun anew, shows what is new" \
    has engine_partition_months_ahead 24
is "and of what only companions count, all" "$(metric $kept)" 7
torn four
soon "all of it" has $counted "$(($(metric $counted) + 1))"
is "each counted once" "$(stored "$counted")" 4
stop_cron
finish
