#!/bin/sh
# SPDX-License-Identifier: ISC
# Every row of fcgi/http/routes.tbl: the route refuses a caller without the right
# credentials, a wrong body, a wrong method and a wrong path.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
admin=$TOKEN
http POST /v1/auth/users \
    '{"email":"analyst@example.com","password":"correct horse"}'
log_in analyst@example.com 'correct horse'
analyst=$(json .token)
log_in analyst@example.com 'correct horse'
gone=$(json .token)
TOKEN=$gone
http POST /v1/auth/logout
is "a session is logged out" "$STATUS" 200
TOKEN=$admin
http POST /v1/auth/users '{"email":"author@example.com",
    "password":"correct horse","role":"author"}'
log_in author@example.com 'correct horse'
author=$(json .token)
api_key '["decisions"]'
decisions=$KEY
api_key '["labels"]'
labels=$KEY
KEY=

# The columns of the table: method path access scope trail body type.
awk -F ', *' '/^ROUTE\(/ {
	gsub(/^ROUTE\(|"/, "")
	gsub(/{[A-Za-z]*}/, "some-id", $2)
	type = sub(/^CSV\(/, "", $10) ? "csv" : "json"
	print $1, $2, $4, $5, $7, $10 + 0, type
}' "$srcdir/fcgi/http/routes.tbl" >"$scratch/rows"
is "every row of the table is read" "$(grep -c ^ "$scratch/rows")" \
    "$(grep -c '^ROUTE(' "$srcdir/fcgi/http/routes.tbl")"

# each_route LABEL CHECK: the check of surface.pl finds no other answer.
each_route() {
	is "$1" "$(perl "$srcdir/t/http/surface.pl" "$2" "$scratch" \
	    "$builddir/t/http/request" 2>&1 <<-END
		admin $admin
		author $author
		analyst $analyst
		gone $gone
		decisions $decisions
		labels $labels
	END
	)" ""
}
each_route "each route refuses a caller without its credential" credentials
each_route "each route refuses a caller without its rights" rights
is "the trail has each refused change by analyst and author" \
    "$(sql "select count(*) from assay.audit where status = 403")" "$(awk '
    $5 == "AUDIT" { n += 2 * ($3 == "ADMIN") + ($3 == "AUTHOR") }
    END { print n }' "$scratch/rows")"
each_route "each route refuses wrong bodies" bodies
each_route "each route refuses wrong methods and paths" methods

awk '/^[a-z]/ {
	gsub(/{[A-Za-z]*}/, "some-id", $3)
	print $2, $3, $1, "NONE", "NONE", $2 == "GET" ? 0 : 1, "json"
}' "$srcdir/t/http/access.tbl" >"$scratch/rows"
each_route "each route has the access class of the specification" specified
finish
