# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Two hosts behind the balancer, under the load of the torture's clients, that stop and
# start again one after the other.  Sourced after lib.sh, by scenarios that define
# start_first and start_second.
# shellcheck disable=SC2034,SC2154,SC2317 # of lib.sh and the scenario; called by name

use balancer

history=$scratch/history

# start_second_host [NAME=VALUE ...]: nginx and pool are second_nginx and second_pool.
start_second_host() {
	start_host 2 "$@"
	second_pool=$(echo "$more_pids" | cut -d ' ' -f 2)
	second_nginx=$(echo "$more_pids" | cut -d ' ' -f 1)
}

# start_hosts_balancer: for these two hosts, on the socket balancer.sock.
start_hosts_balancer() {
	start_balancer -e "s,bind :443.*,bind unix@$scratch/run/balancer.sock," \
	    -e "s,bind :80,bind unix@$scratch/run/redirect.sock," \
	    -e "s,fall 2 rise 2 ssl.*,fall 2 rise 2," \
	    -e "s,10.0.0.11:443,unix@$scratch/run/http.sock," \
	    -e "s,10.0.0.12:443,unix@$scratch/run2/http.sock,"
	stack_until 20 "$balancer_pid" test -S "$scratch/run/balancer.sock" ||
	    stack_die "the balancer does not listen"
}

# start_load: until load_pid gets TERM.  Calls and answers are added to the history.
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
# history_faults COMMAND ...: what the history has otherwise than the database, to which
# the command connects psql.
history_faults() {
	"$@" -f "$srcdir/t/torture/check.sql" \
	    -c "\\copy history from '$history' with (format csv, quote e'\\x01', delimiter e'\\x02')" \
	    -c 'select * from pg_temp.findings() limit 20' 2>&1
}

spools_are_empty() {
	for host in "" 2; do
		http GET /metrics
		[ "$(metric engine_spool_records)" = 0 ] || { host=; return 1; }
	done
	host=
}

# host_is HOST STATE: the last that the balancer has logged of host a or b.
host_is() {
	[ "$(sed -n "s,^Server hosts/$1 is \([A-Z]*\).*,\1,p" "$scratch/log/balancer.log" |
	    tail -n 1)" = "$2" ]
}
hosts_are() { host_is a "$1" && host_is b "$1"; }

# announce_stop: the hosts have been asked to stop, so the next TERM ends them at once.
announce_stop() { kill -TERM "$stack_pool_pid" "$second_pool"; }

# restart_first, restart_second [NAME=VALUE ...]: stop a host, while the other one
# decides, and start it.
restart_first() {
	kill -TERM "$stack_pool_pid"
	stack_until 60 0 host_is a DOWN && scored_again || return 1
	stack_end "$stack_pool_pid" TERM
	start_first "$@"
	stack_until 60 0 host_is a UP
}
restart_second() {
	kill -TERM "$second_pool"
	stack_until 60 0 host_is b DOWN && scored_again || return 1
	stack_end "$second_pool" TERM
	stack_end "$second_nginx" TERM
	start_second "$@"
	stack_until 60 0 host_is b UP
}
