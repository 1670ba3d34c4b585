#!/bin/sh
# SPDX-License-Identifier: ISC
# The answers to the HTTP scenarios, which run before this test, match
# docs/openapi.json; those to the calls of earlier releases also match its
# description of then.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
node_dir=${NODE_DIR:-$srcdir/build-node}

# lacks WHY: a skip, in CI a failure.
lacks() {
	echo "# skipped: $1"
	[ "${CI:-}" = true ] && exit 1
	exit 77
}

if [ "${RUN_SERVICES:-}" != 1 ]; then
	echo "# skipped: needs PostgreSQL and nginx, RUN_SERVICES=1 runs it"
	exit 77
fi
command -v node >/dev/null || lacks "node is missing"
[ -d "$node_dir/node_modules/ajv" ] ||
    lacks "tools/install-node has not been run"

n=0
failed=0
# match WHAT ARGUMENT ...: answers.mjs with these arguments reports nothing.
match() {
	n=$((n + 1))
	what=$1
	shift
	if faults=$(node "$srcdir/t/node/answers.mjs" "$@") && [ -z "$faults" ]; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		printf '%s\n' "$faults" | sed 's/^/#   /'
	fi
}
match "every answer matches docs/openapi.json" "$node_dir" \
    "$srcdir/docs/openapi.json" "$builddir"/t/http/*.answers
for release in "$srcdir"/t/compat/[0-9]*; do
	version=${release##*/}
	match "the calls of $version get answers that match its description" \
	    --released "$node_dir" "$release/openapi.json" \
	    "$builddir/t/http/0009-compat-$version.answers"
done
echo "1..$n"
[ "$failed" -eq 0 ]
