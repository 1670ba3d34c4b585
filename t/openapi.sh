#!/bin/sh
# SPDX-License-Identifier: ISC
# docs/openapi.json agrees with the tables of the service and with redocly's
# rules (t/node/redocly.yaml), and swagger-ui with its package.  A missing tool
# is a skip, in CI (CI=true) a failure.
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

# same_lists WHAT: $tmp/want and $tmp/got have the same lines, in any order.
same_lists() {
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
verdict "openapi.json is valid JSON of OpenAPI 3.1"

# Every route: method, path, access, body and errors.  nginx limits every
# address, so every route has 429.
awk -F '[(,]' -v refusals="$tmp/refusals" '
BEGIN {
	who["PUBLIC"] = "-"
	who["OPERATOR"] = "operatorToken: operatorSession:"
	who["AUTHOR"] = "operatorToken:author operatorSession:author"
	who["ADMIN"] = "operatorToken:admin operatorSession:admin"
	who["SESSION"] = "operatorToken: operatorSession:"
	more["APIKEY"] = more["SESSION"] = more["OPERATOR"] = \
	    more["AUTHOR"] = more["ADMIN"] = " 401 403"
}
/^ROUTE\(/ {
	gsub(/[ ")]/, "")
	who["APIKEY"] = "apiKey:" tolower($6)
	body = $11 == "0" ? "-" : $11 == "CSV" ? "text/csv" : "application/json"
	print $2, $3, who[$5], body
	print $2, $3, "400" more[$5] (body == "-" ? "" : " 413 415"), \
	    "429 500 503 default" >refusals
}' fcgi/http/routes.tbl >"$tmp/want"
jq -r '
	.security as $most |
	.paths | to_entries[] | .key as $path | .value | to_entries[] |
	(.value.security // $most) as $security |
	"\(.key | ascii_upcase) \($path) \(
	    if $security == [] or any($security[]; . == {})
	    then "-"
	    else $security | map(to_entries[] |
		"\(.key):\(.value | join(","))") | join(" ") end) \(
	    if .value.requestBody.required
	    then .value.requestBody.content | keys | join(" ")
	    else "-" end)"' \
    "$api" >"$tmp/got"
same_lists "the operations are the routes: method, path, credential, body"

jq -r --rawfile want "$tmp/refusals" '
	.paths as $paths | $want | split("\n")[] | select(. != "") |
	split(" ") | .[0] as $method | .[1] as $path | .[2:] |
	. - ($paths[$path][$method | ascii_downcase].responses // {} |
	    keys) | select(. != []) |
	"\($method) \($path): \(join(" "))"' "$api" >"$tmp/faults" 2>&1
verdict "each operation has the errors of its route"

# The query parameters of operators' routes are those of the table.
sed -n 's/^QUERY("\(.*\)", "\(.*\)")$/\1 \2/p' fcgi/gate/queries.tbl >"$tmp/want"
jq -r '.security as $most | .components.parameters as $shared |
	.paths | to_entries[] | .key as $path | .value | to_entries[] |
	select(.value.security // $most | any(has("operatorToken"))) |
	.value.parameters // [] | .[] | if has("$ref")
	then $shared[.["$ref"] | split("/")[-1]] else . end |
	select(.in == "query") |
	"\($path) \(.name)"' "$api" >"$tmp/got"
same_lists "the query parameters are those that the routes accept"

# Generators of clients name a type after its component.
jq -r '.components as $all | [.paths, .webhooks][] | to_entries[] |
	.key as $path | .value | to_entries[] | .key as $method | .value |
	objects | ([.requestBody] + [.responses[]]) | .[] | objects |
	.content // {} | .["application/json"].schema // {} |
	(., (.items // empty), ((.oneOf // [])[])) |
	select(.type == "object" or .properties) |
	"\($method) \($path): a body without a name"' "$api" |
    sort -u >"$tmp/faults"
verdict "each body that is an object is a named component"

# A response is not checked: OpenAPI requires its description.
jq -r '
	def words: gsub("(?<a>[a-z0-9])(?<b>[A-Z])"; "\(.a) \(.b)") |
		ascii_downcase | [scan("[a-z0-9]+") | sub("ies$"; "y") |
		sub("(?<a>..)s$"; .a)] - ["a", "an", "for", "in", "it", "of",
		"that", "the", "thi", "to", "which"] | unique;
	paths(objects | .description? | strings) as $at |
	select($at | index("responses") | not) |
	getpath($at) | .description as $text |
	(if .in then .name else $at | map(strings) | last // "" end) as $name |
	select(($text | words) - ($name | words) | length < 2) |
	"\($at | join("/")): \($text)"' "$api" >"$tmp/faults"
verdict "each description says more than the name before it"

jq -r '[paths(objects | has("const"))][] | join("/")' "$api" >"$tmp/faults"
verdict "a constant is an enum with a type"

# A bound below the number of values would refuse a list of all of them.
jq -r '. as $api | paths(objects | .type? == "array" and .maxItems) as $at |
	getpath($at) | .maxItems as $most | .items | objects |
	if .["$ref"] then .["$ref"] as $ref |
	    $api | getpath($ref | ltrimstr("#/") | split("/")) else . end |
	select(.enum and (.enum | length) > $most) |
	"\($at | join("/")): at most \($most) of \(.enum | length) values"' \
    "$api" >"$tmp/faults" 2>&1
verdict "a list of values has room for each of them"

# Each error code is an example of the one envelope, with its text.
sed -n 's/^CODE(\([A-Z_]*\), .*/\1/p' core/base/codes.tbl >"$tmp/want"
jq -r '.components.schemas.ErrorCode.enum[]' "$api" >"$tmp/got"
same_lists "the error codes are those of the service"
sed -n 's/^CODE(\([A-Z_]*\), [0-9]*, "\(.*\)")$/\1 \1 \2/p' core/base/codes.tbl \
    >"$tmp/want"
jq -r '.components.examples | to_entries[] | select(.value.value.error?) |
	"\(.key) \(.value.value.code) \(.value.value.message)"' "$api" \
    >"$tmp/got"
same_lists "each error code has an example with its text"

# An error code has only its own status.
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
	"\($op): \(.) does not have the status \($got)"' >"$tmp/faults" 2>&1
verdict "each error code is described under its status"

# The bodies of operators have no unknown fields.
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
verdict "the bodies of operators allow no unknown field"

sed -n 's/^AC_INIT(\[assay\], \[\([0-9.]*\)\].*/\1/p' configure.ac >"$tmp/want"
jq -r .info.version "$api" >"$tmp/got"
same_lists "the version is that of the service"

what="redocly reports no fault"
if ! command -v node >/dev/null; then
	lacks "$what" "node is missing"
elif [ ! -d "$node_dir/node_modules/@redocly/openapi-core" ]; then
	lacks "$what" "tools/install-node has not been run"
else
	node t/node/openapi.mjs "$node_dir" t/node/redocly.yaml "$api" \
	    >"$tmp/faults" 2>&1 || echo "openapi.mjs fails" >>"$tmp/faults"
	verdict "$what"
fi

what="third_party/swagger-ui equals its package"
package=$node_dir/node_modules/swagger-ui-dist
if [ ! -d "$package" ]; then
	lacks "$what" "tools/install-node has not been run"
else
	for file in third_party/swagger-ui/*; do
		case $file in
		*/README | */SOURCES) ;;
		*) cmp "$file" "$package/${file##*/}" ;;
		esac
	done >"$tmp/faults" 2>&1
	jq -r '.packages["node_modules/swagger-ui-dist"] |
	    "swagger-ui-dist \(.version) \(.license) \(.integrity)"' \
	    t/node/package-lock.json |
	    grep -qxFf - third_party/swagger-ui/SOURCES ||
	    echo "third_party/swagger-ui/SOURCES has another package" \
	    >>"$tmp/faults"
	verdict "$what"
fi

echo "1..$n"
[ "$failed" -eq 0 ]
