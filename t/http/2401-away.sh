#!/bin/sh
# SPDX-License-Identifier: ISC
# The database is gone: decisions are answered with onError verdicts, and each
# answer is in the log once when it is back, whoever was killed meanwhile.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

start_database
start_pool RATE_LIMIT_DECISIONS_PER_MIN=40
start_nginx
wait_ready
admin_token
http POST /v1/lists '{"kind":"block","subject":"user","value":"u-bad"}'
is "a user is blocked" "$STATUS" 201
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

ask "$tracked"
is "decided while it is there" "$(json .score)" 0
main=$KEY
KEY=$spare
http POST /v1/decisions "$login"
KEY=$labels
http POST /v1/decisions "$login"
is_error "a key without the scope" 403 INSUFFICIENT_SCOPE
KEY=$main
is "the database is up" "$(metric engine_database_up)" 1

stop_database
ask "$login"
is "fail_open allows" "$(brief)" "200 allow -1 engine.degraded"
is_json "for the policy that stands" '"\(.policyId) \(.policyVersion)"' \
    "pol_account_login v0.4.0"
ask "$withdraw"
is "fail_closed denies" "$(brief)" "200 deny -1 engine.degraded"
ask "$blocked"
is "a block list still denies" "$(brief)" "200 deny -1 list.block"
ask "$tracked" -H 'Idempotency-Key: mine'
is "whether it was decided before, nobody knows" "$(brief)" \
    "200 allow -1 engine.degraded"
http POST /v1/decisions/batch "{\"events\":[$login,{\"type\":\"no\"},$blocked]}"
is_json "a batch is answered, its bad event refused" \
    '[.results[] | .decision.reasons[0].tag // .error.code] | join(" ")' \
    "engine.degraded INGEST_UNKNOWN_TYPE list.block"
batch=$(json '[.results[].decision.id // empty] | join(" ")')
http POST /v1/decisions '{"type":"account.login"}'
is_error "a bad event is told to a known key" 400 INGEST_INVALID
KEY=ak_live_$(printf '%048d' 7)
http POST /v1/decisions "$login"
is_error "an unknown key is no reason to guess" 503 UNAVAILABLE
http POST /v1/decisions/batch "{\"events\":[$login,$login]}"
is_error "nor for a batch" 503 UNAVAILABLE
http POST /v1/decisions '{"type":"account.login"}'
is_error "nor to tell what is wrong" 503 UNAVAILABLE
KEY=$labels
http POST /v1/decisions "$login"
is_error "a known key keeps its scopes" 403 INSUFFICIENT_SCOPE
KEY=$spare
n=0
while [ "$n" -lt 120 ] && [ "$STATUS" != 429 ]; do
	n=$((n + 1))
	ask "$login"
done
is_error "and its budget" 429 RATE_LIMITED
KEY=$main

http GET /readyz
is "readyz says so" "$STATUS $(json .checks.store)" "503 down"
is "so do the metrics" "$(metric engine_database_up)" 0
http GET /metrics
check "they count the spool" test "$(metric engine_spool_records)" -ge 7
is "what is degraded, and where it went" "$(metric engine_degraded_total)" \
    "$(metric engine_spool_written_total)"
check "the spool holds no ip, phone or key" sh -c "
    ! grep -rE '81\.2\.69\.142|911234544|ak_live' '$scratch/spool'"

# A worker that is killed leaves half a record; one that was not answered.
kill -KILL "$(pgrep -P "$stack_pool_pid" | head -n 1)"
printf '0123456789abcdef {"decidedAt":17' >>"$scratch/spool/active"
until [ "$(brief)" = "200 allow -1 engine.degraded" ]; do
	ask "$login"
done
ok "those who are left go on behind it"

# Everybody is killed; who starts finds what was left.
shoot_pool
left=$(grep -c '"id"' "$scratch/spool/active")
start_pool
is "what is left is counted" "$(metric engine_spool_records)" "$left"
ask "$login"
is_error "a worker that never saw a policy does not guess" 503 UNAVAILABLE
start_database
wait_drained
wait_ready
for id in $batch; do
	sql "select 'seen' from assay.verdict_log where id = '$id'"
done >"$scratch/seen"
is "the batch is in the log" "$(grep -c seen "$scratch/seen")" 2
list=$(echo "$batch" | sed "s/ /','/g")
cluster_psql postgres assay -c "delete from assay.detail
    where verdict_id in ('$list')"
logged_once "each answer is in the log once, word for word"
is "with the key that the caller sent, which claims nothing" "$(sql "
    select (select count(*) from assay.detail where idempotency_key = 'mine'),
    (select count(*) from assay.idempotency where key = 'mine')")" "1|0"
is "half a record is passed over" "$(metric engine_spool_torn_total)" 1
is "the spool is empty" "$(cd "$scratch/spool" && echo ./*)" \
    "./drain.lock ./write.lock"
is "and nothing is noted of it" "$(sql 'select count(*)
    from assay.spool_file')" 0
ask "$tracked"
is "what was decided before is known again" "$(json .score) $(header \
    x-engine-idempotent-replay)" "0 true"

# A record whose month has no partition any more waits for people; the others
# do not wait for it.
stop_database
http POST /v1/decisions "$login"
sed 's/^[0-9a-f]* //; s/"decidedAt":[0-9]*/"decidedAt":1000000/' \
    "$scratch/spool/active" | tr -d '\n' >"$scratch/old"
printf '%s %s\n' "$(sha256sum <"$scratch/old" | cut -c 1-16)" \
    "$(cat "$scratch/old")" >"$scratch/spool/active"
ask "$withdraw"
start_database
wait_drained
logged_once "what the database refuses holds nobody up"
is "it is set aside" "$(metric engine_spool_aside_total) $(cat \
    "$scratch"/spool/*.aside | grep -c '"decidedAt":1000000')" "1 1"
finish
