#!/bin/sh
# SPDX-License-Identifier: ISC
# Rulesets over HTTP: published as text and as trees, active on every worker of
# every host for its next decision, and rolled back.
. "$(dirname "$0")/lib.sh"
use hosts rules

start_two_hosts

# spend_on_host HOST AMOUNT [MEMBERS]: a new user spends it; DECIDED is "verdict
# score tags".
spend_on_host() {
	decide_new "$1" "\"type\":\"order.place\",\"amount\":$2,
	    \"currency\":\"EUR\"${3-}"
	DECIDED=$(json '"\(.verdict) \(.score) \([.reasons[].tag] | join(" "))"')
}

http GET /v1/rules
is "GET /v1/rules lists the seed rulesets" \
    "$STATUS $(json '[.[] | "\(.eventType) \(.version)"] | join(", ")')" \
    "200 account.login seed@v0.4, card.authorize seed@v0.4, card.capture seed@v0.4, card.refund seed@v0.4, order.place seed@v0.4, payment.authorize seed@v0.4, wallet.withdraw seed@v0.4"
is_json "a seed rule has its id, tag, weight and text" \
    '.[4].rules[] | select(.tag == "takeover") | tojson' \
    '{"id":"r_takeover","tag":"takeover","weight":33,"dsl":"rule r_takeover { when device.firstSeen == true && geo.ipSimMismatch == true then score += 33, tag takeover }"}'
is_json "a listed ruleset has an event type, a version and rules" \
    'map(keys | join(" ")) | unique | join("")' "eventType rules version"
seeds=$(json '.[4].rules | tojson')

# Ruleset texts.  There are more decisions than workers of a host.
for n in "" 2 "" 2; do
	spend_on_host "$n" 50
	is "order $new_users on host ${n:-1} gets no points from the seed rules" \
	    "$DECIDED" "allow 0 "
done
publish_rules '"version":"big-1","dsl":"# by hand\nrule big { when event.amount >= 50\n then score += 60, tag \"big\" }"'
is "a ruleset is published from text" "$STATUS $BODY" \
    '200 {"warnings":[],"ok" : true, "version" : "big-1"}'
for n in 2 "" 2 "" 2 ""; do
	spend_on_host "$n" 50
	is "order $new_users on host ${n:-1} gets the points of the new rule" \
	    "$DECIDED" "review 60 big"
done
http GET /v1/rules
is_json "GET /v1/rules shows the published ruleset" '.[4] | tojson' \
    '{"eventType":"order.place","version":"big-1","rules":[{"id":"big","tag":"big","weight":60,"dsl":"rule big { when event.amount >= 50 then score += 60, tag big }"}]}'
http GET /v1/rules/order.place/history
is "the history of a ruleset has the newest version first" \
    "$STATUS $BODY" '200 ["big-1", "seed@v0.4"]'

# Rulesets of trees, and rules as GET shows them.
publish_rules "\"version\":\"trees\",\"rules\":[$(rule_tree "{\"kind\":\"and\",\"all\":[
    $(compare_tree event.amount gt 10),{\"kind\":\"or\",\"any\":[
    $(compare_tree 'attr.plan name' eq '"a \"b\" || #\n"'),{\"kind\":\"not\",\"not\":
    $(compare_tree event.currency neq '"ETB"')}]}]}"),
    {\"dsl\":\"rule other { when attr.x then score += 50, tag other }\"}]"
is "a ruleset is published from trees and text" \
    "$STATUS $(json .version)" "200 trees"
http GET /v1/rules
is_json "GET /v1/rules prints a tree as text" '.[4].rules[0].dsl' \
    'rule r { when event.amount > 10 && (attr."plan name" == "a \"b\" || #\u000a" || !(event.currency != "ETB")) then score += 7, tag t }'
spend_on_host 2 11 ',"attributes":{"plan name":"a \"b\" || #\n","x":true}'
is "a rule that was published as a tree fires" "$DECIDED" "review 57 other t"
spend_on_host "" 11 ',"attributes":{"plan name":"a"}'
is "a rule of a tree does not fire where its condition is false" \
    "$DECIDED" "allow 0 "
publish_rules "\"version\":\"again\",\"rules\":$seeds"
is "the rules that GET shows can be published" "$STATUS" 200
http GET /v1/rules
is "published again, the seed rules read as before" \
    "$(json '.[4].rules | tojson')" "$seeds"
publish_rules '"version":"none","rules":[]'
is "a ruleset without rules is published" "$STATUS" 200
spend_on_host 2 9999
is "a ruleset without rules allows an order of 9999" "$DECIDED" "allow 0 "

# Rollbacks.
http POST /v1/rules/order.place/rollback '{"toVersion":"big-1"}'
is "a rollback answers 200" "$STATUS $BODY" '200 {"ok":true}'
spend_on_host 2 50
is "host 2 decides by the version of the rollback" "$DECIDED" "review 60 big"
spend_on_host "" 50
is "host 1 decides by the version of the rollback" "$DECIDED" "review 60 big"
http GET /v1/rules/order.place/history
is "a rollback leaves the history as it was" "$BODY" \
    '["none", "again", "trees", "big-1", "seed@v0.4"]'
epoch=$(sql "select rules from assay.epoch")
http POST /v1/rules/order.place/rollback '{"toVersion":"big-1"}'
is "a rollback to the active version answers 200" "$STATUS" 200
is "a rollback to the active version does not raise the epoch" \
    "$(sql "select rules from assay.epoch")" "$epoch"
sql "update assay.ruleset set text = 'rule x' where version = 'trees'"
http POST /v1/rules/order.place/rollback '{"toVersion":"trees"}'
is_error "a rollback to a version that does not parse answers 400" \
    400 RULESET_INVALID
http POST /v1/rules/order.place/rollback '{"toVersion":"big-2"}'
is_error "a rollback to an unknown version answers 404" 404 NOT_FOUND
is_json "the message names the unknown version's field" \
    .message "toVersion is not a version of this ruleset"
http POST /v1/rules/card.refund/rollback '{"toVersion":"big-1"}'
is_error "a rollback to another event type's version answers 404" 404 NOT_FOUND

# Limits of size.  With sanitizers each part of a rule is a malloc(): on a busy machine
# 900 such rules take longer than a request may, so 600 of them are a comment.
rules=900
! grep -q __asan_init "$scratch/bin/assay-fcgi" || rules=300
perl -e 'my $not = "!" x 63 . "attr.a";
	my $rule = "when " . join("&&", ($not) x 15) . " then score+=1,tag t}";
	print q({"eventType":"order.place","version":"large","dsl":"#),
	    $rule x (900 - $ARGV[0]), q(\n),
	    (map { "rule r$_\{$rule" } 1 .. $ARGV[0]), q("})' "$rules" >"$scratch/large"
check "the large body is close to the limit of 1 MiB" \
    [ "$(wc -c <"$scratch/large")" -gt 980000 ]
http POST /v1/rules "" --data-binary @"$scratch/large" \
    -H 'Content-Type: application/json' -H Expect:
is "a ruleset close to the limit is published" "$STATUS" 200
# With sanitizers, on a busy machine, a worker may compile it for longer than a
# decision may take.
# shellcheck disable=SC2317
scored() {
	spend_on_host "$@"
	[ "${DECIDED#* -1 }" = "$DECIDED" ]
}
stack_until 20 0 scored "" 50
is "a large ruleset allows what no rule matches" "$DECIDED" "allow 0 "
stack_until 20 0 scored 2 50 ',"attributes":{"a":false}'
is "host 2 decides by the large ruleset" "$DECIDED" "review 100 t"
http GET /v1/rules
is_json "GET /v1/rules shows all rules of the large ruleset" \
    '.[4].rules | length' "$rules"
printf '{"eventType":"order.place","version":"over","dsl":"#%01048576d"}' 0 \
    >"$scratch/over"
http POST /v1/rules "" --data-binary @"$scratch/over" \
    -H 'Content-Type: application/json' -H Expect:
is_error "a body above 1 MiB answers 413" 413 PAYLOAD_TOO_LARGE

finish
