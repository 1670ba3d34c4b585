#!/bin/sh
# SPDX-License-Identifier: ISC
# Backtests of the newest samples: they read exactly these, name events, and run
# beside a long one.  They are for authors and admins.
. "$(dirname "$0")/lib.sh"
use hosts backtest lock

start_stack
admin_token
admin=$TOKEN
api_key
is "the service decides the shipped sample" "$(decide_sample)" ""
newest() {
	sql "select string_agg(event_id, ' ' order by decided_at desc, event_id)
	    from (select * from assay.decision_detail
	    where event_type = 'card.authorize' and sample is not null
	    order by decided_at desc limit $1) d"
}
# Each event at its own microsecond.
sql "update assay.decision_detail d set decided_at = d.decided_at
	+ n.i * interval '1 us'
    from (select verdict_id, row_number() over (order by decided_at,
	verdict_id) as i
	from assay.decision_detail) n where n.verdict_id = d.verdict_id"
deny='"dsl":"rule all { when event.type == \"card.authorize\" then score += 100, tag all }"'
http POST /v1/backtest "{\"eventType\":\"card.authorize\",$deny,\"newest\":7,\"examples\":20}"
is_json "a backtest of the newest seven samples reads seven" \
    '"\(.sampleSize) \(.mix.after.deny) \(has("id"))"' "7 7 false"
is "the examples are the events of the newest seven that flip" \
    "$(json '[.examples[] | select(.to == "deny") | .eventIds[]] | sort |
	join(" ")')" \
    "$(sql "select string_agg(d.event_id, ' ' order by d.event_id collate \"C\")
	from assay.decision_detail d join assay.verdict_log v
	    on v.id = d.verdict_id
	where v.verdict <> 'deny'
	    and d.event_id = any (string_to_array('$(newest 7)', ' '))")"
http POST /v1/backtest "{\"eventType\":\"card.authorize\",$deny,\"examples\":1}"
is_json "each pair of different verdicts has one example if one is wanted" \
    '[(.examples | length) == (.flipsByPair | length),
	(.examples | map(.eventIds | length) | unique)] | tostring' \
    "[true,[1]]"
all=$(json .sampleSize)
http POST /v1/backtest "{\"eventType\":\"card.authorize\",\"newest\":20000}"
is_json "newest above the number of samples reads all" .sampleSize "$all"
is_json "an answer has no examples unless they are wanted" \
    'has("examples") | tostring' false
is "the newest samples begin where the seventh is" \
    "$(sql "select count(*) from assay.decision_detail where sample is not null
	and event_type = 'card.authorize' and decided_at >=
	assay.sample_start('card.authorize', 7, 100000)")" 7
is "a type without samples has no newest ones" \
    "$(http POST /v1/backtest '{"eventType":"account.login","newest":5}'
	json .sampleSize)" \
    "$(sql "select least(5, count(*)) from assay.decision_detail
	where event_type = 'account.login' and sample is not null")"

# Roles.
analyst_token
http POST /v1/backtest '{"eventType":"card.authorize","newest":20000}'
is_error "an analyst runs no backtest" 403 FORBIDDEN
http POST /v1/backtest/bkt_0000000000000000/cancel
is_error "an analyst cancels no backtest" 403 FORBIDDEN
sql "update assay.operator set role = 'author' where email = 'ana@example.com'"
open_session ana@example.com 'correct horse'
author=$TOKEN
http POST /v1/backtest '{"eventType":"card.authorize"}'
is "an author runs a backtest of all samples" "$STATUS" 200
hold_lock "select pg_advisory_xact_lock(hashtextextended(
    'assay.sample ' || n || ' ana@example.com', 0)) from (values (1), (2)) v(n)"
http POST /v1/backtest '{"eventType":"card.authorize","newest":100}'
is_error "a third request of an author that reads samples must wait" \
    429 RATE_LIMITED
check "the refusal says how long" test "$(header retry-after)" -ge 1
http GET '/v1/analytics/rules?eventType=card.authorize'
is_error "a third count of firings must wait too" 429 RATE_LIMITED
TOKEN=$admin
http POST /v1/backtest '{"eventType":"card.authorize","newest":100}'
is "another operator need not wait" "$STATUS" 200
release_lock
TOKEN=$author
http GET '/v1/analytics/rules?eventType=card.authorize'
is "when the others have ended, the author counts firings" "$STATUS" 200
TOKEN=$admin
for members in '"newest":0' '"newest":1000001' '"newest":"7"' \
    '"examples":21' '"examples":-1'; do
	http POST /v1/backtest "{\"eventType\":\"card.authorize\",$members}"
	is_error "a backtest with $members answers 400" 400 INVALID_REQUEST
done

# Small ones run while a long one takes the only place of long requests.
http GET /v1/backtest
is_json "long backtests are kept and small ones are not" \
    '.kept | map("\(.eventType) \(.author) \(.sampleSize)") | join(", ")' \
    "card.authorize ana@example.com $all, card.authorize admin@example.com $all"
kept=$(json '.kept[0].id')
http GET "/v1/backtest/$kept"
is_json "a kept result is the answer" '"\(.id) \(.sampleSize)"' "$kept $all"
http GET /v1/backtest/bkt_none
is_error "an unknown result answers 404" 404 NOT_FOUND
make_slow_samples
send_backtest "$scratch/slow"
# shellcheck disable=SC2317 # called by name
long_runs() {
	http GET /v1/backtest
	[ "$(json '.running | length')" = 1 ]
}
check "a long backtest runs" stack_until 20 "$curl_pid" long_runs
TOKEN=$author
http POST /v1/backtest '{"eventType":"card.authorize","newest":100}'
is "a small backtest runs beside the long one" "$STATUS" 200
TOKEN=$admin
http POST /v1/backtest '{"eventType":"card.authorize"}'
is_error "a second long backtest does not" 503 UNAVAILABLE
kill "$curl_pid"
wait "$curl_pid" 2>/dev/null
check "the long backtest ends with its caller" stack_until 60 0 none_running
send_backtest "$scratch/slow"
check "a long backtest runs again" stack_until 20 "$curl_pid" long_runs
running=$(json '.running[0].id')
http POST "/v1/backtest/$running/cancel"
is "an admin cancels the long backtest" "$STATUS $BODY" '200 {"ok":true}'
wait "$curl_pid"
is "the caller of the cancelled backtest gets 409" \
    "$(cat "$scratch/slow.status") $(jq -r .code "$scratch/slow.answer")" \
    "409 BACKTEST_CANCELLED"
http POST "/v1/backtest/$running/cancel"
is_error "a backtest that has ended cannot be cancelled" 404 NOT_FOUND
http POST /v1/backtest '{"eventType":"card.authorize"}'
is "another long backtest may run after the cancelled one" "$STATUS" 200
http GET "/v1/audit?action=POST%20/v1/backtest/"
is_json "the trail shows who cancelled a backtest, and who could not" \
    '.entries | map("\(.actor) \(.status)") | join(", ")' \
    "admin@example.com 404, admin@example.com 200, ana@example.com 403"
sql "select assay.backtest_keep('bkt_z' || to_char(i, 'FM00'), 't', 'a', '{}')
    from generate_series(1, 60) i" >/dev/null
is "50 results are kept" "$(sql 'select count(*) from assay.backtest_result')" 50
finish
