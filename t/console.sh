#!/bin/sh
# SPDX-License-Identifier: ISC
# The console without a browser: its pure modules, the rules for its files
# (t/console/lint.mjs), the bundles that a browser loads and their sizes, and the
# libraries, which equal those that tools/vendor makes of their packages.  A missing
# tool is a skip, in CI (CI=true) a failure.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
node_dir=${NODE_DIR:-$srcdir/build-node}
cd "$srcdir" || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/assay-console.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# shellcheck source=t/checks.sh
. "$srcdir/t/checks.sh"
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"

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
	TZ=$1 node t/console/modules.mjs >"$tmp/out" 2>&1 || {
		grep -E '^ *(not ok|(error|expected|actual):)' "$tmp/out"
		tail -n 5 "$tmp/out"
	} >"$tmp/faults"
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
rule manual "assay-console(7) has every screen and every key"
rule assayctl "each command shown beside an action is one of assayctl"
rule commanded "each change shows the command of assayctl that makes it"
rule acts "each change is one that the console asks about, or harmless"
rule routes "a screen uses each operator route"
rule declared "each module declares or imports what it uses"
rule exported "each export is imported by another module or a test"
rule circles "no module imports itself, and the bundles have each module and screen"
rule classes "each class has a style and each style a class"
rule stripped "the bundles change no text"
rule installed "Makefile.am installs each bundle"

stack_console "$srcdir" "$tmp" 2>"$tmp/faults"
verdict "the modules can be bundled"
made=$tmp/console/$stack_version

find console -name '*.js' | LC_ALL=C sort >"$tmp/modules"
sed -n 's|^modules\["\(console/[^"]*\)"\] = (.*|\1|p' "$made"/*.js |
    LC_ALL=C sort | diff "$tmp/modules" - >"$tmp/faults"
verdict "each module is in one bundle"

grep -o "$stack_version/[^\"]*" "$tmp/console/index.html" | while read -r path; do
	[ -f "$tmp/console/$path" ] || echo "there is no $path"
done >"$tmp/faults"
verdict "the page loads bundles that exist"

what="the bundles are JavaScript"
if have node "$what"; then
	for file in "$made"/*.js; do
		node --input-type=module --check <"$file" 2>&1
	done >"$tmp/faults"
	verdict "$what"
fi

mkdir "$tmp/bad"
echo 'export const one = 1;' >"$tmp/bad/b.js"
printf 'all.js\tbad/a.js\n' >"$tmp/bundles.tbl"
while read -r row; do
	printf '// One line before.\n%s\n' "$row" >"$tmp/bad/a.js"
	(cd "$tmp" && ! awk -v file=all.js -f "$srcdir/tools/bundle.awk" \
	    bundles.tbl >out 2>&1 && grep -q '^bad/a\.js:2: ' out) ||
	    echo "is not refused: $row"
done >"$tmp/faults" <<'ROWS'
import * as all from "./b.js";
import one, { two } from "./b.js";
import { two } from "./b.js";
import { one } from "./c.js";
import { one } from "b";
import "./a.js";
export * from "./b.js";
export { one } from "./b.js";
export let one = 1;
export const { one } = {};
export default () => 1;
import("./b.js");
const b = import(name);
const address = import.meta.url;
ROWS
printf 'all.js\tbad/b.js\nall.css\tbad/a.css\n' >"$tmp/bundles.tbl"
(cd "$tmp" && ! awk -v file=all.css -f "$srcdir/tools/bundle.awk" bundles.tbl >out \
    2>&1 && grep -q '^bundles\.tbl:2: there is no file bad/a\.css' out) ||
	echo "a missing style sheet is not refused" >>"$tmp/faults"
verdict "what the bundles cannot express is refused with its line"

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
what="the console is small enough for a first visit"
{
	at_most 12 "Preact" third_party/preact/preact.js
	at_most 60 "the first screen" "$made/core.js" "$made/work.js"
	at_most 150 "the editor" "$made/editor.js"
	at_most 10 "the styles" "$made/style.css"
	size=$(cat "$made"/*.js "$made"/*.css | wc -c)
	[ "$size" -le 1048576 ] || echo "all files: $size bytes"
} >"$tmp/faults"
verdict "$what"

echo "1..$n"
[ "$failed" -eq 0 ]
