#!/bin/sh
# SPDX-License-Identifier: ISC
# contrib/ansible/ on a Debian 12 that systemd has booted in a container: one host
# with its database, and two hosts, one after the other, whose database is reached
# over TCP.  A second run changes nothing.  t/package.sh has built the packages.
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

container_needs
container_guard

# What the packages depend on is installed, because the container has no network.
stage "install"
mkdir -p "$scratch/srv/packages"
cp "$packages"/*.deb "$scratch/srv/packages/"
rm -f "$scratch"/srv/packages/*-dbgsym_*
cp -R "$srcdir/contrib/ansible" "$scratch/srv/"
cat >"$scratch/srv/secrets.yml" <<-'END'
	assay_admin_password: correct horse battery
	assay_auth_secret: 6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8
	assay_role_passwords:
	  decide: decideAaaaaaaaaaaaaaaaa
	  operator: operatorBbbbbbbbbbbbbbb
	  companion: companionCcccccccccccc
	  retain: retainDddddddddddddddddd
END
cat >"$scratch/srv/one.yml" <<-'END'
	all:
	  children:
	    assay: { hosts: { one: } }
	  vars:
	    ansible_connection: local
	    assay_version: "VERSION"
	    assay_packages: /srv/packages
	    assay_server_name: localhost
	    assay_admin_email: boss@example.com
END
cat "$scratch/srv/one.yml" - >"$scratch/srv/two.yml" <<-'END'
	    assay_database_address: 127.0.0.2
END
sed -i 's/^    assay: .*/    assay_database: { hosts: { db: } }\
    assay:\
      hosts:\
        app1: { assay_address: 127.0.0.1 }\
        app2: { assay_address: "2001:db8::22" }/' "$scratch/srv/two.yml"
sed -i "s/VERSION/$(dpkg-deb -f "$packages"/assay_*.deb Version)/" \
    "$scratch"/srv/*.yml
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
mmdebstrap --quiet --variant=minbase \
    --include=systemd-sysv,dbus,postgresql,nginx,curl,ansible-core,python3-apt \
    --customize-hook="sync-in '$scratch/srv' /srv" \
    --customize-hook='chroot "$1" sh -c "apt-get -qq -y \
	--no-install-recommends install /srv/packages/*.deb &&
	dpkg -P assay assay-console assay-ctl assay-doc"' \
    bookworm "$root" >"$scratch/out" 2>"$scratch/err"
sed -i 's/^port = .*/port = 5432/' "$root"/etc/postgresql/*/main/postgresql.conf
check "Debian 12 and Ansible are installed" [ -x "$root/usr/bin/ansible-playbook" ]
[ "$tap_failed" -eq 0 ] || { conclude; exit; }
check "the container boots" boot

# play INVENTORY [ARGUMENT ...]: run the playbook, with the secrets in a vault.
play() {
	inventory=$1
	shift
	does env HOME=/root ANSIBLE_NOCOLOR=1 ansible-playbook -i "/srv/$inventory.yml" \
	    -e @/srv/secrets.yml --vault-password-file /srv/word \
	    "$@" /srv/ansible/site.yml
}
inside sh -c 'umask 077 && echo open sesame >/srv/word &&
    HOME=/root ansible-vault encrypt --vault-password-file /srv/word /srv/secrets.yml' \
    >"$scratch/out" 2>"$scratch/err"
check "the secrets are in a vault" grep -q '^.ANSIBLE_VAULT;' "$root/srv/secrets.yml"
changes_nothing() { prints 'changed=' && ! grep -q 'changed=[1-9]' "$scratch/out"; }
shows_no_secret() {
	! grep -E 'correct horse|6f0b1d9a|(decideA|operatorB|companionC|retainD)|ak_live_' \
	    "$scratch/out" "$scratch/err"
}

# tried NAME INVENTORY [ARGUMENT ...]: run it, and decide.
tried() {
	name=$1
	shift
	stage "$name"
	check "the playbook sets $name up" play "$@" -v
	check "the run for $name shows no secret" shows_no_secret
	[ ! -e "$root/etc/assay/first.key" ] || key=$(inside cat /etc/assay/first.key)
	check "a decision over TLS on $name succeeds" decide
	check "the companion on $name waits for its timers" \
	    does systemctl is-active assay-work.timer assay-retain.timer
}

# again NAME INVENTORY [ARGUMENT ...]: run it once more.
again() {
	name=$1
	shift
	stage "$name again"
	check "a second run for $name succeeds" play "$@"
	check "a second run for $name changes nothing" changes_nothing
}
tried "one host" one
again "one host" one

stage "upgrade"
pid=$(inside systemctl show -P MainPID assay-fcgi)
does sh -c 'cp -p /usr/sbin/assay-fcgi /usr/sbin/assay-fcgi.new &&
    mv /usr/sbin/assay-fcgi.new /usr/sbin/assay-fcgi'
check "a run after an upgrade succeeds" play one
check "a run after an upgrade restarts the pool" \
    [ "$(inside systemctl show -P MainPID assay-fcgi)" != "$pid" ]

# purge_host: README.md, Uninstall; the certificate stays.
purge_host() {
	does sh -c 'cp -r /etc/assay/tls /srv/ &&
	    dpkg -P assay assay-console assay-ctl && rm -f /etc/assay/first.key &&
	    mkdir -p /etc/assay && mv /srv/tls /etc/assay/'
}
check "the packages are purged" purge_host
# shellcheck disable=SC2016 # the inner shell expands it
inside sh -c 'cd / && runuser -u postgres -- dropdb assay &&
    for role in decide operator companion retain
    do runuser -u postgres -- dropuser "assay_$role"; done' \
    >"$scratch/out" 2>"$scratch/err"
check "a purge removes the site of the role" \
    [ ! -e "$root/etc/nginx/conf.d/assay.conf" ]
# All hosts are this container, so one after the other.
set -- "a host with another's database" two --limit db,app1 --forks 1 \
    -e assay_certificate=/etc/assay/tls/assay.pem
tried "$@"
again "$@"
check "PostgreSQL knows each host of the service" does grep -qE \
    '^hostssl assay .* 2001:db8::22/128 scram-sha-256' \
    /etc/postgresql/15/main/pg_hba.conf
check "the pool reaches the database over TCP" does sh -c \
    'cd / && runuser -u postgres -- psql -Atc "select distinct client_addr
	from pg_stat_activity where usename = '"'assay_decide'"'" | grep -qx 127.0.0.1'
# The other host finds the database and the key of the first one.
check "the packages of the first host are purged" purge_host
set -- "the other host" two --limit app2 -e assay_certificate=/etc/assay/tls/assay.pem
tried "$@"
again "$@"
stage end
conclude
