#!/bin/sh
# SPDX-License-Identifier: ISC
# A new AUTH_SECRET: tokens of the one before stand while it is known.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

a=3d1c9f7be20845a6b1f04c8e97d2635ac471
b=91e4a70c5bd84f2386ad10f5e9c72b64d803
c=c86a1f3e94b7402d8e5f60a2719cd4b5f37e

# with NAME=VALUE ...: a pool that has these secrets.
with() {
	stop_pool
	start_pool "$@"
	wait_ready
}
# opens TOKEN: the status that it gets.
opens() {
	TOKEN=$1
	http GET /v1/apikeys
	echo "$STATUS"
}
kid() {
	printf '%s' "$1" | jq -Rr 'split(".")[0] | gsub("-"; "+") |
	    gsub("_"; "/") | @base64d | fromjson | .kid'
}
fresh() {
	TOKEN=$1
	http POST /v1/auth/refresh
	json .token
}

start_stack AUTH_SECRET="$a"
admin_token
of_a=$TOKEN
is "the key id is of the secret" "$(kid "$of_a")" \
    "$(printf 'assay token key\n%s' "$a" | sha256sum | cut -c 1-16)"

with AUTH_SECRET="$b" AUTH_SECRET_PREVIOUS="$a"
is "a token of the secret before stands" "$(opens "$of_a")" 200
of_b=$(fresh "$of_a")
is "what it is refreshed to is of the new one" "$(kid "$of_b")" \
    "$(printf 'assay token key\n%s' "$b" | sha256sum | cut -c 1-16)"
is "and stands" "$(opens "$of_b")" 200

with AUTH_SECRET="$c" AUTH_SECRET_PREVIOUS="$b,$a"
is "there may be several" "$(opens "$of_a") $(opens "$of_b")" "200 200"
TOKEN=$(fresh "$of_a")
gone=$TOKEN
http POST /v1/auth/logout
with AUTH_SECRET="$b" AUTH_SECRET_PREVIOUS="$c"
is "removed, its tokens fall" "$(opens "$of_a")" 401
http GET /v1/apikeys
is_error "and say nothing of why" 401 UNAUTHENTICATED
is "others stand" "$(opens "$of_b")" 200
is "what was logged out stays so" "$(opens "$gone")" 401

# Nothing but the whole token, as it was signed, is one.
head=${of_b%%.*} rest=${of_b#*.}
body=${rest%.*} signature=${rest#*.}
none=$(printf '{"alg":"none","typ":"JWT","kid":"%s"}' "$(kid "$of_b")" |
    base64 -w 0 | tr '+/' '-_' | tr -d =)
for bad in "$none.$body." "$none.$body.$signature" "$head.$body." \
    "$head.$body" "$head.$body.$signature=" "$head.$body.$signature.x" \
    "$head=.$body.$signature" "$(kid "$of_b")" \
    "$head.$body$(printf '%03000d' 0).$signature"; do
	is "no token: $(printf '%.40s' "$bad" | cut -c 37-)..." \
	    "$(opens "$bad")" 401
done
is "the whole one" "$(opens "$of_b")" 200
finish
