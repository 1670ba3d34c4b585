# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of the whole configuration share; sourced after eyes.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh; read by scenarios

# config: read it; etag identifies it.
config() {
	as "$ann" GET /v1/config
	etag=$(json .etag)
}
# apply CHANGES [MEMBERS]: make these changes of what etag identifies.
apply() {
	as "$ann" POST /v1/config "{\"etag\":\"$etag\",\"changes\":[$1]${2:-}}"
}
# rules VERSION [AMOUNT]: the change that publishes rules.
rules() {
	printf '{"action":"POST /v1/rules","body":{"eventType":"card.refund","version":"%s","dsl":"rule big { when event.amount > %s then score += 40, tag big }"}}' \
	    "$1" "${2:-100}"
}
policy='{"action":"POST /v1/policies","body":{"id":"card.refund","version":"p2","onError":"fail_closed","bands":[{"min":0,"max":49,"verdict":"allow"},{"min":50,"max":100,"verdict":"deny"}]}}'
rates='{"action":"PUT /v1/config/rate-limits","body":{"decisionsPerMin":700}}'
days='{"action":"PUT /v1/config/retention","body":{"activity":30}}'
queue='{"action":"PUT /v1/queues/fraud%20review","body":{"targetMinutes":60}}'
hook='{"action":"POST /v1/webhooks","body":{"url":"https://example.com/hook","events":["decision.made.v1"]}}'

# make_changes: $policy and $hook get the id and the event that they need.
make_changes() {
	config
	policy=$(printf %s "$policy" | jq -c --arg id "$(json \
	    '.policies[] | select(.eventType == "card.refund") | .id')" \
	    '.body.id = $id')
	as "$ann" GET /v1/webhooks
	hook=$(printf %s "$hook" | jq -c --arg event "$(json '.events[0]')" \
	    '.body.events = [$event]')
}
