#!/bin/sh
# SPDX-License-Identifier: ISC
# A shadow ruleset or scorer beside the active one: it changes nothing but its
# sample, its decisions and labels are counted, and another one replaces it.
. "$(dirname "$0")/lib.sh"
use shadow

start_stack SCORER_SHADOW=learned DECIDE_WORKERS=3
start_host 2 SCORER_SHADOW=learned
admin_token
api_key

# SCORER_SHADOW: every event type has a shadow scorer; answers do not change.
publish_version live 30
is "the active ruleset decides" "$(decide_order '' a-1)" "allow 30"
is "the sample has the decision of the shadow scorer" "$(shadow_sample a-1)" \
    "learned allow 30 any 30"
http POST /v1/decisions '{"id":"a-2","type":"account.login",
    "subject":{"userId":"u-a-2"}}'
is "the shadow scorer decides every event type" \
    "$(shadow_sample a-2)" "learned allow 0 "
is "the shadow scorer is shown before the companion runs" \
    "$(shown_shadows order.place)" \
    "scorer learned active 0"
cron project SCORER_SHADOW=learned
is "the shadow scorer is counted after the companion's run" \
    "$(shown_shadows order.place)" "scorer learned active 1"
for n in 1 2 3; do
	decide_order '' "l-$n" >/dev/null
	http POST /v1/labels/chargeback "{\"eventId\":\"l-$n\"}"
done
is "labels do not change the active scorer" "$(decide_order 2 a-3)" "allow 30"
is "labels change the shadow scorer at once" \
    "$(shadow_sample a-3)" "learned allow 39 any 39"

# Block and allow lists decide before a shadow; a watch list applies to both.
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-b-1"}'
http POST /v1/lists '{"kind":"allow","subject":"user","value":"u-b-2"}'
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-b-3"}'
is "block and allow lists decide" \
    "$(decide_order '' b-1) $(decide_order '' b-2)" \
    "deny -1 allow -1"
is "a decision by a list has no sample and no shadow" \
    "$(sql "select count(*) from assay.decision_detail
    where event_id in ('b-1', 'b-2') and sample is null")" 2
decide_order '' b-3 >/dev/null
is "a watch list applies to the shadow, too" "$(shadow_sample b-3)" \
    "learned review 39 any 39,list.watch 0"

# A shadow ruleset replaces the shadow scorer, on every worker of every host.
before=$(sql "select rules from assay.epoch")
publish_version cand 55 '"shadow":true'
first=$(json .id)
is "a shadow ruleset is accepted" \
    "$STATUS $(json '"\(.ok) \(.version)"')" "200 true cand"
is "a shadow ruleset begins a new epoch of rules" "$(epoch_moved rules)" yes
is "a shadow ruleset is a version in the history" \
    "$(http GET /v1/rules/order.place/history; echo "$BODY")" \
    '["cand", "live", "seed@v0.4"]'
is "a shadow ruleset is not the active version" \
    "$(http GET /v1/rules; json '.[] |
    select(.eventType == "order.place").version')" live
for n in 1 2 3 4 5 6; do
	decide_order "$([ $((n % 2)) = 0 ] || echo 2)" "c-$n"
done | sort -u >"$scratch/answers"
is "answers do not show the shadow ruleset" \
    "$(cat "$scratch/answers")" "allow 30"
is "every worker of both hosts evaluates the shadow ruleset" \
    "$(for n in 1 2 3 4 5 6; do shadow_sample "c-$n"; done |
    sort -u)" "$first review 55 any 55"
is "the shadow's review opens no case" \
    "$(sql "select count(*) from assay.review_case
    where event_id like 'c-%'")" 0
is "the verdict log has only the active decision" \
    "$(sql "select distinct verdict ||
    score from assay.verdict_log where event_id like 'c-%'")" allow30

# Batches, and events that the companion decides.
http POST /v1/decisions/batch '{"events":[
    {"id":"d-1","type":"order.place","amount":1,"currency":"EUR",
	"subject":{"userId":"u-d"}},
    {"id":"d-2","type":"account.login","subject":{"userId":"u-d"}}]}'
is "each event of a batch has its shadow" \
    "$(shadow_sample d-1) $(shadow_sample d-2)" \
    "$first review 55 any 55 learned allow 0 "
http POST /v1/decisions/async '{"id":"d-3","type":"order.place","amount":1,
    "currency":"EUR","subject":{"userId":"u-d"}}'
cron decide SCORER_SHADOW=learned
is "the companion evaluates the shadow ruleset" \
    "$(shadow_sample d-3)" "$first review 55 any 55"

# The counts of a shadow.
cron project SCORER_SHADOW=learned
is "the ruleset is active, the scorer waits" "$(shown_shadows order.place)" \
    "ruleset cand active 8, scorer learned waiting 6"
http GET /v1/model/shadow
is_json "a shadow shows agreement, verdicts and scores" \
    '.[] | select(.version == "cand") |
    "\(.agreement) \(.verdicts | tojson) \(.live.scores.p5) \(.shadow.scores |
    tojson)"' '0 {"allow":{"allow":0,"challenge":0,"review":8,"deny":0},"challenge":{"allow":0,"challenge":0,"review":0,"deny":0},"review":{"allow":0,"challenge":0,"review":0,"deny":0},"deny":{"allow":0,"challenge":0,"review":0,"deny":0}} 30 {"p5":55,"p25":55,"p50":55,"p75":55,"p95":55}'
is_json "a shadow shows points by tag" \
    '.[] | select(.version == "cand") | .tags | tojson' \
    '[{"tag":"any","live":{"decisions":8,"points":240},"shadow":{"decisions":8,"points":440}}]'

http POST /v1/labels/chargeback '{"eventId":"c-1"}'
http POST /v1/labels/chargeback '{"eventId":"c-7"}'
sql "select assay.label_put('c-2', 'analyst', 'legit', 'c')" >/dev/null
cron project
is "labels count for the active and the shadow ruleset" \
    "$(label_counts)" "1 1 0 0 0.5 1"
decide_order '' c-7 >/dev/null
sql "update assay.label set match_after = now()"
cron project
is "a label before its decision counts" "$(label_counts)" \
    "2 1 0 0 0.6666666666666666 1"
http POST /v1/labels/chargeback '{"eventId":"c-2"}'
cron project
is "a changed label moves its count" "$(label_counts)" "3 0 0 0 1 1"
sql "select assay.label_put('d-1', 'analyst', 'legit', 'c')" >/dev/null
cron project
http POST /v1/privacy/erase '{"userId":"u-d"}'
http POST /v1/labels/chargeback '{"eventId":"d-1"}'
cron project
is "a label counts after its sample was erased" "$(label_counts)" "4 0 0 0 1 1"
is "no count names an erased user" \
    "$(sql "select count(*) from assay.shadow_count c
    where c::text like '%u-d%'")" 0

# Another shadow ruleset replaces the first and is counted separately.
publish_version cand-2 70 '"shadow":true'
second=$(json .id)
decide_order '' e-1 >/dev/null
is "a new shadow ruleset replaces the previous one" "$(shadow_sample e-1)" \
    "$second review 70 any 70"
http POST /v1/labels/chargeback '{"eventId":"c-3"}'
cron project
is "a new shadow ruleset has a new id and new counts" \
    "$(shown_shadows order.place)" \
    "ruleset cand-2 active 1, scorer learned waiting 6"
is "labels of the replaced ruleset do not count for it" "$(sql "select count(*)
    from assay.shadow_count where kind in ('fraud', 'legit')
	and number = (select max(number) from assay.shadow)")" 0
publish_version cand 1 '"shadow":true'
is_error "a version's name is used only once" 409 VERSION_EXISTS
decide_order '' e-2 >/dev/null
is "a refused version replaces nothing" \
    "$(shadow_sample e-2)" "$second review 70 any 70"
finish
