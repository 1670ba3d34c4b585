#!/bin/sh
# SPDX-License-Identifier: ISC
# Service keys: making them, listing them, their end.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
event='{"type":"account.login","subject":{"userId":"u"}}'

http GET /v1/apikeys
is "no keys" "$STATUS $BODY" "200 []"

# bad WHAT BODY: is refused for its contents.
bad() {
	http POST /v1/apikeys "$2"
	is_error "$1" 400 INVALID_REQUEST
}
bad "no name" '{}'
bad "an empty name" '{"name":""}'
bad "a blank name" '{"name":"  "}'
bad "a name of 129 bytes" "{\"name\":\"$(printf '%0129d' 0)\"}"
bad "a number for a name" '{"name":1}'
bad "an unknown scope" '{"name":"n","scopes":["everything"]}'
bad "a scope twice" '{"name":"n","scopes":["labels","labels"]}'
bad "a scope that is no string" '{"name":"n","scopes":[1]}'
bad "scopes that are no array" '{"name":"n","scopes":"labels"}'
bad "no days" '{"name":"n","expiresInDays":0}'
bad "more days than ten years have" '{"name":"n","expiresInDays":3651}'
bad "half a day" '{"name":"n","expiresInDays":0.5}'
bad "days in a string" '{"name":"n","expiresInDays":"3"}'
bad "a field that there is not" '{"name":"n","scope":"labels"}'
is "none of which made a key" "$(sql 'select count(*)
    from assay.service_key')" 0

http POST /v1/apikeys '{"name":"\"née\\ 1","expiresInDays":3}'
is "a key" "$STATUS" 201
is "is not to be stored" "$(header cache-control)" no-store
is_json "has its form" \
    '.plaintext | test("^ak_live_[0-9a-f]{48}$")' true
is_json "its prefix" '.key.prefix == .plaintext[0:16]' true
is_json "and nothing else" '.key | keys | join(" ")' \
    "createdAt createdBy expired expiresAt id name prefix revoked scopes"
is_json "both scopes" '.key.scopes | join(" ")' "decisions labels"
is_json "its name as it was given" .key.name '"née\ 1'
is_json "three days" '.key |
    ((.expiresAt[0:19] + "Z" | fromdate) - (.createdAt[0:19] + "Z" | fromdate))
    / 86400 | round' 3
is_json "its maker" '.key | "\(.createdBy) \(.expired) \(.revoked)"' \
    "admin@example.com false false"
is_json "an id" '.key.id | test("^key_[0-9a-v]{26}$")' true
id=$(json .key.id)
KEY=$(json .plaintext)
is "its hash is what is kept" "$(sql "select hash = sha256('$KEY')
    from assay.service_key")" t
http POST /v1/apikeys '{"name":"second","scopes":[]}'
is_json "no scopes are both" '.key.scopes | length' 2
is_json "no days are for ever" .key.expiresAt null
http GET /v1/apikeys
is_json "the newest comes first" 'map(.name) | join(" ")' 'second "née\ 1'
is "HEAD has no body" "$(http HEAD /v1/apikeys
    echo "$STATUS $(header content-length | grep -c '^[1-9]')")" "200 1"

http POST /v1/decisions "$event"
is "it decides" "$STATUS" 200
sql "update assay.service_key set expires_at = now() where id = '$id'"
http POST /v1/decisions "$event"
is_error "until its time is over" 401 INVALID_API_KEY
http GET /v1/apikeys
is_json "which the list shows" \
    ".[] | select(.id == \"$id\") | .expired" true

api_key
id=$(json .key.id)
http POST /v1/decisions "$event"
is "another decides" "$STATUS" 200
http POST "/v1/apikeys/$(printf '%s' "$id" | sed 's/_/%5f/')/revoke"
is "revoked by its id, encoded" "$STATUS $BODY" '200 {"ok":true}'
at=$(sql "select revoked_at from assay.service_key where id = '$id'")
http POST /v1/decisions "$event"
is_error "it is refused at once" 401 INVALID_API_KEY
http POST "/v1/apikeys/$id/revoke" ignored -H 'Content-Type: text/plain'
is "revoked again, with a body that nobody reads" "$STATUS" 200
is "when stays when" "$(sql "select revoked_at from assay.service_key
    where id = '$id'")" "$at"
http POST /v1/apikeys/key_0/revoke
is_error "one that never was" 404 NOT_FOUND
http POST /v1/apikeys/key%2f0/revoke
is_error "a slash inside an id" 404 NOT_FOUND
http POST /v1/apikeys/%00/revoke
is_error "NUL inside an id" 400 INVALID_REQUEST
finish
