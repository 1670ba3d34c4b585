#!/bin/sh
# SPDX-License-Identifier: ISC
# A backtest compares with what is active now, and beside it with what was recorded:
# an unchanged text flips nothing.  It lists the flipped events by page.
. "$(dirname "$0")/lib.sh"
use backtest

start_signed_in
is "the service decides the shipped sample" "$(decide_sample)" ""
sql "insert into assay.label (event_id, analyst)
    select 'sample-' || lpad(n::text, 4, '0'),
	case when n % 3 = 1 then 'fraud' else 'legit' end
    from generate_series(1, 700) n where n % 3 <> 0"

# The seed decided all samples.  Then other rules, which are stricter, are active.
jq -Rs . "$srcdir/sql/seed/rules/card.authorize.rule" >"$scratch/seed"
sed "s/event.amount > 3000/event.amount > 30/; s/score += 14,/score += 40,/" \
    "$scratch/seed" >"$scratch/strict"
http POST /v1/rules "{\"eventType\":\"card.authorize\",\"version\":\"strict-1\",
    \"dsl\":$(cat "$scratch/strict")}"
is "stricter rules become active" "$STATUS" 200

# run_backtest RULES MEMBERS: a backtest of the newest samples, with a text of
# $scratch as its rules.
run_backtest() {
	http POST /v1/backtest "{\"eventType\":\"card.authorize\",\"newest\":20000,
	    \"dsl\":$(cat "$scratch/$1")$2}"
}
run_backtest strict ',"flips":5'
is_json "the text of the active rules flips nothing, although the records differ" \
    '[.active.ruleset, .active.flips, (.active.flipsByPair, .active.flipped |
	length), .active.next, .active.delta.flips] | tostring' \
    '["strict-1",0,0,0,null,0]'
is_json "the text of the active rules has their counts" \
    '[.active.counts == (.candidate | del(.precision, .recall,
	.falsePositiveRate)), .active.delta.fraudCaught] | tostring' "[true,0]"
recorded=$(json '.flipsByPair | map(.samples) | add')
check "the text differs from the recorded verdicts" test "$recorded" -gt 20
pairs=$(json '.flipsByPair | map("\(.to)>\(.from):\(.samples)") | sort | join(" ")')

# The text that decided the samples, against the stricter rules.
run_backtest seed ',"flips":100'
is_json "the seed's text keeps the recorded verdicts" '.flipsByPair | length' 0
is_json "each sample that the active rules decide otherwise is a flip" \
    '.active.flips' "$recorded"
is_json "the flips of the active rules mirror those of the records" \
    '.active.flipsByPair | map("\(.from)>\(.to):\(.samples)") | sort |
	join(" ")' "$pairs"
# shellcheck disable=SC2016 # these are variables of jq
is_json "the table of verdicts has all samples, and the flips beside its diagonal" \
    '. as $all | [(.active.verdicts | to_entries[] | .key as $from | .value |
	to_entries[] | {same: (.key == $from), value})] |
	[(map(.value) | add) == $all.sampleSize,
	(map(select(.same | not).value) | add) == $all.active.flips] | tostring' \
    "[true,true]"
is_json "the difference on labels is that of the two counts" \
    '.active.delta.falsePositives ==
	.candidate.falsePositives - .active.counts.falsePositives' true

# Pages: each flip once, the newest first, and the sums of the pairs.
: >"$scratch/rows"
before=
n_pages=0
while [ "$before" != null ] && [ "$n_pages" -lt 100 ]; do
	run_backtest seed ",\"flips\":7${before:+,\"flipsBefore\":\"$before\"}"
	json '.active.flipped[] | tojson' >>"$scratch/rows"
	before=$(json .active.next)
	n_pages=$((n_pages + 1))
done
jq -s . "$scratch/rows" >"$scratch/all"
is "the pages have each flip once, the newest first" \
    "$(jq -c '[(map(.id) | length, (unique | length)),
	(map(.id) == (map(.id) | sort | reverse))]' "$scratch/all")" \
    "[$recorded,$recorded,true]"
is "there are as many pages as the flips need" "$n_pages" $(((recorded + 6) / 7))
is "a flip has event, user, time, amount, label and verdicts as they are stored" \
    "$(jq -r 'sort_by(.id)[] | [.id, .eventId, .userId, .decidedAt, .amount,
	.currency, .label, .recorded, (.candidate == .recorded)] | join(" ")' \
	"$scratch/all" | md5sum)" \
    "$(sql "select v.id, v.event_id, d.user_id,
	to_char(date_trunc('milliseconds', v.decided_at) at time zone 'UTC',
	    'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),
	d.request::json ->> 'amount', d.request::json ->> 'currency',
	l.outcome, v.verdict, 'true'
	from assay.verdict_log v
	    join assay.decision_detail d on d.verdict_id = v.id
	    left join assay.label l on l.event_id = v.event_id
	where v.id in ($(jq -r 'map("'\''\(.id)'\''") | join(",")' \
	    "$scratch/all"))
	order by v.id collate \"C\"" | tr '|' ' ' | md5sum)"
run_backtest seed ',"flips":1'
is "the pairs have the labels and the amounts of their flips" \
    "$(echo "$BODY" | jq -cS '.active.flipsByPair | map([.from, .to, .samples,
	.fraud, .legit, (.amounts | map_values(. * 100 | round))]) | sort')" \
    "$(jq -cS 'group_by([.active, .candidate]) | map([.[0].active,
	.[0].candidate, length, (map(select(.label == "fraud")) | length),
	(map(select(.label == "legit")) | length), (map(select(.amount)) |
	group_by(.currency) | map({(.[0].currency):
	    (map(.amount) | add * 100 | round)}) | add // {})]) | sort' \
	"$scratch/all")"
from=$(json '.active.flipsByPair[0].from') to=$(json '.active.flipsByPair[0].to')
n=$(json '.active.flipsByPair[0].samples')
run_backtest seed ",\"flips\":100,\"flipsFrom\":\"$from\",\"flipsTo\":\"$to\""
is_json "the flips of one pair are chosen by its verdicts" \
    '[(.active.flipped | length), (.active.flipped |
	map("\(.active) \(.candidate)") | unique[])] | tostring' \
    "[$n,\"$from $to\"]"

# Bands: both sides use the recorded scores.
http GET /v1/policies
active=$(json '.[] | select(.eventType == "card.authorize") | .policy |
    {onError, bands: [.bands[] | del(.. | nulls)]} | tojson')
strict='{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":4},
    {"verdict":"deny","min":5,"max":100}]}'
http POST /v1/policies "$(echo "$strict" |
    jq -c '{id: "pol_card_authorize", version: "strict-1"} + .')"
is "stricter bands become active" "$STATUS" 200
bands() { echo "{\"eventType\":\"card.authorize\",\"policy\":$1$2}"; }
http POST /v1/backtest "$(bands "$strict" '')"
is_json "the active bands flip nothing, although the records differ" \
    '[.active.ruleset, .active.policy, .active.flips,
	(.flipsByPair | length > 0)] | tostring' '[null,"strict-1",0,true]'
http POST /v1/backtest "$(bands "$active" '')"
is_json "other bands are compared with the active ones" \
    '[.flipsByPair == [], .active.flips > 0, (.active.flipsByPair[0] |
	has("amounts"))] | tostring' "[true,true,false]"

# A kept result has no users; a further page is not kept.
http POST /v1/backtest "$(bands "$active" ',"flips":3')"
id=$(json .id)
next=$(json .active.next)
is_json "with flips bands have amounts, and the caller sees users" \
    '[(.active.flipsByPair | all(has("amounts"))), (.active.flipped |
	all(.userId | type == "string"))] | tostring' "[true,true]"
http GET "/v1/backtest/$id"
is_json "a kept result has its flips without users and amounts" \
    '.active.flipped | map(.userId, .amount, .currency) | unique | tostring' \
    "[null]"
http POST /v1/backtest "$(bands "$active" ",\"flips\":3,\"flipsBefore\":\"$next\"")"
is_json "a further page is not kept" 'has("id")' false
for members in '"flips":101' '"flips":-1' '"flipsFrom":"deny"' \
    '"flips":1,"flipsTo":"none"' '"flips":1,"flipsBefore":"vd_1"'; do
	http POST /v1/backtest "{\"eventType\":\"card.authorize\",$members}"
	is_error "a page of flips with $members answers 400" 400 INVALID_REQUEST
done
finish
