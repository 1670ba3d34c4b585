#!/bin/sh
# SPDX-License-Identifier: ISC
# The installed units, users and directories: systemd accepts the units without
# a message and finds little exposure.  Nothing is started.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
if ! command -v systemd-analyze >/dev/null; then
	echo "# skipped: needs systemd-analyze, of the package systemd"
	exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tap_count=0
tap_failed=0

# check WHAT COMMAND ...: the command succeeds.
check() {
	tap_count=$((tap_count + 1))
	tap_what=$1
	shift
	if "$@" >"$scratch/out" 2>&1; then
		echo "ok $tap_count - $tap_what"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_what"
		sed 's/^/#   /' "$scratch/out"
	fi
}

# is WHAT GOT WANT: equal strings.
is() {
	check "$1" same "$2" "$3"
}

same() {
	printf 'got: %s\nwant: %s\n' "$1" "$2"
	[ "$1" = "$2" ]
}

# The installed tree; its units name the programs by their paths in it.
root=$scratch/root
(cd "$builddir" && MAKEFLAGS='' make -s install DESTDIR="$root") \
    >"$scratch/install" 2>&1 || sed 's/^/#   /' "$scratch/install"
prefix=$(cd "$root" && find . -name assay-fcgi -type f |
    sed 's,^\.\(.*\)/sbin/assay-fcgi$,\1,')
units=$root$prefix/lib/systemd/system
check "the target of the units is installed" test -f "$units/assay.target"
mkdir "$scratch/units"
for unit in "$units"/*; do
	sed "s,=$prefix/sbin/,=$root$prefix/sbin/," "$unit" \
	    >"$scratch/units/${unit##*/}"
done

# is_silent COMMAND ...: the command succeeds without a message.
is_silent() {
	"$@" >"$scratch/said" 2>&1 && [ ! -s "$scratch/said" ] && return
	cat "$scratch/said"
	return 1
}
check "systemd accepts every unit without a message" \
    is_silent systemd-analyze verify --man=no "$scratch"/units/*
check "no unit has an unfilled @name@" sh -c '! grep -n "@[a-z]*@" "$@"' - \
    "$scratch"/units/*

# exposure_below UNIT TENTHS: systemd-analyze finds no more exposure than this.
exposure_below() {
	systemd-analyze security --offline=true --no-pager --threshold="$2" \
	    "$scratch/units/$1"
}
check "the pool has an exposure of at most 1.0" \
    exposure_below assay-fcgi.service 10
check "assay-work has an exposure of at most 1.0" \
    exposure_below assay-work.service 10
check "assay-deliver has an exposure of at most 1.5" \
    exposure_below assay-deliver.service 15
check "assay-retain has an exposure of at most 1.0" \
    exposure_below assay-retain.service 10
check "assay-train has an exposure of at most 1.0" \
    exposure_below assay-train.service 10
check "assay-model has an exposure of at most 1.7" \
    exposure_below assay-model.service 17
check "assay-geoip has an exposure of at most 1.7" \
    exposure_below assay-geoip.service 17

# Only the units that deliver and that fetch files have a network.  Others name
# the hosts of a delivery: every address that is not public is denied to it.  The
# settings name the hosts of models and of the GeoIP database.
is "only assay-deliver, assay-geoip and assay-model have a network" \
    "$(grep -L '^PrivateNetwork=yes$' \
    "$scratch"/units/*.service | sed 's,.*/,,' | paste -sd ' ')" \
    "assay-deliver.service assay-geoip.service assay-model.service"
address_denied() {
	sed -n 's/^IPAddressDeny=//p' "$scratch/units/assay-deliver.service" |
	    tr ' ' '\n' | grep -qxF "$1"
}
# The blocks that the program refuses, themselves and through NAT64; of IPv6 all
# blocks that are not unicast, and the special ones that are.
sed -n '/ special4\[\]/,/^};/s/^	V4(\([0-9, ]*\)),.*/\1/p' \
    "$srcdir/core/event/ip_address.c" |
    tr -d ' ' | awk -F , '{
	printf "%d.%d.%d.0/%d\n", $1, $2, $3, $4
	net = sprintf("64:ff9b::%x:%x/%d", 256 * $1 + $2, 256 * $3, 96 + $4)
	sub("::0:0/", "::/", net)
	print net
}' >"$scratch/special"
check "the special blocks of the program are read" grep -qx 169.254.0.0/16 "$scratch/special"
for net in ::/96 64:ff9b:1::/48 100::/8 200::/7 400::/6 800::/5 1000::/4 \
    2001::/23 2001:db8::/32 2002::/16 3fff::/20 4000::/2 8000::/1; do
	echo "$net"
done >>"$scratch/special"
while read -r net; do
	check "the network $net is denied" address_denied "$net"
done <"$scratch/special"

# A unit gets every secret setting of its program as a credential.
sed -n 's/^CONF(\([A-Z0-9_]*\),.*[ ,]SECRET[ ,].*/\1/p' "$srcdir/lib/conf/conf.tbl" \
    >"$scratch/secrets"
sed -n 's/^LoadCredential=\([A-Z0-9_]*\):assay\.\1$/\1/p' \
    "$scratch"/units/*.service | sort -u >"$scratch/handed"
is "every secret setting is a credential of a unit" \
    "$(cat "$scratch/handed")" \
    "$(sort "$scratch/secrets")"
is "every credential has the name of its setting" "$(grep -h '^LoadCredential=' \
    "$scratch"/units/*.service | grep -cv '^LoadCredential=\([A-Z0-9_]*\):assay\.\1$')" 0

# settings_suffice UNIT: with its credentials and no other secret the settings of
# its program are good for production.
settings_suffice() (
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
	check "${unit##*/} has the credentials that it needs" \
	    settings_suffice "$unit"
done

# A message without a priority is an error; the lines of the log have one.
is "every service logs messages without a priority as errors" \
    "$(grep -L '^SyslogLevel=err$' \
    "$scratch"/units/*.service)" ""

# check_by_hand PROGRAM ARGUMENT ...: root checks the settings; the store of
# credentials has the secrets.
check_by_hand() (
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
	echo "# skipped: only root reads the store of credentials"
else
	check "a check by hand finds the credentials of the pool" \
	    check_by_hand assay-fcgi -n
	check "a check by hand finds the credentials of the companion" \
	    check_by_hand assay-cron -n work
fi

# A restart of the target keeps the sockets; a stop ends them.
for unit in assay-decide.socket assay-operator.socket; do
	is "$unit stops with the target and is not restarted with it" \
	    "$(grep -E '^(PartOf|StopPropagatedFrom|BindsTo|Requires)=' \
	    "$scratch/units/$unit")" "StopPropagatedFrom=assay.target"
done
is "the pool is restarted with the target" \
    "$(grep -c '^PartOf=assay.target$' "$scratch/units/assay-fcgi.service")" 1
# shellcheck disable=SC2016 # systemd expands it
is "a reload of the pool uses --reload" \
    "$(sed -n 's,^ExecReload=.*/sbin/,,p' "$scratch/units/assay-fcgi.service")" \
    'assay-fcgi --reload $MAINPID'
is "every service has a core limit of 0" "$(grep -L '^LimitCORE=0$' \
    "$scratch"/units/*.service)" ""
is "every service limits its memory and its tasks" "$(grep -cE \
    '^(MemoryMax|TasksMax)=' "$scratch"/units/*.service | grep -v ':2$')" ""

# The units and the crontab call the companion with arguments that it accepts.
DATABASE_URL=x
export DATABASE_URL
sed -n 's/^ExecStart=.*conf \(.*\)/\1/p' "$scratch"/units/*.service \
    >"$scratch/calls.unit"
crontab=$(echo "$root$prefix"/share/doc/*/assay.crontab)
sed -n 's/^[^#].* -c [^ ]* \(.*\) 2>&1 | .*/\1/p' "$crontab" \
    >"$scratch/calls.crontab"
is "every line of the crontab writes to the journal" "$(grep '^[^#]' "$crontab" |
    grep -cv ' 2>&1 | logger -t assay-cron$')" 0
for source in unit crontab; do
	while read -r arguments; do
		# shellcheck disable=SC2086 # several
		check "assay-cron accepts a call of the $source: $arguments" \
		    "$builddir/assay-cron" -n $arguments
	done <"$scratch/calls.$source"
done

# Users and directories below another root.
mkdir -p "$root/etc"
etc=$(sed -n 's/^d \(.*\)\/assay 0750.*/\1/p' \
    "$root$prefix/lib/tmpfiles.d/assay.conf")
file_mode() {
	stat -c '%a' "$root$1"
}
if [ "$(id -u)" -ne 0 ]; then
	echo "# skipped: only root makes users and directories"
else
	mkdir -p "$root$etc/assay"
	: >"$root$etc/assay/assay.conf"
	check "systemd-sysusers makes the user" systemd-sysusers --root="$root" \
	    "$root$prefix/lib/sysusers.d/assay.conf"
	check "systemd-tmpfiles makes the directories" \
	    is_silent systemd-tmpfiles --root="$root" --create \
	    "$root$prefix/lib/tmpfiles.d/assay.conf"
	is "the directories have their modes" "$(file_mode /run/assay) $(file_mode /var/lib/assay/spool) \
$(file_mode "$etc/assay") $(file_mode "$etc/assay/assay.conf")" "755 700 750 640"
	is "the directories have their owners" "$(stat -c %u "$root/var/lib/assay/spool") $(stat -c \
	    '%u %g' "$root$etc/assay")" \
	    "$(awk -F : '$1 == "assay" { print $3, 0, $4 }' "$root/etc/passwd")"
fi
echo "1..$tap_count"
[ "$tap_failed" -eq 0 ]
