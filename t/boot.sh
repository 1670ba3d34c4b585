#!/bin/sh
# SPDX-License-Identifier: ISC
# The packages on a Debian 12 that systemd has booted in a container: setup, first
# decision over TLS, killed processes, watchdog, reload, restart, Prometheus, reboot,
# upgrade with a migration, purge, installation on the old database.  t/package.sh
# has built the packages.
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

# The two versions: that of t/package.sh with one more migration, and the same as
# its predecessor with another text in its conffile.
stage "repack"
mkdir "$scratch/next" "$scratch/previous"
# shellcheck disable=SC2012 # these names are plain
last=$(ls "$srcdir/sql/migrations" | sed -n '$s/^0*\([0-9]*\)_.*/\1/p')
migration=$(printf '%04d_boot' $((last + 1)))
for package in assay assay-console assay-ctl assay-doc; do
	dpkg-deb -R "$packages/${package}_"*.deb "$scratch/$package"
	case $package in
	assay-ctl)
		added=$scratch/assay-ctl/usr/share/assay/sql/migrations/$migration.sql
		echo 'create table assay.boot ();' >"$added"
		dpkg-deb -Znone -b "$scratch/$package" "$scratch/next"
		rm "$added"
		;;
	*) cp "$packages/${package}_"*.deb "$scratch/next/" ;;
	esac >/dev/null
	[ "$package" != assay ] ||
	    echo '# Of the previous version.' >>"$scratch/assay/etc/assay/assay.conf"
	sed -i 's/^Version: .*/&~1/; s/(= \([^)]*\))/(= \1~1)/' \
	    "$scratch/$package/DEBIAN/control"
	dpkg-deb -Znone -b "$scratch/$package" "$scratch/previous" >/dev/null
done

# readme_block CHAPTER N: the commands of its Nth block in README.md.
readme_block() {
	doc_block README.md "$@"
}
# doc_block FILE CHAPTER N: the same of a file.
doc_block() {
	awk -v chapter="## $2" -v n="$3" '/^## / { inside = $0 == chapter }
		inside && /^    / { if (!was) i++; if (i == n) print substr($0, 5) }
		{ was = /^    / }' "$srcdir/$1"
}

stage "install"
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io \
    --include=systemd-sysv,dbus,postgresql,nginx-light,cron,curl,ca-certificates,pgbackrest \
    --include="$(readme_block "Watch it" 1 | sed -n '/apt-get install/,/[^\\]$/p' |
	sed 's/apt-get install//; s/\\$//' | xargs | tr ' ' ',')" \
    --customize-hook="copy-in '$scratch/previous' '$scratch/next' /srv" \
    --customize-hook='chroot "$1" sh -c "apt-get -qq -y \
	--no-install-recommends install /srv/previous/*.deb"' \
    bookworm "$root" >"$scratch/out" 2>"$scratch/err"
# Debian's package takes another port if a program outside has 5432.
sed -i 's/^port = .*/port = 5432/' "$root"/etc/postgresql/*/main/postgresql.conf
check "Debian 12 and the packages are installed" [ -x "$root/usr/sbin/assay-fcgi" ]
[ "$tap_failed" -eq 0 ] || { conclude; exit; }

soon() { stack_until 30 0 "$@"; }
show() { inside systemctl show -P "$2" "$1"; }
main_pid() { show "$1" MainPID; }
# is_new UNIT PID: the unit runs in another process than this.
is_new() {
	is_new_pid=$(main_pid "$1")
	[ "$is_new_pid" -ne 0 ] && [ "$is_new_pid" -ne "$2" ]
}
# pool_pids: its processes, the master first.
pool_pids() {
	inside cat /sys/fs/cgroup/system.slice/assay-fcgi.service/cgroup.procs
}
# is_complete PID: the pool has as many processes as before, and this one no more.
is_complete() {
	[ "$(pool_pids | wc -l)" -eq "$pool_size" ] && ! pool_pids | grep -qx "$1"
}

# works WHEN: all units are active, none has failed, and a decision succeeds.
units="assay-fcgi assay-work assay-deliver assay-model"
works() {
	check "a decision succeeds $1" soon decide
	for unit in $units assay-work.timer assay-deliver.timer \
	    assay-geoip.timer assay-model.timer assay-retain.timer \
	    assay.target nginx; do
		check "$unit is active $1" soon does systemctl is-active "$unit"
	done
	is "no unit has failed $1" "$(inside systemctl list-units --plain \
	    --no-legend --state=failed 'assay*')" ""
}

stage "boot"
check "the container boots" boot

stage "setup and first decision"
setup() {
	echo 'correct horse battery' |
	    does assayctl setup --server-name localhost "$@"
}
check "assayctl setup succeeds" setup
key=$(cat "$scratch/out")
check "the first decision over TLS succeeds" decide
stage "units"
works "after setup"
does journalctl -b -o cat -u assay-fcgi
is "systemd waits until the pool has started" "$(sed -n \
    's/.*event=pool_started.*/ready/p; s/^Started assay-fcgi.*/started/p' \
    "$scratch/out" | paste -sd ' ')" "ready started"

# journal_has MATCH ...: the journal of this boot has such an entry.
journal_has() { does journalctl -b -q -o cat "$@" && [ -s "$scratch/out" ]; }
check "the journal finds the start of the pool by its field" \
    journal_has -u assay-fcgi EVENT=pool_started
check "the journal finds a decision by its fields" \
    journal_has -u assay-fcgi ROUTE=/v1/decisions STATUS=200
does systemctl restart assay-retain
check "the journal knows the unit of a run that ends at once" \
    soon journal_has -u assay-retain EVENT=sweep_ended
does assayctl doctor
check "assayctl doctor finds database and units well" \
    eval 'prints "the database answers" && prints "6 are active"'

stage "sandbox"
for unit in $units assay-geoip assay-retain; do
	check "$unit has an exposure of at most 1.5" does systemd-analyze \
	    security --no-pager --threshold=15 "$unit.service"
done
credentials=/run/credentials/assay-fcgi.service
check "the pool has its credentials" does test -s "$credentials/DATABASE_URL"
for user in nobody www-data postgres; do
	check "$user cannot read the credentials of the pool" \
	    eval "! does runuser -u $user -- ls $credentials"
done
is "the sockets belong to nginx" "$(inside stat -c '%a %G' \
    /run/assay/decide.sock /run/assay/operator.sock | uniq)" "660 www-data"

stage "kills"
pool_size=$(pool_pids | wc -l)
pid=$(pool_pids | tail -n 1)
does sh -c "kill -KILL $pid"
check "the pool replaces a killed worker" soon is_complete "$pid"
for unit in $units; do
	pid=$(main_pid "$unit")
	does sh -c "kill -KILL $pid"
	check "$unit comes back after it was killed" \
	    soon is_new "$unit" "$pid"
done
check "a decision succeeds after the kills" soon decide

# A shorter time than the unit's, for this test.
stage "watchdog"
inside sh -c 'mkdir -p /run/systemd/system/assay-fcgi.service.d
    printf "[Service]\nWatchdogSec=4\nTimeoutAbortSec=2\n" \
	>/run/systemd/system/assay-fcgi.service.d/test.conf
    systemctl daemon-reload && systemctl restart assay-fcgi'
pid=$(main_pid assay-fcgi)
sleep 5
is "a working pool keeps the watchdog quiet" "$(main_pid assay-fcgi)" "$pid"
does sh -c "kill -STOP $pid"
check "the watchdog replaces a pool that hangs" \
    soon is_new assay-fcgi "$pid"
check "a decision succeeds after the watchdog" soon decide
inside sh -c 'rm /run/systemd/system/assay-fcgi.service.d/test.conf
    systemctl daemon-reload'

stage "reload and restart"
pid=$(main_pid assay-fcgi)
inside sh -c 'echo DECIDE_WORKERS=2 >>/etc/assay/assay.conf'
check "a reload accepts valid settings" does systemctl reload assay-fcgi
inside sh -c 'echo DECIDE_WORKERS=none >>/etc/assay/assay.conf'
check "a reload refuses invalid settings" \
    eval '! does systemctl reload assay-fcgi'
is "the pool continues after both reloads" "$(main_pid assay-fcgi)" "$pid"
inside sed -i '/^DECIDE_WORKERS=/d' /etc/assay/assay.conf
inside systemctl restart --no-block assay-fcgi
failures=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	decide || failures=$((failures + 1))
done
is "decisions wait at the socket while the pool restarts" "$failures" 0

stage "watch"
# The packages are there.  The last command prints what the checks below read.
# shellcheck disable=SC2016 # a command of README.md
readme_block "Watch it" 1 | sed '/apt-get install/,/[^\\]$/d; /^curl /d
    s/\$(hostname -f)/localhost/' >"$root/srv/watch"
check "the commands of README.md for Prometheus succeed" does sh -e /srv/watch
# prometheus EXPRESSION: the jobs, or the alerts, that it selects, and their values.
prometheus() {
	inside curl -sS --max-time 10 http://localhost:9090/api/v1/query \
	    --data-urlencode "query=$1" |
	    jq -r '.data.result[] | "\(.metric.alertname // .metric.job) \(.value[1])"' |
	    sort -u | paste -sd ,
}
# The job prometheus is of Debian's configuration, and is seen for five minutes.
all_are_up() {
	[ "$(prometheus 'up{job!="prometheus"}')" = \
	    "assay 1,assay-probe 1,nginx 1,node 1,postgresql 1" ] &&
	    [ "$(prometheus probe_success)" = "assay-probe 1" ]
}
check "Prometheus reads pool, site, nginx, PostgreSQL and host" \
    stack_until 120 0 all_are_up
pends() { [ -n "$(prometheus "ALERTS{$1}")" ]; }
pends_not() { [ -z "$(prometheus "ALERTS{$1}")" ]; }
# The disks are those of the machine that runs the test.
check "no alert is even pending, but about disks" \
    stack_until 120 0 pends_not 'alertname!~"AssayDisk.*"'
# breaks ALERT COMMAND MENDS LABELS: the rules as they are notice the fault and its end.
breaks() {
	inside sh -c "$2"
	check "$1 is pending after its fault" stack_until 60 0 pends "alertname=\"$1\",$4"
	inside sh -c "$3"
	check "$1 ends with its fault" stack_until 60 0 pends_not "alertname=\"$1\",$4"
}
inside sh -c 'mkdir /srv/small && mount -t tmpfs -o size=4m small /srv/small &&
    echo DISK_HEALTH_PATHS=/var/lib/postgresql,/var/lib/assay/spool,/srv/small \
	>>/etc/assay/assay.conf && systemctl restart assay-fcgi'
breaks AssayDiskFull 'head -c 3900000 /dev/zero >/srv/small/file' \
    'rm /srv/small/file' 'path="/srv/small"'
breaks AssayExporterDown 'systemctl stop prometheus-nginx-exporter' \
    'systemctl start prometheus-nginx-exporter' 'job="nginx"'
breaks AssayUnreachable 'systemctl stop nginx' 'systemctl start nginx' ''
inside sh -c 'sed -i /^DISK_HEALTH_PATHS=/d /etc/assay/assay.conf
    systemctl restart assay-fcgi; umount /srv/small
    rm /etc/prometheus/assay.rules.yml /etc/nginx/conf.d/assay-metrics.conf \
	/usr/local/share/ca-certificates/assay.crt && update-ca-certificates --fresh
    systemctl disable --now prometheus prometheus-alertmanager' >/dev/null 2>&1

stage "back up and restore"
decisions() {
	inside runuser -u postgres -- psql -Atc \
	    'select count(*), max(decided_at) from assay.verdict_log' assay
}
before=$(decisions)
# The cluster has the roles already, so psql reports errors.
readme_block "Back up and restore" 1 >"$root/srv/backup"
readme_block "Back up and restore" 2 >"$root/srv/restore"
check "the commands of README.md for a backup succeed" \
    does sh -ec 'cd /srv && . ./backup'
decide
inside sh -c 'systemctl stop assay.target "assay-*.timer" "assay-*.service" &&
    cd / && runuser -u postgres -- dropdb assay && rm -r /etc/assay'
check "the commands of README.md for a restore succeed" \
    does sh -ec 'cd /srv && . ./restore'
is "the decisions until the backup are there" "$(decisions)" "$before"
works "after the restore"

stage "go back to a moment"
for n in 1 2; do
	doc_block docs/BACKUP.md "Set up pgBackRest" "$n" |
	    sed "/apt-get/d" >"$root/srv/backrest-$n"
	check "the commands of docs/BACKUP.md to set up, block $n, succeed" \
	    does sh -e "/srv/backrest-$n"
done
check "a decision succeeds with an archive" soon decide
# pgBackRest goes back to whole seconds after that in which a backup ended.
sleep 2
before=$(decisions)
moment=$(inside runuser -u postgres -- psql -Atc 'select clock_timestamp()')
# shellcheck disable=SC2016 # the container's shell expands it
check "the user of the decisions is erased after the moment" does sh -ec '
	post() {
		curl -sSf --cacert /etc/assay/tls/assay.pem "https://localhost$1" \
		    -H "Content-Type: application/json" -d "$2" ${3:+-H "$3"}
	}
	token=$(post /v1/auth/login "$1" | sed "s/.*\"token\":\"\([^\"]*\).*/\1/")
	post /v1/privacy/erase "{\"userId\":\"u-1\"}" "Authorization: Bearer $token"' \
    sh '{"email":"admin@localhost","password":"correct horse battery"}'
inside runuser -u postgres -- psql -qc 'drop table assay.label cascade' \
    -c 'select pg_switch_wal()' assay >/dev/null
for n in 1 2 3; do
	doc_block docs/BACKUP.md "Go back to a moment" "$n" >"$root/srv/moment-$n"
done
check "the commands of docs/BACKUP.md to stop succeed" does sh -e /srv/moment-1
check "the commands of docs/BACKUP.md to go back succeed" \
    does env MOMENT="$moment" sh -e /srv/moment-2
is_primary() {
	[ "$(inside runuser -u postgres -- psql -Atc 'select pg_is_in_recovery()')" = f ]
}
check "the server is a primary again" soon is_primary
for n in 2 3; do
	doc_block docs/BACKUP.md "Users who were erased since the backup" "$n" \
	    >"$root/srv/erase-$n"
done
check "the command of docs/BACKUP.md to keep the lines succeeds" does sh -e /srv/erase-2
check "the commands of docs/BACKUP.md to erase again succeed" does sh -e /srv/erase-3
check "assayctl restored reads the lines" prints 'read 1 erasures, erased 1 users again'
check "the commands of docs/BACKUP.md to start succeed" does sh -e /srv/moment-3
works "after going back to a moment"
inside sh -c 'rm -r /etc/cron.d/assay-backup /var/lib/assay-erased.* /var/lib/pgbackrest'
is "no detail of the erased user is older than the restore" \
    "$(inside runuser -u postgres -- psql -Atc "select count(*)
    from assay.decision_detail where decided_at < '$moment' and user_id = 'u-1'" assay)" 0
is "the decisions until the moment are there" \
    "$(inside runuser -u postgres -- psql -Atc "select count(*), max(decided_at)
    from assay.verdict_log where decided_at < '$moment'" assay)" "$before"

stage "reboot"
shut_down
check "the container boots again" boot
works "after the reboot"

stage "upgrade"
pid=$(main_pid assay-fcgi)
inside sh -c 'echo DECIDE_WORKERS=3 >>/etc/assay/assay.conf'
check "the packages are upgraded without a question" does sh -c \
    'DEBIAN_FRONTEND=noninteractive apt-get -y \
    -o Dpkg::Options::=--force-confold install /srv/next/*.deb </dev/null'
check "the upgrade says that setup is to run" prints 'run "assayctl setup" now'
is "the settings keep the edit" "$(inside tail -n 1 /etc/assay/assay.conf)" \
    DECIDE_WORKERS=3
is "the settings keep their group and mode" \
    "$(inside stat -c '%a %U %G' /etc/assay/assay.conf)" "640 root assay"
is "no companion runs on the old schema" "$(inside systemctl list-units \
    --plain --no-legend --state=active 'assay-*.timer' 'assay-work*')" ""
is "the old pool continues until setup runs" "$(main_pid assay-fcgi)" "$pid"
check "a decision succeeds before setup runs" decide
check "setup upgrades the service" does assayctl setup
check "setup applies the new migration" prints "$migration"
is "setup makes no second key" "$(wc -c <"$scratch/out")" 0
check "setup restarts the pool" is_new assay-fcgi "$pid"
works "after the upgrade"

stage "remove and purge"
check "the packages are removed" does dpkg -r assay assay-console assay-ctl assay-doc
is "no process is left" "$(inside systemctl list-units --plain --no-legend \
    --state=active 'assay*')" ""
check "settings and secrets are kept" \
    does test -e /etc/credstore/assay.DATABASE_URL -a -e /etc/assay/assay.conf
check "the packages are purged" does dpkg -P assay assay-console assay-ctl assay-doc
is "nginx no longer has the site" \
    "$(inside curl -sk -o /dev/null -w '%{http_code}' https://localhost/)" 000
is "no file is left" "$(inside find /etc /usr /var/lib /run -xdev \
    -name 'assay*' -not -path '*/dpkg/*')" ""
is "the database is left" "$(inside runuser -u postgres -- psql -Atc \
    'select count(*) > 10 from assay.verdict_log' assay)" t

stage "install again"
check "the packages are installed again" does sh -c 'dpkg -i /srv/next/*.deb'
check "setup does not take the old roles unasked" eval '! setup'
check "setup gives the old roles new passwords" setup --new-passwords
works "on the old database"
stage "end"
conclude
