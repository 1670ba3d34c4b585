#!/bin/sh
# SPDX-License-Identifier: ISC
# t/compat/: what t/http/0009-compat.sh reports as a break of the interface, and
# that the recording of each release has each of its operations.
# shellcheck disable=SC2016 # these are variables of jq
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
cd "$srcdir" || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/assay-compat.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# shellcheck source=t/checks.sh
. "$srcdir/t/checks.sh"

what="breaks of the interface are reported, and additions are not"
if ! have jq "$what"; then
	echo "1..$n"
	exit "$failed"
fi
compat() { jq -L t/compat "$@"; }
# A recorded answer, today's, and the faults.
while IFS='|' read -r want got faults; do
	found=$(compat -nr --argjson want "$want" --argjson got "$got" \
	    'include "compat"; [$got | faults($want; "x")] | join(", ")')
	[ "$found" = "$faults" ] || echo "$want then $got: $found"
done >"$tmp/faults" <<'END'
{"a":"<string>"}|{"a":"other","b":1}|
{"a":"<string>"}|{"b":"s"}|x.a: is missing
{"a":"<string>"}|{"a":1}|x.a: was <string>, is 1
{"a":"<number>"}|{"a":"1"}|x.a: was <number>, is "1"
{"a":"<number>"}|{"a":null}|x.a: was <number>, is null
{"a":"<time>"}|{"a":"2026-11-21T03:45:12.345Z"}|
{"a":"<time>"}|{"a":"2026-11-21"}|x.a: was <time>, is "2026-11-21"
{"<day>":{"a":"<number>"}}|{"2026-11-21":{"a":1}}|
{"<day>":"<number>"}|{"2026-11-2":1}|x.<day>: is missing
{"a":null}|{"a":1}|
{"a":null}|{}|x.a: is missing
{"a":true}|{"a":false}|x.a: was true, is false
{"status":200}|{"status":201}|x.status: was 200, is 201
{"code":"FORBIDDEN"}|{"code":"NOT_FOUND"}|x.code: was FORBIDDEN, is "NOT_FOUND"
{"a":{"b":"<number>"}}|{"a":[]}|x.a: was {"b":"<number>"}, is []
[{"a":"<number>"}]|[{"z":1},{"a":1}]|
[{"a":"<number>"}]|[]|x: is empty
[{"a":"<number>"}]|[{"a":"1"}]|x[].a: was <number>, is "1"
[]|[1]|
END
verdict "$what"

[ "$(compat -Rsc --arg head 'HTTP/1.1 200 OK
Date: today
X-Engine-Idempotent-Replay: true' 'include "compat";
    { call: {}, got: answer("200"; $head) } | recorded' <<'END'
{"code":"A_B","id":"vd_1","score":3,"ok":true,"at":"2026-11-21T03:45:12.345Z",
"list":[{"a":1},{"a":2},{"b":null}],"byDay":{"2026-11-21":1}}
END
)" = '{"status":200,"headers":{"x-engine-idempotent-replay":"<string>"},'\
'"answer":{"code":"A_B","id":"<string>","score":"<number>","ok":true,'\
'"at":"<time>","list":[{"a":"<number>"},{"b":null}],'\
'"byDay":{"<day>":"<number>"}}}' ] ||
    echo "the mask of an answer is another" >"$tmp/faults"
verdict "an answer is recorded without its ids, times and figures"

for release in t/compat/[0-9]*; do
	jq -rs --slurpfile api "$release/openapi.json" '
		map(.call // empty | split("?")[0]) as $calls |
		$api[0].paths | to_entries[] | .key as $path | .value |
		keys_unsorted[] | "\(ascii_upcase) \($path)" |
		. as $operation | gsub("[{][A-Za-z]+[}]"; "[^/]+") |
		select(. as $pattern | any($calls[]; test("^\($pattern)$")) |
		    not) | "no call of \($operation)"' "$release/recording.txt"
	jq -r 'select(.call and (has("answer") | not)) |
	    "no answer to \(.call)"' "$release/recording.txt"
	jq -r 'select(.answer | .. | strings | test("@|[0-9]{6}|ak_|eyJ")) |
	    "a value in the answer to \(.call)"' "$release/recording.txt"
done >"$tmp/faults"
verdict "each recording has each operation of its release, and no value of a run"

echo "1..$n"
[ "$failed" -eq 0 ]
