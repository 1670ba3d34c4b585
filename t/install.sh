#!/bin/sh
# SPDX-License-Identifier: ISC
# make install and uninstall, in a scratch directory: every path that a manual
# names exists, and uninstall leaves nothing.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"
root=$scratch/root

# run_make TARGET: run make with the scratch directory as DESTDIR.
run_make() {
	env -u MAKEFLAGS -u MFLAGS make -s -C "$builddir" "$1" \
	    DESTDIR="$root" >"$scratch/out" 2>"$scratch/err"
}

# variable NAME: print its value in the Makefile.
variable() {
	printf 'include Makefile\nshow-it:\n\t@echo \044(%s)\n' "$1" |
	    (cd "$builddir" && env -u MAKEFLAGS -u MFLAGS make -s -f - show-it)
}

check "make install works" run_make install
mandir=$(variable mandir)
for page in $(cd "$srcdir/man" && printf '%s\n' *.[578] *.in |
    sed 's/\.in$//' | sort -u); do
	check "$page is installed" test -f "$root$mandir/man${page##*.}/$page"
done
pkgdatadir=$(variable pkgdatadir)
docdir=$(variable docdir)
find "$root$mandir" -type f -exec cat {} + |
    grep -o -e "${pkgdatadir}[a-zA-Z0-9._/-]*" \
	-e "${docdir}[a-zA-Z0-9._/-]*" |
    sed 's/[.,]$//' | sort -u >"$scratch/named"
check "the manuals name files in the data directory" \
    grep -q "^$pkgdatadir/" "$scratch/named"
while read -r path; do
	check "$path, which a manual names, is installed" test -e "$root$path"
done <"$scratch/named"
if [ "$pkgdatadir" != /usr/share/assay ]; then
	grep -rl '/usr/share/\(doc/\)*assay' "$root$mandir" >"$scratch/other"
	check "no manual names the directories of another prefix" \
	    test ! -s "$scratch/other"
fi

# The first settings file: with every # removed, no setting changes but the two
# that it sets.
sed 's/^#\([A-Z][A-Z0-9_]*=\)/\1/' "$root$(variable pkgdatadir)/assay.conf" \
    >"$scratch/all.conf"
is "the first settings file has every setting" \
    "$(grep -c '^[A-Z]' "$scratch/all.conf")" \
    "$(grep -c '^CONF(' "$srcdir/lib/conf/conf.tbl")"
# effective [-c FILE]: print all settings of the pool.
effective() {
	env -i DATABASE_URL=x AUTH_SECRET=0123456789abcdefghijklmnopqrstuvwxyz \
	    ENGINE_ENV=production IDEMPOTENCY_MISMATCH=refuse \
	    "$builddir/assay-fcgi" --print-config "$@"
}
is "the first settings file shows the defaults" \
    "$(effective -c "$scratch/all.conf")" "$(effective)"
check "make uninstall works" run_make uninstall
find "$root" -type f >"$scratch/left"
check "make uninstall leaves no file" test ! -s "$scratch/left"
check "make uninstall removes the data directory" \
    test ! -e "$root$pkgdatadir"
check "make uninstall removes the directory of documents" \
    test ! -e "$root$docdir"
conclude
