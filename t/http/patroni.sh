# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Three servers of PostgreSQL under Patroni, which keeps its state in three members of
# etcd, all on this machine.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154,SC2317 # of lib.sh and the scenario; called by name

use balancer

# start_etcd: three members.  etcd_pids and etcd_clients are theirs.
start_etcd() {
	etcd_members=
	for n in 1 2 3; do
		free_port
		eval "etcd_peer_$n=$port"
		free_port
		eval "etcd_client_$n=$port"
		eval "etcd_members=\"\$etcd_members,e$n=http://127.0.0.1:\$etcd_peer_$n\""
	done
	etcd_clients="127.0.0.1:$etcd_client_1,127.0.0.1:$etcd_client_2,127.0.0.1:$etcd_client_3"
	etcd_pids=
	for n in 1 2 3; do
		start_etcd_member "$n"
		etcd_pids="$etcd_pids $background_pid"
	done
}

start_etcd_member() {
	eval "etcd_peer=\$etcd_peer_$1 etcd_client=\$etcd_client_$1"
	mkdir -p "$scratch/etcd-$1"
	chmod 700 "$scratch/etcd-$1"
	stack_own "$scratch/etcd-$1"
	in_background "etcd-$1" etcd --name "e$1" --data-dir "$scratch/etcd-$1" \
	    --listen-peer-urls "http://127.0.0.1:$etcd_peer" \
	    --initial-advertise-peer-urls "http://127.0.0.1:$etcd_peer" \
	    --listen-client-urls "http://127.0.0.1:$etcd_client" \
	    --advertise-client-urls "http://127.0.0.1:$etcd_client" \
	    --initial-cluster "${etcd_members#,}"
}

# write_patroni NODE: its configuration, as contrib/patroni has it but for the places,
# the trust between servers of one machine, and shorter waits; the port of its server
# is in pg_port_NODE.
write_patroni() {
	free_port
	eval "pg_port_$1=$port"
	patroni_pg=$port
	free_port
	mkdir -p "$scratch/run-$1"
	stack_own "$scratch/run-$1"
	sed -e "s/NAME/$1/" -e "s/ADDRESS:8008/127.0.0.1:$port/" \
	    -e "s/ADDRESS:5432/127.0.0.1:$patroni_pg/" \
	    -e "s/^  hosts: .*/  hosts: $etcd_clients/" \
	    -e 's/mode: required/mode: "off"/' -e 's/loop_wait: .*/loop_wait: 1/' \
	    -e 's/retry_timeout: .*/retry_timeout: 3/' -e /config_dir/d \
	    -e "s,/var/lib/postgresql/15/main,$scratch/run-$1/data," \
	    -e "s,/usr/lib/postgresql/15/bin,$(stack_pg_bin)," \
	    -e "s,/var/lib/postgresql/patroni,$scratch/run-$1/patroni," \
	    -e "s,/var/run/postgresql,$scratch/run-$1," \
	    -e '/^  parameters:/a\    full_page_writes: "on"\n    max_connections: 100\n    max_wal_senders: 10\n    wal_level: replica' \
	    -e 's/{ username: [a-z]*, password: .*}/{ username: postgres }/' \
	    -e 's,^    - local .*,    - local all all trust,' \
	    -e 's,hostssl replication .*,host replication all 127.0.0.1/32 trust,' \
	    -e 's,hostssl .*,host all all 127.0.0.1/32 trust,' \
	    "$srcdir/contrib/patroni/patroni.yml" >"$scratch/run-$1/patroni.yml"
}

# start_node NODE: Patroni, which starts its server.  patroni_NODE is its process.
start_node() {
	in_background "patroni-$1" patroni "$scratch/run-$1/patroni.yml"
	eval "patroni_$1=$background_pid"
}

# start_patroni: the first server has the prepared database, the others copy it.
start_patroni() {
	for n in a b c; do
		write_patroni "$n"
	done
	mv "$scratch/pg" "$scratch/run-a/data"
	start_node a
	stack_until 60 "$patroni_a" leader_is a || stack_die "Patroni has no leader"
	start_node b
	start_node c
	stack_until 120 "$patroni_a" followers_are 2 || stack_die "no server follows"
}

# own_disks: mount a separate file system for each server, so that one disk can be full.
own_disks() {
	for n in a b c; do
		mkdir "$scratch/run-$n"
		mount -t tmpfs -o size="$disk_size" none "$scratch/run-$n"
	done
}

# start_relay: through it, as relay_url says, a host reaches the servers.  relay_pid is
# its process: while it stands still, nothing comes through.
start_relay() {
	printf '%s\n' 'defaults' ' mode tcp' ' retries 0' ' timeout connect 5s' \
	    ' timeout client 1h' ' timeout server 1h' >"$scratch/run/relay.cfg"
	for n in a b c; do
		free_port
		eval "relay_port_$n=$port relayed_port=\$pg_port_$n"
		printf '%s\n' "listen $n" " bind 127.0.0.1:$port" \
		    " server $n 127.0.0.1:$relayed_port" >>"$scratch/run/relay.cfg"
	done
	in_background relay haproxy -db -f "$scratch/run/relay.cfg"
	relay_pid=$background_pid
}
relay_url() {
	echo "host=127.0.0.1,127.0.0.1,127.0.0.1" \
	    "port=$relay_port_a,$relay_port_b,$relay_port_c dbname=assay user=$1"
}

# members: Patroni's own list, in JSON.
members() {
	patronictl -c "$scratch/run-a/patroni.yml" list -f json 2>/dev/null
}
leader() {
	members | jq -r '.[] | select(.Role == "Leader" and .State == "running") | .Member'
}
leader_is() { [ "$(leader)" = "$1" ]; }
leader_is_other() { [ -n "$(leader)" ] && [ "$(leader)" != "$1" ]; }
followers_are() {
	[ "$(members | jq '[.[] | select(.Role != "Leader" and
	    (.State == "running" or .State == "streaming") and
	    .["Lag in MB"] == 0)] | length')" = "$1" ] &&
	    [ "$(members | jq '[.[] | select(.Role == "Sync Standby")] | length')" = 1 ]
}

# servers_url ROLE: the connection string with the three servers.
servers_url() {
	echo "host=127.0.0.1,127.0.0.1,127.0.0.1" \
	    "port=$pg_port_a,$pg_port_b,$pg_port_c dbname=assay user=$1"
}

# node_pids NODE: Patroni and all processes of its server.
node_pids() {
	eval "node_patroni=\$patroni_$1"
	node_server=$(head -n 1 "$scratch/run-$1/data/postmaster.pid")
	echo "$node_patroni $node_server $(pgrep -P "$node_server" | tr '\n' ' ')"
}

# leader_psql ...: psql on the leader.
leader_psql() {
	eval "leader_port=\$pg_port_$(leader)"
	"$(stack_pg_bin)/psql" -X -q -At -v ON_ERROR_STOP=1 -h 127.0.0.1 \
	    -p "$leader_port" -U postgres -d assay "$@"
}

# refuses_writes NODE: its server takes no writes, or does not answer.
refuses_writes() {
	eval "node_port=\$pg_port_$1"
	[ "$("$(stack_pg_bin)/psql" -X -At -h 127.0.0.1 -p "$node_port" -U postgres \
	    -d assay -c 'select pg_is_in_recovery()' 2>/dev/null)" != f ]
}
