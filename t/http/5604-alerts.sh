#!/bin/sh
# SPDX-License-Identifier: ISC
# Prometheus reads the pool with the files of contrib/prometheus; alerts about the
# database, the companion, files and the edge fire when each is broken.  5605 breaks
# processes.
. "$(dirname "$0")/lib.sh"
use tls offline alerts

make_places
start_watched GEOIP_DB="$GEOIP_DB" LABELS_WAITING_MAX=2 DISK_HEALTH_PATHS="$scratch"
start_prometheus
admin_token
api_key

# What is wrong from the start: no exporters, a certificate of one day, a GeoIP
# database of 1970, and any use of a disk.
wrong_from_start="AssayCertificateExpires AssayDiskFilling AssayDiskFull AssayExporterDown AssayGeoipOld"
# shellcheck disable=SC2086 # a list
fire $wrong_from_start
is "no other alert fires while all is well" "$(firing_now)" "$wrong_from_start"

# Work for a companion that does not run.
cluster_psql postgres assay <<'END'
insert into assay.outbox (event, data, correlation_id, occurred_at)
values ('case.resolved.v1', '{}', 'c', now() - interval '1 hour');
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
values ('whk_1', 'https://a.example/', '{}', 'whsec_x', 'nobody');
insert into assay.delivery (id, subscriber_id, event, data, correlation_id,
    occurred_at, next_attempt_at)
values ('whd_a', 'whk_1', 'case.resolved.v1', '{}', 'c', now(),
    now() - interval '1 hour');
insert into assay.dead_letter (id, subscriber_id, event, data, correlation_id,
    occurred_at)
values ('whd_e', 'whk_1', 'case.resolved.v1', '{}', 'c', now());
insert into assay.async_queue (event_id, user_id, event, correlation_id,
    accepted_at, attempts)
values ('e-1', 'u', '{', 'c', now() - interval '1 hour', 7);
update assay.retention_sweep set started_at = now() - interval '3 days',
    finished_at = now() - interval '3 days';
insert into assay.model_source (name, kind, refusal, refused_at, failures,
    polled_at)
values ('url x', 'url', 'no answer', now() - interval '2 hours', 1,
    now() - interval '2 hours');
insert into assay.drift values ('order.place', current_date - 1, 0.3)
on conflict (event_type) do update set psi = excluded.psi;
END
http POST /v1/labels/chargeback '{"eventId":"never-seen-1"}'
http POST /v1/labels/chargeback '{"eventId":"never-seen-2"}'
: >"$scratch/spool/a.quarantine"
fire AssayAsyncLate AssayCompanionLate AssayDeliveriesLate AssayDeadLetters \
    AssayRetentionLate AssayModelRefused AssayModelUnpolled AssayDrift \
    AssayLabelsFull AssaySpoolQuarantined
cron decide
fire AssayAsyncDegraded
rm "$scratch/spool/a.quarantine"

# drop_months FIRST: drop the partitions of verdicts from this month ahead on.
drop_months() {
	sql "select 'drop table assay.verdict_log_' || to_char(date_trunc('month',
	    now() at time zone 'UTC') + make_interval(months => n), 'YYYYMM') || ';'
	    from generate_series($1, 24) n" | sed 's/drop table/& if exists/' |
	    cluster_psql postgres assay
}
drop_months 20
fire AssayPartitionsLow
drop_months 1
fire AssayPartitionsGone

# Three guesses too many; the address is outside.
log_in_from 192.0.2.1 admin@example.com 'correct horse'
sql "update assay.login_account set failures = 49"
log_in_from 198.51.100.5 admin@example.com 'wrong horse'
fire AssayLoginGuessing

# The file of GEOIP_DB is gone.
stop_pool
rm "$GEOIP_DB"
start_pool METRICS_TOKEN="$METRICS_TOKEN" GEOIP_DB="$GEOIP_DB"
fire AssayGeoipMissing

# The host is away from Prometheus, then Prometheus has no host.
stop_nginx
fire AssayDown
sed -i "s/\"127.0.0.1:$watch_port\"//" "$scratch/prometheus/prometheus.yml"
kill -HUP "$prometheus_pid"
fire AssayAbsent
finish
