#!/bin/sh
# SPDX-License-Identifier: ISC
# List entries, queries and searches that are rejected, with the fault, and
# callers who may not change lists.
. "$(dirname "$0")/lib.sh"
use hosts list

start_stack
admin_token

for query in kind=none kind= subject=email limit=0 limit=1001 offset=-1 \
    limit=x; do
	http GET "/v1/lists?$query"
	is_error "GET /v1/lists with $query answers 400" 400 INVALID_REQUEST
done
while read -r body; do
	http POST /v1/lists/search "$body"
	is_error "a search with the body $body answers 400" 400 INVALID_REQUEST
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

# Faulty entries; the message does not repeat the value.
before=$(sql "select count(*), (select lists from assay.epoch)
    from assay.list_entry")
while IFS='|' read -r members message; do
	http POST /v1/lists "{$members}"
	is_error "an entry with $members answers 400" 400 INVALID_REQUEST
	is_json "the message for an entry with $members names the fault" \
	    .message "$message"
done <<'END'
"subject":"user","value":"x"|kind is required
"kind":"block","value":"x"|subject is required
"kind":"block","subject":"user"|value is required
"kind":"deny","subject":"user","value":"x"|kind must be block, allow or watch
"kind":"block","subject":"email","value":"a@b.example"|subject must be user, device, fingerprint, ip, phone, bin or country
"kind":"block","subject":"ip","value":"203.0.113.300"|value must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24, at least /8 or for IPv6 /16, without bits after that
"kind":"block","subject":"ip","value":"203.0.113.9/24"|value must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24, at least /8 or for IPv6 /16, without bits after that
"kind":"block","subject":"ip","value":"16.0.0.0/4"|value must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24, at least /8 or for IPv6 /16, without bits after that
"kind":"block","subject":"phone","value":"25191"|value must be a phone number of 7 to 15 digits
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
"kind":"block","subject":"user","value":"mallory-1 "|value must not begin or end with white space or a character that shows nothing: it would look like another value
"kind":"block","subject":"device","value":"\u00a0d-1"|value must not begin or end with white space or a character that shows nothing: it would look like another value
"kind":"block","subject":"fingerprint","value":"f-1\u200b"|value must not begin or end with white space or a character that shows nothing: it would look like another value
"kind":"block","subject":"user","value":"\u00a0"|value must be 1 to 128 bytes of UTF-8, not blank, no control characters
"kind":"block","subject":"user","value":" "|value must be 1 to 128 bytes of UTF-8, not blank, no control characters
"kind":"block","subject":"user","value":"x","expiresAt":"2020-01-01T00:00:00Z"|expiresAt is in the past
"kind":"block","subject":"user","value":"x","expires":"2050-01-01T00:00:00Z"|expires is an unknown field
END
http POST /v1/lists '{"kind":'
is_error "half a JSON body answers 400" 400 INVALID_JSON
is "a rejected entry is not stored and does not raise the epoch" \
    "$(sql "select count(*), (select lists from
    assay.epoch) from assay.list_entry")" "$before"

# Analysts read and do not write; a request without a token does neither.
save_entry block user "u 1"
analyst_token

http GET /v1/lists
is "an analyst reads the lists" "$STATUS" 200
search_entries '"subject":"user","value":"u 1"'
is "an analyst searches the lists" "$FOUND" "200 block u 1"
save_entry block user x
is_error "an analyst cannot add an entry" 403 FORBIDDEN
http DELETE /v1/lists/lst_0
is_error "an analyst cannot remove an entry" 403 FORBIDDEN
http POST /v1/lists/import "" -H 'Content-Type: text/csv' -d x
is_error "an analyst cannot import entries" 403 FORBIDDEN
TOKEN=
http GET /v1/lists
is_error "without a token GET /v1/lists answers 401" 401 UNAUTHENTICATED
search_entries '"subject":"user","value":"u 1"'
is_error "without a token a search answers 401" 401 UNAUTHENTICATED
finish
