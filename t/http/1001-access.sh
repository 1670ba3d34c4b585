#!/bin/sh
# SPDX-License-Identifier: ISC
# Who may call what: no credential, a wrong one, a revoked one, a wrong scope.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
event='{"type":"account.login","subject":{"userId":"u"}}'

http POST /v1/decisions "$event"
is_error "a decision without a key" 401 INVALID_API_KEY
http POST /v1/decisions/batch "{\"events\":[$event]}"
is_error "a batch without a key" 401 INVALID_API_KEY
http GET /v1/decisions/evt_1
is_error "a look back without a key" 401 INVALID_API_KEY
http POST /v1/decisions "$event" -H 'X-API-Key: ak_live_0123456789'
is_error "an unknown key" 401 INVALID_API_KEY
http GET /v1/apikeys
is_error "keys without a token" 401 UNAUTHENTICATED
http POST /v1/apikeys '{"name":"n"}'
is_error "a new key without a token" 401 UNAUTHENTICATED
http POST /v1/apikeys/key_1/revoke
is_error "a revocation without a token" 401 UNAUTHENTICATED
http GET /v1/apikeys "" -H 'Authorization: Bearer e30.e30.e30'
is_error "a token that nobody signed" 401 UNAUTHENTICATED

http POST /v1/auth/register '{"email":"admin@example.com","password":"short"}'
is_error "a short password" 400 INVALID_REQUEST
http POST /v1/auth/register \
    '{"email":"Admin@Example.com","password":"correct horse"}'
is "the first to register" "$STATUS" 201
is_json "is admin, in lower case" '"\(.user.role) \(.user.email)"' \
    "admin admin@example.com"
http POST /v1/auth/register \
    '{"email":"second@example.com","password":"correct horse"}'
is_error "then the door closes" 403 REGISTRATION_CLOSED
http GET /v1/auth/status
is_json "and says so" .needsBootstrap false
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"wrong horse"}'
is_error "a wrong password" 401 INVALID_CREDENTIALS
http POST /v1/auth/login \
    '{"email":"nobody@example.com","password":"correct horse"}'
is_error "an unknown email" 401 INVALID_CREDENTIALS
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
is "the right one" "$STATUS" 200
TOKEN=$(json .token)

http POST /v1/apikeys '{"name":"n","expiresInDay":3}'
is_error "a mistyped member makes no eternal key" 400 INVALID_REQUEST
http POST /v1/apikeys '{"name":"labels only","scopes":["labels"]}'
is "a key of one scope" "$STATUS" 201
KEY=$(json .plaintext)
http POST /v1/decisions "$event"
is_error "does not reach the other" 403 INSUFFICIENT_SCOPE
api_key
id=$(json .key.id)
http POST /v1/decisions "$event"
is "a key of all scopes decides" "$STATUS" 200
http GET /v1/apikeys
is_json "both are listed, without the key itself" \
    'map(.revoked) | length' 2
is "anywhere" "$(printf '%s' "$BODY" | grep -cF -- "$KEY")" 0
http POST "/v1/apikeys/$id/revoke"
is_json "a revocation" .ok true
http POST /v1/decisions "$event"
is_error "works at once" 401 INVALID_API_KEY
is "no log holds a key, a token or a password" \
    "$(grep -rlFe "$KEY" -e "$TOKEN" -e 'correct horse' "$scratch/log")" ""
finish
