#!/bin/sh
# SPDX-License-Identifier: ISC
# API keys: create, list, expire, revoke.
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
event='{"type":"account.login","subject":{"userId":"u"}}'

http GET /v1/apikeys
is "the list of keys starts empty" "$STATUS $BODY" "200 []"

# rejects_key WHAT BODY: creating a key with it answers 400.
rejects_key() {
	http POST /v1/apikeys "$2"
	is_error "a key with $1 answers 400" 400 INVALID_REQUEST
}
rejects_key "no name" '{}'
rejects_key "an empty name" '{"name":""}'
rejects_key "a blank name" '{"name":"  "}'
rejects_key "a name of 129 bytes" "{\"name\":\"$(printf '%0129d' 0)\"}"
rejects_key "a number as name" '{"name":1}'
rejects_key "an unknown scope" '{"name":"n","scopes":["everything"]}'
rejects_key "a scope twice" '{"name":"n","scopes":["labels","labels"]}'
rejects_key "a number as scope" '{"name":"n","scopes":[1]}'
rejects_key "a string as scopes" '{"name":"n","scopes":"labels"}'
rejects_key "an end after 0 days" '{"name":"n","expiresInDays":0}'
rejects_key "an end after 3651 days" '{"name":"n","expiresInDays":3651}'
rejects_key "an end after half a day" '{"name":"n","expiresInDays":0.5}'
rejects_key "a string as days" '{"name":"n","expiresInDays":"3"}'
rejects_key "an unknown field" '{"name":"n","scope":"labels"}'
is "no refused request made a key" "$(sql 'select count(*)
    from assay.service_key')" 0

http POST /v1/apikeys '{"name":"\"née\\ 1","expiresInDays":3}'
is "creating a key answers 201" "$STATUS" 201
is "the answer with the key forbids caching" "$(header cache-control)" no-store
is_json "a key has 48 hexadecimal digits" \
    '.plaintext | test("^ak_live_[0-9a-f]{48}$")' true
is_json "a key's prefix is its first 16 characters" \
    '.key.prefix == .plaintext[0:16]' true
is_json "the answer has exactly the documented fields" \
    '.key | keys | join(" ")' \
    "createdAt createdBy expired expiresAt id name prefix revoked scopes"
is_json "a key without scopes in the request has both" \
    '.key.scopes | join(" ")' "decisions labels"
is_json "a key keeps its name unchanged" .key.name '"née\ 1'
is_json "a key of three days ends after three days" '.key |
    ((.expiresAt[0:19] + "Z" | fromdate) - (.createdAt[0:19] + "Z" | fromdate))
    / 86400 | round' 3
is_json "a key has its creator and is not expired or revoked" \
    '.key | "\(.createdBy) \(.expired) \(.revoked)"' \
    "admin@example.com false false"
is_json "a key has an id of its form" \
    '.key.id | test("^key_[0-9a-v]{26}$")' true
id=$(json .key.id)
KEY=$(json .plaintext)
is "the database has the hash of the key" "$(sql "select hash = sha256('$KEY')
    from assay.service_key")" t
http POST /v1/apikeys '{"name":"second","scopes":[]}'
is_json "an empty list of scopes means both" '.key.scopes | length' 2
is_json "a key without days never expires" .key.expiresAt null
http GET /v1/apikeys
is_json "the list starts with the newest key" \
    'map(.name) | join(" ")' 'second "née\ 1'
is "HEAD on the list has a length and no body" "$(http HEAD /v1/apikeys
    echo "$STATUS $(header content-length | grep -c '^[1-9]')")" "200 1"

http POST /v1/decisions "$event"
is "a new key decides" "$STATUS" 200
sql "update assay.service_key set expires_at = now() where id = '$id'"
http POST /v1/decisions "$event"
is_error "an expired key answers 401" 401 INVALID_API_KEY
http GET /v1/apikeys
is_json "the list shows that a key is expired" \
    ".[] | select(.id == \"$id\") | .expired" true

api_key
id=$(json .key.id)
http POST /v1/decisions "$event"
is "a second key decides" "$STATUS" 200
http POST "/v1/apikeys/$(printf '%s' "$id" | sed 's/_/%5f/')/revoke"
is "a key can be revoked by its percent-encoded id" \
    "$STATUS $BODY" '200 {"ok":true}'
at=$(sql "select revoked_at from assay.service_key where id = '$id'")
http POST /v1/decisions "$event"
is_error "a revoked key answers 401 at once" 401 INVALID_API_KEY
http POST "/v1/apikeys/$id/revoke" ignored -H 'Content-Type: text/plain'
is "revoking again answers 200 and ignores the body" "$STATUS" 200
is "revoking again keeps the first time" \
    "$(sql "select revoked_at from assay.service_key
    where id = '$id'")" "$at"
http POST /v1/apikeys/key_0/revoke
is_error "revoking an unknown key answers 404" 404 NOT_FOUND
http POST /v1/apikeys/key%2f0/revoke
is_error "a slash inside an id answers 404" 404 NOT_FOUND
http POST /v1/apikeys/%00/revoke
is_error "a NUL inside an id answers 400" 400 INVALID_REQUEST
finish
