#!/bin/sh
# SPDX-License-Identifier: ISC
# docs/HIGH-AVAILABILITY.md, as a person follows it: its commands run on six machines
# with the addresses that it names, and its tests are made, while a client asks
# for decisions.  t/package.sh has built the packages.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"
# shellcheck source=t/stage.sh
. "$srcdir/t/stage.sh"
# shellcheck source=t/container.sh
. "$srcdir/t/container.sh"
# shellcheck source=t/machines.sh
. "$srcdir/t/machines.sh"

guide=$srcdir/docs/HIGH-AVAILABILITY.md
container_needs
needs "network namespaces and bridges" machine_switch
ip netns del "$network-switch"
container_guard
trap machines_leave EXIT

# certificates: of the hosts and of the balancer, and of their authority.
certificates() {
	cd "$scratch/srv" || return
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
	    -subj /CN=test-ca -keyout ca.key -out ca.pem
	echo subjectAltName=DNS:assay.example.com >extensions
	for name in site balancer; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		    -subj /CN=$name -keyout $name.key -out $name.csr
		openssl x509 -req -days 2 -in $name.csr -CA ca.pem -CAkey ca.key \
		    -CAcreateserial -extfile extensions -out $name.pem
	done
	cat balancer.key >>balancer.pem
}

# What the guide installs is there already, because the machines have no way out.
stage "install"
mkdir -p "$scratch/srv/packages" "$scratch/machine"
cp "$packages"/*.deb "$scratch/srv/packages/"
rm -f "$scratch"/srv/packages/*-dbgsym_*
cp -R "$srcdir/contrib/ansible" "$scratch/srv/"
ssh-keygen -q -t ed25519 -N '' -f "$scratch/srv/key"
cp "$srcdir/contrib/patroni/etcd.default" "$scratch/srv/"
# A container has no watchdog: this is a file that a command of the guide may change.
sed 's/mode: required/mode: "off"/' "$srcdir/contrib/patroni/patroni.yml" \
    >"$scratch/srv/patroni.yml"
printf '[Service]\nExecStartPre=+/bin/touch /dev/watchdog\n' >"$scratch/srv/a.conf"
cp "$srcdir/contrib/haproxy/haproxy.cfg" "$scratch/srv/"
(certificates) >"$scratch/out" 2>"$scratch/err"
cat >"$scratch/srv/secrets.yml" <<-'END'
	assay_admin_password: correct horse battery
	assay_auth_secret: 6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8
	assay_role_passwords:
	  decide: decideAaaaaaaaaaaaaaaaa
	  operator: operatorBbbbbbbbbbbbbbb
	  companion: companionCcccccccccccc
	  retain: retainDddddddddddddddddd
END
cat >"$scratch/srv/inventory.yml" <<-END
	all:
	  children:
	    assay_database: { hosts: { 10.0.0.1: } }
	    assay:
	      hosts:
	        10.0.0.11: { assay_address: 10.0.0.11 }
	        10.0.0.12: { assay_address: 10.0.0.12 }
	  vars:
	    assay_version: "$(dpkg-deb -f "$packages"/assay_*.deb Version)"
	    assay_packages: /srv/packages
	    assay_server_name: assay.example.com
	    assay_certificate: /srv/site.pem
	    assay_certificate_key: /srv/site.key
	    assay_admin_email: boss@example.com
	    assay_database_address: 10.0.0.1
	    assay_standby_addresses: [10.0.0.2, 10.0.0.3]
	    assay_settings: { ENGINE_ENV: production, IDEMPOTENCY_MISMATCH: refuse,
	      TRUST_PROXY: 1, STOP_DELAY_SECONDS: 5,
	      RATE_LIMIT_DECISIONS_PER_MIN: 2147483647 }
	    assay_site: { TRUST_PROXY: 1, PROXIES: 10.0.0.21 }
END
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
mmdebstrap --quiet --variant=minbase \
    --include=systemd-sysv,dbus,postgresql,nginx,curl,ansible-core,python3-apt,openssh-server,sudo,iproute2,kmod,patroni,python3-etcd,etcd-server,etcd-client,haproxy \
    --customize-hook="sync-in '$scratch/srv' /srv" \
    --customize-hook='chroot "$1" sh -ec "apt-get -qq -y \
	--no-install-recommends install /srv/packages/*.deb &&
	dpkg -P assay assay-console assay-ctl assay-doc
	install -Dm 600 /srv/key ~root/.ssh/id_ed25519
	install -m 600 /srv/key.pub ~root/.ssh/authorized_keys
	echo StrictHostKeyChecking no >~root/.ssh/config
	cp /srv/etcd.default /srv/patroni.yml /srv/haproxy.cfg ~root
	cp /srv/balancer.pem /etc/haproxy/assay.pem
	cp /srv/ca.pem /etc/haproxy/assay-ca.pem
	install -D /srv/a.conf /etc/systemd/system/patroni.service.d/a.conf
	systemctl disable etcd haproxy nginx
	touch /srv/installed"' \
    bookworm "$root" >"$scratch/out" 2>"$scratch/err"
check "Debian 12 is installed" [ -e "$root/srv/installed" ]
[ "$tap_failed" -eq 0 ] || { conclude; exit; }

stage "boot"
machine_switch
for n in 1 2 3 11 12 21; do
	machine_add "m$n" "10.0.0.$n"
	check "the machine 10.0.0.$n boots" power_on "m$n"
done
[ "$tap_failed" -eq 0 ] || { conclude; exit; }

# follow HEADING [SCRIPT]: type the commands below this heading of the guide, each on the
# machines that it is for; SCRIPT is one of sed that changes them.
follow() {
	rm -f "$scratch"/step.*
	sed "${2-}" "$guide" | awk -v heading="$1" -v step="$scratch/step" '
		/^#/ { here = ($0 ~ "^#+ " heading "$"); machines = ""; next }
		here && /^On [0-9]/ && /:$/ {
			machines = $0; gsub(/On |,|and |:/, "", machines)
			print machines >(file = sprintf("%s.%02d", step, ++n))
			next
		}
		here && machines != "" && /^    / {
			print substr($0, 5) >file
		}
		/^[^ ]/ { machines = "" }'
	: >"$scratch/out"
	: >"$scratch/err"
	for step in "$scratch"/step.*; do
		for machine in $(head -n 1 "$step"); do
			sed 1d "$step" >"$scratch/typed"
			at "$machine" sh -exc "cd ~root; $(cat "$scratch/typed")" \
			    </dev/null >>"$scratch/out" 2>>"$scratch/err" || return 1
		done
	done
}

# decide: ask for one decision at entry, a host or the balancer.  Sets score; fails if
# the decision was not scored.
entry=10.0.0.11
decide() {
	event=ha-$((event_number += 1))
	score=$(at 10.0.0.21 curl -sk -m 5 --resolve "assay.example.com:443:$entry" \
	    https://assay.example.com/v1/decisions -H "X-API-Key: $key" \
	    -H 'Content-Type: application/json' \
	    -d "{\"id\":\"$event\",\"type\":\"account.login\",\"subject\":{\"userId\":\"u-$event\"}}" |
	    sed -n 's/.*"score" *: *\(-*[0-9]*\).*/\1/p')
	[ -z "$score" ] || echo "$event" >>"$scratch/answered"
	[ "${score:--1}" -ge 0 ]
}
event_number=0
# scored: decisions are scored again within a minute.  Prints how long they were not.
scored() {
	scored_from=$(date +%s)
	stack_until 60 0 decide || return 1
	echo "# decisions are scored after $(($(date +%s) - scored_from)) s"
}
# stored_once: each answer is in the log of the primary, once.
stored_once() { stack_until 60 0 has_answers; }
has_answers() {
	[ "$(at "$primary" runuser -u postgres -- psql -Atd assay -c \
	    "select count(*) from unnest('{$(paste -sd , "$scratch/answered")}'::text[]) answered
	    where 1 = (select count(*) from assay.verdict_log
		where event_id = answered)" \
	    2>"$scratch/err")" = "$(grep -c . "$scratch/answered")" ]
}

stage "the role"
primary=10.0.0.1
play() {
	at 10.0.0.11 env HOME=/srv ANSIBLE_NOCOLOR=1 ansible-playbook \
	    -i /srv/inventory.yml -e @/srv/secrets.yml /srv/ansible/site.yml \
	    >"$scratch/out" 2>"$scratch/err"
}
check "the role installs two hosts and a database server" play
key=$(at 10.0.0.1 cat /etc/assay/first.key)
check "a decision is scored" decide

stage "a process is killed"
check "systemd is to start PostgreSQL again" follow "One machine"
at 10.0.0.1 systemctl kill -s KILL postgresql@15-main
check "a PostgreSQL that was killed runs again" scored
check "systemd says that it runs" stack_until 30 0 at 10.0.0.1 \
    systemctl -q is-active postgresql@15-main

stage "a standby"
check "a standby is made" follow "Make the standby"
check "the primary is copied" follow "Copy the primary"
check "the standby is synchronous" grep -q 'sync_state *| sync' "$scratch/out"
check "decisions are scored with a standby" decide
power_off m1
decide
is "without the primary a decision is degraded" "$score" -1
check "the standby is promoted" follow "When the primary is lost"
check "decisions are scored after the promotion" scored
primary=10.0.0.2
check "every answer is stored once on the promoted standby" stored_once
check "the former primary boots" power_on m1
check "the former primary does not start by itself" \
    eval '! at 10.0.0.1 systemctl -q is-active postgresql@15-main'
check "the former primary is made a standby" \
    follow "Copy the primary" 's/10\.0\.0\.1/X/g; s/10\.0\.0\.2/10.0.0.1/g; s/X/10.0.0.2/g'
power_off m2
check "the first server is promoted" \
    follow "When the primary is lost" 's/10\.0\.0\.2/10.0.0.1/'
check "decisions are scored on the first server" scored
primary=10.0.0.1
check "every answer is stored once on the first server" stored_once

stage "three servers"
check "the second server boots" power_on m2
check "etcd runs on three machines" follow "etcd"
check "etcd says that it is healthy" grep -q '10.0.0.3:2379 is healthy' \
    "$scratch/out" "$scratch/err"
check "Patroni runs on three machines" follow "Patroni"
# servers: Patroni's list, as ROLE ADDRESS of each server that runs.  leader: its address.
servers() {
	at "$asked" patronictl -c /etc/patroni/config.yml list -f json 2>/dev/null |
	    jq -r '.[] | select(.State == "running" or .State == "streaming") |
		"\(.Role | gsub(" "; "-")) \(.Host)"'
}
leader() { servers | sed -n 's/^Leader //p'; }
all_run() { [ "$(servers | cut -d ' ' -f 1 | sort | tr '\n' ' ')" = "Leader Replica Sync-Standby " ]; }
leads_other() { [ -n "$(leader)" ] && [ "$(leader)" != "$primary" ]; }
asked=10.0.0.3
check "Patroni has a leader, a synchronous standby and a replica" \
    stack_until 60 0 all_run
is "the first server leads" "$(leader)" 10.0.0.1
check "decisions are scored with Patroni" scored

stage "a balancer"
check "HAProxy runs" follow "HAProxy"
entry=10.0.0.21
check "decisions are scored through HAProxy" scored
# Each host must have verified the key.
for n in 1 2 3 4; do
	decide
done

# survived WHAT: decisions are scored again, the servers run, nothing is lost.
survived() {
	check "$1: decisions are scored" scored
	check "$1: another server leads" stack_until 60 0 leads_other
	primary=$(leader)
}
stage "switchover"
switch_over() {
	at "$asked" patronictl -c /etc/patroni/config.yml switchover --force assay \
	    >"$scratch/out" 2>"$scratch/err"
}
check "a switchover succeeds" switch_over
survived switchover
check "switchover: three servers run" stack_until 120 0 all_run
check "switchover: every answer is stored once" stored_once

stage "the primary is lost"
lost=m${primary##*.}
[ "$lost" != m3 ] || asked=10.0.0.1
power_off "$lost"
decide
is "the primary is lost: a decision is degraded" "$score" -1
survived "the primary is lost"
check "the former primary boots again" power_on "$lost"
check "the primary is lost: three servers run" stack_until 120 0 all_run
check "the primary is lost: every answer is stored once" stored_once

stage "a host is lost"
ip -n "$network-switch" link set m11 down
check "without the first host decisions are scored" scored
ip -n "$network-switch" link set m11 up
# host_is_up NAME: HAProxy has logged that this host is up again.
host_is_up() {
	at 10.0.0.21 journalctl -u haproxy -o cat | grep "Server hosts/$1 is" |
	    tail -n 1 | grep -q 'is UP'
}
restart_host() {
	at 10.0.0.12 systemctl restart assay.target nginx &
	restart=$!
	while ! stack_gone "$restart"; do
		decide || return 1
	done
	wait "$restart"
}
check "the first host answers again" stack_until 30 0 at 10.0.0.21 curl -sk \
    -o /dev/null -f --resolve assay.example.com:443:10.0.0.11 \
    https://assay.example.com/readyz
check "HAProxy sees it again" stack_until 30 0 host_is_up a
check "while a host restarts every decision is scored" restart_host
check "at the end every answer is stored once" stored_once
stage end
conclude
