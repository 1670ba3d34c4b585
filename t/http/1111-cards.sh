#!/bin/sh
# SPDX-License-Identifier: ISC
# What operators write is kept without card numbers, also where it is refused,
# and is shown without what a terminal would obey; correlation ids that say who
# somebody is are replaced.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

card='4111 1111 1111 1111'

# refuses WHAT METHOD PATH BODY FIELD
refuses() {
	http "$2" "$3" "$4"
	is_error "a card number is refused in $1" 400 INGEST_PAN_REJECTED
	is_json "by the name of the field: $1" .message \
	    "$5 must not hold a full card number"
}

# event ID [CORRELATION-ID]: one that is reviewed.
event() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"payment.authorize\",
	    \"amount\":1,\"currency\":\"EUR\",\"subject\":{\"userId\":\"u-1\"}}" \
	    ${2+-H "X-Correlation-Id: $2"}
}

# kept ID: the correlation id in the verdict log.
kept() {
	sql "select correlation_id from assay.verdict_log
	    where event_id = '$1'"
}

# fresh WHAT ID: a correlation id that is not kept.
fresh() {
	n=$((n + 1))
	event "corr-$n" "$2"
	is "the correlation id is replaced: $1" "$STATUS $(header x-correlation-id |
	    sed 's/_.*//')" "200 cor"
	is "and the log has the new one: $1" "$(kept "corr-$n")" \
	    "$(header x-correlation-id)"
}

start_stack
admin_token
api_key

refuses "the reason of an entry" POST /v1/lists "{\"kind\":\"watch\",
    \"subject\":\"user\",\"value\":\"4111111111111111\",\"reason\":\"$card\"}" reason
refuses "the name of a key" POST /v1/apikeys '{"name":"4111111111111111"}' name
refuses "a webhook's URL" POST /v1/webhooks \
    '{"url":"https://hooks.example.com/4111111111111111",
    "events":["verdict.reached.v1"]}' url
refuses "a channel's URL" POST /v1/notifications '{"type":"slack",
    "url":"https://hooks.example.com/4111-1111-1111-1111",
    "events":["verdict.reached.v1"]}' url
refuses "a chat's id" POST /v1/notifications "{\"type\":\"telegram\",
    \"url\":\"https://hooks.example.com/\",\"target\":\"$card\",
    \"events\":[\"verdict.reached.v1\"]}" target
refuses "an operator's email" POST /v1/auth/users \
    '{"email":"4111111111111111@example.com","password":"long enough"}' email
refuses "the name of a queue" POST /v1/policies '{"id":"pol_payment_authorize",
    "version":"v1","onError":"fail_open","bands":[{"verdict":"review","min":0,
    "max":100,"reviewQueue":"4111111111111111"}]}' 'bands[0].reviewQueue'
refuses "a policy's version" POST /v1/policies '{"id":"pol_payment_authorize",
    "version":"4111-1111-1111-1111","onError":"fail_open",
    "bands":[{"verdict":"review","min":0,"max":100}]}' version
refuses "the text of a ruleset" POST /v1/rules '{"eventType":"payment.authorize",
    "version":"v1","dsl":"rule r { when attr.c == \"4111111111111111\" then score += 1, tag t }"}' dsl
refuses "the tree of a rule" POST /v1/rules '{"eventType":"payment.authorize",
    "version":"v1","rules":[{"id":"r","tag":"t","weight":1,"condition":
    {"kind":"compare","path":"attr.c","op":"eq","value":4111111111111111}}]}' \
    'rules[0].condition.value'
http POST /v1/lists/import "" -H 'Content-Type: text/csv' \
    --data-binary "kind,subject,value,reason
block,user,u-9,$card
"
is_error "a card number is refused in the reason of an imported entry" \
    400 INGEST_PAN_REJECTED

http POST /v1/policies '{"id":"pol_payment_authorize","version":"v1",
    "onError":"fail_open","bands":[{"verdict":"review","min":0,"max":100}]}'
is "all payments are reviewed" "$STATUS" 200
event reviewed
http GET /v1/cases
case=$(json '.[0].id')
refuses "a case note" POST "/v1/cases/$case/resolve" \
    "{\"outcome\":\"fraud\",\"note\":\"card $card\"}" note
http GET "/v1/cases/$case"
is_json "and the case is still open" .status open
http DELETE "/v1/lists/4111%201111-1111%201111"
is_error "a path with a card number" 404 NOT_FOUND

# Ids of the caller's may be like card numbers.
http POST /v1/lists '{"kind":"watch","subject":"user",
    "value":"4111111111111111"}'
is "a user's id may look like a card number" "$STATUS" 201
http POST /v1/privacy/erase '{"userId":"4111111111111111"}'
is "also where the user is erased" "$STATUS" 200

# Nothing of it is kept.
http GET '/v1/audit?limit=200'
is "no audit entry has a card number" "$(printf %s "$BODY" |
    grep -cE '4111[- ]?1111|4111%20')" 0
is_json "what a refused reason said is in the trail without the number" \
    '[.entries[] | select(.action == "POST /v1/lists" and .status == 400)][0] |
	.params.reason' '[card]'
is_json "also what was beside the number" '[.entries[] |
    select(.action | endswith("/resolve"))][0].params.note' 'card [card]'
is_json "a number that is no text is replaced too" \
    '[.entries[] | select(.action == "POST /v1/rules" and .params.rules)][0] |
	.params.rules[0].condition.value' '[card]'
is_json "a path is kept without the number" \
    '[.entries[] | select(.action | startswith("DELETE"))][0].action' \
    'DELETE /v1/lists/[card]'
http POST /v1/apikeys "{\"name\":\"n\",\"$card\":1,\"days\":4111111111111111,
    \"note\":\"$(printf '%0250d' 0 | tr 0 -)$card and so on\"}"
is_error "fields that there are none of" 400 INVALID_REQUEST
http GET '/v1/audit?limit=1'
is_json "names, numbers and what stands where a text is cut are clean" \
    '.entries[0].params | "\(keys | join(" ")) \(.days) \(.note[-7:])"' \
    "[card] days name note [card] [card]…"

# Correlation ids.
n=0
fresh "a card number" 4111111111111111
fresh "an email" ada.lovelace@mail.example
fresh "an address" "from 203.0.113.87"
fresh "an address of IPv6" "[2001:db8:77::5e]:443"
fresh "a phone number" "tel +251955667788"
event corr-good 550e8400-e29b-41d4-a716-446655440000
is "others are kept" "$(kept corr-good)" 550e8400-e29b-41d4-a716-446655440000
for id in 4111111111111111 ada.lovelace@mail.example 203.0.113.87 \
    2001:db8:77::5e +251955667788; do
	http POST /v1/decisions "$(head -c 40000 /dev/zero | tr '\0' a)" \
	    -H "X-Correlation-Id: $id"
	is "nginx replaces it in an answer of its own" "$STATUS $(
	    header x-correlation-id | sed 's/_.*//')" "413 cor"
done
http POST /v1/decisions "$(head -c 40000 /dev/zero | tr '\0' a)" \
    -H "X-Correlation-Id: till 7 12:34:56"
is "and keeps others" "$(header x-correlation-id)" "till 7 12:34:56"

# Labels are one line that says something.
for label in ' ' '\u001b[2J\u001b]0;x\u0007' 'a\r\nb' '\u009b2J'; do
	http POST /v1/apikeys "{\"name\":\"$label\"}"
	is_error "a key's name is one line that is not blank" \
	    400 INVALID_REQUEST
	http POST /v1/notifications "{\"type\":\"telegram\",
	    \"url\":\"https://hooks.example.com/\",\"target\":\"$label\",
	    \"events\":[\"verdict.reached.v1\"]}"
	is_error "a chat's id too" 400 INVALID_REQUEST
	http POST /v1/policies "{\"id\":\"pol_payment_authorize\",
	    \"version\":\"v2\",\"onError\":\"fail_open\",\"bands\":[
	    {\"verdict\":\"review\",\"min\":0,\"max\":100,
	    \"reviewQueue\":\"$label\"}]}"
	is_error "and a queue's name" 400 POLICY_INVALID
done

# What was stored before shows no escape to a terminal.
sql "update assay.service_key set name = E'\\x1b[2J\\nforged\\u202Etxt'" >/dev/null
DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
    "$builddir/assayctl" key list >"$scratch/keys" 2>&1
is "assayctl key list obeys no key's name" "$(tail -1 "$scratch/keys" |
    tr -s ' ' | cut -d ' ' -f 6-)" '?[2J forged?txt'
finish
