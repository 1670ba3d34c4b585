#!/bin/sh
# SPDX-License-Identifier: ISC
# Two hosts, each with nginx, pool and companion, behind HAProxy, and a database of three
# servers under Patroni with etcd: under load one part after the other fails.  Each
# answer is stored once, and decisions are scored again.  Prints how long they were not.
# shellcheck disable=SC2317 # the faults are called by their names
. "$(dirname "$0")/lib.sh"
use patroni cluster_faults

history=$scratch/history
settings="DECIDE_WORKERS=4 RATE_LIMIT_DECISIONS_PER_MIN=2147483647 STOP_DELAY_SECONDS=600"

# start_first, start_second: a host.
# shellcheck disable=SC2086 # settings
start_first() {
	with_urls servers_url start_pool $settings
}
# shellcheck disable=SC2086 # settings
start_second() {
	with_urls servers_url start_host 2 $settings
	second_pool=$(echo "$more_pids" | cut -d ' ' -f 2)
	second_nginx=$(echo "$more_pids" | cut -d ' ' -f 1)
}

start_load() {
	loads=$((${loads:-0} + 1))
	API_KEY=$KEY setpriv --pdeathsig KILL "$builddir/t/torture/load" \
	    "$scratch/run/balancer.sock" "$history" 8 "$loads" "$((loads * 1000000))" 0 \
	    </dev/null >>"$scratch/log/load.log" 2>&1 8>&- 9>&- &
	load_pid=$!
}
# scored: how many scored answers the history has.
scored() { grep -o '"score" *: *[0-9]' "$history" | grep -c .; }
has_scored() { [ "$(scored)" -ge "$1" ]; }
# scored_again: wait for 200 more scored answers.
scored_again() { stack_until 120 "$load_pid" has_scored $(($(scored) + 200)); }

spools_are_empty() {
	for host in "" 2; do
		http GET /metrics
		[ "$(metric engine_spool_records)" = 0 ] || { host=; return 1; }
	done
	host=
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
	    "$(leader_psql -f "$srcdir/t/torture/check.sql" -c "\\copy history from '$history' with (format csv, quote e'\\x01', delimiter e'\\x02')" \
		-c 'select * from pg_temp.findings() limit 20' 2>&1)" ""
	echo "# $1: $(leader_psql -v began="$began" -v timeline="$timeline" \
	    -f "$srcdir/t/torture/outage.sql")"
}

start_etcd
start_patroni
start_first
start_nginx
wait_ready
admin_token
api_key
TOKEN=
with_urls servers_url start_cron "work --for 60m"
start_second
start_balancer -e "s,bind :443.*,bind unix@$scratch/run/balancer.sock," \
    -e "s,bind :80,bind unix@$scratch/run/redirect.sock," \
    -e "s,fall 2 rise 2 ssl.*,fall 2 rise 2," \
    -e "s,10.0.0.11:443,unix@$scratch/run/http.sock," \
    -e "s,10.0.0.12:443,unix@$scratch/run2/http.sock,"
for fault in switchover release kill host freeze etcd; do
	try_fault $fault
done
finish
