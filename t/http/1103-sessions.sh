#!/bin/sh
# SPDX-License-Identifier: ISC
# Sessions end at once on every worker and host: logout ends one, logout-all ends
# all of an operator, refresh adds one.
. "$(dirname "$0")/lib.sh"

start_stack OPERATOR_WORKERS=3
start_host 2 OPERATOR_WORKERS=3
for path in refresh logout logout-all; do
	http POST "/v1/auth/$path"
	is_error "$path without a token answers 401" 401 UNAUTHENTICATED
done
admin_token
first=$TOKEN

# token_statuses: print the statuses that requests with the token get, enough
# requests to reach all workers of both hosts.
token_statuses() {
	for at in "" 2 "" 2 "" 2 "" 2; do
		on "$at" GET /v1/apikeys
		printf '%s ' "$STATUS"
	done
}
# token_works LABEL: every worker accepts the token.
token_works() {
	is "$1" "$(token_statuses)" "200 200 200 200 200 200 200 200 "
}
# token_ended LABEL: every worker refuses the token.
token_ended() {
	is "$1" "$(token_statuses)" "401 401 401 401 401 401 401 401 "
}

http POST /v1/auth/refresh ignored -H 'Content-Type: text/plain'
is "refresh answers 200 and forbids caching" \
    "$STATUS $(header cache-control)" "200 no-store"
is_json "refresh answers with token and operator, like login" \
    '"\(keys | join(" ")) \(.user.email) \(.user.role)"' \
    "token user admin@example.com admin"
second=$(json .token)
token_works "the old token works after a refresh"
old=$(token_claim jti)
TOKEN=$second
token_works "the new token works after a refresh"
check "a refreshed token has its own id" test "$(token_claim jti)" != "$old"
is "a refreshed token ends after 12 hours" \
    "$(($(token_claim exp) - $(token_claim iat)))" 43200
check "a refreshed token is issued now" \
    test "$(token_claim iat)" -ge "$(($(date +%s) - 30))"
sql "update assay.operator set role = 'analyst'"
http POST /v1/auth/refresh
is_json "a refreshed token has the operator's present role" .user.role analyst
sql "update assay.operator set role = 'admin'"

http POST /v1/auth/logout
is "logout answers ok" "$STATUS $BODY" '200 {"ok":true}'
token_ended "logout ends its token on every worker"
for path in refresh logout logout-all; do
	http POST "/v1/auth/$path"
	is_error "$path with a logged out token answers 401" 401 UNAUTHENTICATED
done
TOKEN=$first
token_works "logout ends no other token of the operator"

# The database keeps a logged out token until its end.
is "a logged out token is kept until its end" \
    "$(sql "select count(*) from assay.revoked_token
    where expires_at between now() + '11 hours' and now() + '12 hours'")" 1
sql "insert into assay.revoked_token select 'old-' || n, now() - interval '2 h'
    from generate_series(1, 25) n"
sql "insert into assay.revoked_token values ('just', now() - interval '1 min')"
TOKEN=$(http POST /v1/auth/refresh; json .token)
http POST /v1/auth/logout
is "a logout removes some ended tokens and keeps recent ones" \
    "$(sql "select count(*) filter (where jti like 'old-%'),
    count(*) filter (where jti = 'just') from assay.revoked_token")" "5|1"

TOKEN=$first
http POST /v1/auth/users '{"email":"ana@example.com","password":"12345678"}'
http POST /v1/auth/login '{"email":"ana@example.com","password":"12345678"}'
ana=$(json .token)
TOKEN=$(http POST /v1/auth/refresh; json .token)
on 2 POST /v1/auth/logout-all
is "logout-all on the other host answers ok" "$STATUS $BODY" '200 {"ok":true}'
token_ended "logout-all ends the token that was sent"
TOKEN=$first
token_ended "logout-all ends all tokens of the operator"
TOKEN=$ana
on 2 POST /v1/auth/refresh
is "logout-all ends no token of another operator" "$STATUS" 200
open_session admin@example.com 'correct horse'
token_works "a login after logout-all opens a session"

# A session ends a fixed time after its password, however often its token is
# refreshed.  A shorter setting applies at once, also to older tokens.
after=$TOKEN
stop_pool
start_pool SESSION_MAX_HOURS=1
wait_ready
open_session admin@example.com 'correct horse'
at=$(token_claim at)
end=$(token_claim exp)
is "with SESSION_MAX_HOURS=1 a token ends after an hour" \
    "$((end - at))" 3600
for i in 1 2; do
	http POST /v1/auth/refresh
	TOKEN=$(json .token)
	is "refresh $i keeps the time of the password and the end" \
	    "$(token_claim at) $(token_claim exp)" "$at $end"
done
# forge_token AGO: make TOKEN a token of the admin that ends after 12 hours and
# whose password was entered AGO seconds ago.
forge_token() {
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
forge_token 3000
http GET /v1/apikeys
is "a token of 12 hours works 50 minutes after the password" "$STATUS" 200
forge_token 3600
http GET /v1/apikeys
is_error "a token of 12 hours answers 401 an hour after the password" \
    401 UNAUTHENTICATED
http POST /v1/auth/refresh
is_error "a token that has ended cannot be refreshed" 401 UNAUTHENTICATED
TOKEN=$after
http GET '/v1/audit?limit=200'
is_json "the audit trail has login, refresh and both logouts" \
    '.entries | map(select(.status == 200) |
    .action | split("/")[-1]) | unique | join(" ")' \
    "login logout logout-all refresh"
finish
