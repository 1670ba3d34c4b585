#!/bin/sh
# SPDX-License-Identifier: ISC
# The bundles of the console equal those that tools/vendor makes of their packages.
# A missing tool is a skip, in CI (CI=true) a failure.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
node_dir=${NODE_DIR:-$srcdir/build-node}
cd "$srcdir" || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/assay-console.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# shellcheck source=t/checks.sh
. "$srcdir/t/checks.sh"

what="preact and codemirror of third_party equal their packages"
if ! command -v node >/dev/null; then
	lacks "$what" "node is missing"
elif ! command -v jq >/dev/null; then
	lacks "$what" "jq is missing"
elif [ ! -d "$node_dir/node_modules/esbuild-wasm" ]; then
	lacks "$what" "tools/install-node has not been run"
else
	mkdir "$tmp/made"
	NODE_DIR=$node_dir tools/vendor "$tmp/made" >"$tmp/faults" 2>&1
	for name in preact codemirror; do
		diff -rq -x README -x exports.js "$tmp/made/$name" \
		    "third_party/$name" >>"$tmp/faults"
	done
	verdict "$what"
fi

what="the bundles are small enough for a first visit"
for limit in preact:12 codemirror:150; do
	name=${limit%:*}
	size=$(gzip -9 -c "third_party/$name/$name.js" | wc -c)
	[ "$size" -le $((${limit#*:} * 1024)) ] ||
	    echo "$name.js has $size bytes, compressed"
done >"$tmp/faults"
verdict "$what"

echo "1..$n"
[ "$failed" -eq 0 ]
