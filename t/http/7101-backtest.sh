#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /v1/backtest against a recount in SQL: the shipped sample, labels of both
# sources, candidate policies, rules as text and as trees.  It writes nothing.
. "$(dirname "$0")/lib.sh"
use backtest

start_signed_in
http POST /v1/backtest '{"eventType":"card.authorize"}'
is_json "a backtest without samples counts nothing" \
    'del(.id, .seconds, .samplesPerSecond) | tojson' \
    "$(printf '%s' '{"eventType":"card.authorize","scorer":"weighted","sampleSize":0,"labeled":0,
    "candidate":{"truePositives":0,"falsePositives":0,"falseNegatives":0,
    "trueNegatives":0,"precision":0,"recall":0,"falsePositiveRate":0},
    "baseline":{"truePositives":0,"falsePositives":0,"falseNegatives":0,
    "trueNegatives":0},"delta":{"fraudCaught":0,"falsePositives":0,"flips":0},
    "mix":{"before":{"allow":0,"challenge":0,"review":0,"deny":0},
    "after":{"allow":0,"challenge":0,"review":0,"deny":0}},
    "flipsByPair":[],"active":{"ruleset":null,"policy":"v0.4.0","flips":0,
    "counts":{"truePositives":0,"falsePositives":0,"falseNegatives":0,
    "trueNegatives":0},"delta":{"fraudCaught":0,"falsePositives":0,"flips":0},
    "verdicts":{"allow":{"allow":0,"challenge":0,"review":0,"deny":0},
    "challenge":{"allow":0,"challenge":0,"review":0,"deny":0},
    "review":{"allow":0,"challenge":0,"review":0,"deny":0},
    "deny":{"allow":0,"challenge":0,"review":0,"deny":0}},
    "flipsByPair":[]},"otherScorer":0}' | tr -d '\n ')"

# One user of the sample is watched.  Two events leave no sample: one that a list
# denies and one that is degraded.
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-0095"}'
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-bad"}'
is "the service decides the shipped sample" "$(decide_sample)" ""
http POST /v1/decisions '{"id":"sample-0601","type":"card.authorize",
    "subject":{"userId":"u-bad"}}'
is_json "a decision by a block list has no score" .score -1
sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
	verdict, score, reasons, policy_id, policy_version, correlation_id)
    values (now(), 'vd_x', 'sample-0606', 'card.authorize', 'allow', -1,
	'[{\"tag\":\"engine.degraded\",\"points\":0}]', 'p', 'v', 'c')"

# One event is decided twice, with another idempotency key.
http POST /v1/decisions "$(jq -c '.events[0]' "$scratch/batches" |
    head -n 1)" -H 'Idempotency-Key: again'
is "an event of the sample is decided a second time" "$STATUS" 200

# Labels by the number of the event: none, an analyst's, a chargeback, both.
sql "insert into assay.label (event_id, analyst, chargeback)
    select 'sample-' || lpad(n::text, 4, '0'),
	case n % 5 when 1 then 'fraud' when 2 then 'legit' when 4 then 'legit'
	end, case when n % 5 in (3, 4) then 'fraud' end
    from generate_series(1, 700) n where n % 5 <> 0"

# Some samples have the form of earlier builds.
sql "update assay.decision_detail set sample = regexp_replace(sample,
	',\"values\":.*', ',\"rules\":[],\"tags\":[],\"signals\":') ||
	signals(sample) || '}' where event_id like 'sample-%1'"
check "some samples have the earlier form" [ "$(sql "select count(*)
    from assay.decision_detail where sample like '%\"event.type\":%'")" -gt 9 ]
make_samples
live=$live_bands

before=$(database_digest)
check_backtest "a backtest without a candidate agrees with the recount" \
    card.authorize '' "$live"
is "a backtest without a candidate flips no verdict" \
    "$(json '.flipsByPair | length')" 0
is "the recount has samples, watched users and all verdicts" \
    "$(sql "select count(*) >= 100,
    count(*) filter (where watched) > 1,
    count(distinct answered) = 4 from sample where type = 'card.authorize'")" \
    "t|t|t"
bands='{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":9},
    {"verdict":"challenge","min":10,"max":19,"reviewQueue":"x"},
    {"verdict":"deny","min":20,"max":100}]}'
strict="case when score <= 9 then 'allow' when score <= 19 then 'challenge'
	else 'deny' end"
check_backtest "a backtest of a policy agrees with the recount" \
    card.authorize ",\"policy\":$bands" "$strict"
check_backtest "a policy for another event type agrees with the recount" \
    wallet.withdraw ",\"policy\":$bands" "$strict"
check_backtest "a policy agrees for a type with other live bands" \
    order.place ",\"policy\":$bands" \
    "$strict" "case when score <= 49 then 'allow' else 'review' end"

text='[{"dsl":"rule c_velocity { when velocity.attemptsLast24h > 0 \u0026\u0026
    event.amount > 50 then score += 30, tag velocity }"},
    {"dsl":"rule c_shop { when attr.merchant in [\"grocer-02\", \"travel-01\"]
    then score += 20, tag shop }"}]'
trees='[{"id":"c_dev","tag":"dev","weight":25,"condition":{"kind":"or","any":[
    {"kind":"compare","path":"graph.usersOnDevice","op":"gte","value":2},
    {"kind":"not","not":{"kind":"compare","path":"instrument.threeDS",
    "op":"eq","value":true}}]}}]'
signal_number() { echo "(s->>'$1')::numeric"; }
velocity="$(signal_number velocity.attemptsLast24h) > 0 and $(signal_number event.amount) > 50"
shop="s->>'attr.merchant' in ('grocer-02', 'travel-01')"
dev="$(signal_number graph.usersOnDevice) >= 2 or not (s->>'instrument.threeDS')::boolean"
points_when() { echo "case when $1 then $2 else 0 end"; }
of_text="$(points_when "$velocity" 30) + $(points_when "$shop" 20)"
of_trees=$(points_when "$dev" 25)
# verdict_by SCORE POLICY: the verdict of a policy on that score.
verdict_by() { echo "$2" | sed "s/score/($1)/g"; }
check_backtest "a backtest of rules as text agrees with the recount" \
    card.authorize ",\"rules\":$(echo "$text" | tr -d '\n')" \
    "$(verdict_by "$of_text" "$live")"
check_backtest "a backtest of rules as trees agrees with the recount" \
    card.authorize ",\"rules\":$trees" \
    "$(verdict_by "$of_trees" "$live")"
both=$(printf '%s,%s' "${text%]}" "${trees#[}" | tr -d '\n')
check_backtest "a backtest of both kinds of rules and a policy agrees" \
    card.authorize \
    ",\"rules\":$both,\"policy\":$bands" \
    "$(verdict_by "$of_text + $of_trees" "$strict")"
check_backtest "a backtest of a whole ruleset as text agrees" \
    payment.authorize \
    ',"dsl":"rule a { when event.amount >= 0 then score += 100, tag a }"' \
    "$(verdict_by "$(points_when 'true' 100)" "$live")"
check_backtest "a backtest without any rule agrees with the recount" \
    payment.authorize ',"rules":[]' "'allow'"
is "backtests write nothing to the database but their results" "$(database_digest)" "$before"
http GET /v1/audit
is_json "backtests leave no entry in the audit trail" \
    '.entries | map(.action) | unique | join(" ")' \
    "POST /v1/apikeys POST /v1/auth/register POST /v1/lists"

# A sample that this version cannot read is left out.
sql "update assay.decision_detail set sample = left(sample, -1)
    where event_id = 'sample-0001'"
http POST /v1/backtest "{\"eventType\":\"card.authorize\",\"rules\":$trees}"
is_json "a truncated sample is left out of the counts" \
    '"\(.sampleSize) \(.labeled)"' \
    "$(sql "select count(*) - 2, count(label) - 2 from sample
	where type = 'card.authorize'" | tr '|' ' ')"
check "the log counts the unreadable samples" \
    grep -q 'event=backtest_samples_unreadable samples=2$' \
    "$scratch/log/pool.log"
finish
