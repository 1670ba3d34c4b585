#!/bin/sh
# SPDX-License-Identifier: ISC
# The answers to the HTTP scenarios, which run before this test, match
# docs/openapi.json.
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

echo 1..1
faults=$(node "$srcdir/t/node/answers.mjs" "$node_dir" \
    "$srcdir/docs/openapi.json" "$builddir"/t/http/*.answers)
status=$?
if [ "$status" -eq 0 ] && [ -z "$faults" ]; then
	echo "ok 1 - every answer matches docs/openapi.json"
	exit 0
fi
echo "not ok 1 - every answer matches docs/openapi.json"
printf '%s\n' "$faults" | sed 's/^/#   /'
exit 1
