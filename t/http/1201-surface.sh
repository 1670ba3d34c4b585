#!/bin/sh
# SPDX-License-Identifier: ISC
# The whole surface by its table: whoever may not call a route is refused on
# each of them, and so is what no route takes.  A new route is in here by its
# row.
# shellcheck disable=SC2317 # each check is called by its name

# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
admin=$TOKEN
http POST /v1/auth/users \
    '{"email":"analyst@example.com","password":"correct horse"}'
http POST /v1/auth/login \
    '{"email":"analyst@example.com","password":"correct horse"}'
analyst=$(json .token)
TOKEN=$analyst
http POST /v1/auth/refresh
gone=$(json .token)
TOKEN=$gone
http POST /v1/auth/logout
is "a session has ended" "$STATUS" 200
TOKEN=$admin
api_key '["decisions"]'
decisions=$KEY
api_key '["labels"]'
labels=$KEY
KEY=

# method path access scope trail body type: the rows of the table.
awk -F ', *' '/^ROUTE\(/ {
	gsub(/^ROUTE\(|"/, "")
	gsub(/{[A-Za-z]*}/, "some-id", $2)
	type = sub(/^CSV\(/, "", $8) ? "csv" : "json"
	print $1, $2, $4, $5, $7, $8 + 0, type
}' "$srcdir/fcgi/http/routes.tbl" >"$scratch/rows"
is "every route is in here" "$(wc -l <"$scratch/rows" | tr -d ' ')" \
    "$(grep -c '^ROUTE(' "$srcdir/fcgi/http/routes.tbl")"

# refused WHAT WANT: what the last request was answered.
refused() {
	got="$STATUS $(json .code)"
	[ "$got" = "$2" ] || echo "$method $path $1: $got, not $2"
}

# send [TOKEN [KEY]]: the route, with a body where it takes one.
send() {
	TOKEN=${1-}
	KEY=${2-}
	if [ "$type" = csv ]; then
		http "$method" "$path" "" -H 'Content-Type: text/csv' -d kind
	elif [ "$body" -gt 0 ]; then
		http "$method" "$path" '{}'
	else
		http "$method" "$path"
	fi
}

# all WHAT CHECK: run CHECK for each row; it prints what is wrong.
all() {
	while read -r method path access scope _ body type; do
		"$2" </dev/null
	done <"$scratch/rows" >"$scratch/wrong"
	is "$1" "$(cat "$scratch/wrong")" ""
}

nobody() {
	case $access in
	APIKEY)
		send
		refused "without a key" "401 INVALID_API_KEY"
		send "$admin"
		refused "with a token" "401 INVALID_API_KEY"
		;;
	SESSION | OPERATOR | ADMIN)
		send
		refused "without a token" "401 UNAUTHENTICATED"
		send "$gone"
		refused "with a token of the past" "401 UNAUTHENTICATED"
		send "" "$decisions"
		refused "with a key" "401 UNAUTHENTICATED"
		;;
	esac
}
all "nobody gets in without a credential" nobody

lower() {
	case $access-$scope in
	ADMIN-*)
		send "$analyst"
		refused "as an analyst" "403 FORBIDDEN"
		;;
	APIKEY-DECISIONS)
		send "" "$labels"
		refused "with the other scope" "403 INSUFFICIENT_SCOPE"
		;;
	APIKEY-LABELS)
		send "" "$decisions"
		refused "with the other scope" "403 INSUFFICIENT_SCOPE"
		;;
	esac
}
all "nobody does what is not theirs" lower
is "of which the trail tells what would have changed something" \
    "$(sql "select count(*) from assay.audit where status = 403
	and actor = 'analyst@example.com'")" \
    "$(grep -c ' ADMIN [A-Z]* AUDIT ' "$scratch/rows")"

# Whoever may, with what is no body.
malformed() {
	[ "$body" -gt 0 ] || return 0
	TOKEN=$admin
	KEY=
	[ "$scope" != DECISIONS ] || KEY=$decisions
	[ "$scope" != LABELS ] || KEY=$labels
	http "$method" "$path" "" -H 'Content-Type: text/plain' -d '{}'
	refused "as text" "415 UNSUPPORTED_MEDIA_TYPE"
	head -c $((body + 1)) /dev/zero | tr '\0' ' ' >"$scratch/large"
	http "$method" "$path" "@$scratch/large"
	refused "too large" "413 PAYLOAD_TOO_LARGE"
	[ "$type" = json ] || return 0
	http "$method" "$path" '{"a":'
	refused "cut off" "400 INVALID_JSON"
	case $path in
	/v1/auth/register) ;; # is closed, whatever it holds
	*) odd ;;
	esac
}

# JSON, but no object, and an object with a field that is not the route's.
odd() {
	http "$method" "$path" '[]'
	case $path in
	/v1/decisions | /v1/decisions/async)
		refused "an array" "400 INGEST_INVALID" ;;
	/v1/decisions/batch) refused "an array" "400 INVALID_BATCH" ;;
	*) refused "an array" "400 INVALID_REQUEST" ;;
	esac
	case $path in
	/v1/decisions*) ;;
	*)
		http "$method" "$path" '{"nonsense":1}'
		refused "an unknown field" "400 INVALID_REQUEST"
		;;
	esac
}
all "bodies are what they should be" malformed

method() {
	TOKEN=$admin
	KEY=
	asked=$method
	for method in PATCH OPTIONS; do
		[ "$method" != "$asked" ] || continue
		http "$method" "$path"
		refused "which it is not" "405 METHOD_NOT_ALLOWED"
		header allow | grep -qw "$asked" ||
		    echo "$path does not allow $asked"
	done
	method=$asked
	http "$method" "$path/"
	[ "$path" = "${path%some-id}" ] || return 0
	refused "with a slash behind it" "404 NOT_FOUND"
}
all "and so are methods and paths" method
finish
