#!/bin/sh
# SPDX-License-Identifier: ISC
# The order of refusals: 404 and 405, 401 and 403, 429, 413 and 415, 400.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
event='{"type":"account.login","subject":{"userId":"u"}}'
nobody=ak_live_000000000000000000000000000000000000000000000000

# Paths and methods.
for path in / /v1 /v1/ /v1/nothing /v1/decisions/ /v1/decisions/a/b \
    /health/ /healthy /v1/apikeys//revoke /v1/auth/status/ /V1/decisions; do
	http GET "$path"
	is_error "$path is nothing" 404 NOT_FOUND
done
# refused METHOD PATH ALLOW
refused() {
	http "$1" "$2"
	is_error "$1 $2" 405 METHOD_NOT_ALLOWED
	is "... allows" "$(header allow)" "$3"
}
refused DELETE /health 'GET, HEAD'
refused OPTIONS /v1/decisions POST
refused GET /v1/decisions POST
refused PUT /v1/decisions/batch 'GET, HEAD, POST'
refused POST /v1/decisions/evt_1 'GET, HEAD'
refused GET /v1/auth/login POST
refused PATCH /v1/apikeys 'GET, HEAD, POST'
http HEAD /health
is "HEAD is GET" "$STATUS" 200
is "... with its length" "$(header content-length | grep -c '^[1-9]')" 1

# A caller who is nobody learns nothing else.
KEY=$nobody
http POST /v1/decisions '{'
is_error "bad JSON, unknown key" 401 INVALID_API_KEY
http POST /v1/decisions x -H 'Content-Type: text/plain'
is_error "bad type, unknown key" 401 INVALID_API_KEY
http GET /v1/decisions/%01
is_error "a bad id, unknown key" 401 INVALID_API_KEY
http POST /v1/decisions "$event"
is_error "all is well but the key" 401 INVALID_API_KEY
is "no budget for a key that is not" "$(header x-ratelimit-limit)" ""
http POST '/v1/decisions?a=1&a=2' "$event"
is_error "a bad query, unknown key" 401 INVALID_API_KEY
KEY=
http POST /v1/apikeys '{'
is_error "bad JSON, no token" 401 UNAUTHENTICATED
http GET '/v1/apikeys?limit=%'
is_error "a bad query, no token" 401 UNAUTHENTICATED
http POST /v1/apikeys/%01/revoke
is_error "a bad id, no token" 401 UNAUTHENTICATED
TOKEN=eyJhbGciOiJub25lIn0.e30.
http GET /v1/apikeys
is_error "a token without a signature" 401 UNAUTHENTICATED
TOKEN=

# A key that a host has not seen yet is verified before it is told what is
# wrong, and its budget counts that.
admin_token
api_key '["labels"]'
http POST /v1/decisions '{'
is_error "bad JSON, wrong scope" 403 INSUFFICIENT_SCOPE
api_key
for try in new known; do
	http POST /v1/decisions '{'
	is_error "bad JSON, $try key" 400 INVALID_JSON
	check "... is counted" test -n "$(header x-ratelimit-remaining)"
done
api_key
http POST /v1/decisions "$event"
first=$(header x-ratelimit-remaining)
check "a new key's first decision is counted" test -n "$first"
http POST /v1/decisions/batch "{\"events\":[$event,$event]}"
is "a batch is one request" "$((first - $(header x-ratelimit-remaining)))" 1
http GET /v1/decisions/evt_none
is_error "a look back" 404 NOT_FOUND
is "has no budget" "$(header x-ratelimit-limit)" ""

# Size, type and contents; what is too large for a route ends at nginx.
big=$(head -c 40000 /dev/zero | tr '\0' ' ')
http POST /v1/decisions "$big"
is_error "40 KB" 413 PAYLOAD_TOO_LARGE
http POST /v1/decisions "$big" -H 'Content-Type: text/plain'
is_error "the size comes before the type" 413 PAYLOAD_TOO_LARGE
for type in text/plain application/x-www-form-urlencoded \
    'application/json; charset=latin1' application/jsonp ''; do
	STATUS=$(curl -s --unix-socket "$scratch/run/http.sock" -o "$scratch/b" \
	    -D "$scratch/h" -w '%{http_code}' "$BASE/v1/decisions" \
	    -H "X-API-Key: $KEY" -H "Content-Type:$type" -d "$event")
	BODY=$(cat "$scratch/b")
	HEADERS=$(tr -d '\r' <"$scratch/h")
	is_error "a body of type '$type'" 415 UNSUPPORTED_MEDIA_TYPE
done
http POST /v1/decisions
is_error "no body at all" 400 INVALID_JSON
for path in /v1/decisions/%00 /v1/decisions/%zz /v1/decisions/%4 /v1/decisions/a%0ab \
    /v1/decisions/%c3%28 "/v1/decisions/$(printf '%0129d' 0)"; do
	http GET "$path"
	is_error "the id of $path" 400 INVALID_REQUEST
done
http POST /v1/decisions "{\"id\":\"a/b é\",${event#?}"
is "an id of any characters" "$STATUS" 200
http GET /v1/decisions/a%2Fb%20%C3%A9
is "is found when encoded" "$STATUS $(json .eventId)" "200 a/b é"

# A query is taken apart on every route, also where none of it is read.
http POST '/v1/decisions?ip=196.188.3.4&ip=196.188.3.4' "$event"
is_error "a parameter twice" 400 INVALID_REQUEST
is "... is not repeated" "$(json .message | grep -c 196)" 0
for query in 'a=%' 'a=%4' 'a=%zz' 'a=%00' 'a=%0a' 'a=%c3%28' '=1' \
    'a=1&%61=2' "a=$(printf '%0257d' 0)" "$(printf '%065d' 0)=1" \
    "$(seq -s '&' 17)"; do
	http GET "/health?$query"
	is_error "the query $query" 400 INVALID_REQUEST
done
http POST '/v1/decisions?a=%' "$big"
is_error "the size comes before the query" 413 PAYLOAD_TOO_LARGE
http POST '/v1/decisions?a=%' "" -H 'Content-Type: text/plain' -d x
is_error "... and so does the type" 415 UNSUPPORTED_MEDIA_TYPE
http GET '/nothing?a=%'
is_error "... and the path" 404 NOT_FOUND
for query in '' 'a' 'a=1&b=2' '&a=&&' 'a+b=%2B%C3%A9' "$(seq -s '&' 16)"; do
	http GET "/health?$query"
	is "the query '$query' is one" "$STATUS" 200
done
finish
