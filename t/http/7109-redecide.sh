#!/bin/sh
# SPDX-License-Identifier: ISC
# Past events are decided again with the rules and lists of now: a report by verdict and
# money; and with act, cases and events for those that became more severe.
. "$(dirname "$0")/lib.sh"
use velocities redecide

# answered: what the decisions of all orders were, and their cases.
answered() {
	sql "select event_id, verdict, score from assay.verdict_log order by event_id"
}
# revised: the events that wait to be published.
revised() {
	sql "select data::json ->> 'eventId', data::json ->> 'formerVerdict',
		data::json ->> 'verdict', data::json ->> 'score',
		data::json -> 'reasons' -> 0 ->> 'tag',
		data::json ->> 'redecisionId' = '$redecision',
		data::json ->> 'caseId' is not null
	    from assay.outbox where event = 'verdict.revised.v1' order by number;
	    delete from assay.outbox" | grep -v DELETE
}

start_signed_in
http POST /v1/webhooks '{"url":"https://hooks.example/","events":["verdict.revised.v1"]}'
is "a webhook may subscribe to revised verdicts" "$STATUS" 201
for n in 1 2 3 4 5; do
	carded "o-$n" "u-$n" "d-$n" "c-$n" "${n}0.5" >/dev/null
done
block d-6 watch
carded o-6 u-6 d-6 c-6 60.5 >/dev/null
block d-7
carded o-7 u-7 d-7 c-7 70.5 >/dev/null
carded dry u-1 d-1 c-1 1 "" 'X-Engine-Mode: shadow' >/dev/null
sql "insert into assay.label (event_id, analyst) values ('o-3', 'fraud')" >/dev/null
sql "delete from assay.outbox" >/dev/null
answered >"$scratch/answered"

begin_redecision
is_json "a redecision waits for the companion" \
    '"\(.state) \(.progress) \(.act) \(.createdBy) \(.books | length)"' \
    "waiting 0 0 admin@example.com 7"
cron redecide
http GET "/v1/redecisions/$redecision"
is "with the same rules and lists all scored events are decided as before" \
    "$(found)" "done: 6 decided, 0 more, 0 less severe, 0 acted, 0 cases"
is_json "an event that a list decided has no sample to decide again" \
    '"\(.redecision.unscored) \(.redecision.unreadable) \(.redecision.progress)"' "1 0 1"
is_json "the report has decisions and money by pair of verdicts" \
    '.pairs | map("\(.from) \(.to) \(.decisions) \(.fraud) \(.amounts.EUR) \(.fraudAmounts.EUR)") | join(", ")' \
    "allow allow 5 1 152.5 30.5, review review 1 0 60.5 null"
is "no decision is another one" "$(changes)" ""

for n in 2 3 6; do block "d-$n"; done
block d-4 watch
redecide '"eventTypes":["account.login"]'
is "only events of the named types are decided" \
    "$(found)" "done: 0 decided, 0 more, 0 less severe, 0 acted, 0 cases"
redecide '"eventTypes":["order.place"]'
is "entries of lists decide as they are now" \
    "$(found)" "done: 6 decided, 4 more, 0 less severe, 0 acted, 0 cases"
is_json "the report says which fraud would be denied" \
    '.pairs[] | select(.to == "deny" and .from == "allow") |
	"\(.decisions) \(.fraud) \(.legit) \(.amounts.EUR) \(.fraudAmounts.EUR)"' \
    "2 1 0 51 30.5"
is "each change has its verdicts and its reasons" "$(changes)" \
    "$(printf 'o-6 review deny -1 list.block\no-4 allow review 0 list.watch
o-3 allow deny -1 list.block\no-2 allow deny -1 list.block')"
is "without act nothing is published and no case is opened" \
    "$(revised)$(sql "select count(*) from assay.verdict_revision")" 0

redecide '"act":1'
is "with act only so many are acted on as are wanted" \
    "$(found)" "done: 6 decided, 4 more, 0 less severe, 1 acted, 1 cases"
is "the first in time is acted on first" "$(changes | grep case)" \
    "o-2 allow deny -1 list.block case"
is "an event has the revised verdict" "$(revised)" \
    "o-2|allow|deny|-1|list.block|t|t"
redecide '"act":10000'
is "an event that was acted on is left out the next time" \
    "$(found)" "done: 6 decided, 4 more, 0 less severe, 3 acted, 1 cases"
is "no case is opened for a labelled event, nor for one that has a case" \
    "$(changes | grep case)" "o-4 allow review 0 list.watch case"
is "each revised verdict is published" "$(revised)" \
    "$(printf '%s\n' 'o-3|allow|deny|-1|list.block|t|f' \
	'o-4|allow|review|0|list.watch|t|t' 'o-6|review|deny|-1|list.block|t|f')"
block d-4
redecide '"act":10000'
is "an event that became more severe again is acted on, with the case that it has" \
    "$(found); $(revised)" \
    "done: 6 decided, 4 more, 0 less severe, 1 acted, 0 cases; o-4|allow|deny|-1|list.block|t|t"
is "no stored decision has changed" "$(answered)" "$(cat "$scratch/answered")"

# The case.
http GET "/v1/cases?eventId=o-2&queue=*"
is_json "a case of the event is opened now, with its amount" \
    'map("\(.queue) \(.status) \(.score) \(.amount) \(.currency) \(.tags | join(",")) \(.audit[0].actor)") | join(" ")' \
    "risk-ops open 100 20.5 EUR list.block engine"
is_json "the history of the case names the redecision" \
    '.[0].audit[0].detail | test("^redecision rdc_[0-9a-v]{26}: was allow, would be deny now$")' true
case_id=$(json '.[0].id')
http GET "/v1/cases?userId=u-2&queue=*"
is_json "the case is found by its user" '.[0].id' "$case_id"
http GET /v1/decisions/o-2/explain
is_json "the explanation of the decision names the case" .caseId "$case_id"
http POST "/v1/cases/$case_id/resolve" '{"outcome":"fraud"}'
is "the case can be resolved" "$STATUS" 200

# What became less severe.
block d-6 allow
http DELETE "/v1/lists/$(sql "select id from assay.list_entry
    where value = 'd-6' and kind = 'block'")"
http DELETE "/v1/lists/$(sql "select id from assay.list_entry
    where value = 'd-6' and kind = 'watch'")"
redecide '"act":10000'
is "an event that became less severe is only reported" \
    "$(found); $(changes | grep o-6)" \
    "done: 6 decided, 3 more, 1 less severe, 0 acted, 0 cases; o-6 review allow -1 list.allow"
finish
