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
	stack_until 120 0 leader_is_other "$node" && scored_again
	replaced=$?
	# shellcheck disable=SC2086
	kill -KILL $frozen
	start_node "$node"
	return "$replaced"
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
	restart_first && restart_second
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

# The second host reaches no server of the database: its connections stand still.
fault_partition() {
	kill -STOP "$relay_pid"
	stack_until 60 0 second_has_spooled && stack_until 60 0 host_is b DOWN && scored_again
	partitioned=$?
	kill -CONT "$relay_pid"
	[ "$partitioned" -eq 0 ] && stack_until 60 0 host_is b UP
}

# Redis is gone: no host is ready, and each counts its own budgets.
fault_redis() {
	stack_end "$redis_pid" KILL
	stack_until 60 0 hosts_are DOWN && scored_again || return 1
	rm -f "$scratch/run/redis.sock"
	start_redis
	stack_until 60 0 hosts_are UP
}

# The clock of the second host is five minutes ahead while the primary is gone.
fault_clock() {
	restart_second CLOCK_AHEAD=300 LD_PRELOAD="$scratch/bin/clock.so" \
	    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1 || return 1
	fault_kill && restart_second
}

# The disk of the primary is full.  PostgreSQL stops, and another server takes over; or it
# starts again but has no room to begin a session, and Patroni keeps it as the primary.
fault_disk() {
	node=$(leader)
	stack_until 10 0 leave_no_room || return 1
	stack_until 60 0 disk_is_full && stack_until 60 0 is_missed
	missed=$?
	mount -o "remount,size=$disk_size" "$scratch/run-$node"
	return "$missed"
}
# leave_no_room: a megabyte more than the server uses, if it uses no more meanwhile.
leave_no_room() {
	disk_used=$(df -k --output=used "$scratch/run-$node" | tail -n 1)
	mount -o "remount,size=$((disk_used + 1024))k" "$scratch/run-$node"
}
is_missed() { second_has_spooled || leader_is_other "$node"; }
disk_is_full() { grep -q 'No space left on device' "$scratch/log/patroni-$node.log"; }
