#!/bin/sh
# SPDX-License-Identifier: ISC
# GET /v1/decisions/{id}/explain: every decision is made again, by whatever
# scorer, from what was kept of it and the versions of then; what is gone is
# said; assayctl explain shows it.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/ctl.sh
. "$(dirname "$0")/ctl.sh"

start_stack
admin_token
api_key
ASSAY_TOKEN=$TOKEN
export ASSAY_TOKEN
both=$KEY
http POST /v1/rules "$(jq -n '{ eventType: "order.place", version: "v1",
    dsl: "rule r_amount { when event.amount > 3000 then score += 14, tag amount }
	rule r_one { when attr.both == true then score += 30, tag both }
	rule r_two { when attr.both == true || attr.\"odd \\\"key\\\"\" > 1.5
	    then score += 10, tag both }
	rule r_who { when attr.who in [\"a\", \"b\"] && !device.firstSeen
	    then score += 35, tag who }
	rule r_ring { when graph.ringSize > 3 && graph.usersOnDevice >= 2
	    then score += 28, tag ring }" }')"
is "some rules" "$STATUS" 200

# batch PREFIX SEED: a hundred events in which much is unknown.
batch() {
	perl -e 'srand $ARGV[1];
		sub one { $_[rand @_] }
		print "{\"events\":[", join(",", map {
			my @more = ("\"amount\":" . one(5, 49.99, 3000,
			    3000.01, 4200, 1e6) . ",\"currency\":\"EUR\"") x
			    (rand() < 0.8);
			push @more, "\"attributes\":{" . join(",",
			    ("\"both\":" . one("true", "false", "1", "\"x\""))
				x (rand() < 0.6),
			    ("\"who\":" . one("\"a\"", "\"c\"", "\"\\u00fc\""))
				x (rand() < 0.6),
			    ("\"odd \\\"key\\\"\":" . one(1, 1.5, 2.25))
				x (rand() < 0.4)) . "}";
			push @more, "\"instrument\":{\"kind\":\"card\"," .
			    "\"bin\":\"411111\",\"issuerCountry\":\"DE\"," .
			    "\"threeDS\":" . one("true", "false") . "}"
			    if rand() < 0.5;
			"{\"id\":\"$ARGV[0]-$_\",\"type\":\"" .
			    one("order.place", "order.place", "card.authorize") .
			    "\",\"subject\":{\"userId\":\"u-" . int(rand(9)) .
			    "\"" . (rand() < 0.7 ? ",\"deviceId\":\"d-" .
				int(rand(7)) . "\"" : "") .
			    (rand() < 0.5 ? ",\"ip\":\"8.8.8." . int(rand(5)) .
				"\"" : "") . "}," . join(",", @more) . "}"
		} 1 .. 100), "]}"' "$1" "$2"
}
# decide_all PREFIX SEED: decide them; their answers in a file.
decide_all() {
	http POST /v1/decisions/batch "$(batch "$1" "$2")"
	printf '%s' "$BODY" | jq -S '[.results[].decision |
	    { id, verdict, score, reasons }] | sort_by(.id)' >"$scratch/$1.was"
}
# explain_all PREFIX: ask about them in one go; the answers in a file.
explain_all() {
	curl -sS --unix-socket "$scratch/run/http.sock" \
	    -H "Authorization: Bearer $TOKEN" \
	    "$BASE/v1/decisions/$1-[1-100]/explain" |
	    jq -cs '.[]' >"$scratch/$1.all"
}
# all PREFIX FILTER: what jq makes of these as an array.
all() { jq -rs "$2" "$scratch/$1.all"; }
# same PREFIX WHAT: all of them are what was answered, and are made again.
same() {
	explain_all "$1"
	is "$2 is made again" "$(all "$1" '[length, (map(select(.recomputed and
	    .why == null and .changes.complete)) | length)] | join(" ")')" \
	    "100 100"
	jq -sS '[.[] | { id, verdict, score, reasons }] | sort_by(.id)' \
	    "$scratch/$1.all" >"$scratch/$1.is"
	check "and is what was answered" cmp "$scratch/$1.was" "$scratch/$1.is"
	is "what the true rules say is what the sample says" \
	    "$(all "$1" 'map(select(.rulesScore != ([[.rules[] |
		select(.truth == "true").points] | add // 0, 100] | min))) |
		length')" 0
	is "its band has its score" "$(all "$1" 'map(select(.policy.band |
	    .min <= .max) | select(.score < .policy.band.min or
		.score > .policy.band.max)) | length')" 0
	is "no change leads to the same verdict" "$(all "$1" '
	    def rank: { allow: 1, challenge: 2, review: 3, deny: 4 }[.];
	    map(select((.changes.stricter != null and
		(.changes.stricter.verdict | rank) <= (.verdict | rank)) or
		(.changes.milder != null and
		(.changes.milder.verdict | rank) >= (.verdict | rank)))) |
	    length')" 0
	check "there are changes, both ways" test "$(all "$1" 'map(.changes) |
	    [(map(select(.stricter != null)) | length),
	    (map(select(.milder != null)) | length)] | min')" -gt 15
}
explain() { http GET "/v1/decisions/$1/explain"; }
why() { json '"\(.recomputed) \(.why.word) \(.changes)"'; }

# Weighted.
decide_all w 1
same w "what rules decide"
is "what is unknown is there" "$(all w 'map(select(.signals |
    has("geo.country") and .["geo.country"] == null and
    has("attr.both"))) | length > 50')" true
http POST /v1/decisions '{"id":"a/b c","type":"order.place","amount":4200,
    "currency":"EUR","subject":{"userId":"u-one"},
    "attributes":{"odd \"key\"":1.5,"who":"c"}}'
explain a%2Fb%20c
is_json "one, in detail" '"\(.eventId) \(.eventType) \(.verdict) \(.score) \(
    .policyId) \(.scorer) \(.rulesetVersion) \(.modelVersion) \(.watched)"' \
    "a/b c order.place allow 14 pol_order_place weighted v1 null false"
is_json "each rule is true, false or unknown" \
    '[.rules[] | "\(.id) \(.truth)"] | join(", ")' \
    "r_amount true, r_one unknown, r_two unknown, r_who false, r_ring false"
is_json "because of what it compares" '[.rules[] | [.because[] |
    "\(.comparison) \(.value)"] | join(" ")] | join(", ")' \
    "event.amount > 3000 4200, attr.both == true null, attr.both == true null, attr.who in [\"a\", \"b\"] c, graph.ringSize > 3 1"
is_json "in canonical text" .rules[0].dsl \
    "rule r_amount { when event.amount > 3000 then score += 14, tag amount }"
is_json "an attribute would make it stricter" \
    '.changes.stricter | [.signal, .from, .to, .other, .verdict, .score] |
    tojson' '["attr.both",null,true,false,"review",54]'
is_json "and nothing milder" .changes.milder null
is_json "the type of the event stays" '.signals["event.type"]' order.place

# Other versions decide by now, and later none of them does.
http POST /v1/rules '{"eventType":"order.place","version":"v2",
    "dsl":"rule r_all { when event.amount >= 0 then score += 99, tag all }"}'
http POST /v1/policies '{"id":"pol_order_place","version":"p2",
    "onError":"fail_open","bands":[{"verdict":"deny","min":0,"max":100}]}'
is "everything is denied from now on" "$STATUS" 200
explain a%2Fb%20c
is_json "what was decided before was not" \
    '"\(.recomputed) \(.verdict) \(.policy.band.verdict)"' "true allow allow"
http POST /v1/decisions '{"id":"n-1","type":"order.place","amount":1,
    "currency":"EUR","subject":{"userId":"u-one"}}'
explain n-1
is_json "what was decided since is" \
    '"\(.recomputed) \(.verdict) \(.rulesetVersion) \(.policyVersion) \(
    .changes.stricter) \(.changes.milder)"' "true deny v2 p2 null null"
http POST /v1/rules/order.place/rollback '{"toVersion":"v1"}'
http POST /v1/policies/pol_order_place/rollback "{\"toVersion\":\"$(
    sql "select version from assay.policy where id = 'pol_order_place' and
    version <> 'p2'")\"}"
explain n-1
is_json "also once that was taken back" '"\(.recomputed) \(.verdict)"' \
    "true deny"
same w "what rules decided"

# Lists and what could not be decided.
http POST /v1/lists '{"kind":"watch","subject":"user","value":"u-watched"}'
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-blocked"}'
for who in watched blocked; do
	http POST /v1/decisions "{\"id\":\"l-$who\",\"type\":\"order.place\",
	    \"amount\":1,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"u-$who\"}}"
done
explain l-watched
is_json "what is watched is made again, and held at review" \
    '"\(.recomputed) \(.verdict) \(.watched) \(.policy.band.verdict) \(
    .changes.milder)"' "true review true allow null"
is_json "stricter than that is possible" .changes.stricter null
explain l-blocked
is "a list decided, there is nothing to make again" "$(why)" \
    "false listed null"
is_json "what is there is told" \
    '"\(.signals) \(.rules) \(.policy.id) \(.policy.band) \(.score)"' \
    "null null pol_order_place null -1"
sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
	verdict, score, reasons, policy_id, policy_version, correlation_id)
    values (now(), 'vd_0', 'away', 'order.place', 'allow', -1,
	'[{\"tag\":\"engine.degraded\",\"points\":0}]', 'pol_order_place',
	'p2', 'c')" >/dev/null
explain away
is "nor where it could not be decided" "$(why) $(json .policy.onError)" \
    "false degraded null fail_open"

# Who may ask, and for what.
KEY=
explain nobody
is_error "an unknown event" 404 NOT_FOUND
explain "$(printf '%0200d' 0)"
is_error "what is no id" 400 INVALID_REQUEST
http POST /v1/decisions/w-1/explain '{}'
is_error "another method" 405 METHOD_NOT_ALLOWED
token=$TOKEN
TOKEN=
explain w-1
is_error "nobody" 401 UNAUTHENTICATED
KEY=$both
explain w-1
is_error "an API key is none of an operator" 401 UNAUTHENTICATED
http POST /v1/decisions '{"id":"odd/explain","type":"order.place",
    "amount":1,"currency":"EUR","subject":{"userId":"u-one"}}'
http GET /v1/decisions/odd%2Fexplain
is_json "an event may be called so" .eventId odd/explain
TOKEN=$token
explain odd%2Fexplain
is_json "and be explained" .recomputed true
http POST /v1/auth/users \
    '{"email":"ana@example.com","password":"correct horse","role":"analyst"}'
http POST /v1/auth/login \
    '{"email":"ana@example.com","password":"correct horse"}'
TOKEN=$(json .token)
explain w-1
is "an analyst may ask" "$STATUS" 200
TOKEN=$token

# What labels had taught.
stop_pool
start_pool SCORER=learned
wait_ready
KEY=$both
for n in 1 2 3 4; do
	http POST /v1/labels/chargeback "{\"eventId\":\"$(all w "map(select(
	    .reasons | any(.tag == \"amount\")))[$n].eventId")\"}"
done
decide_all t 2
check "labels count" test "$(jq '[.[].reasons[] |
    select(.tag == "amount" and .points == 41)] | length' \
    "$scratch/t.was")" -gt 5
same t "what labels taught"
for n in 5 6 7 8 9 10; do
	sql "select assay.label_put('$(all w "map(select(.reasons |
	    any(.tag == \"amount\")))[$n].eventId")', 'analyst', 'legit',
	    'c')" >/dev/null
done
same t "what labels taught, whatever they do by now,"
is "the points are those of then" "$(all t '[.[].learned.tags[] |
    select(.tag == "amount")] | unique | tojson')" \
    '[{"tag":"amount","points":41,"rulesPoints":14}]'

# Models: the one that comes with the program, and another.
stop_pool
start_pool SCORER=ml
wait_ready
decide_all m 3
same m "what a model decided"
is "its terms are its probability" "$(all m 'map(.model |
    select((1 / (1 + (-(.calibration.a * (.bias + (.terms | map(.term) |
	add)) + .calibration.b) | exp)) - .p | fabs) > 1e-9)) | length')" 0
is "and each is value times weight" "$(all m '[.[].model.terms[] |
    select((.value * .weight - .term | fabs) > 1e-12)] | length')" 0
check "some of its changes are of what no rule reads" test "$(all m '
    map([.changes[]? | .signal?] | select(any(. ==
	"velocity.attemptsLast24h"))) | length')" -gt 15
jq '{ featureNames: [.ml.features[].name], weights: [.ml.features[].weight | -.],
    featuresVersion: .ml.featuresVersion, bias: 0.5, trainedAt: "2026-11-21",
    baseRate: 0.5, calibration: { a: 1, b: 0 },
    metrics: { auc: 0.9, accuracy: 0.8, samples: 100 } }' <<END \
    >"$scratch/other.json"
$(http GET /v1/config/model; printf '%s' "$BODY")
END
DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
    ctl models publish "$scratch/other.json"
is "another model serves" "$STATUS" 0
decide_all o 4
same o "what another model decided"
is "it is another one" "$(all o '[.[].modelVersion] | unique |
    map(test("^[0-9a-f]{16}$")) | tojson')" "[true]"
same m "what the first one decided"

# What is gone.
sql "delete from assay.model_load where hash is not null;
    delete from assay.model" >/dev/null
explain o-1
is "the model" "$(why)" "false model_gone null"
is_json "what was found of it is there" '.model |
    "\(.p > 0) \(.pEven > 0) \(.terms)"' "true true null"
is_json "and the rules" '.rules | length > 0' true
sql "update assay.detail set replay = replace(replay, '\"model\":\"synthetic-',
    '\"model\":\"old-') where event_id = 'm-1'" >/dev/null
explain m-1
is "one that came with another release" "$(why)" "false model_gone null"
sql "update assay.detail set replay = replace(replay, '\"scorer\":\"ml\"',
    '\"scorer\":\"forest\"') where event_id = 'm-2'" >/dev/null
explain m-2
is "a scorer of another release" "$(why)" "false scorer_unknown null"
sql "update assay.detail set replay = '[]' where event_id = 'm-3'" >/dev/null
explain m-3
is "a sample of another release" "$(why)" "false sample_unreadable null"
sql "update assay.detail set replay = replace(replay,
	'\"event.amount\":4200', '\"event.amount\":1')
    where event_id = 'a/b c'" >/dev/null
explain a%2Fb%20c
is "what decides something else" "$(why)" "false differs null"
sql "update assay.policy set bands = '[]' where version = 'p2'" >/dev/null
explain n-1
is "a policy that is none any more" "$(why) $(json .policy)" \
    "false policy_unreadable null null"
sql "delete from assay.policy where version = 'p2'" >/dev/null
explain n-1
is "a policy" "$(why) $(json '.rules | length')" "false policy_gone null 1"
sql "update assay.ruleset set text = 'rule' where version = 'v2'" >/dev/null
explain n-1
is_json "rules that are none any more" \
    '"\(.rules) \(.signals["event.amount"])"' "null 1"
sql "delete from assay.ruleset where version = 'v2'" >/dev/null
explain n-1
is_json "and the ruleset" '"\(.why.word) \(.rules) \(.rulesetVersion)"' \
    "policy_gone null v2"
sql "delete from assay.policy_active where event_type = 'order.place'" \
    >/dev/null
http POST /v1/privacy/erase '{"userId":"u-watched"}'
is "a user" "$STATUS" 200
explain l-watched
is "what was erased" "$(why)" "false sample_gone null"
is_json "its verdict is not" '"\(.verdict) \(.signals) \(.rules)"' \
    "review null null"
is "nothing is left of who it was" \
    "$(printf '%s' "$BODY" | grep -c u-watched)" 0

# assayctl.
ctl explain w-1
is "assayctl explains" "$STATUS" 0
check "the decision" said '|recomputed  *yes|'
check "the rules" said 'IS  *POINTS  *TAG  *RULE  *BECAUSE|'
check "the comparisons" said '(unknown)'
check "the signals" said '|geo.country  *-|'
ctl explain "$(all w 'map(select(.changes.stricter))[0].eventId')"
check "the changes" said '|stricter  *[a-z]*  *[0-9]*  *[a-z].*: .* -> '
check "no table of what there is not" not said '|TERM'
ctl explain o-1
check "why not" said \
    '|  why not  *its model is not stored, nor the one that comes'
ctl explain m-4
check "a model" said '|FEATURE  *VALUE  *WEIGHT  *TERM|'
ctl explain t-1
check "labels" said '|points of the tags, as they were recorded|'
for id in w-1 m-4 t-1 o-1 l-blocked; do
	NO_COLOR=1 TERM=xterm COLUMNS=80 script -qec \
	    "$builddir/assayctl explain $id" /dev/null </dev/null |
	    tr -d '\r' >"$scratch/shown"
	check "$id fits a terminal" test \
	    "$(LC_ALL=C.UTF-8 wc -L <"$scratch/shown")" -le 80
done
ctl explain --json w-1
is "the same as JSON" "$(jq -S . "$scratch/out" | cksum)" \
    "$(head -n 1 "$scratch/w.all" | jq -S . | cksum)"
ctl explain nobody
is "an unknown event" "$STATUS" 65
finish
