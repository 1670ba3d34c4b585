#!/bin/sh
# SPDX-License-Identifier: ISC
# Which redecisions are refused, who may begin one, which rules it decides by, and how it
# is cancelled.
. "$(dirname "$0")/lib.sh"
use velocities redecide operators

# publish VERSION LIMIT: the rules of orders, which deny amounts above the limit.
publish() {
	publish_velocities order.place "$1" \
	    "rule r { when event.amount > $2 then score += 100, tag large }"
}
# books: the ruleset of orders in the answer.
book() { json '.books[] | select(.eventType == "order.place") | .ruleset'; }

start_signed_in
admin=$TOKEN
publish one 100
for amount in 10 20 30 40; do
	carded "o-$amount" u d c "$amount" >/dev/null
done

while IFS='|' read -r what where body; do
	http POST /v1/redecisions "$body"
	is_error "a redecision $what is refused" 400 INVALID_REQUEST
	is_json "the refusal of one $what names the field" '.message | split(" ")[0]' "$where"
done <<-'END'
	without a time|since|{}
	since a word|since|{"since":"yesterday"}
	since 91 days by a span|since|{"since":"91d"}
	since a time to come|since|{"since":"2999-01-01T00:00:00Z"}
	since its own end|since|{"since":"2026-01-02T00:00:00Z","until":"2026-01-02T00:00:00Z"}
	until a word|until|{"since":"1h","until":"later"}
	of an unknown event type|eventTypes|{"since":"1h","eventTypes":["order.place","order"]}
	of no event type|eventTypes|{"since":"1h","eventTypes":[]}
	of a number as event type|eventTypes|{"since":"1h","eventTypes":[7]}
	by a ruleset for all types|eventTypes|{"since":"1h","ruleset":"one"}
	by a ruleset of another type|ruleset|{"since":"1h","ruleset":"one","eventTypes":["account.login"]}
	by an unknown ruleset|ruleset|{"since":"1h","ruleset":"none","eventTypes":["order.place"]}
	that acts on too many|act|{"since":"1h","act":10001}
	that acts on fewer than none|act|{"since":"1h","act":-1}
	with an unknown member|limit|{"since":"1h","limit":5}
END
is "nothing of these is stored" "$(sql 'select count(*) from assay.redecision')" 0
for path in '' /changes; do
	http GET "/v1/redecisions/rdc_00000000000000000000000000$path"
	is_error "an unknown redecision has no answer at '$path'" 404 NOT_FOUND
done
http POST /v1/redecisions/rdc_00000000000000000000000000/cancel
is_error "an unknown redecision cannot be cancelled" 404 NOT_FOUND

# Which rules.
begin_redecision
is "the active ruleset is noted when the redecision begins" "$(book)" one
publish two 25
cron redecide
http GET "/v1/redecisions/$redecision"
is "rules that are published later do not decide in it" "$(found)" \
    "done: 4 decided, 0 more, 0 less severe, 0 acted, 0 cases"
redecide
is "the rules of now decide in the next one" "$(found); $(changes | tr '\n' ' ')" \
    "done: 4 decided, 2 more, 0 less severe, 0 acted, 0 cases; o-40 allow review 100 large o-30 allow review 100 large "
redecide '"ruleset":"one","eventTypes":["order.place"]'
is "another version can decide" "$(found)" \
    "done: 4 decided, 0 more, 0 less severe, 0 acted, 0 cases"
at=$(sql "select to_char(decided_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
    from assay.decision_detail where event_id = 'o-30'")
http POST /v1/redecisions "{\"since\":\"$at\",\"until\":\"2999-01-01T00:00:00Z\"}"
redecision=$(json .id)
cron redecide
http GET "/v1/redecisions/$redecision"
is "the first time belongs to the span" "$(found)" \
    "done: 2 decided, 2 more, 0 less severe, 0 acted, 0 cases"
http POST /v1/redecisions "{\"since\":\"1h\",\"until\":\"$at\"}"
redecision=$(json .id)
cron redecide
http GET "/v1/redecisions/$redecision"
is "the last time does not" "$(found)" \
    "done: 2 decided, 0 more, 0 less severe, 0 acted, 0 cases"

# Cancelled.
begin_redecision '"act":100'
first=$redecision
begin_redecision
http POST "/v1/redecisions/$first/cancel"
is_json "one that waits can be cancelled" '"\(.state) \(.decisions)"' "cancelled 0"
http POST "/v1/redecisions/$first/cancel"
is_json "one that was cancelled stays so" '"\(.state) \(.decisions)"' "cancelled 0"
cron redecide
http GET "/v1/redecisions"
is_json "the companion does those that were not cancelled" \
    '.[:2] | map("\(.state) \(.decisions)") | join(", ")' "done 4, cancelled 0"
is "a cancelled one has acted on nothing" \
    "$(sql 'select count(*) from assay.verdict_revision')" 0
http POST "/v1/redecisions/$redecision/cancel"
is_json "one that is done stays so" .state "done"

# Who.
# sign_in_as ROLE: a new operator of this role.
sign_in_as() {
	http POST /v1/auth/users "{\"email\":\"$1@example.com\",
	    \"password\":\"first password\",\"role\":\"$1\"}"
	open_session "$1@example.com" "first password"
}
sign_in_as author
http GET /v1/redecisions
is "an author sees the redecisions" "$STATUS $(json length)" "200 7"
http GET "/v1/redecisions/$redecision/changes?limit=1"
is "an author sees their changes, as many as wanted" "$STATUS $(json length)" "200 1"
http GET "/v1/redecisions/$redecision/changes?offset=1&limit=1"
is_json "the next page has the change before" '.[0].eventId' o-30
http POST /v1/redecisions '{"since":"1h"}'
is_error "an author may not begin one" 403 FORBIDDEN
TOKEN=$admin
sign_in_as analyst
http GET /v1/redecisions
is_error "an analyst does not see them" 403 FORBIDDEN
TOKEN=$admin

# Too many.
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	begin_redecision
done
http POST /v1/redecisions '{"since":"1h"}'
is_error "a redecision after 20 that wait is refused" 409 REDECISIONS_FULL
http POST "/v1/redecisions/$redecision/cancel"
http POST /v1/redecisions '{"since":"1h"}'
is "after one is cancelled there is room" "$STATUS" 201
finish
