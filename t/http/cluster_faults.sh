# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The faults of scenario 2801: each succeeds when what it stopped runs again.  Sourced
# after lib.sh.
# shellcheck disable=SC2154,SC2317 # variables of lib.sh and the scenario; called by name

# The machine of the primary is gone, and comes back.
fault_kill() {
	node=$(leader)
	# shellcheck disable=SC2046 # several
	kill -KILL $(node_pids "$node")
	stack_until 120 0 leader_is_other "$node" && scored_again || return 1
	start_node "$node"
}
fault_switchover() {
	node=$(leader)
	patronictl -c "$scratch/run-a/patroni.yml" switchover assay --master "$node" \
	    --candidate "$(members | jq -r '.[] | select(.Role == "Sync Standby") | .Member')" \
	    --force >>"$scratch/log/patronictl.log" 2>&1 &&
	    stack_until 120 0 leader_is_other "$node"
}
# The machine of the primary stands still until another is primary; then its watchdog
# resets it.  Without a watchdog the former primary may take the lock back: assay(5).
fault_freeze() {
	node=$(leader)
	frozen=$(node_pids "$node")
	# shellcheck disable=SC2086 # several
	kill -STOP $frozen
	stack_until 120 0 leader_is_other "$node" && scored_again || return 1
	# shellcheck disable=SC2086
	kill -KILL $frozen
	start_node "$node"
}
# Two of the three members of etcd are gone until the primary takes no more writes.
fault_etcd() {
	# shellcheck disable=SC2086 # several
	set -- $etcd_pids
	node=$(leader)
	kill -KILL "$1" "$2"
	stack_until 120 0 refuses_writes "$node"
	refused=$?
	for n in 1 2; do
		start_etcd_member "$n"
	done
	return "$refused"
}
# The hosts stop and start again, one after the other, as for a new release.
fault_release() {
	kill -TERM "$stack_pool_pid"
	stack_until 60 0 balancer_says a DOWN && scored_again || return 1
	stack_end "$stack_pool_pid" TERM
	start_first
	stack_until 60 0 balancer_says a UP || return 1
	kill -TERM "$second_pool"
	stack_until 60 0 balancer_says b DOWN && scored_again || return 1
	stack_end "$second_pool" TERM
	stack_end "$second_nginx" TERM
	start_second
	stack_until 60 0 balancer_says b UP
}

# The primary is gone, so decisions are in the spools; then a host is gone with its spool.
fault_host() {
	node=$(leader)
	# shellcheck disable=SC2046 # several
	kill -KILL $(node_pids "$node")
	stack_until 60 0 second_has_spooled || return 1
	# shellcheck disable=SC2046
	kill -KILL "$second_nginx" "$second_pool" $(pgrep -P "$second_nginx,$second_pool")
	rm -f "$scratch"/run2/*.sock
	stack_until 120 0 leader_is_other "$node" && scored_again || return 1
	start_node "$node"
	start_second
}
second_has_spooled() { grep -q . "$scratch/spool2/active" 2>/dev/null; }
