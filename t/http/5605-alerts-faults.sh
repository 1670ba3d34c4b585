#!/bin/sh
# SPDX-License-Identifier: ISC
# Alerts fire when workers die, Redis or the database is away, and decisions are
# slow, degraded, refused or fail.
. "$(dirname "$0")/lib.sh"
use tls load alerts

start_redis
start_watched REDIS_URL="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock" \
    DECIDE_WORKERS=6 OPERATOR_WORKERS=6
start_prometheus
admin_token
api_key
TOKEN=

# decide_some COUNT: decide as many events.
decide_some() {
	for some in $(seq "$1"); do
		http POST /v1/decisions "$(login_of "u-$some")"
	done
}
decide_some 3
wrong_from_start="AssayCertificateExpires AssayDiskFilling AssayDiskFull AssayExporterDown"
# shellcheck disable=SC2086 # a list
fire $wrong_from_start
is "no other alert fires while all is well" "$(firing_now)" "$wrong_from_start"

# Each decision waits.
cluster_psql postgres assay <<'END'
create function assay.slow() returns trigger language plpgsql as $$
begin
	perform pg_sleep(0.7);
	return new;
end $$;
grant execute on function assay.slow() to assay_decide;
create trigger slow before insert on assay.decision_detail
    for each row execute function assay.slow();
END
decide_some 8
fire AssaySlow
sql "drop trigger slow on assay.decision_detail"

# All decide workers stop for a while.
stopped=$(worker_pids decide)
# shellcheck disable=SC2086 # a list
kill -STOP $stopped
for i in $(seq 20); do
	post_later "late$i" /v1/decisions "$(login_of "late-$i")"
done
sleep 3
# shellcheck disable=SC2086
kill -CONT $stopped
for i in $(seq 20); do
	await_answer "late$i"
done
fire AssayShed

# Redis is away.
stack_end "$redis_pid" KILL
redis_pid=
decide_some 3
fire AssayRedisFails
start_redis

# All workers die; then operator workers die whenever they start, and the master
# waits longer each time.
# shellcheck disable=SC2046 # a list
kill -KILL $(worker_pids decide) $(worker_pids operator)
fire AssayWorkersDie AssayWorkersDieFast
wait_ready
while :; do
	# shellcheck disable=SC2046 # a list
	kill -KILL $(worker_pids operator) 2>/dev/null
	sleep 0.2
done &
killer_pid=$!
fire AssayNoWorkers
kill "$killer_pid"

# The database is away; its spool then waits although it is back, because the pool may
# not drain it.
sql "revoke all on assay.spool_file from assay_decide"
stop_database
decide_some 8
fire AssayNotReady AssayDegraded AssayUnreachable AssayMetricsOld
for _ in 1 2 3 4 5 6; do
	decide_some 2
	sleep 5
done
fire AssaySpoolGrows
start_database
fire AssaySpoolStuck
stop_database

# Without a database and a spool, decisions fail.
stop_pool
start_pool METRICS_TOKEN="$METRICS_TOKEN" SPOOL_DIR="$scratch/none"
decide_some 8
is "a decision without a database and a spool answers 503" "$STATUS" 503
fire AssayFailing
finish
