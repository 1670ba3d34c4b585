#!/bin/sh
# SPDX-License-Identifier: ISC
# The database is down: decisions get onError verdicts, and each answer is in the
# log once when the database is back, also after kills.
. "$(dirname "$0")/lib.sh"
use away

start_stack RATE_LIMIT_DECISIONS_PER_MIN=40
admin_token
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-bad"}'
is "a user is put on the block list" "$STATUS" 201
KEY=
api_key '["labels"]'
labels=$KEY
KEY=
api_key
spare=$KEY
KEY=
api_key
TOKEN=

login='{"type":"account.login","subject":{"userId":"u-1","ip":"81.2.69.142",
    "phone":"+251911234544"}}'
withdraw='{"type":"wallet.withdraw","amount":5,"currency":"EUR",
    "subject":{"userId":"u-2"}}'
blocked='{"type":"account.login","subject":{"userId":"u-bad"}}'
tracked='{"id":"e-1","type":"account.login","subject":{"userId":"u-3"}}'

ask_decision "$tracked"
is "an event is scored while the database is up" "$(json .score)" 0
main=$KEY
KEY=$spare
http POST /v1/decisions "$login"
KEY=$labels
http POST /v1/decisions "$login"
is_error "a key of another scope answers 403" 403 INSUFFICIENT_SCOPE
KEY=$main
is "the metric says that the database is up" "$(metric engine_database_up)" 1

stop_database
ask_decision "$login"
is "without a database a fail_open policy allows" \
    "$(brief_answer)" "200 allow -1 engine.degraded"
is_json "without a database the answer names the active policy" \
    '"\(.policyId) \(.policyVersion)"' \
    "pol_account_login v0.4.0"
ask_decision "$withdraw"
is "without a database a fail_closed policy denies" \
    "$(brief_answer)" "200 deny -1 engine.degraded"
ask_decision "$blocked"
is "without a database a block list still denies" \
    "$(brief_answer)" "200 deny -1 list.block"
ask_decision "$tracked" -H 'Idempotency-Key: mine'
is "without a database a repeated key gets the onError verdict" \
    "$(brief_answer)" \
    "200 allow -1 engine.degraded"
http POST /v1/decisions/batch "{\"events\":[$login,{\"type\":\"no\"},$blocked]}"
is_json "without a database a batch is answered, except its bad event" \
    '[.results[] | .decision.reasons[0].tag // .error.code] | join(" ")' \
    "engine.degraded INGEST_UNKNOWN_TYPE list.block"
batch=$(json '[.results[].decision.id // empty] | join(" ")')
http POST /v1/decisions '{"type":"account.login"}'
is_error "without a database a bad event with a known key answers 400" \
    400 INGEST_INVALID
KEY=ak_live_$(printf '%048d' 7)
http POST /v1/decisions "$login"
is_error "without a database an unknown key answers 503" 503 UNAVAILABLE
http POST /v1/decisions/batch "{\"events\":[$login,$login]}"
is_error "without a database a batch with an unknown key answers 503" \
    503 UNAVAILABLE
http POST /v1/decisions '{"type":"account.login"}'
is_error "without a database a bad event with an unknown key answers 503" \
    503 UNAVAILABLE
KEY=$labels
http POST /v1/decisions "$login"
is_error "without a database a known key keeps its scopes" \
    403 INSUFFICIENT_SCOPE
KEY=$spare
n=0
while [ "$n" -lt 120 ] && [ "$STATUS" != 429 ]; do
	n=$((n + 1))
	ask_decision "$login"
done
is_error "without a database a known key keeps its budget" 429 RATE_LIMITED
KEY=$main

http GET /readyz
is "/readyz answers 503 and names the database" \
    "$STATUS $(json .checks.store)" "503 down"
is "the metric says that the database is down" "$(metric engine_database_up)" 0
http GET /metrics
check "the metric counts the records of the spool" \
    test "$(metric engine_spool_records)" -ge 7
is "every degraded answer is written to the spool" \
    "$(metric engine_degraded_total)" \
    "$(metric engine_spool_written_total)"
check "the spool holds no address, phone or key" sh -c "
    ! grep -rE '81\.2\.69\.142|911234544|ak_live' '$scratch/spool'"

# A killed worker leaves half a record in the spool, without an answer.  If a drain has
# just renamed the file, this makes a new one, which the workers must be able to write.
kill -KILL "$(pgrep -P "$stack_pool_pid" | head -n 1)"
printf '0123456789abcdef {"decidedAt":17' >>"$scratch/spool/active"
stack_own "$scratch/spool/active"
# shellcheck disable=SC2317 # called by name
record_is_written() {
	ask_decision "$login"
	[ "$(brief_answer)" = "200 allow -1 engine.degraded" ]
}
check "the other workers write after half a record" \
    stack_until 20 "$stack_pool_pid" record_is_written

# The whole pool is killed; the next one finds the spool, and what a drain that found
# no database had renamed.
kill_pool
left=$(cat "$scratch"/spool/* | grep -c '"id"')
start_pool
is "a new pool counts the records of the spool" \
    "$(metric engine_spool_records)" "$left"
ask_decision "$login"
is_error "a worker that has never read a policy answers 503" 503 UNAVAILABLE
start_database
wait_drained
wait_ready
for id in $batch; do
	sql "select 'seen' from assay.verdict_log where id = '$id'"
done >"$scratch/seen"
is "the log has the decisions of the batch" "$(grep -c seen "$scratch/seen")" 2
list=$(echo "$batch" | sed "s/ /','/g")
cluster_psql postgres assay -c "delete from assay.decision_detail
    where verdict_id in ('$list')"
answers_logged_once "each answer is in the log once, word for word"
is "the log has the caller's key, which stays unused" "$(sql "
    select (select count(*) from assay.decision_detail where idempotency_key = 'mine'),
    (select count(*) from assay.idempotency where key = 'mine')")" "1|0"
is "half a record is counted and skipped" "$(metric engine_spool_partial_total)" 1
is "the drained spool has no file left" "$(cd "$scratch/spool" && echo ./*)" \
    "./drain.lock ./write.lock"
is "the database has no row left about the spool" "$(sql 'select count(*)
    from assay.spool_file')" 0
ask_decision "$tracked"
is "after the outage a decision of before is replayed" \
    "$(json .score) $(header \
    x-engine-idempotent-replay)" "0 true"
finish
