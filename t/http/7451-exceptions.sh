#!/bin/sh
# SPDX-License-Identifier: ISC
# Exceptions: what they silence, for what, and how they show.
. "$(dirname "$0")/lib.sh"
use exceptions

start_stack
start_host 2
admin_token
api_key
publish_two
is "both rules fire without an exception" "$(decide_big u-1 a-1)" "review 55 any,big"

except '"value":"u-10"'
is "the exception of a longer id is another one" "$(decide_big u-1 a-2)" "review 55 any,big"
except
is "an exception is made" "$STATUS $(json '"\(.kind) \(.name) \(.state) \(.createdBy)"')" \
    "201 tag big active admin@example.com"
by_tag=$(json .id)
is "the tag is silenced for the user at once" "$(decide_big u-1 b-1)" "allow 30 any"
is "the tag is silenced on another host" "$(decide_big u-1 b-2 2)" "allow 30 any"
is "another user is decided as before" "$(decide_big u-2 b-3)" "review 55 any,big"
is "the exception of a shorter id is another one" "$(decide_big u-100 b-5)" "review 55 any,big"
http POST /v1/decisions '{"id":"b-6","type":"order.place","amount":50,
    "currency":"EUR","subject":{"userId":"u-1"}}'
is_json "a rule that would not fire is not silenced" .score 30
is "an earlier decision stays" "$(decide_big u-1 a-1)" "review 55 any,big"
is "a dry run has the exception" "$(decide_big u-1 b-4 '' 'X-Engine-Mode: shadow')" \
    "allow 30 any"
is "two decisions count, and both have another verdict" "$(counted "$by_tag")" "active 2 2"
http GET "/v1/exceptions/$by_tag"
is "the newest decisions are shown, with the verdict without it" \
    "$(json '.uses | map("\(.eventId) \(.verdict) \(.verdictWithout)") | join(", ")')" \
    "b-2 allow review, b-1 allow review"

is "the sample has what is silenced" \
    "$(sql "select sample::json -> 'silenced' from assay.decision_detail
	where event_id = 'b-1'")" '["tag:big"]'
is "a sample without exceptions has nothing of them" \
    "$(sql "select count(*) from assay.decision_detail
	where event_id = 'b-3' and sample like '%silenced%'")" 0
is "the explanation shows the silenced rule" "$(explained b-1)" \
    "true r_any true false, r_big true true"
is "the explanation of another decision shows none" "$(explained b-3)" \
    "true r_any true false, r_big true false"
http POST /v1/backtest '{"eventType":"order.place","newest":100,
    "dsl":"rule r_any { when event.amount > 0 then score += 30, tag any } rule r_big { when event.amount > 100 then score += 25, tag big }"}'
is "a backtest of the same rules repeats what was silenced" \
    "$(json '"\(.sampleSize) \(.flipsByPair | length)"')" "7 0"

# A rule by its id, for a device; and an event type.
except '"kind":"rule","name":"r_any","subject":"device","value":"d-u-2"'
by_rule=$(json .id)
is "a rule is silenced for a device" "$(decide_big u-2 c-1)" "allow 25 big"
except '"eventType":"order.place","subject":"user","value":"u-2"'
of_type=$(json .id)
is "exceptions by user and device act together" "$(decide_big u-2 c-2)" "allow 0 "
is "one without another verdict counts, too" \
    "$(counted "$by_rule") $(counted "$of_type")" "active 2 2 active 1 1"
http POST /v1/rules '{"eventType":"account.login","version":"three",
    "dsl":"rule r_any { when event.type == \"account.login\" then score += 60, tag big }"}'
http POST /v1/decisions "$(login_event u-2)"
is_json "an exception of one event type leaves the others" .score 60
http POST /v1/decisions "$(login_event u-1)"
is_json "an exception of every type acts on all of them" .score 0
is "lists decide before" "$(http POST /v1/lists \
    '{"kind":"block","subject":"user","value":"u-1"}'; decide_big u-1 c-3)" \
    "deny -1 list.block"
http DELETE "/v1/lists/$(sql 'select id from assay.list_entry')"

is "the metric counts the silenced decisions of this host" \
    "$(metric 'engine_silenced_decisions_total{verdict="allow"}')" 4

# Its end.
http POST "/v1/exceptions/$by_tag/end"
is "an exception is ended" "$STATUS $(json '"\(.state) \(.endedBy)"')" \
    "200 ended admin@example.com"
is "the tag fires again at once" "$(decide_big u-1 d-1)" "review 55 any,big"
is "the tag fires again on another host" "$(decide_big u-1 d-2 2)" "review 55 any,big"
http POST "/v1/exceptions/$by_tag/end"
is "ending it again changes nothing" "$STATUS $(counted "$by_tag")" "200 ended 3 3"
except "\"expiresAt\":\"$(date -u -d '3 seconds' +%Y-%m-%dT%H:%M:%SZ)\""
short=$(json .id)
fires_again() { n=$((n + 1)) && [ "$(decide_big u-1 "e-$n")" = "review 55 any,big" ]; }
n=0
check "an exception expires by itself" stack_until 20 $$ fires_again
is "the state of an exception that has expired says so" "$(counted "$short" | cut -d ' ' -f 1)" expired
http GET "/v1/exceptions?state=active"
is "the active ones are listed" "$(json 'map(.name) | sort | join(" ")')" "big big r_any"
http GET "/v1/exceptions?limit=1&offset=3"
is "a page is listed, newest first" "$(json 'map(.id) | join(" ")')" "$by_tag"

finish
