# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# HAProxy, as contrib/haproxy configures it, before the hosts of a scenario.  Sourced
# after lib.sh.
# shellcheck disable=SC2034,SC2154,SC2317 # of lib.sh and the scenario; called by name

# in_background LOG COMMAND ...: run a command as the user of the programs, and set
# background_pid.
in_background() {
	background_log=$1
	shift
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig TERM "$@") </dev/null \
	    >>"$scratch/log/$background_log.log" 2>&1 8>&- 9>&- &
	background_pid=$!
	more_pids="$background_pid $more_pids"
}

# start_balancer [-e SCRIPT ...]: with these changes of its configuration by sed, which
# replace its addresses.
start_balancer() {
	sed -e "s,/dev/log local0,stdout format raw local0," \
	    -e '/^	\(user\|group\) /d' "$@" \
	    "$srcdir/contrib/haproxy/haproxy.cfg" >"$scratch/run/balancer.cfg"
	in_background balancer haproxy -db -f "$scratch/run/balancer.cfg"
	balancer_pid=$background_pid
}

# balancer_says HOST STATE [COUNT]: it has logged this state of a host as often.
balancer_says() {
	[ "$(grep -c "^Server hosts/$1 is $2" "$scratch/log/balancer.log")" -ge "${3:-1}" ]
}
