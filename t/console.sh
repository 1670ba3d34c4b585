#!/bin/sh
# SPDX-License-Identifier: ISC
# The console without a browser: its pure modules, the rules for its files
# (t/console/lint.mjs), its sizes, and its bundles, which equal those that
# tools/vendor makes of their packages.  A missing tool is a skip, in CI (CI=true) a
# failure.
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

# unit ZONE: run the tests of the modules on a machine in this time zone.
unit() {
	what="the modules pass their tests in the zone $1"
	have node "$what" || return 0
	TZ=$1 node --test t/console/*.test.mjs >"$tmp/out" 2>&1 ||
	    grep -E '^ *(not ok|# (Sub|fail)|(error|expected|actual):)' \
	    "$tmp/out" >"$tmp/faults"
	verdict "$what"
}
unit UTC
unit Asia/Kathmandu
unit America/St_Johns

# rule CHECK WHAT: a check of t/console/lint.mjs.
rule() {
	have node "$2" || return 0
	node t/console/lint.mjs "$srcdir" "$1" >"$tmp/faults" 2>&1
	verdict "$2"
}
rule refused "no file has what the policy blocks or what only one module may do"
rule lengths "files and functions are short"
rule words "what people read is in a table of texts"
rule texts "each text exists and is used"
rule operations "each request is an operation of docs/openapi.json"
rule assayctl "each command shown beside an action is one of assayctl"
rule declared "each module declares or imports what it uses"
rule preloads "the page preloads what the first screen imports"
rule installed "Makefile.am names each file"

# at_most KIB WHAT FILE ...: the files have at most so many KiB, compressed.
at_most() {
	limit=$1
	part=$2
	shift 2
	size=0
	for file in "$@"; do
		size=$((size + $(gzip -n9 <"$file" | wc -c)))
	done
	[ "$size" -le $((limit * 1024)) ] || echo "$part: $size bytes"
}
# first_screen: the files before the first screen can be used.
first_screen() {
	node t/console/lint.mjs "$srcdir" closure console/screens/home.js
}
what="the console is small enough for a first visit"
{
	at_most 12 "Preact" third_party/preact/preact.js
	at_most 150 "CodeMirror" third_party/codemirror/codemirror.js
	at_most 10 "the styles" console/css/*.css
	# shellcheck disable=SC2046 # our own paths have no spaces
	! command -v node >/dev/null || at_most 60 "the first screen" $(first_screen)
	size=$(find console third_party/preact/preact.js third_party/lucide/icons.js \
	    third_party/codemirror/codemirror.js -type f -exec cat {} + | wc -c)
	[ "$size" -le 1048576 ] || echo "all files: $size bytes"
} >"$tmp/faults"
verdict "$what"

echo "1..$n"
[ "$failed" -eq 0 ]
