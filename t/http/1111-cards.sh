#!/bin/sh
# SPDX-License-Identifier: ISC
# Texts of operators hold no card numbers: a request with one is refused, and its
# audit entry masks it.  Names hold nothing that a terminal would obey.
. "$(dirname "$0")/lib.sh"

card='4111 1111 1111 1111'

# rejects_card WHAT METHOD PATH BODY FIELD: the card number in it answers 400.
rejects_card() {
	http "$2" "$3" "$4"
	is_error "a card number in $1 answers 400" 400 INGEST_PAN_REJECTED
	is_json "the message names the field: $1" .message \
	    "$5 must not hold a full card number"
}

start_signed_in

rejects_card "the reason of an entry" POST /v1/lists "{\"kind\":\"watch\",
    \"subject\":\"user\",\"value\":\"4111111111111111\",\"reason\":\"$card\"}" reason
rejects_card "the name of a key" POST /v1/apikeys '{"name":"4111111111111111"}' name
rejects_card "a webhook's URL" POST /v1/webhooks \
    '{"url":"https://hooks.example.com/4111111111111111",
    "events":["verdict.reached.v1"]}' url
rejects_card "a channel's URL" POST /v1/notifications '{"type":"slack",
    "url":"https://hooks.example.com/4111-1111-1111-1111",
    "events":["verdict.reached.v1"]}' url
rejects_card "a chat's id" POST /v1/notifications "{\"type\":\"telegram\",
    \"url\":\"https://hooks.example.com/\",\"target\":\"$card\",
    \"events\":[\"verdict.reached.v1\"]}" target
rejects_card "an operator's email" POST /v1/auth/users \
    '{"email":"4111111111111111@example.com","password":"long enough"}' email
rejects_card "the name of a queue" POST /v1/policies '{"id":"pol_payment_authorize",
    "version":"v1","onError":"fail_open","bands":[{"verdict":"review","min":0,
    "max":100,"reviewQueue":"4111111111111111"}]}' 'bands[0].reviewQueue'
rejects_card "a policy's version" POST /v1/policies '{"id":"pol_payment_authorize",
    "version":"4111-1111-1111-1111","onError":"fail_open",
    "bands":[{"verdict":"review","min":0,"max":100}]}' version
rejects_card "the text of a ruleset" POST /v1/rules '{"eventType":"payment.authorize",
    "version":"v1","dsl":"rule r { when attr.c == \"4111111111111111\" then score += 1, tag t }"}' dsl
rejects_card "the tree of a rule" POST /v1/rules '{"eventType":"payment.authorize",
    "version":"v1","rules":[{"id":"r","tag":"t","weight":1,"condition":
    {"kind":"compare","path":"attr.c","op":"eq","value":4111111111111111}}]}' \
    'rules[0].condition.value'
http POST /v1/lists/import "" -H 'Content-Type: text/csv' \
    --data-binary "kind,subject,value,reason
block,user,u-9,$card
"
is_error "a card number in the reason of an imported entry answers 400" \
    400 INGEST_PAN_REJECTED

http POST /v1/policies '{"id":"pol_payment_authorize","version":"v1",
    "onError":"fail_open","bands":[{"verdict":"review","min":0,"max":100}]}'
is "a policy that reviews all payments is published" "$STATUS" 200
http POST /v1/decisions '{"id":"reviewed","type":"payment.authorize",
    "amount":1,"currency":"EUR","subject":{"userId":"u-1"}}'
http GET /v1/cases
case=$(json '.[0].id')
rejects_card "a case note" POST "/v1/cases/$case/resolve" \
    "{\"outcome\":\"fraud\",\"note\":\"card $card\"}" note
http GET "/v1/cases/$case"
is_json "a refused resolution leaves the case open" .status open
http DELETE "/v1/lists/4111%201111-1111%201111"
is_error "a path with a card number answers 404" 404 NOT_FOUND

# The ids of users may look like card numbers.
http POST /v1/lists '{"kind":"watch","subject":"user",
    "value":"4111111111111111"}'
is "a list entry may hold a user's id like a card number" "$STATUS" 201
http POST /v1/privacy/erase '{"userId":"4111111111111111"}'
is "a user whose id is like a card number can be erased" "$STATUS" 200

# No card number is stored.
http GET '/v1/audit?limit=200'
is "no audit entry has a card number" "$(printf %s "$BODY" |
    grep -cE '4111[- ]?1111|4111%20')" 0
is_json "the trail has a refused reason without the number" \
    '[.entries[] | select(.action == "POST /v1/lists" and .status == 400)][0] |
	.params.reason' '[card]'
is_json "the trail keeps the text around the number" '[.entries[] |
    select(.action | endswith("/resolve"))][0].params.note' 'card [card]'
is_json "the trail replaces a number in a JSON number" \
    '[.entries[] | select(.action == "POST /v1/rules" and .params.rules)][0] |
	.params.rules[0].condition.value' '[card]'
is_json "the trail replaces a number in a path" \
    '[.entries[] | select(.action | startswith("DELETE"))][0].action' \
    'DELETE /v1/lists/[card]'
http POST /v1/apikeys "{\"name\":\"n\",\"$card\":1,\"days\":4111111111111111,
    \"note\":\"$(printf '%0250d' 0 | tr 0 -)$card and so on\"}"
is_error "a key with unknown fields answers 400" 400 INVALID_REQUEST
http GET '/v1/audit?limit=1'
is_json "the trail replaces numbers in field names and at a cut" \
    '.entries[0].params | "\(keys | join(" ")) \(.days) \(.note[-7:])"' \
    "[card] days name note [card] [card]…"

# Names are one line with visible text.
for label in ' ' '\u001b[2J\u001b]0;x\u0007' 'a\r\nb' '\u009b2J'; do
	http POST /v1/apikeys "{\"name\":\"$label\"}"
	is_error "a key named '$label' answers 400" \
	    400 INVALID_REQUEST
	http POST /v1/notifications "{\"type\":\"telegram\",
	    \"url\":\"https://hooks.example.com/\",\"target\":\"$label\",
	    \"events\":[\"verdict.reached.v1\"]}"
	is_error "a chat id '$label' answers 400" 400 INVALID_REQUEST
	http POST /v1/policies "{\"id\":\"pol_payment_authorize\",
	    \"version\":\"v2\",\"onError\":\"fail_open\",\"bands\":[
	    {\"verdict\":\"review\",\"min\":0,\"max\":100,
	    \"reviewQueue\":\"$label\"}]}"
	is_error "a queue named '$label' answers 400" 400 POLICY_INVALID
done

# assayctl masks control characters in a name that is already stored.
sql "update assay.service_key set name = E'\\x1b[2J\\nforged\\u202Etxt'" >/dev/null
DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
    "$builddir/assayctl" key list >"$scratch/keys" 2>&1
is "assayctl key list masks control characters in a name" \
    "$(tail -1 "$scratch/keys" |
    tr -s ' ' | cut -d ' ' -f 6-)" '?[2J forged?txt'
finish
