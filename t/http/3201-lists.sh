#!/bin/sh
# SPDX-License-Identifier: ISC
# Lists over HTTP: entries are made, changed, found and removed, each felt by
# the next decision on every host.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
start_host 2
admin_token
api_key

# decide HOST [MEMBERS]: of the subject, each by somebody new.
users=0
decide() {
	users=$((users + 1))
	on "$1" POST /v1/decisions "{\"type\":\"order.place\",
	    \"subject\":{\"userId\":\"u-$users\"${2-}}}"
	DECIDED=$(json '"\(.verdict) \(.reasons[0].tag // "")"')
}
# save KIND SUBJECT VALUE [MEMBERS]
save() {
	http POST /v1/lists "{\"kind\":\"$1\",\"subject\":\"$2\",
	    \"value\":\"$3\"${4-}}"
}
# found MEMBERS: the ids.
found() {
	http POST /v1/lists/search "{$1}"
	FOUND="$STATUS $(json 'map("\(.kind) \(.value)") | join(", ")')"
}
ip=',"ip":"203.0.113.9"'

http GET /v1/lists
is "nothing is listed" "$STATUS $BODY" "200 []"
for n in "" 2; do
	decide "$n" "$ip"
	is "before, host ${n:-1}" "$DECIDED" "allow "
done
save block ip ::ffff:203.0.113.9 ',"reason":"case 7","expiresAt":"2050-01-31T12:00:00+01:00"'
is "an entry is made" "$STATUS" 201
is_json "with all that it has" 'del(.id, .createdAt) | tojson' \
    '{"kind":"block","subject":"ip","value":"203.0.113.9","reason":"case 7","expiresAt":"2050-01-31T11:00:00.000Z","createdBy":"admin@example.com"}'
is_json "under an id, at a time" '"\(.id | test("^lst_[0-9a-v]{26}$")) \(
    .createdAt | test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$"))"' "true true"
id=$(json .id)
for n in 2 "" 2 ""; do
	decide "$n" "$ip"
	is "the next decision, host ${n:-1}" "$DECIDED" "deny list.block"
done
save block ip 203.0.113.9
is "the same again changes it" "$STATUS $(json '"\(.id) \(.reason) \(.expiresAt)"')" \
    "200 $id null null"
save block ip 203.0.113.9 ',"reason":null,"expiresAt":null'
is "or leaves it" "$STATUS $(json .id)" "200 $id"
is "which tells nobody" "$(sql "select lists from assay.epoch")" 3
save watch ip 203.0.113.9
is "another kind is another" "$STATUS" 201
save allow phone '+251 91 234-5678' ',"reason":"a friend"'
is "a phone" "$STATUS $(json .value)" "201 251912345678"
decide 2 ',"phone":"00251912345678"'
is "is allowed" "$DECIDED" "allow list.allow"
for pair in "user u 1" "device d-ü" "fingerprint f-1" "bin 411111" "country ng"; do
	save block "${pair%% *}" "${pair#* }"
	is "$pair" "$STATUS" 201
done

# Found: in pages, by kind, by subject; by value only in a body.
http GET /v1/lists
is_json "newest first" 'map("\(.kind) \(.subject)") | join(", ")' \
    "block country, block bin, block fingerprint, block device, block user, allow phone, watch ip, block ip"
http GET "/v1/lists?limit=2&offset=5"
is_json "a page" 'map("\(.kind) \(.subject)") | join(", ")' \
    "allow phone, watch ip"
http GET "/v1/lists?kind=watch"
is_json "of a kind" 'map(.subject) | join(", ")' ip
http GET "/v1/lists?subject=ip&kind=block"
is_json "of a subject" 'map("\(.kind) \(.value)") | join(", ")' \
    "block 203.0.113.9"
found '"subject":"ip","value":"::FFFF:CB00:7109"'
is "by value" "$FOUND" "200 watch 203.0.113.9, block 203.0.113.9"
found '"subject":"ip","value":"203.0.113.9","kind":"block"'
is "of a kind" "$FOUND" "200 block 203.0.113.9"
found '"subject":"user","value":"203.0.113.9"'
is "not of another subject" "$FOUND" "200 "
for query in kind=none kind= subject=email limit=0 limit=1001 offset=-1 \
    limit=x; do
	http GET "/v1/lists?$query"
	is_error "?$query" 400 INVALID_REQUEST
done
while read -r body; do
	http POST /v1/lists/search "$body"
	is_error "search $body" 400 INVALID_REQUEST
done <<'END'
{}
[]
{"subject":"ip"}
{"value":"203.0.113.9"}
{"subject":"email","value":"x"}
{"subject":"ip","value":"203.0.113.9/24"}
{"subject":"ip","value":"203.0.113.9","kind":"none"}
{"subject":"ip","value":"203.0.113.9","limit":5}
END

# Removed.
http DELETE "/v1/lists/$id"
is "an entry is removed" "$STATUS $BODY" '200 {"ok":true}'
decide 2 "$ip"
is "what watched it is left" "$DECIDED" "review list.watch"
http DELETE "/v1/lists/$id"
is_error "once" 404 NOT_FOUND
http DELETE /v1/lists/lst_0
is_error "one that never was" 404 NOT_FOUND

# What is no entry; the value is not repeated.
before=$(sql "select count(*), (select lists from assay.epoch)
    from assay.list_entry")
while IFS='|' read -r members message; do
	http POST /v1/lists "{$members}"
	is_error "$members" 400 INVALID_REQUEST
	is_json "$members, where" .message "$message"
done <<'END'
"subject":"user","value":"x"|kind is required
"kind":"block","value":"x"|subject is required
"kind":"block","subject":"user"|value is required
"kind":"deny","subject":"user","value":"x"|kind must be block, allow or watch
"kind":"block","subject":"email","value":"a@b.example"|subject must be user, device, fingerprint, ip, phone, bin or country
"kind":"block","subject":"ip","value":"203.0.113.300"|value must be an IPv4 or IPv6 address
"kind":"block","subject":"phone","value":"25191"|value must be a phone number of 8 to 15 digits
"kind":"block","subject":"bin","value":"41111"|value must be 6 to 8 digits
"kind":"block","subject":"country","value":"UK"|value must be the two letters of a country in ISO 3166
"kind":"block","subject":"user","value":""|value must be a string of 1 to 256 bytes
"kind":"block","subject":"user","value":7|value must be a string of 1 to 256 bytes
"kind":"block","subject":"user","value":"a\tb"|value must be 1 to 128 bytes of UTF-8, not blank, no control characters
"kind":"block","subject":"user","value":"x","reason":7|reason must be a string of 1 to 256 bytes
"kind":"block","subject":"user","value":"x","expiresAt":"tomorrow"|expiresAt must be a day and time of ISO 8601, like 2027-01-31T00:00:00Z
"kind":"block","subject":"user","value":"x","expiresAt":""|expiresAt must be a day and time of ISO 8601, like 2027-01-31T00:00:00Z
"kind":"block","subject":"user","value":"x","expiresAt":"2050-01-31"|expiresAt must be a day and time of ISO 8601, like 2027-01-31T00:00:00Z
"kind":"block","subject":"user","value":"x","reason":""|reason must be a string of 1 to 256 bytes
"kind":"block","subject":"user","value":"x","reason":"  "|reason must be 1 to 256 bytes of UTF-8, on one line, not blank
"kind":"block","subject":"user","value":" "|value must be 1 to 128 bytes of UTF-8, not blank, no control characters
"kind":"block","subject":"user","value":"x","expiresAt":"2020-01-01T00:00:00Z"|expiresAt is over already
"kind":"block","subject":"user","value":"x","expires":"2050-01-01T00:00:00Z"|expires is an unknown field
END
http POST /v1/lists '{"kind":'
is_error "no JSON" 400 INVALID_JSON
is "none of it was kept" "$(sql "select count(*), (select lists from
    assay.epoch) from assay.list_entry")" "$before"

# Who may.
http POST /v1/auth/users '{"email":"ana@example.com","password":"correct horse"}'
admin=$TOKEN
TOKEN=
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http GET /v1/lists
is "an analyst sees lists" "$STATUS" 200
found '"subject":"user","value":"u 1"'
is "and searches them" "$FOUND" "200 block u 1"
save block user x
is_error "but adds nothing" 403 FORBIDDEN
http DELETE /v1/lists/lst_0
is_error "and removes nothing" 403 FORBIDDEN
http POST /v1/lists/import "" -H 'Content-Type: text/csv' -d x
is_error "and imports nothing" 403 FORBIDDEN
TOKEN=
http GET /v1/lists
is_error "a stranger sees nothing" 401 UNAUTHENTICATED
found '"subject":"user","value":"u 1"'
is_error "and finds nothing" 401 UNAUTHENTICATED
TOKEN=$admin
http GET "/v1/audit?limit=200"
is_json "the trail masks addresses and numbers" '[.entries[] |
    select(.action == "POST /v1/lists" and .status == 201) | .params.value] |
    join(" ")' "ng 411111 f-1 d-ü u 1 +2519•••••78 203.0.•.• 0:0:•"
is_json "and knows of no search" \
    '[.entries[] | select(.action | test("search"))] | length' 0
finish
