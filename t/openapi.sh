#!/bin/sh
# SPDX-License-Identifier: ISC
# docs/openapi.json against the tables that the service is built from and
# against the rules of redocly's linter (t/node/redocly.yaml), and swagger-ui
# against its package.  A missing tool is a visible skip, and in CI (CI=true) a
# failure.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
node_dir=${NODE_DIR:-$srcdir/build-node}
cd "$srcdir" || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/assay-openapi.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP
api=docs/openapi.json

# shellcheck source=t/checks.sh
. "$srcdir/t/checks.sh"

# same WHAT: $tmp/want and $tmp/got, each sorted, are the same.
same() {
	LC_ALL=C sort -o "$tmp/want" "$tmp/want"
	LC_ALL=C sort -o "$tmp/got" "$tmp/got"
	{
		diff "$tmp/want" "$tmp/got" | sed -n \
		    's/^</missing:/p; s/^>/too much:/p'
		[ -s "$tmp/want" ] || echo "the table is empty"
	} >"$tmp/faults"
	verdict "$1"
}

if ! command -v jq >/dev/null; then
	lacks "the description is JSON" "jq is missing"
	echo "1..$n"
	exit "$failed"
fi
jq -e '.openapi | startswith("3.1.")' "$api" >"$tmp/faults" 2>&1 &&
    : >"$tmp/faults"
verdict "the description is JSON, of OpenAPI 3.1"

# Every route: method, path, who may call, what body it takes, and its
# refusals.  nginx limits every address, so 429 is everywhere.
awk -F '[(,]' -v refusals="$tmp/refusals" '
BEGIN {
	who["PUBLIC"] = "-"
	who["OPERATOR"] = "operatorToken:"
	who["ADMIN"] = "operatorToken:admin"
	who["SESSION"] = "operatorToken:"
	more["SESSION"] = " 401"
	more["APIKEY"] = more["OPERATOR"] = more["ADMIN"] = " 401 403"
}
/^ROUTE\(/ {
	gsub(/[ ")]/, "")
	who["APIKEY"] = "apiKey:" tolower($6)
	body = $10 == "0" ? "-" : $10 == "CSV" ? "text/csv" : "application/json"
	print $2, $3, who[$5], body
	print $2, $3, "400" more[$5] (body == "-" ? "" : " 413 415"), \
	    "429 500 503 default" >refusals
}' fcgi/http/routes.tbl >"$tmp/want"
jq -r '
	.paths | to_entries[] | .key as $path | .value | to_entries[] |
	"\(.key | ascii_upcase) \($path) \(
	    if .value.security == [] or
		(.value.security | type == "array" and any(. == {}))
	    then "-"
	    else .value.security | map(to_entries[] |
		"\(.key):\(.value | join(","))") | join(" ") end) \(
	    if .value.requestBody.required
	    then .value.requestBody.content | keys | join(" ")
	    else "-" end)"' \
    "$api" >"$tmp/got"
same "its operations are the routes: method, path, credential, body"

jq -r --rawfile want "$tmp/refusals" '
	.paths as $paths | $want | split("\n")[] | select(. != "") |
	split(" ") | .[0] as $method | .[1] as $path | .[2:] |
	. - ($paths[$path][$method | ascii_downcase].responses // {} |
	    keys) | select(. != []) |
	"\($method) \($path): \(join(" "))"' "$api" >"$tmp/faults" 2>&1
verdict "each operation has the refusals that its route can give"

# The parameters of operators' queries: those of the table that refuses others.
sed -n 's/^QUERY("\(.*\)", "\(.*\)")$/\1 \2/p' fcgi/http/queries.tbl >"$tmp/want"
jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] |
	select(.value | objects | .security // [] | any(has("operatorToken"))) |
	.value.parameters // [] | .[] | select(.in == "query") |
	"\($path) \(.name)"' "$api" >"$tmp/got"
same "the parameters of queries are those that operators may send"

# Generators of clients name a type after the component that it is.
jq -r '.components as $all | [.paths, .webhooks][] | to_entries[] |
	.key as $path | .value | to_entries[] | .key as $method | .value |
	objects | ([.requestBody] + [.responses[]]) | .[] | objects |
	.content // {} | .["application/json"].schema // {} |
	(., (.items // empty), ((.oneOf // [])[])) |
	select(.type == "object" or .properties) |
	"\($method) \($path): a body without a name"' "$api" |
    sort -u >"$tmp/faults"
verdict "each body that is an object has a name"

jq -r '[paths(objects | has("const"))][] | join("/")' "$api" >"$tmp/faults"
verdict "a constant is an enum with a type, which every generator knows"

# The codes: in the one envelope, and each with its text as an example.
sed -n 's/^CODE(\([A-Z_]*\), .*/\1/p' core/base/codes.tbl >"$tmp/want"
jq -r '.components.schemas.ErrorCode.enum[]' "$api" >"$tmp/got"
same "its error codes are those of the service"
sed -n 's/^CODE(\([A-Z_]*\), [0-9]*, "\(.*\)")$/\1 \1 \2/p' core/base/codes.tbl \
    >"$tmp/want"
jq -r '.components.examples | to_entries[] | select(.value.value.error) |
	"\(.key) \(.value.value.code) \(.value.value.message)"' "$api" \
    >"$tmp/got"
same "and there is an example of each, as it is answered"

# A code is told only under its own status.
sed -n 's/^CODE(\([A-Z_]*\), \([0-9]*\),.*/\1 \2/p' core/base/codes.tbl |
    jq -r --slurpfile api "$api" -nR '
	[inputs | split(" ") | {(.[0]): .[1]}] | add as $status |
	$api[0] | .components.responses as $known |
	.paths | to_entries[] | .key as $path | .value | to_entries[] |
	"\(.key) \($path)" as $op | .value.responses | to_entries[] |
	select(.key | test("^[45]")) | .key as $got |
	(.value["$ref"] // "/" | split("/")[-1]) as $name |
	($known[$name] // .value).content["application/json"].examples |
	to_entries[].value["$ref"] // "/" | split("/")[-1] |
	select(. != "" and $status[.] != $got) |
	"\($op): \(.) is no \($got)"' >"$tmp/faults" 2>&1
verdict "each code stands under its status"

# Bodies of operators take no unknown field.
jq -r '
	. as $api |
	def resolve: if .["$ref"] then .["$ref"] as $ref |
		$api | getpath($ref | ltrimstr("#/") | split("/")) |
		resolve else . end;
	def open: resolve |
		if .oneOf then .oneOf[] | open
		elif .type == "object" then
			select(.additionalProperties != false)
		else empty end;
	.paths | to_entries[] | .key as $path | .value | to_entries[] |
	select(.value.security != [{"apiKey": ["decisions"]}]) |
	.key as $method |
	.value.requestBody.content["application/json"].schema // {} | open |
	"\($method) \($path) takes unknown fields"' "$api" >"$tmp/faults" 2>&1
verdict "bodies of operators take no unknown field"

sed -n 's/^AC_INIT(\[assay\], \[\([0-9.]*\)\].*/\1/p' configure.ac >"$tmp/want"
jq -r .info.version "$api" >"$tmp/got"
same "its version is that of the service"

what="redocly finds nothing"
redocly=$node_dir/node_modules/@redocly/cli/bin/cli.js
if ! command -v node >/dev/null; then
	lacks "$what" "node is missing"
elif [ ! -f "$redocly" ]; then
	lacks "$what" "tools/install-node has not been run"
else
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
	    node "$redocly" lint --config t/node/redocly.yaml "$api" \
	    >"$tmp/faults" 2>&1 && : >"$tmp/faults"
	verdict "$what"
fi

what="third_party/swagger-ui is what its package holds"
package=$node_dir/node_modules/swagger-ui-dist
if [ ! -d "$package" ]; then
	lacks "$what" "tools/install-node has not been run"
else
	for file in third_party/swagger-ui/*; do
		[ "$file" = third_party/swagger-ui/README ] ||
		    cmp "$file" "$package/${file##*/}"
	done >"$tmp/faults" 2>&1
	verdict "$what"
fi

echo "1..$n"
[ "$failed" -eq 0 ]
