#!/bin/sh
# SPDX-License-Identifier: ISC
# Gauges show how many rows wait in the database and since when; they fall to 0
# when none waits.
. "$(dirname "$0")/lib.sh"
use away metrics

# Each row is an hour old or older.
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
start_signed_in
http POST /v1/decisions '{"type":"account.login","subject":{"userId":"u1"}}'

# shellcheck disable=SC2317 # called by stack_until
is_lagging() {
	lag=$(metric engine_analytics_lag_seconds)
	[ -n "$lag" ] && [ "$lag" != 0 ] # empty: not measured yet
}
check "the analytics lag grows while a verdict is not counted" \
    stack_until 20 "$stack_pool_pid" is_lagging
gauge_is "a gauge has the events of the outbox" engine_outbox_events 1
gauge_is "a gauge has the age of the oldest event of the outbox" \
    engine_outbox_oldest_seconds 1
gauge_is "a gauge has the pending deliveries of webhooks" \
    'engine_deliveries_pending{kind="webhook"}' 3
gauge_is "a gauge has the time since the first webhook delivery is due" \
    'engine_deliveries_oldest_due_seconds{kind="webhook"}' 1
gauge_is "a gauge has the pending alerts" \
    'engine_deliveries_pending{kind="alert"}' 1
gauge_is "an alert of a revoked channel is not due" \
    'engine_deliveries_oldest_due_seconds{kind="alert"}' 0
gauge_is "a gauge has the dead deliveries of webhooks" \
    'engine_deliveries_dead{kind="webhook"}' 1
gauge_is "a gauge has the dead alerts" 'engine_deliveries_dead{kind="alert"}' 0
gauge_is "a gauge has the queued events" engine_async_queue_events 3
gauge_is "a gauge has the age of the oldest queued event" \
    engine_async_queue_oldest_seconds 3
gauge_is "a gauge has the months that partitions exist for" \
    engine_partition_months_ahead 24
http GET /metrics
printf '%s\n' "$BODY" >"$scratch/metrics"
sed -n 's/^GAUGE([a-z_#]*, "\([a-z_]*\)".*/\1/p' "$srcdir/lib/shared/gauges.tbl" |
    sort -u | while read -r gauge; do
	[ "$(grep -c "^# TYPE $gauge gauge$" "$scratch/metrics")" = 1 ] ||
	    echo "$gauge"
done >"$scratch/missing"
is "each gauge has one TYPE line" "$(cat "$scratch/missing")" ""
cron project
sql "truncate assay.outbox, assay.async_queue, assay.delivery"
metric_becomes "the gauge of queued events falls to 0" \
    engine_async_queue_events 0
gauge_is "the gauge of the age of queued events falls to 0" \
    engine_async_queue_oldest_seconds 0
gauge_is "the gauge of due deliveries falls to 0" \
    'engine_deliveries_oldest_due_seconds{kind="webhook"}' 0
gauge_is "the analytics lag falls to 0" engine_analytics_lag_seconds 0
finish
