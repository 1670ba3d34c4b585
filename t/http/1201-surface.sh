#!/bin/sh
# SPDX-License-Identifier: ISC
# Every row of fcgi/http/routes.tbl: the route refuses a caller without the right
# credentials, a wrong body, a wrong method and a wrong path.
# shellcheck disable=SC2317 # each check is called by its name

# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/surface.sh
. "$(dirname "$0")/surface.sh"

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

needs_credential() {
	case $access in
	APIKEY)
		send_route
		expect_answer "without a key" "401 INVALID_API_KEY"
		send_route "$admin"
		expect_answer "with a token" "401 INVALID_API_KEY"
		;;
	SESSION | OPERATOR | AUTHOR | ADMIN)
		send_route
		expect_answer "without a token" "401 UNAUTHENTICATED"
		send_route "$gone"
		expect_answer "with a logged out token" "401 UNAUTHENTICATED"
		send_route "" "$decisions"
		expect_answer "with a key" "401 UNAUTHENTICATED"
		;;
	esac
}
every_route "each route refuses a caller without its credential" \
    needs_credential

needs_rights() {
	case $access-$scope in
	AUTHOR-* | ADMIN-*)
		send_route "$analyst"
		expect_answer "as an analyst" "403 FORBIDDEN"
		[ "$access" = ADMIN ] || return 0
		send_route "$author"
		expect_answer "as an author" "403 FORBIDDEN"
		;;
	APIKEY-DECISIONS)
		send_route "" "$labels"
		expect_answer "with the other scope" "403 INSUFFICIENT_SCOPE"
		;;
	APIKEY-LABELS)
		send_route "" "$decisions"
		expect_answer "with the other scope" "403 INSUFFICIENT_SCOPE"
		;;
	esac
}
every_route "each route refuses a caller without its rights" needs_rights
is "the trail has each refused change by analyst and author" \
    "$(sql "select count(*) from assay.audit where status = 403")" "$(awk '
    $5 == "AUDIT" { n += 2 * ($3 == "ADMIN") + ($3 == "AUTHOR") }
    END { print n }' "$scratch/rows")"

# Wrong bodies with the right credentials.
refuses_bodies() {
	[ "$body" -gt 0 ] || return 0
	TOKEN=$admin
	KEY=
	[ "$scope" != DECISIONS ] || KEY=$decisions
	[ "$scope" != LABELS ] || KEY=$labels
	http "$method" "$path" "" -H 'Content-Type: text/plain' -d '{}'
	expect_answer "with a body of text" "415 UNSUPPORTED_MEDIA_TYPE"
	head -c $((body + 1)) /dev/zero | tr '\0' ' ' >"$scratch/large"
	http "$method" "$path" "@$scratch/large"
	expect_answer "with too large a body" "413 PAYLOAD_TOO_LARGE"
	[ "$type" = json ] || return 0
	http "$method" "$path" '{"a":'
	expect_answer "with half a body" "400 INVALID_JSON"
	case $path in
	/v1/auth/register) ;; # answers 403 for every object
	*) refuses_objects ;;
	esac
}

# refuses_objects: JSON that is not an object, and an unknown field.
refuses_objects() {
	http "$method" "$path" '[]'
	case $path in
	/v1/decisions | /v1/decisions/async)
		expect_answer "with an array" "400 INGEST_INVALID" ;;
	/v1/decisions/batch)
		expect_answer "with an array" "400 INVALID_BATCH" ;;
	*)
		expect_answer "with an array" "400 INVALID_REQUEST" ;;
	esac
	case $path in
	/v1/decisions*) ;;
	*)
		http "$method" "$path" '{"nonsense":1}'
		expect_answer "with an unknown field" "400 INVALID_REQUEST"
		;;
	esac
}
every_route "each route refuses wrong bodies" refuses_bodies

refuses_methods() {
	TOKEN=$admin
	KEY=
	asked=$method
	for method in PATCH OPTIONS; do
		[ "$method" != "$asked" ] || continue
		http "$method" "$path"
		expect_answer "with another method" "405 METHOD_NOT_ALLOWED"
		header allow | grep -qw "$asked" ||
		    echo "$path does not allow $asked"
	done
	method=$asked
	http "$method" "$path/"
	[ "$path" = "${path%some-id}" ] || return 0
	expect_answer "with a slash at its end" "404 NOT_FOUND"
}
every_route "each route refuses wrong methods and paths" refuses_methods
finish
