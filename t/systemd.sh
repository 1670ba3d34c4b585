#!/bin/sh
# SPDX-License-Identifier: ISC
# What is installed for systemd: units that it takes without a word and finds
# well guarded, users and directories.  Nothing is started.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
if ! command -v systemd-analyze >/dev/null; then
	echo "# skipped: needs systemd-analyze, of the package systemd"
	exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0
failed=0

check() {
	n=$((n + 1))
	what=$1
	shift
	if "$@" >"$scratch/out" 2>&1; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/#   /' "$scratch/out"
	fi
}

# is WHAT GOT WANT: equal strings.
same() {
	printf 'got: %s\nwant: %s\n' "$1" "$2"
	[ "$1" = "$2" ]
}
is() {
	check "$1" same "$2" "$3"
}

# The installed tree, whose units then name the programs where they are here.
root=$scratch/root
(cd "$builddir" && MAKEFLAGS='' make -s install DESTDIR="$root") \
    >"$scratch/install" 2>&1 || sed 's/^/#   /' "$scratch/install"
prefix=$(cd "$root" && find . -name assay-fcgi -type f |
    sed 's,^\.\(.*\)/sbin/assay-fcgi$,\1,')
units=$root$prefix/lib/systemd/system
check "units are installed" test -f "$units/assay.target"
mkdir "$scratch/units"
for unit in "$units"/*; do
	sed "s,=$prefix/sbin/,=$root$prefix/sbin/," "$unit" \
	    >"$scratch/units/${unit##*/}"
done

# silent COMMAND ...: it succeeds without a word.
silent() {
	"$@" >"$scratch/said" 2>&1 && [ ! -s "$scratch/said" ] && return
	cat "$scratch/said"
	return 1
}
check "systemd takes them without a word" \
    silent systemd-analyze verify --man=no "$scratch"/units/*
check "no part is missing in one" sh -c '! grep -n "@[a-z]*@" "$@"' - \
    "$scratch"/units/*

# exposure UNIT TENTHS: as systemd-analyze sees it, at most so much.
exposure() {
	systemd-analyze security --offline=true --no-pager --threshold="$2" \
	    "$scratch/units/$1"
}
check "the pool is guarded" exposure assay-fcgi.service 10
check "who works is" exposure assay-work.service 10
check "who delivers is" exposure assay-deliver.service 15
check "who retains is" exposure assay-retain.service 10
check "who fetches models is" exposure assay-model.service 17

# Who dials hosts that others name is kept off every address that is not
# public, who fetches models dials what the settings name, and nobody else has
# a network.
is "those with a network" "$(grep -L '^PrivateNetwork=yes$' \
    "$scratch"/units/*.service | sed 's,.*/,,' | paste -sd ' ')" \
    "assay-deliver.service assay-model.service"
denied() {
	sed -n 's/^IPAddressDeny=//p' "$scratch/units/assay-deliver.service" |
	    tr ' ' '\n' | grep -qxF "$1"
}
# What the program refuses (core/event/ip_address.c), itself and through NAT64; of IPv6
# all that is not unicast, and special blocks of that.
sed -n 's/^	V4(\([0-9, ]*\)),.*/\1/p' "$srcdir/core/event/ip_address.c" |
    tr -d ' ' | awk -F , '{
	printf "%d.%d.%d.0/%d\n", $1, $2, $3, $4
	net = sprintf("64:ff9b::%x:%x/%d", 256 * $1 + $2, 256 * $3, 96 + $4)
	sub("::0:0/", "::/", net)
	print net
}' >"$scratch/special"
check "special blocks are known" grep -qx 169.254.0.0/16 "$scratch/special"
for net in ::/96 64:ff9b:1::/48 100::/8 200::/7 400::/6 800::/5 1000::/4 \
    2001::/23 2001:db8::/32 2002::/16 3fff::/20 4000::/2 8000::/1; do
	echo "$net"
done >>"$scratch/special"
while read -r net; do
	check "$net is denied" denied "$net"
done <"$scratch/special"

# A setting that its program reads may be a credential, if it is secret.
sed -n 's/^CONF(\([A-Z0-9_]*\),.*[ ,]SECRET[ ,].*/\1/p' "$srcdir/lib/conf/conf.tbl" \
    >"$scratch/secrets"
sed -n 's/^LoadCredential=\([A-Z0-9_]*\):assay\.\1$/\1/p' \
    "$scratch"/units/*.service | sort -u >"$scratch/handed"
is "every secret is handed over to one" "$(cat "$scratch/handed")" \
    "$(sort "$scratch/secrets")"
is "and all by their names" "$(grep -h '^LoadCredential=' \
    "$scratch"/units/*.service | grep -cv '^LoadCredential=\([A-Z0-9_]*\):assay\.\1$')" 0

# With them, and nothing else that is secret, each starts in production.
starts() (
	CREDENTIALS_DIRECTORY=$scratch/credentials
	export CREDENTIALS_DIRECTORY
	rm -rf "$CREDENTIALS_DIRECTORY"
	mkdir "$CREDENTIALS_DIRECTORY"
	sed -n 's/^LoadCredential=\(AUTH_SECRET\|[A-Z0-9_]*DATABASE_URL\):.*/\1/p' \
	    "$1" | while read -r name; do
		echo 0123456789abcdefghijklmnopqrstuvwxyz \
		    >"$CREDENTIALS_DIRECTORY/$name"
	done
	echo ENGINE_ENV=production >"$scratch/assay.conf"
	program=$(sed -n "s,^ExecStart=.*/sbin/\([a-z-]*\) .*,\1,p" "$1")
	# shellcheck disable=SC2046 # several
	env -u DATABASE_URL -u AUTH_SECRET "$builddir/$program" -n \
	    -c "$scratch/assay.conf" \
	    $(sed -n 's/^ExecStart=.*assay\.conf//p' "$1")
)
for unit in "$scratch"/units/*.service; do
	check "${unit##*/} has the secrets that it needs" starts "$unit"
done

# What a program says without a priority is an error: lines of the log have one.
is "every service says errors as errors" "$(grep -L '^SyslogLevel=err$' \
    "$scratch"/units/*.service)" ""

# By hand the same settings can be checked by root, who may read the store.
by_hand() (
	program=$1
	shift
	mkdir -p "$scratch/etc/credstore"
	for name in AUTH_SECRET DATABASE_URL; do
		echo 0123456789abcdefghijklmnopqrstuvwxyz \
		    >"$scratch/etc/credstore/assay.$name"
	done
	unset CREDENTIALS_DIRECTORY AUTH_SECRET DATABASE_URL
	# shellcheck disable=SC2016 # another shell expands it
	unshare -m sh -c 'mount --bind "$1" /etc && shift && exec "$@"' - \
	    "$scratch/etc" "$builddir/$program" "$@" -c "$scratch/assay.conf"
)
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
	echo "# only root reads the store of credentials"
else
	check "a check by hand finds what the pool is handed" \
	    by_hand assay-fcgi -n
	check "and what the companion is" by_hand assay-cron -n work
fi

# A restart of everything keeps the sockets; its end takes them along.
for unit in assay-decide.socket assay-operator.socket; do
	is "$unit stops with the target and is not restarted with it" \
	    "$(grep -E '^(PartOf|StopPropagatedFrom|BindsTo|Requires)=' \
	    "$scratch/units/$unit")" "StopPropagatedFrom=assay.target"
done
is "what uses the sockets is restarted with the target" \
    "$(grep -c '^PartOf=assay.target$' "$scratch/units/assay-fcgi.service")" 1
# shellcheck disable=SC2016 # systemd expands it
is "a reload tells whether the settings were good" \
    "$(sed -n 's,^ExecReload=.*/sbin/,,p' "$scratch/units/assay-fcgi.service")" \
    'assay-fcgi --reload $MAINPID'
is "no service dumps core" "$(grep -L '^LimitCORE=0$' \
    "$scratch"/units/*.service)" ""
is "each has a bound of memory and of processes" "$(grep -cE \
    '^(MemoryMax|TasksMax)=' "$scratch"/units/*.service | grep -v ':2$')" ""

# Jobs are those that the companion knows.
DATABASE_URL=x
export DATABASE_URL
sed -n 's/^ExecStart=.*conf \(.*\)/\1/p' "$scratch"/units/*.service \
    >"$scratch/calls"
crontab=$(echo "$root$prefix"/share/doc/*/assay.crontab)
sed -n 's/^[^#].* -c [^ ]* \(.*\) 2>&1 | .*/\1/p' "$crontab" >>"$scratch/calls"
is "cron has nothing to send by mail" "$(grep '^[^#]' "$crontab" |
    grep -cv ' 2>&1 | logger -t assay-cron$')" 0
while read -r arguments; do
	# shellcheck disable=SC2086 # several
	check "assay-cron $arguments" "$builddir/assay-cron" -n $arguments
done <"$scratch/calls"

# Users and directories, in a root of their own.
mkdir -p "$root/etc"
etc=$(sed -n 's/^d \(.*\)\/assay 0750.*/\1/p' \
    "$root$prefix/lib/tmpfiles.d/assay.conf")
mode() {
	stat -c '%a' "$root$1"
}
if [ "$(id -u)" -ne 0 ]; then
	echo "# only root makes users and directories"
else
	mkdir -p "$root$etc/assay"
	: >"$root$etc/assay/assay.conf"
	check "the user is made" systemd-sysusers --root="$root" \
	    "$root$prefix/lib/sysusers.d/assay.conf"
	check "directories are" silent systemd-tmpfiles --root="$root" --create \
	    "$root$prefix/lib/tmpfiles.d/assay.conf"
	is "with their modes" "$(mode /run/assay) $(mode /var/lib/assay/spool) \
$(mode "$etc/assay") $(mode "$etc/assay/assay.conf")" "755 700 750 640"
	is "and owners" "$(stat -c %u "$root/var/lib/assay/spool") $(stat -c \
	    '%u %g' "$root$etc/assay")" \
	    "$(awk -F : '$1 == "assay" { print $3, 0, $4 }' "$root/etc/passwd")"
fi
echo "1..$n"
[ "$failed" -eq 0 ]
