#!/bin/sh
# SPDX-License-Identifier: ISC
# The order of refusals: 404 and 405, 401 and 403, 429, 413 and 415, 400.
. "$(dirname "$0")/lib.sh"

start_stack
event='{"type":"account.login","subject":{"userId":"u"}}'
nobody=ak_live_000000000000000000000000000000000000000000000000

# Paths and methods.
for path in / /v1 /v1/ /v1/nothing /v1/decisions/ /v1/decisions/a/b \
    /health/ /healthy /v1/apikeys//revoke /v1/auth/status/ /V1/decisions; do
	http GET "$path"
	is_error "GET $path answers 404" 404 NOT_FOUND
done
# rejects_method METHOD PATH ALLOW: the method answers 405 with that Allow.
rejects_method() {
	http "$1" "$2"
	is_error "$1 $2 answers 405" 405 METHOD_NOT_ALLOWED
	is "$1 $2 answers with the allowed methods" "$(header allow)" "$3"
}
rejects_method DELETE /health 'GET, HEAD'
rejects_method OPTIONS /v1/decisions POST
rejects_method GET /v1/decisions POST
rejects_method PUT /v1/decisions/batch 'GET, HEAD, POST'
rejects_method POST /v1/decisions/evt_1 'GET, HEAD'
rejects_method GET /v1/auth/login POST
rejects_method PATCH /v1/apikeys 'GET, HEAD, POST'
http HEAD /health
is "HEAD /health answers 200" "$STATUS" 200
is "HEAD /health answers with the length of the body" \
    "$(header content-length | grep -c '^[1-9]')" 1

# A caller without credentials learns nothing else.
KEY=$nobody
http POST /v1/decisions '{'
is_error "bad JSON with an unknown key answers 401" 401 INVALID_API_KEY
http POST /v1/decisions x -H 'Content-Type: text/plain'
is_error "a wrong type with an unknown key answers 401" 401 INVALID_API_KEY
http GET /v1/decisions/%01
is_error "a bad id with an unknown key answers 401" 401 INVALID_API_KEY
http POST /v1/decisions "$event"
is_error "a good event with an unknown key answers 401" 401 INVALID_API_KEY
is "an unknown key has no budget" "$(header x-ratelimit-limit)" ""
http POST '/v1/decisions?a=1&a=2' "$event"
is_error "a bad query with an unknown key answers 401" 401 INVALID_API_KEY
KEY=
http POST /v1/apikeys '{'
is_error "bad JSON without a token answers 401" 401 UNAUTHENTICATED
http GET '/v1/apikeys?limit=%'
is_error "a bad query without a token answers 401" 401 UNAUTHENTICATED
http POST /v1/apikeys/%01/revoke
is_error "a bad id without a token answers 401" 401 UNAUTHENTICATED
TOKEN=eyJhbGciOiJub25lIn0.e30.
http GET /v1/apikeys
is_error "a token without a signature answers 401" 401 UNAUTHENTICATED
TOKEN=

# The pool verifies a key that is new to the host before it answers what is
# wrong with the request, and counts the request.
admin_token
api_key '["labels"]'
http POST /v1/decisions '{'
is_error "bad JSON with a key of another scope answers 403" \
    403 INSUFFICIENT_SCOPE
api_key
for try in new known; do
	http POST /v1/decisions '{'
	is_error "bad JSON with a $try key answers 400" 400 INVALID_JSON
	check "bad JSON with a $try key is counted" \
	    test -n "$(header x-ratelimit-remaining)"
done
api_key
http POST /v1/decisions "$event"
first=$(header x-ratelimit-remaining)
check "a new key's first decision is counted" test -n "$first"
http POST /v1/decisions/batch "{\"events\":[$event,$event]}"
is "a batch is counted as one request" \
    "$((first - $(header x-ratelimit-remaining)))" 1
http GET /v1/decisions/evt_none
is_error "an unknown event answers 404" 404 NOT_FOUND
is "reading a decision has no budget" "$(header x-ratelimit-limit)" ""

# Size, type and contents.  nginx answers what is too large for a route.
big=$(head -c 40000 /dev/zero | tr '\0' ' ')
http POST /v1/decisions "$big"
is_error "a decision of 40 KB answers 413" 413 PAYLOAD_TOO_LARGE
http POST /v1/decisions "$big" -H 'Content-Type: text/plain'
is_error "the size is checked before the type" 413 PAYLOAD_TOO_LARGE
for type in text/plain application/x-www-form-urlencoded \
    'application/json; charset=latin1' application/jsonp ''; do
	take_answer "$(curl -s --unix-socket "$scratch/run/http.sock" -D - \
	    "$BASE/v1/decisions" -H "X-API-Key: $KEY" \
	    -H "Content-Type:$type" -d "$event")"
	is_error "a body of type '$type' answers 415" 415 UNSUPPORTED_MEDIA_TYPE
done
http POST /v1/decisions
is_error "a decision without a body answers 400" 400 INVALID_JSON
for path in /v1/decisions/%00 /v1/decisions/%zz /v1/decisions/%4 /v1/decisions/a%0ab \
    /v1/decisions/%c3%28 "/v1/decisions/$(printf '%0129d' 0)"; do
	http GET "$path"
	is_error "GET $path answers 400" 400 INVALID_REQUEST
done
http POST /v1/decisions "{\"id\":\"a/b é\",${event#?}"
is "an event's id may hold any characters" "$STATUS" 200
http GET /v1/decisions/a%2Fb%20%C3%A9
is "an id of any characters is found when percent-encoded" \
    "$STATUS $(json .eventId)" "200 a/b é"

# Every route parses the query, also one that reads no parameter.
http POST '/v1/decisions?ip=196.188.3.4&ip=196.188.3.4' "$event"
is_error "a repeated parameter answers 400" 400 INVALID_REQUEST
is "the message does not repeat the parameter's value" \
    "$(json .message | grep -c 196)" 0
for query in 'a=%' 'a=%4' 'a=%zz' 'a=%00' 'a=%0a' 'a=%c3%28' '=1' \
    'a=1&%61=2' "a=$(printf '%0257d' 0)" "$(printf '%065d' 0)=1" \
    "$(seq -s '&' 17)"; do
	http GET "/health?$query"
	is_error "the query $query answers 400" 400 INVALID_REQUEST
done
http POST '/v1/decisions?a=%' "$big"
is_error "the size is checked before the query" 413 PAYLOAD_TOO_LARGE
http POST '/v1/decisions?a=%' "" -H 'Content-Type: text/plain' -d x
is_error "the type is checked before the query" 415 UNSUPPORTED_MEDIA_TYPE
http GET '/nothing?a=%'
is_error "the path is checked before the query" 404 NOT_FOUND
for query in '' 'a' 'a=1&b=2' '&a=&&' 'a+b=%2B%C3%A9' "$(seq -s '&' 16)"; do
	http GET "/health?$query"
	is "the query '$query' answers 200" "$STATUS" 200
done
finish
