#!/bin/sh
# SPDX-License-Identifier: ISC
# What a decision by a list leaves behind: a blocked or allowed event only its log,
# a watched event a review.
. "$(dirname "$0")/lib.sh"
use list_decisions

start_stack DECIDE_WORKERS=3
open_lists
ctl_lists add block ip 203.0.113.9 >/dev/null

# A blocked or allowed event leaves its log, and nothing else.
# rows_left: print the numbers of states, entities, links, cases and samples.
rows_left() {
	sql "select (select count(*) from assay.user_state),
	    (select count(*) from assay.entity), (select count(*) from assay.entity_link),
	    (select count(*) from assay.review_case),
	    (select count(*) from assay.decision_detail where sample is not null)"
}
ctl_lists add block user n-1 >/dev/null
ctl_lists add allow user n-2 >/dev/null
before=$(rows_left)
for user in n-1 n-2; do
	http POST /v1/decisions "$(card_event "$user" \
	    ',"deviceId":"n-d","ip":"203.0.113.80","fingerprint":"n-f"')" \
	    -H "Idempotency-Key: $user"
done
is "a listed event leaves no state, entity, link, case or sample" \
    "$(rows_left)" "$before"
is "a listed event leaves verdict, request and idempotency key" \
    "$(sql "select v.verdict, v.score,
    v.reasons, d.request is not null, i.key
    from assay.verdict_log v join assay.decision_detail d on d.verdict_id = v.id
	join assay.idempotency i on i.verdict_id = v.id
    where d.user_id in ('n-1', 'n-2') order by i.key")" \
"deny|-1|[{\"tag\":\"list.block\",\"points\":0}]|t|n-1
allow|-1|[{\"tag\":\"list.allow\",\"points\":0}]|t|n-2"
ctl_lists remove block user n-1 >/dev/null
http POST /v1/decisions "$(card_event n-1)" -H "Idempotency-Key: n-1"
is "a repeated key replays the blocked answer" \
    "$(json .verdict) $(header x-engine-idempotent-replay)" "deny true"
decide_event "$(card_event n-1 ',"deviceId":"n-d","fingerprint":"n-f"')"
is "after a blocked event the user's next event is the first" "$(sql "select
    signals(sample) ->> 'velocity.attemptsLast24h',
    signals(sample) ->> 'device.firstSeen',
    signals(sample) ->> 'device.fingerprintFirstSeen'
    from assay.decision_detail where user_id = 'n-1' and sample is not null")" "0|true|true"

# The watch list raises a verdict to review, in the policy's queue for reviews.
replace_rules
ctl_lists add watch user w-1 >/dev/null
# spend_watched AMOUNT: decide a payment of the watched user.
spend_watched() {
	decide_event "{\"type\":\"card.authorize\",\"subject\":{\"userId\":\"w-1\"},
	    \"id\":\"w-$1\",\"amount\":$1,\"currency\":\"EUR\"}"
}
spend_watched 1
is "the watch list raises allow to review" "$DECIDED" "review 0 list.watch/0"
spend_watched 101
is "the watch list raises challenge to review" \
    "$DECIDED" "review 30 big/30 list.watch/0 more/0"
spend_watched 1001
is "the watch list keeps deny" \
    "$DECIDED" "deny 90 huge/60 big/30 list.watch/0 more/0"
decide_event '{"type":"account.login","id":"w-login","subject":{"userId":"w-1"}}'
is "the watch list reviews under a policy without reviews" \
    "$DECIDED" "review 0 list.watch/0"
is "each review of a watched user opens a case" \
    "$(sql "select event_id, queue, score
    from assay.review_case where event_id like 'w-%' order by opened_at")" \
"w-1|second-line|0
w-101|second-line|30
w-login|risk-ops|0"
is "each event of a watched user is counted" "$(sql "select
    max(signals(sample) ->> 'velocity.attemptsLast24h')
    from assay.decision_detail where user_id = 'w-1'")" 3

# One phone is one phone, however it is written; another text costs no verdict.
ctl_lists add block phone +442079460123 >/dev/null
decided_phone() {
	decide_event "{\"type\":\"account.login\",\"subject\":{\"userId\":\"p-$1\",
	    \"phone\":\"$2\"}}"
	echo "$STATUS $DECIDED"
}
for phone in 442079460123 '+44 (0)20 7946 0123' '011 44 20 7946 0123' \
    'tel:+44-20-7946-0123;ext=5' "+44$(printf '\302\240')20 7946 0123"; do
	case $(decided_phone 1 "$phone") in
	"200 deny"*) ;;
	*) not_ok "a blocked phone is found as $phone" ;;
	esac
done
is "a phone that cannot be read costs only its signals" \
    "$(decided_phone 2 "ask for Bob") $(sql "select count(*)
    from assay.decision_detail where user_id = 'p-2'
	and request::json #> '{subject,phone}' is null")" "200 allow 0  1"
is "phones that cannot be read are counted" "$(metric engine_phones_unreadable_total)" 1

# In one batch each event is decided alone, one user both blocked and scored.
ctl_lists add block device b-d >/dev/null
http POST /v1/decisions/batch "{\"events\":[
    $(card_event b-1 ',"deviceId":"b-d"'), $(card_event b-1), $(card_event w-1), {},
    $(card_event b-2 ',"deviceId":"b-d","ip":"203.0.113.9"'),
    $(card_event b-1 ',"ip":"203.0.113.200"')]}"
is "a batch applies lists to each of its events" \
    "$(json '[.results[] | if .ok then "\(.decision.verdict)\(
    .decision.score)" else "-" end] | join(" ")')" \
    "deny-1 allow0 review0 - deny-1 allow0"
is "a batch counts only the scored events of a user" "$(sql "select string_agg(
    signals(sample) ->> 'velocity.attemptsLast24h', ' '
    order by signals(sample) ->> 'velocity.attemptsLast24h')
    from assay.decision_detail where user_id = 'b-1'")" "0 1"
finish
