#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /v1/backtest against a recount in SQL: the sample's events, labels of
# both sources, candidate policies, rules as text and as trees.  It writes
# nothing, and all that is wrong is refused with its place.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/backtest.sh
. "$srcdir/t/http/backtest.sh"

start_stack
admin_token
api_key
http POST /v1/backtest '{"eventType":"card.authorize"}'
is_json "before anything happened" 'del(.seconds, .samplesPerSecond) | tojson' \
    "$(printf '%s' '{"eventType":"card.authorize","scorer":"weighted","sampleSize":0,"labeled":0,
    "candidate":{"truePositives":0,"falsePositives":0,"falseNegatives":0,
    "trueNegatives":0,"precision":0,"recall":0,"falsePositiveRate":0},
    "baseline":{"truePositives":0,"falsePositives":0,"falseNegatives":0,
    "trueNegatives":0},"delta":{"fraudCaught":0,"falsePositives":0,"flips":0},
    "mix":{"before":{"allow":0,"challenge":0,"review":0,"deny":0},
    "after":{"allow":0,"challenge":0,"review":0,"deny":0}},
    "flipsByPair":[],"otherScorer":0}' | tr -d '\n ')"

# A watched user among the sample's, and events that are no samples: decided
# by a list, or degraded.
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-0095"}'
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-bad"}'
is "the sample is decided" "$(decide_sample)" ""
http POST /v1/decisions '{"id":"sample-0601","type":"card.authorize",
    "subject":{"userId":"u-bad"}}'
is_json "and one that a list denies" .score -1
sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
	verdict, score, reasons, policy_id, policy_version, correlation_id)
    values (now(), 'vd_x', 'sample-0606', 'card.authorize', 'allow', -1,
	'[{\"tag\":\"engine.degraded\",\"points\":0}]', 'p', 'v', 'c')"

# One event was decided twice, under another key.
http POST /v1/decisions "$(jq -c '.events[0]' "$scratch/batches" |
    head -n 1)" -H 'Idempotency-Key: again'
is "one of them twice" "$STATUS" 200

# Labels by the number of the event: none, an analyst's, a chargeback, both.
sql "insert into assay.label (event_id, analyst, chargeback)
    select 'sample-' || lpad(n::text, 4, '0'),
	case n % 5 when 1 then 'fraud' when 2 then 'legit' when 4 then 'legit'
	end, case when n % 5 in (3, 4) then 'fraud' end
    from generate_series(1, 700) n where n % 5 <> 0"

# The recount, from the verdict log: the same columns for any candidate.
sql "create view sample as
    select v.event_type as type, v.verdict as answered, v.score,
	v.reasons::jsonb @> '[{\"tag\":\"list.watch\"}]' as watched,
	d.replay::jsonb->'signals' as s, coalesce(l.chargeback, l.analyst) as label
    from assay.verdict_log v
	join assay.detail d on d.verdict_id = v.id
	left join assay.label l on l.event_id = v.event_id
    where v.score >= 0;
    create function watched(verdict text, watched boolean) returns text
    return case when watched and verdict in ('allow', 'challenge')
	then 'review' else verdict end"
live="case when score <= 24 then 'allow' when score <= 44 then 'challenge'
	when score <= 69 then 'review' else 'deny' end"

# recount TYPE VERDICT LIVE: what VERDICT makes of each sample, in SQL.
recount() {
	sql "with t as (
		select answered, label, watched($2, watched) as candidate,
		    watched($3, watched) as live from sample where type = '$1'
	), k as (
		select answered, candidate, label, candidate <> 'allow' as c,
		    live <> 'allow' as b from t where label is not null
	), n as (
		select count(*) filter (where c and label = 'fraud') as tp,
		    count(*) filter (where c and label = 'legit') as fp,
		    count(*) filter (where not c and label = 'fraud') as fn,
		    count(*) filter (where not c and label = 'legit') as tn,
		    count(*) filter (where b and label = 'fraud') as btp,
		    count(*) filter (where b and label = 'legit') as bfp,
		    count(*) filter (where not b and label = 'fraud') as bfn,
		    count(*) filter (where not b and label = 'legit') as btn,
		    count(*) filter (where answered <> candidate) as flips
		from k
	)
	select (select count(*) from t), (select count(*) from k), n.*,
	    coalesce(round(tp * 1e6 / nullif(tp + fp, 0)), 0),
	    coalesce(round(tp * 1e6 / nullif(tp + fn, 0)), 0),
	    coalesce(round(fp * 1e6 / nullif(fp + tn, 0)), 0),
	    tp - btp, fp - bfp,
	    (select string_agg(answered || '>' || candidate || ':' || c, ' '
		    order by answered collate \"C\", candidate collate \"C\")
		from (select answered, candidate, count(*) as c from t
		    where answered <> candidate group by 1, 2) p),
	    (select string_agg(candidate || ':' || c, ' '
		    order by candidate collate \"C\")
		from (select candidate, count(*) as c from t group by 1) p)
	from n"
}

# The same of the answer.
counted() {
	json '[.sampleSize, .labeled,
	    (.candidate | .truePositives, .falsePositives, .falseNegatives,
		.trueNegatives),
	    (.baseline | .truePositives, .falsePositives, .falseNegatives,
		.trueNegatives),
	    .delta.flips, (.candidate | .precision, .recall,
		.falsePositiveRate | . * 1000000 | round),
	    .delta.fraudCaught, .delta.falsePositives,
	    (.flipsByPair | map("\(.from)>\(.to):\(.samples)") | sort |
		join(" ")),
	    (.mix.after | to_entries | map(select(.value > 0)) |
		sort_by(.key) | map("\(.key):\(.value)") | join(" "))] |
	    join("|")'
}

# tried WHAT TYPE MEMBERS VERDICT [LIVE]: a backtest is as recounted.
tried() {
	http POST /v1/backtest "{\"eventType\":\"$2\"$3}"
	is "$1" "$STATUS $(counted)" "200 $(recount "$2" "$4" "${5:-$live}")"
}

# All that the database holds, but for what is credited and counted meanwhile,
# and the words of psql around it.
state() {
	"$(stack_pg_bin)/pg_dump" -h "$scratch/run" -U postgres \
	    --exclude-table-data=assay.label \
	    --exclude-table-data=assay.tag_count \
	    --exclude-table-data='assay.analytics*' assay |
	    grep -v '^[\]' | md5sum
}

before=$(state)
tried "without a candidate, nothing changes" card.authorize '' "$live"
is "and nothing flips" "$(json '.flipsByPair | length')" 0
is "there is something to count" "$(sql "select count(*) >= 100,
    count(*) filter (where watched) > 1,
    count(distinct answered) = 4 from sample where type = 'card.authorize'")" \
    "t|t|t"
bands='{"onError":"fail_open","bands":[{"verdict":"allow","min":0,"max":9},
    {"verdict":"challenge","min":10,"max":19,"reviewQueue":"x"},
    {"verdict":"deny","min":20,"max":100}]}'
strict="case when score <= 9 then 'allow' when score <= 19 then 'challenge'
	else 'deny' end"
tried "a policy" card.authorize ",\"policy\":$bands" "$strict"
tried "of another type" wallet.withdraw ",\"policy\":$bands" "$strict"
tried "of a type with bands of its own" order.place ",\"policy\":$bands" \
    "$strict" "case when score <= 49 then 'allow' else 'review' end"

text='[{"dsl":"rule c_velocity { when velocity.attemptsLast24h > 0 \u0026\u0026
    event.amount > 50 then score += 30, tag velocity }"},
    {"dsl":"rule c_shop { when attr.merchant in [\"grocer-02\", \"travel-01\"]
    then score += 20, tag shop }"}]'
trees='[{"id":"c_dev","tag":"dev","weight":25,"condition":{"kind":"or","any":[
    {"kind":"compare","path":"graph.usersOnDevice","op":"gte","value":2},
    {"kind":"not","not":{"kind":"compare","path":"instrument.threeDS",
    "op":"eq","value":true}}]}}]'
n() { echo "(s->>'$1')::numeric"; }
velocity="$(n velocity.attemptsLast24h) > 0 and $(n event.amount) > 50"
shop="s->>'attr.merchant' in ('grocer-02', 'travel-01')"
dev="$(n graph.usersOnDevice) >= 2 or not (s->>'instrument.threeDS')::boolean"
points() { echo "case when $1 then $2 else 0 end"; }
of_text="$(points "$velocity" 30) + $(points "$shop" 20)"
of_trees=$(points "$dev" 25)
# by SCORE POLICY: the verdict of a policy on that score.
by() { echo "$2" | sed "s/score/($1)/g"; }
tried "rules as text" card.authorize ",\"rules\":$(echo "$text" | tr -d '\n')" \
    "$(by "$of_text" "$live")"
tried "rules as trees" card.authorize ",\"rules\":$trees" \
    "$(by "$of_trees" "$live")"
both=$(printf '%s,%s' "${text%]}" "${trees#[}" | tr -d '\n')
tried "rules of both kinds, and a policy" card.authorize \
    ",\"rules\":$both,\"policy\":$bands" \
    "$(by "$of_text + $of_trees" "$strict")"
tried "a whole ruleset as text" payment.authorize \
    ',"dsl":"rule a { when event.amount >= 0 then score += 100, tag a }"' \
    "$(by "$(points 'true' 100)" "$live")"
tried "no rules at all" payment.authorize ',"rules":[]' "'allow'"
is "nothing was written by all of this" "$(state)" "$before"
http GET /v1/audit
is_json "nor is there a trail of it" '.entries | map(.action) | unique | join(" ")' \
    "POST /v1/apikeys POST /v1/auth/register POST /v1/lists"

# Samples of another make do not stop it, nor are they counted.
sql "update assay.detail set replay = left(replay, 300)
    where event_id = 'sample-0001'"
http POST /v1/backtest "{\"eventType\":\"card.authorize\",\"rules\":$trees}"
is_json "a sample that is torn is left out" '"\(.sampleSize) \(.labeled)"' \
    "$(sql "select count(*) - 2, count(label) - 2 from sample
	where type = 'card.authorize'" | tr '|' ' ')"
check "and that is said" grep -q 'backtest=unreadable samples=2$' \
    "$scratch/log/pool.log"

# refused WHAT CODE PLACE BODY: 400, and the message begins with the place.
refused() {
	http POST /v1/backtest "$4"
	is_error "$1" 400 "$2" || echo "#   $BODY"
	[ -z "$3" ] ||
	    is "  and where" "$(json .message | cut -c "1-${#3}")" "$3" ||
	    echo "#   $BODY"
}
type='"eventType":"card.authorize"'
band() { printf '{"verdict":"%s","min":%s,"max":%s}' "$1" "$2" "$3"; }
policy() { printf '{%s,"policy":{"onError":"fail_open","bands":[%s]}}' "$type" "$1"; }
rules() { printf '{%s,"rules":[%s]}' "$type" "$1"; }
refused "no type" INVALID_REQUEST eventType '{}'
refused "a type that is none" INVALID_REQUEST eventType '{"eventType":"card"}'
refused "a type that is no string" INVALID_REQUEST eventType '{"eventType":7}'
refused "a field that is none" INVALID_REQUEST limit "{$type,\"limit\":9}"
refused "a policy that is none" INVALID_REQUEST policy "{$type,\"policy\":[]}"
refused "a null policy" INVALID_REQUEST policy "{$type,\"policy\":null}"
refused "a policy without bands" POLICY_INVALID policy.bands \
    "{$type,\"policy\":{\"onError\":\"fail_open\"}}"
refused "and without onError" POLICY_INVALID policy.onError \
    "{$type,\"policy\":{\"bands\":[$(band allow 0 100)]}}"
refused "a policy with more" POLICY_INVALID policy.version \
    "{$type,\"policy\":{\"version\":\"v\",\"onError\":\"fail_open\",\"bands\":[$(band allow 0 100)]}}"
refused "no band" POLICY_INVALID policy.bands "$(policy '')"
refused "a gap" POLICY_INVALID 'policy.bands[1].min' \
    "$(policy "$(band allow 0 24),$(band deny 26 100)")"
refused "an overlap" POLICY_INVALID 'policy.bands[1].min' \
    "$(policy "$(band allow 0 24),$(band deny 24 100)")"
refused "an end below 100" POLICY_INVALID 'policy.bands[0].max' \
    "$(policy "$(band allow 0 99)")"
refused "a verdict that is none" POLICY_INVALID 'policy.bands[0].verdict' \
    "$(policy "$(band refuse 0 100)")"
refused "rules that are none" INVALID_REQUEST rules "{$type,\"rules\":{}}"
refused "a rule that is none" RULESET_INVALID 'rules[0]' "$(rules 7)"
refused "a rule with a mistake" RULESET_INVALID 'rules[1].dsl' \
    "$(rules '{"dsl":"rule a { when event.amount > 1 then score += 1, tag a }"},{"dsl":"rule b { when event.amount then score += 1, tag b }"}')"
refused "a signal that is none" RULESET_INVALID \
    'rules[0].condition.all[1].path' "$(rules '{"id":"a","tag":"a","weight":1,
    "condition":{"kind":"and","all":[{"kind":"compare","path":"event.amount",
    "op":"gt","value":1},{"kind":"compare","path":"event.colour","op":"eq",
    "value":"red"}]}}')"
refused "an id twice" RULESET_INVALID 'rules[1]' \
    "$(rules '{"dsl":"rule a { when device.firstSeen then score += 1, tag a }"},{"dsl":"rule a { when device.firstSeen then score += 1, tag a }"}')"
refused "too many points" RULESET_INVALID 'rules[0]' \
    "$(rules '{"dsl":"rule a { when device.firstSeen then score += 101, tag a }"}')"
refused "rules twice" INVALID_REQUEST '' "{$type,\"rules\":[],\"dsl\":\"\"}"
http POST /v1/backtest '[]'
is_error "a body that is no object" 400 INVALID_REQUEST
http POST /v1/backtest '{"eventType":'
is_error "or no JSON" 400 INVALID_JSON
http POST /v1/backtest "" -H 'Content-Type: text/plain' --data '{}'
is_error "of no type" 415 UNSUPPORTED_MEDIA_TYPE
http PUT /v1/backtest "$type}"
is_error "put" 405 METHOD_NOT_ALLOWED
http GET '/v1/backtest?limit=%'
is_error "a query that is none" 400 INVALID_REQUEST
head -c 1048577 /dev/zero | tr '\0' ' ' >"$scratch/large"
http POST /v1/backtest "" -H 'Content-Type: application/json' \
    --data-binary "@$scratch/large"
is_error "a body that is too large" 413 PAYLOAD_TOO_LARGE
finish
