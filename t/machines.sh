# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Several machines with Debian 12 in $scratch/machine/NAME, each a container that systemd
# boots, on one network without a way out.  Sourced after t/container.sh.
# shellcheck disable=SC2034,SC2154,SC2317 # of t/container.sh; called by name

machines=
network=assay-$$

# machines_leave: end all machines, and remove them with their network.
machines_leave() {
	for machine in $machines; do
		power_off "$machine"
	done
	ip netns list | sed -n "s/^\($network-[^ ]*\).*/\1/p" | while read -r name; do
		ip netns del "$name"
	done
	rm -rf --one-file-system "$scratch"
}

# machine_switch: what the machines are plugged into.
machine_switch() {
	ip netns add "$network-switch" &&
	    ip -n "$network-switch" link add switch type bridge &&
	    ip -n "$network-switch" link set switch up
}

# machine_add NAME ADDRESS: a copy of $root, with this address.
machine_add() {
	cp -a "$root" "$scratch/machine/$1"
	echo "$1" >"$scratch/machine/$1/etc/hostname"
	ip netns add "$network-$1"
	ip -n "$network-$1" link add eth0 type veth peer name "$1" \
	    netns "$network-switch"
	ip -n "$network-switch" link set "$1" master switch up
	ip -n "$network-$1" address add "$2/24" dev eth0
	ip -n "$network-$1" link set eth0 up
	ip -n "$network-$1" link set lo up
	eval "name_$(echo "$2" | tr . _)=$1"
	machines="$machines $1"
}

# power_on NAME: boot it.  power_off NAME: without a shutdown.
power_on() {
	root=$scratch/machine/$1
	container_network=--network-namespace-path=/run/netns/$network-$1
	boot || return 1
	eval "container_$1=$container init_$1=$init"
}
power_off() {
	eval "container=\${container_$1-} init=\${init_$1-}"
	[ -n "$container" ] || return 0
	# shellcheck disable=SC2046 # one
	kill -KILL "$init" $(nspawn_pid)
	# The init process ends after all others of its machine.
	stack_until 30 0 stack_gone "$init"
	stack_until 30 0 stack_gone "$container"
	eval "container_$1= init_$1="
}

# at ADDRESS COMMAND ...: run it on the machine that has this address.
at() {
	eval "init=\$init_$(eval "echo \$name_$(echo "$1" | tr . _)")"
	shift
	inside "$@"
}
