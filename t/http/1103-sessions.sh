#!/bin/sh
# SPDX-License-Identifier: ISC
# Sessions end at once, on every worker and host: one by logout, all of an
# operator by logout-all; refresh makes one more.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack OPERATOR_WORKERS=3
start_host 2 OPERATOR_WORKERS=3
for path in refresh logout logout-all; do
	http POST "/v1/auth/$path"
	is_error "$path without a token" 401 UNAUTHENTICATED
done
admin_token
first=$TOKEN

# stands WHAT: the token opens, asked often enough for all workers of both
# hosts.  fallen WHAT: it does not.
opens() {
	for at in "" 2 "" 2 "" 2 "" 2; do
		on "$at" GET /v1/apikeys
		printf '%s ' "$STATUS"
	done
}
stands() {
	is "$1" "$(opens)" "200 200 200 200 200 200 200 200 "
}
fallen() {
	is "$1" "$(opens)" "401 401 401 401 401 401 401 401 "
}
# claim NAME: of the token.
claim() {
	printf '%s' "$TOKEN" | jq -Rr "split(\".\")[1] |
	    gsub(\"-\"; \"+\") | gsub(\"_\"; \"/\") | @base64d | fromjson | .$1"
}

http POST /v1/auth/refresh ignored -H 'Content-Type: text/plain'
is "a fresh token" "$STATUS $(header cache-control)" "200 no-store"
is_json "as at login" '"\(keys | join(" ")) \(.user.email) \(.user.role)"' \
    "token user admin@example.com admin"
second=$(json .token)
stands "the old one stays"
old=$(claim jti)
TOKEN=$second
stands "the new one opens too"
check "under an id of its own" test "$(claim jti)" != "$old"
is "for 12 hours" "$(($(claim exp) - $(claim iat)))" 43200
check "from now" test "$(claim iat)" -ge "$(($(date +%s) - 30))"
sql "update assay.operator set role = 'analyst'"
http POST /v1/auth/refresh
is_json "it has the role of now" .user.role analyst
sql "update assay.operator set role = 'admin'"

http POST /v1/auth/logout
is "logout" "$STATUS $BODY" '200 {"ok":true}'
fallen "ends this one, everywhere, at once"
for path in refresh logout logout-all; do
	http POST "/v1/auth/$path"
	is_error "it cannot $path either" 401 UNAUTHENTICATED
done
TOKEN=$first
stands "and no other"

# What is kept of a logout, and for how long.
is "kept until it expires" "$(sql "select count(*) from assay.revoked_token
    where expires_at between now() + '11 hours' and now() + '12 hours'")" 1
sql "insert into assay.revoked_token select 'old-' || n, now() - interval '2 h'
    from generate_series(1, 25) n"
sql "insert into assay.revoked_token values ('just', now() - interval '1 min')"
TOKEN=$(http POST /v1/auth/refresh; json .token)
http POST /v1/auth/logout
is "a logout clears away some that are over" \
    "$(sql "select count(*) filter (where jti like 'old-%'),
    count(*) filter (where jti = 'just') from assay.revoked_token")" "5|1"

TOKEN=$first
http POST /v1/auth/users '{"email":"ana@example.com","password":"12345678"}'
http POST /v1/auth/login '{"email":"ana@example.com","password":"12345678"}'
ana=$(json .token)
TOKEN=$(http POST /v1/auth/refresh; json .token)
on 2 POST /v1/auth/logout-all
is "logout-all, on the other host" "$STATUS $BODY" '200 {"ok":true}'
fallen "ends the token that was sent"
TOKEN=$first
fallen "and all others of the operator"
TOKEN=$ana
on 2 POST /v1/auth/refresh
is "and nobody else's" "$STATUS" 200
TOKEN=
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
TOKEN=$(json .token)
stands "a login begins anew"

# However often a token is exchanged, the session ends so long after its
# password; a shorter time holds at once, for what was issued before too.
after=$TOKEN
stop_pool
start_pool SESSION_MAX_HOURS=1
wait_ready
TOKEN=
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
TOKEN=$(json .token)
at=$(claim at)
end=$(claim exp)
is "a session that may last an hour has a token of an hour" \
    "$((end - at))" 3600
for i in 1 2; do
	http POST /v1/auth/refresh
	TOKEN=$(json .token)
	is "fresh token $i keeps the time of the password and the end" \
	    "$(claim at) $(claim exp)" "$at $end"
done
# forge AGO: a token of the admin's whose password was given AGO seconds ago,
# and which was issued a second before that is over.
forge() {
	forged=$(printf '%s' "$after" | jq -Rrj --argjson ago "$1" '
	    def from: gsub("-"; "+") | gsub("_"; "/") | @base64d;
	    def to: @base64 | gsub("[+]"; "-") | gsub("/"; "_") | gsub("="; "");
	    split(".") | .[0] + "." + (.[1] | from | fromjson |
	    .at = (now | floor) - $ago | .iat = .at | .exp = .iat + 43200 |
	    tojson | to)')
	TOKEN=$forged.$(printf '%s' "$forged" | openssl dgst -sha256 -binary \
	    -hmac 6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8 | base64 | tr '+/' '-_' |
	    tr -d '=')
}
forge 3000
http GET /v1/apikeys
is "a token of 12 hours opens 50 minutes after the password" "$STATUS" 200
forge 3600
http GET /v1/apikeys
is_error "an hour after the password it does not" 401 UNAUTHENTICATED
http POST /v1/auth/refresh
is_error "nor can it be exchanged" 401 UNAUTHENTICATED
TOKEN=$after
http GET '/v1/audit?limit=200'
is_json "the trail has it" '.entries | map(select(.status == 200) |
    .action | split("/")[-1]) | unique | join(" ")' \
    "login logout logout-all refresh"
finish
