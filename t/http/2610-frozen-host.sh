#!/bin/sh
# SPDX-License-Identifier: ISC
# A host stands still, as a paused virtual machine does, while others change things on
# another host: its first answers know all changes.
. "$(dirname "$0")/lib.sh"
use hosts rules

start_two_hosts
old_key=$KEY old_id=$(json .key.id)
second_pool=$(echo "$more_pids" | cut -d ' ' -f 2)
admin=$TOKEN
analyst_token
analyst=$TOKEN
TOKEN=$admin

# first_answers COMMAND ...: more requests to the frozen host than it has workers.
# Prints each different answer once.
first_answers() {
	for request in 1 2 3 4 5 6 7 8; do
		"$@"
		echo "$STATUS ${DECIDED-}"
	done | sort -u
}
order() {
	decide_new 2 '"type":"order.place","amount":50,"currency":"EUR"' "${1-}"
	DECIDED=$(json '"\(.verdict) \([.reasons[]?.tag] | join(" "))"')
}
listed_order() { order '"ip":"198.51.100.7"'; }
who() {
	on 2 GET /v1/auth/me
	DECIDED=$(json .role)
}

is "before, an order is allowed" "$(first_answers order)" "200 allow "
is "before, an order from the address is allowed" "$(first_answers listed_order)" \
    "200 allow "
TOKEN=$analyst
is "before, the analyst is one" "$(first_answers who)" "200 analyst"
TOKEN=$admin

frozen="$second_pool $(pgrep -P "$second_pool" | tr '\n' ' ')"
# shellcheck disable=SC2086 # several
kill -STOP $frozen
api_key
new_key=$KEY
http POST "/v1/apikeys/$old_id/revoke"
publish_rules '"version":"new","dsl":"rule new { when event.amount >= 50 then score += 60, tag new }"'
is "a ruleset is published meanwhile" "$STATUS" 200
http POST /v1/lists '{"kind":"block","subject":"ip","value":"198.51.100.0/24"}'
is "a network is blocked meanwhile" "$STATUS" 201
http PUT /v1/config/rate-limits '{"decisionsPerMin":77}'
is "a limit is changed meanwhile" "$STATUS" 200
sql "update assay.operator set role = 'author' where email = 'ana@example.com'"
# shellcheck disable=SC2086 # several
kill -CONT $frozen

TOKEN='' KEY=$old_key
is "afterwards a revoked key is refused" "$(first_answers order)" "401 null "
KEY=$new_key
is "a new key decides with the new ruleset" "$(first_answers order)" "200 review new"
is "a blocked address is refused" "$(first_answers listed_order)" "200 deny list.block"
order
is "a new limit is known after the first decision" "$(header x-ratelimit-limit)" 77
TOKEN=$analyst KEY=
is "a new role is known" "$(first_answers who)" "200 author"
finish
