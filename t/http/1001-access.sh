#!/bin/sh
# SPDX-License-Identifier: ISC
# Requests without credentials, with wrong or revoked ones, or with the wrong
# scope are refused.
. "$(dirname "$0")/lib.sh"

start_stack
event='{"type":"account.login","subject":{"userId":"u"}}'

http POST /v1/decisions "$event"
is_error "a decision without a key answers 401" 401 INVALID_API_KEY
http POST /v1/decisions/batch "{\"events\":[$event]}"
is_error "a batch without a key answers 401" 401 INVALID_API_KEY
http GET /v1/decisions/evt_1
is_error "reading a decision without a key answers 401" 401 INVALID_API_KEY
http POST /v1/decisions "$event" -H 'X-API-Key: ak_live_0123456789'
is_error "a decision with an unknown key answers 401" 401 INVALID_API_KEY
http GET /v1/apikeys
is_error "listing keys without a token answers 401" 401 UNAUTHENTICATED
http POST /v1/apikeys '{"name":"n"}'
is_error "creating a key without a token answers 401" 401 UNAUTHENTICATED
http POST /v1/apikeys/key_1/revoke
is_error "revoking a key without a token answers 401" 401 UNAUTHENTICATED
http GET /v1/apikeys "" -H 'Authorization: Bearer e30.e30.e30'
is_error "a token with a wrong signature answers 401" 401 UNAUTHENTICATED

http POST /v1/auth/register '{"email":"admin@example.com","password":"short"}'
is_error "registration with a short password answers 400" 400 INVALID_REQUEST
http POST /v1/auth/register \
    '{"email":"Admin@Example.com","password":"correct horse"}'
is "the first registration answers 201" "$STATUS" 201
is_json "the first operator is an admin, with the email in lower case" \
    '"\(.user.role) \(.user.email)"' \
    "admin admin@example.com"
http POST /v1/auth/register \
    '{"email":"second@example.com","password":"correct horse"}'
is_error "a second registration answers 403" 403 REGISTRATION_CLOSED
http GET /v1/auth/status
is_json "/v1/auth/status says that an operator exists" .needsBootstrap false
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"wrong horse"}'
is_error "a login with a wrong password answers 401" 401 INVALID_CREDENTIALS
http POST /v1/auth/login \
    '{"email":"nobody@example.com","password":"correct horse"}'
is_error "a login with an unknown email answers 401" 401 INVALID_CREDENTIALS
http POST /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
is "a login with the right password answers 200" "$STATUS" 200
TOKEN=$(json .token)

http POST /v1/apikeys '{"name":"n","expiresInDay":3}'
is_error "a key with a mistyped field answers 400" 400 INVALID_REQUEST
http POST /v1/apikeys '{"name":"labels only","scopes":["labels"]}'
is "creating a key with one scope answers 201" "$STATUS" 201
KEY=$(json .plaintext)
http POST /v1/decisions "$event"
is_error "a decision with a key of another scope answers 403" \
    403 INSUFFICIENT_SCOPE
api_key
id=$(json .key.id)
http POST /v1/decisions "$event"
is "a decision with a key of all scopes answers 200" "$STATUS" 200
http GET /v1/apikeys
is_json "the list has both keys" \
    'map(.revoked) | length' 2
is "the list does not hold the key itself" \
    "$(printf '%s' "$BODY" | grep -cF -- "$KEY")" 0
http POST "/v1/apikeys/$id/revoke"
is_json "revoking a key answers ok" .ok true
http POST /v1/decisions "$event"
is_error "a decision with a revoked key answers 401" 401 INVALID_API_KEY
is "no log holds a key, a token or a password" \
    "$(grep -rlFe "$KEY" -e "$TOKEN" -e 'correct horse' "$scratch/log")" ""
finish
