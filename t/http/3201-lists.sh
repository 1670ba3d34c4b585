#!/bin/sh
# SPDX-License-Identifier: ISC
# Lists over HTTP: entries are added, changed, found and removed; every host
# follows with its next decision.
. "$(dirname "$0")/lib.sh"
use hosts list

start_two_hosts

# decide_on_host HOST [MEMBERS]: decide for a new user, with these members of
# the subject; DECIDED is the verdict and the first tag.
decide_on_host() {
	decide_new "$1" '"type":"order.place"' "${2-}"
	DECIDED=$(json '"\(.verdict) \(.reasons[0].tag // "")"')
}

ip='"ip":"203.0.113.9"'

http GET /v1/lists
is "the lists are empty at first" "$STATUS $BODY" "200 []"
for n in "" 2; do
	decide_on_host "$n" "$ip"
	is "user $new_users on host ${n:-1} is allowed from an address on no list" \
	    "$DECIDED" "allow "
done
save_entry block ip ::ffff:203.0.113.9 ',"reason":"case 7","expiresAt":"2050-01-31T12:00:00+01:00"'
is "an entry is added to a list" "$STATUS" 201
is_json "an entry has its normalized address, reason and expiry" \
    'del(.id, .createdAt) | tojson' \
    '{"kind":"block","subject":"ip","value":"203.0.113.9","reason":"case 7","expiresAt":"2050-01-31T11:00:00.000Z","createdBy":"admin@example.com"}'
is_json "an entry has an id and the time of its creation" \
    '"\(.id | test("^lst_[0-9a-v]{26}$")) \(
    .createdAt | test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$"))"' "true true"
id=$(json .id)
for n in 2 "" 2 ""; do
	decide_on_host "$n" "$ip"
	is "user $new_users on host ${n:-1} is denied from a blocked address" \
	    "$DECIDED" "deny list.block"
done
save_entry block ip 203.0.113.9
is "the same entry without a reason replaces the first" \
    "$STATUS $(json '"\(.id) \(.reason) \(.expiresAt)"')" "200 $id null null"
save_entry block ip 203.0.113.9 ',"reason":null,"expiresAt":null'
is "the same entry again changes nothing" "$STATUS $(json .id)" "200 $id"
is "an unchanged entry does not raise the epoch" \
    "$(sql "select lists from assay.epoch")" 3
save_entry watch ip 203.0.113.9
is "an address can be on a second list" "$STATUS" 201
save_entry allow phone '+251 91 234-5678' ',"reason":"a friend"'
is "a phone number is stored as digits" \
    "$STATUS $(json .value)" "201 251912345678"
decide_on_host 2 '"phone":"00251912345678"'
is "a user with an allowed phone number is allowed" \
    "$DECIDED" "allow list.allow"
for pair in "user u 1" "device d-ü" "fingerprint f-1" "bin 411111" "country ng"; do
	save_entry block "${pair%% *}" "${pair#* }"
	is "an entry for the $pair is added" "$STATUS" 201
done

# Queries take a kind and a subject; only the body of a search has a value.
http GET /v1/lists
is_json "GET /v1/lists has the newest entry first" \
    'map("\(.kind) \(.subject)") | join(", ")' \
    "block country, block bin, block fingerprint, block device, block user, allow phone, watch ip, block ip"
http GET "/v1/lists?limit=2&offset=5"
is_json "a page of entries has its limit and offset" \
    'map("\(.kind) \(.subject)") | join(", ")' "allow phone, watch ip"
http GET "/v1/lists?kind=watch"
is_json "a query for one kind has only its entries" \
    'map(.subject) | join(", ")' ip
http GET "/v1/lists?subject=ip&kind=block"
is_json "a query for one subject and kind has only their entries" \
    'map("\(.kind) \(.value)") | join(", ")' "block 203.0.113.9"
search_entries '"subject":"ip","value":"::FFFF:CB00:7109"'
is "a search finds an address in another notation" \
    "$FOUND" "200 watch 203.0.113.9, block 203.0.113.9"
search_entries '"subject":"ip","value":"203.0.113.9","kind":"block"'
is "a search for one kind has only its entries" "$FOUND" "200 block 203.0.113.9"
search_entries '"subject":"user","value":"203.0.113.9"'
is "a search for a value finds no other subject" "$FOUND" "200 "

# Removal.
http DELETE "/v1/lists/$id"
is "an entry is removed" "$STATUS $BODY" '200 {"ok":true}'
decide_on_host 2 "$ip"
is "the second entry of an address outlives the first" \
    "$DECIDED" "review list.watch"
http DELETE "/v1/lists/$id"
is_error "removing an entry twice answers 404" 404 NOT_FOUND
http DELETE /v1/lists/lst_0
is_error "removing an unknown entry answers 404" 404 NOT_FOUND

http GET "/v1/audit?limit=200"
is_json "the audit trail masks addresses and phone numbers" '[.entries[] |
    select(.action == "POST /v1/lists" and .status == 201) | .params.value] |
    join(" ")' "ng 411111 f-1 d-ü u 1 +2519•••••78 203.0.•.• 0:0:•"
is_json "the audit trail has no search" \
    '[.entries[] | select(.action | test("search"))] | length' 0
finish
