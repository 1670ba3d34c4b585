#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /v1/rules/check: all mistakes of a text, or its rules and warnings, as
# the text would be published; it changes nothing.
. "$(dirname "$0")/lib.sh"
use hosts rules

start_stack
admin_token
admin=$TOKEN
analyst_token

# check_rules TEXT: check it; TEXT is what stands in a JSON string.
check_rules() {
	http POST /v1/rules/check "{\"eventType\":\"order.place\",\"dsl\":\"$1\"}"
}
good='# two rules\nrule big { when event.amount>=50 && !(attr.\"plan name\" in [\"b\",\"a\"])\n then score += 60, tag \"big\" }\nrule late { when velocity.attemptsLast2m > 4 then score += 1, tag v }'
before=$(sql "select count(*), max(created_at) from assay.ruleset")
check_rules "$good"
is "an analyst checks a ruleset without mistakes" \
    "$STATUS $(json 'del(.text, .rules) | tojson')" \
    '200 {"ok":true,"errors":[],"tests":0,"warnings":[]}'
is_json "each rule has its id, tag, points, line and signals" \
    '.rules | tojson' \
    '[{"id":"big","tag":"big","weight":60,"line":2,"signals":["event.amount","attr.plan name"]},{"id":"late","tag":"v","weight":1,"line":4,"signals":["velocity.attemptsLast2m"]}]'
text=$(json .text)
is "the text is canonical" "$text" \
    'rule big { when event.amount >= 50 && !(attr."plan name" in ["a", "b"]) then score += 60, tag big }
rule late { when velocity.attemptsLast2m > 4 then score += 1, tag v }'
http POST /v1/rules/check "$(jq -nc --arg t "$text" '{dsl: $t}')"
is_json "the canonical text of a canonical text is the same" .text "$text"

bad='rule a { when geo.land == 1 && event.amount > \"9\" then score += 101, tag t }\nrule b { when event.amount = 5 then score += 1, tag t }\nrule a { when device.firstSeen then score += 1, tag t }'
check_rules "$bad"
is "all mistakes of three rules are listed by line and column" \
    "$STATUS $(json '"\(.ok) \([.errors[] | "\(.line):\(.column)-\(.endColumn)"] | join(" "))"')" \
    "200 false 1:15-23 1:47-50 1:65-68 2:28-29 3:6-7"
is_json "a text with mistakes has no canonical text, rules or warnings" \
    '[.text, .rules, .warnings] | tojson' '[null,[],[]]'
first=$(json '.errors[0] | "line \(.line), column \(.column) \(.message)"')
TOKEN=$admin
publish_rules "\"version\":\"v\",\"dsl\":\"$bad\""
is_json "publishing the text fails with its first mistake" .message "$first"
awk 'BEGIN { printf "{\"dsl\":\""
	for (i = 0; i < 80; i++) printf "rule r%d { when x }\\n", i
	print "\"}" }' >"$scratch/body"
http POST /v1/rules/check "@$scratch/body"
is "of 160 mistakes the first 50 are listed" \
    "$STATUS $(json '"\(.errors | length) \(.errors[49].line)"')" "200 50 25"

check_rules 'rule a { when graph.usersOnDevice > 500 then score += 1, tag t }\nrule b { when event.amount > 1 then score += 1, tag t }\nrule c { when event.amount > 1 then score += 2, tag u }'
is_json "a rule that never fires and a repeated condition are warned about" \
    '"\(.ok)" + (.warnings | map(", \(.line) \(.rule) \(.message)") | join(""))' \
    "true, 1 a never fires: graph.usersOnDevice > 500 is never true, 3 c has the same condition as the rule b"
check_rules 'rule a { when event.currency in [\"usd\", \"EUR\"] then score += 1, tag t }'
is_json "a text that its signal never is is warned about" .warnings[0].message \
    'event.currency is never "usd" (write "USD")'
check_rules ''
is_json "a ruleset without rules is valid" \
    'tojson' '{"ok":true,"errors":[],"text":"","rules":[],"tests":0,"warnings":[]}'

# A ruleset of the largest size.
jq -nrc '{dsl: ([range(1000) | "rule r\(.) { when attr.a\(. % 120) == \"" +
    ("x" * 960) + "\" then score += 1, tag t }\n"] | join(""))}' \
    >"$scratch/body"
http POST /v1/rules/check "@$scratch/body"
is "a thousand rules of a megabyte are checked" \
    "$STATUS $(json '"\(.ok) \(.rules | length) \(.text | length > 1000000)"')" \
    "200 true 1000 true"

check_rules 'rule a { when attr.card == \"4111111111111111\" then score += 1, tag t }'
is_error "a text with a full card number answers 400" 400 INGEST_PAN_REJECTED
http POST /v1/rules/check '{"eventType":"order.placed","dsl":""}'
is_error "an unknown event type answers 400" 400 INVALID_REQUEST
http POST /v1/rules/check '{"eventType":"order.place"}'
is_error "a check without a text answers 400" 400 INVALID_REQUEST
http POST /v1/rules/check '{"dsl":7}'
is_error "a number as text answers 400" 400 INVALID_REQUEST
TOKEN=
check_rules "$good"
is_error "a check without a token answers 401" 401 UNAUTHENTICATED
is "checks store nothing" \
    "$(sql "select count(*), max(created_at) from assay.ruleset")" "$before"
finish
