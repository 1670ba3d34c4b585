#!/bin/sh
# SPDX-License-Identifier: ISC
# Rulesets over HTTP: as text and as trees, felt by the next decision on every
# worker of every host, rolled back, and refused whole when anything is wrong.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
start_host 2
admin_token
api_key

# spend HOST AMOUNT [MEMBERS]: "verdict score tags", each by somebody new.
users=0
spend() {
	users=$((users + 1))
	on "$1" POST /v1/decisions "{\"type\":\"order.place\",\"amount\":$2,
	    \"currency\":\"EUR\",\"subject\":{\"userId\":\"u-$users\"}${3-}}"
	DECIDED=$(json '"\(.verdict) \(.score) \([.reasons[].tag] | join(" "))"')
}
# publish MEMBERS: of order.place.
publish() {
	http POST /v1/rules "{\"eventType\":\"order.place\",$1}"
}
# refused WHAT MEMBERS MESSAGE
refused() {
	publish "$2"
	is_error "$1" 400 RULESET_INVALID
	is_json "$1, and where" .message "$3"
}
compare() {
	printf '{"kind":"compare","path":"%s","op":"%s","value":%s}' "$@"
}
# tree CONDITION: a rule.
tree() {
	printf '{"id":"r","tag":"t","weight":7,"condition":%s}' "$1"
}

http GET /v1/rules
is "the seeds" "$STATUS $(json '[.[] | "\(.eventType) \(.version)"] | join(", ")')" \
    "200 account.login seed@v0.4, card.authorize seed@v0.4, card.capture seed@v0.4, card.refund seed@v0.4, order.place seed@v0.4, payment.authorize seed@v0.4, wallet.withdraw seed@v0.4"
is_json "a rule" '.[4].rules[] | select(.tag == "takeover") | tojson' \
    '{"id":"r_takeover","tag":"takeover","weight":33,"dsl":"rule r_takeover { when device.firstSeen == true && geo.ipSimMismatch == true then score += 33, tag takeover }"}'
is_json "all its members" 'map(keys | join(" ")) | unique | join("")' \
    "eventType rules version"
seeds=$(json '.[4].rules | tojson')

# As text.  Many decisions, so that every worker has its turn.
for n in "" 2 "" 2; do
	spend "$n" 50
	is "before, host ${n:-1}" "$DECIDED" "allow 0 "
done
publish '"version":"big-1","dsl":"# by hand\nrule big { when event.amount >= 50\n then score += 60, tag \"big\" }"'
is "a version is published" "$STATUS $BODY" \
    '200 {"ok" : true, "version" : "big-1"}'
for n in 2 "" 2 "" 2 ""; do
	spend "$n" 50
	is "the next decision, host ${n:-1}" "$DECIDED" "review 60 big"
done
http GET /v1/rules
is_json "it is the one that decides" '.[4] | tojson' \
    '{"eventType":"order.place","version":"big-1","rules":[{"id":"big","tag":"big","weight":60,"dsl":"rule big { when event.amount >= 50 then score += 60, tag big }"}]}'
http GET /v1/rules/order.place/history
is "newest first" "$STATUS $BODY" '200 ["big-1", "seed@v0.4"]'

# As trees, and as rules are shown.
publish "\"version\":\"trees\",\"rules\":[$(tree "{\"kind\":\"and\",\"all\":[
    $(compare event.amount gt 10),{\"kind\":\"or\",\"any\":[
    $(compare 'attr.plan name' eq '"a \"b\" || #\n"'),{\"kind\":\"not\",\"not\":
    $(compare event.currency neq '"ETB"')}]}]}"),
    {\"dsl\":\"rule other { when attr.x then score += 50, tag other }\"}]"
is "trees and text" "$STATUS $(json .version)" "200 trees"
http GET /v1/rules
is_json "a tree as text" '.[4].rules[0].dsl' \
    'rule r { when event.amount > 10 && (attr."plan name" == "a \"b\" || #\u000a" || !(event.currency != "ETB")) then score += 7, tag t }'
spend 2 11 ',"attributes":{"plan name":"a \"b\" || #\n","x":true}'
is "a tree decides" "$DECIDED" "review 57 other t"
spend "" 11 ',"attributes":{"plan name":"a"}'
is "and where it is not true, not" "$DECIDED" "allow 0 "
publish "\"version\":\"again\",\"rules\":$seeds"
is "what GET shows may be published" "$STATUS" 200
http GET /v1/rules
is "and is the same" "$(json '.[4].rules | tojson')" "$seeds"
publish '"version":"none","rules":[]'
is "no rules at all" "$STATUS" 200
spend 2 9999
is "let everything through" "$DECIDED" "allow 0 "

# Back and forth.
http POST /v1/rules/order.place/rollback '{"toVersion":"big-1"}'
is "an earlier version is back" "$STATUS $BODY" '200 {"ok":true}'
spend 2 50
is "on the other host" "$DECIDED" "review 60 big"
spend "" 50
is "and here" "$DECIDED" "review 60 big"
http GET /v1/rules/order.place/history
is "the history stays" "$BODY" \
    '["none", "again", "trees", "big-1", "seed@v0.4"]'
epoch=$(sql "select rules from assay.epoch")
http POST /v1/rules/order.place/rollback '{"toVersion":"big-1"}'
is "to where it is already" "$STATUS" 200
is "tells nobody" "$(sql "select rules from assay.epoch")" "$epoch"
sql "update assay.ruleset set text = 'rule x' where version = 'trees'"
http POST /v1/rules/order.place/rollback '{"toVersion":"trees"}'
is_error "to what no worker could load" 400 RULESET_INVALID
http POST /v1/rules/order.place/rollback '{"toVersion":"big-2"}'
is_error "to no version" 404 NOT_FOUND
is_json "which is said" .message "toVersion is no version of this ruleset"
http POST /v1/rules/card.refund/rollback '{"toVersion":"big-1"}'
is_error "to a version of others" 404 NOT_FOUND
for body in '{}' '{"toVersion":1}' '{"toVersion":"a b"}' '[]' \
    '{"toVersion":"big-1","version":"big-1"}'; do
	http POST /v1/rules/order.place/rollback "$body"
	is_error "rollback $body" 400 INVALID_REQUEST
done
for type in card.authorise none order.place%20; do
	http GET "/v1/rules/$type/history"
	is_error "history of $type" 404 NOT_FOUND
	http POST "/v1/rules/$type/rollback" '{"toVersion":"big-1"}'
	is_error "rollback of $type" 404 NOT_FOUND
done

# One label, one ruleset.
publish '"version":"big-1","dsl":"rule x { when attr.x then score += 1, tag x }"'
is_error "a label is used once" 409 VERSION_EXISTS
http POST /v1/rules '{"eventType":"card.refund","version":"big-1","dsl":" "}'
is "but by each type of event" "$STATUS" 200

for n in 1 2 3 4; do
	curl -s -o /dev/null -w '%{http_code}\n' --max-time 30 \
	    --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    -H 'Content-Type: application/json' "$BASE/v1/rules" \
	    -d "{\"eventType\":\"order.place\",\"version\":\"race\",
		\"dsl\":\"# $n\"}" >"$scratch/race.$n" &
	racing="${racing-} $!"
done
# shellcheck disable=SC2086 # several
wait $racing
is "of four at once one is published" "$(cat "$scratch"/race.? | sort |
    paste -sd ' ')" "200 409 409 409"

# What is wrong, and where.  Nothing of it is kept.
before=$(sql "select count(*), max(created_at) from assay.ruleset")
epoch=$(sql "select rules from assay.epoch")
refused "text" '"version":"v","dsl":"rule r {\n\twhen device.firstseen"' \
    'line 2, column 7 found "device.firstseen", expected a signal: device has firstSeen, usersOnDevice, usersOnFingerprint, fingerprintFirstSeen, fingerprintDeviceMismatch'
refused "the text of one rule" \
    "\"version\":\"v\",\"rules\":[$(tree "$(compare attr.x eq 1)"),
    {\"dsl\":\"rule s { when 1 }\"}]" \
    'rules[1].dsl, line 1, column 15: found "1", expected a signal such as event.amount or attr.name, "!" or "("'
refused "a signal in a tree" "\"version\":\"v\",\"rules\":[
    $(tree "$(compare attr.x eq 1)"),$(tree "{\"kind\":\"and\",\"all\":[
	$(compare attr.x eq 1),$(compare geo.land eq '"ET"')]}")]" \
    'rules[1].condition.all[1].path found "geo.land", expected a signal: geo has country, distanceKm, countryChanged, impossibleTravel, ipSimMismatch'
refused "a value in a tree" \
    "\"version\":\"v\",\"rules\":[$(tree "{\"kind\":\"not\",\"not\":
	$(compare event.amount gt '"10"')}")]" \
    'rules[0].condition.not.value found a string, but event.amount is a number'
refused "an operator" \
    "\"version\":\"v\",\"rules\":[$(tree "$(compare event.amount in '"10"')")]" \
    'rules[0].condition.op must be gt, gte, lt, lte, eq or neq'
refused "more than a signal" "\"version\":\"v\",\"rules\":[
    $(tree "$(compare 'event.amount > 1 || event.amount' gt 1)")]" \
    "rules[0].condition.path is no signal's name"
refused "no condition" '"version":"v","rules":[{"id":"r","tag":"t","weight":7}]' \
    'rules[0].condition is required'
refused "two rules of one id" "\"version\":\"v\",\"rules\":[
    $(tree "$(compare attr.x eq 1)"),$(tree "$(compare attr.x eq 2)")]" \
    'rules[1]: an earlier rule has the id "r" already'
refused "points" '"version":"v","rules":[{"id":"r","tag":"t","weight":101,"condition":{}}]' \
    'rules[0].weight must be an integer from 0 to 100'
while read -r members; do
	publish "$members"
	is_error "publish $members" 400 INVALID_REQUEST
done <<'END'
"version":"v"
"version":"v","dsl":"","rules":[]
"version":"v","dsl":"# one","rules":[]
"version":"v","dsl":""
"version":"v","dsl":["# one"]
"version":"v","rules":"# one"
"version":"v","rules":null
"dsl":"# one"
"version":"a b","dsl":"# one"
"version":"","dsl":"# one"
"version":7,"dsl":"# one"
"version":"v","dsl":"# one","active":true
"version":"12345678901234567890123456789012345678901234567890123456789012345","dsl":"# one"
END
for type in '"card.authorise"' '""' null 7; do
	http POST /v1/rules "{\"eventType\":$type,\"version\":\"v\",\"dsl\":\"#\"}"
	is_error "event type $type" 400 INVALID_REQUEST
done
http POST /v1/rules '{"version":"v","dsl":"#"}'
is_error "no event type" 400 INVALID_REQUEST
http POST /v1/rules '{"eventType":"order.place",'
is_error "no JSON" 400 INVALID_JSON
is "none of it was kept" \
    "$(sql "select count(*), max(created_at) from assay.ruleset")" "$before"
is "nor told" "$(sql "select rules from assay.epoch")" "$epoch"

# The largest.
perl -e 'my $not = "!" x 63 . "attr.a";
	my $rule = "when " . join("&&", ($not) x 15) . " then score+=1,tag t}";
	print q({"eventType":"order.place","version":"large","dsl":"),
	    (map { "rule r$_\{$rule" } 1 .. 900), q("})' >"$scratch/large"
check "it is near the limit" [ "$(wc -c <"$scratch/large")" -gt 980000 ]
http POST /v1/rules "" --data-binary @"$scratch/large" \
    -H 'Content-Type: application/json' -H Expect:
is "a ruleset as large as can be" "$STATUS" 200
spend "" 50
is "decides" "$DECIDED" "allow 0 "
spend 2 50 ',"attributes":{"a":false}'
is "on each host" "$DECIDED" "review 100 t"
http GET /v1/rules
is_json "and is shown" '.[4].rules | length' 900
printf '{"eventType":"order.place","version":"over","dsl":"#%01048576d"}' 0 \
    >"$scratch/over"
http POST /v1/rules "" --data-binary @"$scratch/over" \
    -H 'Content-Type: application/json' -H Expect:
is_error "beyond 1 MiB" 413 PAYLOAD_TOO_LARGE

# Who may.
http POST /v1/auth/users '{"email":"ana@example.com","password":"correct horse"}'
admin=$TOKEN
TOKEN=
http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
http GET /v1/rules
is "an analyst sees rules" "$STATUS" 200
http GET /v1/rules/order.place/history
is "and their history" "$STATUS" 200
publish '"version":"ana","dsl":"#"'
is_error "but publishes none" 403 FORBIDDEN
http POST /v1/rules/order.place/rollback '{"toVersion":"big-1"}'
is_error "and rolls nothing back" 403 FORBIDDEN
TOKEN=
http GET /v1/rules
is_error "a stranger sees nothing" 401 UNAUTHENTICATED
publish '"version":"me","dsl":"#"'
is_error "nor publishes" 401 UNAUTHENTICATED
TOKEN=$admin
http GET "/v1/audit?limit=3"
is_json "the trail tells" '[.entries[] | "\(.actor) \(.action) \(.status)"] |
    join(", ")' "ana@example.com POST /v1/rules/order.place/rollback 403, ana@example.com POST /v1/rules 403, ana@example.com POST /v1/auth/login 200"
http POST /v1/rules/order.place/rollback '{"toVersion":"seed@v0.4"}'
http GET "/v1/audit?limit=1"
is_json "and to what was rolled back" '.entries[0].params.toVersion' "seed@v0.4"
finish
