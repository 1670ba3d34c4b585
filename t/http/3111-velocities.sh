#!/bin/sh
# SPDX-License-Identifier: ISC
# Velocities: a ruleset defines one, the companion fills it from stored decisions, and
# from then on rules read it.
. "$(dirname "$0")/lib.sh"
use velocities

cards='velocity cards = distinct(attr.card) by deviceId over 1h'
rule='rule r_cards { when velocity.cards > 2 then score += 30, tag cards }'

start_stack
start_host 2
admin_token
api_key

# Decisions from before: two cards on the device, one of them of another user.
carded a-1 u-1 d-1 c-1 >/dev/null
carded a-2 u-2 d-1 c-2 >/dev/null
carded a-3 u-3 d-3 c-1 >/dev/null
publish_velocities order.place one "$cards
$rule
test t_cards { given velocity.cards == 3 expect score == 30 because cards }"
is "a ruleset with a velocity is published" "$STATUS" 200
http GET /v1/rules
is_json "the active ruleset shows its velocity in canonical form" \
    '.[] | select(.eventType == "order.place") | .velocities[0] | "\(.name): \(.definition)"' \
    "cards: distinct(attr.card) by deviceId over 1h"
is "nothing is counted before the companion knows it" "$(velocity_states)" ""
is "the velocity is unknown at first" "$(carded b-1 u-1 d-1 c-3)" ""
is "the explanation shows the velocity as unknown" "$(seen b-1 cards)" null

cron velocity
is "the companion counts it, and it is not complete" "$(velocity_states)" "cards false 0"
is "the velocity is unknown until it is filled" "$(carded b-2 u-1 d-1 c-4)" ""
is "a new decision is counted at once" "$(velocity_states)" "cards false 1"
begin_fills
cron velocity
is "the fill counts the stored decisions of both devices" \
    "$(velocity_states)" "cards true 2"
is "a rule reads the velocity, which includes the event" "$(carded b-3 u-9 d-1 c-1)" cards
is "the fill counts each decision once: four cards" "$(seen b-3 cards)" 4
http POST /v1/decisions/b-3/try '{"set":{"velocity.cards":2}}'
is_json "a decision can be tried with another value of a velocity" \
    '"\(.score) \(.reasons | length)"' "0 0"
http POST /v1/decisions/b-3/try '{"set":{"velocity.cards":2.5}}'
is_error "a count is a whole number" 400 INVALID_REQUEST
is "another host has the same value" "$(carded b-4 u-1 d-1 c-9 10 2)" cards
is "the fifth card is counted" "$(seen b-4 cards)" 5
is "the other device has its own count" "$(carded b-5 u-3 d-3 c-2 >/dev/null; seen b-5 cards)" 2
is "an event without a device has no value" \
    "$(http POST /v1/decisions '{"id":"b-6","type":"order.place","amount":1,
	"currency":"EUR","subject":{"userId":"u-1"},"attributes":{"card":"c-1"}}'
	seen b-6 cards)" null
is "a dry run reads the velocity" \
    "$(carded b-7 u-1 d-1 c-8 10 '' 'X-Engine-Mode: shadow')" cards
carded b-8 u-1 d-1 c-1 >/dev/null
is "a dry run counts nothing" "$(seen b-8 cards)" 5

# Without the attribute the event does not count, but has a value.
http POST /v1/decisions '{"id":"b-9","type":"order.place","amount":1,
    "currency":"EUR","subject":{"userId":"u-1","deviceId":"d-1"}}'
is "an event without the field has the value of the others" "$(seen b-9 cards)" 5
http POST /v1/decisions '{"id":"c-1","type":"account.login",
    "attributes":{"card":"c-7"},"subject":{"userId":"u-1","deviceId":"d-1"}}'
carded c-2 u-1 d-1 c-1 >/dev/null
is "events of other types count, too" "$(seen c-2 cards)" 6

http POST /v1/backtest "$(jq -nc --arg dsl "$cards
rule r_cards { when velocity.cards > 4 then score += 95, tag cards }" \
    '{eventType: "order.place", newest: 100, $dsl}')"
is "a backtest sees what the decisions saw" \
    "$(json '.flipsByPair | tostring')" '[{"from":"allow","samples":4,"to":"review"}]'

is "the stored keys and values show no id or card" \
    "$(sql "select count(*) from assay.velocity_state
	where position('d-1'::bytea in key) > 0 or position('c-1'::bytea in state) > 0")" 0
http POST /v1/privacy/erase '{"userId":"u-3"}' -H 'X-Confirm-Password: x'
finish
