#!/bin/sh
# SPDX-License-Identifier: ISC
# The Debian packages: built twice in a new Debian 12, checked by lintian, installed
# and purged by piuparts, and used by debian/tests, which autopkgtest runs.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
cd "$srcdir" || exit 99
PATH=$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d "${TMPDIR:-/tmp}/assay-package.XXXXXX")
trap 'rm -rf --one-file-system "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# shellcheck source=t/checks.sh
. "$srcdir/t/checks.sh"
# shellcheck source=t/stage.sh
. "$srcdir/t/stage.sh"

# conclude: print the plan and exit.
conclude() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
	exit
}

# t/boot.sh installs the packages on a system that systemd has booted.
kept=$builddir/t/packages
rm -rf "$kept"

version=$(sed -n 's/^AC_INIT(\[assay\], \[\([0-9.]*\)\].*/\1/p' configure.ac)
what="the packages are built, installed and removed"
if [ "${RUN_SERVICES:-}" != 1 ]; then
	skip "$what" "RUN_SERVICES=1 runs it"
	conclude
elif ! unshare -m true 2>/dev/null; then
	lacks "$what" "only root makes a chroot"
	conclude
fi
for tool in autopkgtest lintian mmdebstrap piuparts; do
	have "$tool" "$what" || conclude
done
# The scenarios that run beside this have limits of time.
renice -n 15 $$ >/dev/null

# beside_root COMMAND ...: run it while the root has /proc and /dev/shm, and end all
# processes that it leaves.
root=$tmp/root
beside_root() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount --pid --fork --kill-child --mount-proc sh -c '
	    mount -t proc proc "$0/proc" &&
	    mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm" &&
	    exec "$@"' "$root" "$@"
}
# in_root COMMAND ...: run it there.
in_root() {
	beside_root chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	    HOME=/root LC_ALL=C.UTF-8 "$@"
}
# The root has all that the packages need to be built and tested.
stage "make a root"
needed=$({
	sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([a-z0-9-]*\).*/\1/p' debian/control
	sed -n 's/^Depends: //p' debian/tests/control | tr -d ' ' | tr , '\n' |
	    grep -v '^assay'
	printf '%s\n' apparmor apt-utils openssl procps
} | paste -sd ,)
mmdebstrap --quiet --variant=buildd --include="$needed" \
    --dpkgopt=force-unsafe-io bookworm "$root" >"$tmp/log" 2>&1 || cp "$tmp/log" "$tmp/faults"
verdict "mmdebstrap makes a Debian 12"
[ "$failed" -eq 0 ] || conclude

env -u MAKEFLAGS -u MFLAGS make -s -C "$builddir" distdir distdir="$tmp/source" \
    >"$tmp/log" 2>&1 || cp "$tmp/log" "$tmp/faults"
verdict "make distdir works"

# build DIR UMASK OPTIONS ARGUMENT TZ LOCALE: build the release in DIR of the root.
build() {
	mkdir -p "$root$1"
	cp -Rp "$tmp/source" "$root$1/assay"
	# shellcheck disable=SC2016 # the inner shell expands it
	in_root env TZ="$5" LC_ALL="$6" sh -c 'umask $1; export DEB_BUILD_OPTIONS="$2"; cd "$3/assay"
	    exec dpkg-buildpackage -us -uc "$4"' - "$2" "$3" "$1" "$4" \
	    >"$tmp/log" 2>&1 || tail -n 40 "$tmp/log" >"$tmp/faults"
}
stage "build"
build /build 022 "parallel=2 nocheck" --build=full UTC C.UTF-8
verdict "the packages build"
[ "$failed" -eq 0 ] || conclude
# shellcheck disable=SC2012 # these names are plain
packages=$(ls "$root"/build/*.deb | sed 's,.*/,,')
mkdir -p "$kept" && cp "$root"/build/*.deb "$kept/"

stage "build again"
build /srv/another/place 027 "parallel=1 nocheck" --build=binary \
    '<+13>-13' C
for package in $packages; do
	cmp "$root/build/$package" "$root/srv/another/place/$package"
done >>"$tmp/faults" 2>&1
verdict "another place, time zone and locale give the same packages"

stage "lintian"
lintian --allow-root --fail-on none --tag-display-limit 0 \
    "$root/build/assay_${version}_"*.changes >"$tmp/log" 2>&1 ||
    cp "$tmp/log" "$tmp/faults"
grep -E '^[EW]:' "$tmp/log" >>"$tmp/faults"
verdict "lintian has no error and no warning"

# Contents.  debhelper compresses manuals.
stage "contents"
for package in $packages; do
	dpkg-deb -c "$root/build/$package" | grep '^[-l]'
done >"$tmp/contents"
awk '{ print $6 }' "$tmp/contents" | LC_ALL=C sort | uniq -d >"$tmp/faults"
verdict "no two packages have the same file"
sed 's,.*/,,; s/\(\.[578]\)\.gz$/\1/' "$tmp/contents" | LC_ALL=C sort \
    >"$tmp/packed"
find "$root/build/assay/debian/tmp" -type f -printf '%f\n' | LC_ALL=C sort |
    LC_ALL=C comm -23 - "$tmp/packed" >"$tmp/faults"
verdict "each file of make install is in a package"
awk '$2 != "root/root" || $1 ~ /^-(.......w|..s|.....s)/' "$tmp/contents" \
    >"$tmp/faults"
verdict "each file is root's, and none is writable for others or has set-id bits"
for package in $packages; do
	dpkg-deb -I "$root/build/$package" conffiles 2>/dev/null
done >"$tmp/got"
printf '/etc/%s\n' apparmor.d/usr.sbin.assay-cron \
    apparmor.d/usr.sbin.assay-fcgi assay/assay.conf \
    needrestart/conf.d/assay.conf |
    diff - "$tmp/got" >"$tmp/faults"
verdict "the settings and the profiles for others are conffiles"

stage "install"
in_root sh -c 'cd /build && dpkg-scanpackages . >Packages && dpkg -i ./*.deb &&
    assay-fcgi --version && assay-cron --version && assayctl --version &&
    apparmor_parser -QTK /etc/apparmor.d/usr.sbin.assay-* &&
    dpkg -P assay assay-dbgsym assay-ctl assay-ctl-dbgsym assay-console \
	assay-doc' >"$tmp/log" 2>&1 || tail -n 40 "$tmp/log" >"$tmp/faults"
grep -q '^The database of Assay stays' "$tmp/log" ||
    echo "a purge does not say that the database stays" >>"$tmp/faults"
verdict "the packages install, their programs start, AppArmor reads the profiles"

# piuparts installs from a repository.  The script that dh_apparmor adds removes the
# directory disable of the package apparmor.
stage "piuparts"
echo 'deb [trusted=yes] file:/build ./' >"$root/etc/apt/sources.list.d/build.list"
rm "$root"/build/*-dbgsym_*
piuparts --existing-chroot "$root" --hard-link --keep-sources-list \
    --no-eatmydata --no-upgrade-test --warn-on-others \
    --ignore /etc/apparmor.d/disable "$root"/build/*.deb >"$tmp/log" 2>&1 || {
	grep -A 20 FAIL: "$tmp/log" || tail -n 40 "$tmp/log"
} >"$tmp/faults"
verdict "piuparts finds nothing that the packages leave"
rm "$root/etc/apt/sources.list.d/build.list"

# The root is this test's own, so the test may break it.
stage "autopkgtest"
beside_root autopkgtest --no-built-binaries \
    --ignore-restrictions=breaks-testbed,isolation-container \
    "$root"/build/*.deb "$root/build/assay/" -- chroot "$root" \
    >"$tmp/log" 2>&1 || tail -n 60 "$tmp/log" >"$tmp/faults"
verdict "autopkgtest sets up a host, decides, upgrades, purges and sets up again"
stage end
conclude
