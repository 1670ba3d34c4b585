#!/bin/sh
# SPDX-License-Identifier: ISC
# A new AUTH_SECRET: tokens of an old secret work while it is configured.
. "$(dirname "$0")/lib.sh"

a=3d1c9f7be20845a6b1f04c8e97d2635ac471
b=91e4a70c5bd84f2386ad10f5e9c72b64d803
c=c86a1f3e94b7402d8e5f60a2719cd4b5f37e

# restart_pool NAME=VALUE ...: restart the pool with these secrets.
restart_pool() {
	stop_pool
	start_pool "$@"
	wait_ready
}
# token_status TOKEN: print the status of a request with it.
token_status() {
	TOKEN=$1
	http GET /v1/apikeys
	echo "$STATUS"
}
# key_id TOKEN: print the key id in its header.
key_id() {
	printf '%s' "$1" | jq -Rr 'split(".")[0] | gsub("-"; "+") |
	    gsub("_"; "/") | @base64d | fromjson | .kid'
}
# refreshed TOKEN: print the token that refresh returns for it.
refreshed() {
	TOKEN=$1
	http POST /v1/auth/refresh
	json .token
}

start_stack AUTH_SECRET="$a"
admin_token
of_a=$TOKEN
is "the key id is a hash of the secret" "$(key_id "$of_a")" \
    "$(printf 'assay token key\n%s' "$a" | sha256sum | cut -c 1-16)"

restart_pool AUTH_SECRET="$b" AUTH_SECRET_PREVIOUS="$a"
is "a token of the previous secret works" "$(token_status "$of_a")" 200
of_b=$(refreshed "$of_a")
is "refresh signs with the new secret" "$(key_id "$of_b")" \
    "$(printf 'assay token key\n%s' "$b" | sha256sum | cut -c 1-16)"
is "a refreshed token of the new secret works" "$(token_status "$of_b")" 200

restart_pool AUTH_SECRET="$c" AUTH_SECRET_PREVIOUS="$b,$a"
is "several previous secrets work" "$(token_status "$of_a") $(token_status "$of_b")" "200 200"
TOKEN=$(refreshed "$of_a")
gone=$TOKEN
http POST /v1/auth/logout
restart_pool AUTH_SECRET="$b" AUTH_SECRET_PREVIOUS="$c"
is "a token of a removed secret answers 401" "$(token_status "$of_a")" 401
http GET /v1/apikeys
is_error "the 401 for a removed secret gives no reason" 401 UNAUTHENTICATED
is "a token of a configured secret still works" "$(token_status "$of_b")" 200
is "a logged out token stays invalid when the secret changes" \
    "$(token_status "$gone")" 401

# Only the complete token, as it was signed, is valid.
head=${of_b%%.*} rest=${of_b#*.}
body=${rest%.*} signature=${rest#*.}
none=$(printf '{"alg":"none","typ":"JWT","kid":"%s"}' "$(key_id "$of_b")" |
    base64 -w 0 | tr '+/' '-_' | tr -d =)
forged=0
for bad in "$none.$body." "$none.$body.$signature" "$head.$body." \
    "$head.$body" "$head.$body.$signature=" "$head.$body.$signature.x" \
    "$head=.$body.$signature" "$(key_id "$of_b")" \
    "$head.$body$(printf '%03000d' 0).$signature"; do
	forged=$((forged + 1))
	is "forged token $forged answers 401" "$(token_status "$bad")" 401
done
is "the complete token works after the forged ones" "$(token_status "$of_b")" 200
finish
