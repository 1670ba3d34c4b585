#!/bin/sh
# SPDX-License-Identifier: ISC
# A release is packed, unpacked, built out of its tree, checked without services,
# installed, removed and packed again.
builddir=$(cd "${builddir:-.}" && pwd)

if env -u RUN_SERVICES make -s -C "$builddir" distcheck \
    DISTCHECK_CONFIGURE_FLAGS=--enable-werror >"$builddir/distcheck.log" 2>&1; then
	echo "ok 1 - make distcheck succeeds"
else
	echo "not ok 1 - make distcheck succeeds"
	tail -n 20 "$builddir/distcheck.log" | sed 's/^/#   /'
fi
echo "1..1"
