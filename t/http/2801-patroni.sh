#!/bin/sh
# SPDX-License-Identifier: ISC
# Two hosts, each with nginx, pool and companion, behind HAProxy, and a database of three
# servers under Patroni with etcd: under load one part after the other fails.  Each
# answer is stored once, and decisions are scored again.  Prints how long they were not.
# shellcheck disable=SC2119,SC2120,SC2317 # the faults are called by their names
# The disks of the servers are mounted for this scenario alone.
if [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	exec env OWN_MOUNTS=1 unshare -m sh "$0"
fi
. "$(dirname "$0")/lib.sh"
use patroni rolling cluster_faults

disk_size=2g
settings="DECIDE_WORKERS=4 RATE_LIMIT_DECISIONS_PER_MIN=2147483647 STOP_DELAY_SECONDS=600
    REDIS_URL=unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"

# start_first, start_second [NAME=VALUE ...]: a host.
# shellcheck disable=SC2086 # settings
start_first() {
	with_urls servers_url start_pool $settings
}
# shellcheck disable=SC2086 # settings
start_second() {
	with_urls relay_url start_second_host $settings "$@"
}

# try_fault NAME: with the load before, during and after it.
try_fault() {
	began=$(leader_psql -c "select clock_timestamp()")
	timeline=$(leader_psql -c "select left(pg_walfile_name(pg_current_wal_lsn()), 8)")
	start_load
	check "$1: decisions are scored before" scored_again
	check "$1: it happens and ends" "fault_$1"
	check "$1: decisions are scored afterwards" scored_again
	kill -TERM "$load_pid"
	check "$1: the clients end without an error" wait "$load_pid"
	check "$1: three servers run, one of them synchronous" \
	    stack_until 120 0 followers_are 2
	check "$1: the spools of both hosts are drained" stack_until 60 0 spools_are_empty
	is "$1: every answer is stored once and all counts agree" \
	    "$(history_faults leader_psql)" ""
	echo "# $1: $(leader_psql -v began="$began" -v timeline="$timeline" \
	    -f "$srcdir/t/torture/outage.sql")"
}

cp "$builddir/t/http/clock.so" "$scratch/bin/"
start_etcd
if [ -n "${OWN_MOUNTS-}" ]; then
	own_disks
fi
start_patroni
start_relay
start_redis
start_first
start_nginx
wait_ready
admin_token
api_key
TOKEN=
with_urls servers_url start_cron "work --for 60m"
start_second
start_hosts_balancer
for fault in switchover release kill host freeze etcd partition redis clock; do
	try_fault $fault
done
if [ -n "${OWN_MOUNTS-}" ]; then
	try_fault disk
else
	ok "disk: every answer is stored once # skipped: no mount namespace"
fi
announce_stop
finish
