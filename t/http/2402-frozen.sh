#!/bin/sh
# SPDX-License-Identifier: ISC
# The database is there and silent, or restarts, even amid a commit: decisions
# are answered all the same, and are in the log once when it speaks again.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/away.sh
. "$(dirname "$0")/away.sh"

start_stack
admin_token
api_key
TOKEN=
login='{"type":"account.login","subject":{"userId":"u-1"}}'
workers() {
	pgrep -P "$stack_pool_pid" | sort | tr '\n' ' '
}

# A commit that took place but was never answered, because its session ends or
# the whole server restarts: it waits for a standby that nobody has.
waiting() {
	sql "select pid from pg_stat_activity where wait_event = 'SyncRep'"
}
# shellcheck disable=SC2317 # called by stack_until
committed() {
	[ -n "$(waiting)" ]
}
sql "alter system set synchronous_standby_names = 'nobody'" >/dev/null
sql "select pg_reload_conf()" >/dev/null
for how in TERM KILL; do
	printf '{"events":[{"type":"order.place","subject":{"userId":"d-%s"}}]}' \
	    "$how" |
	    curl -sS --max-time 30 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    --data-binary @- "$BASE/v1/decisions/batch" >"$scratch/doubt" &
	client=$!
	stack_until 10 "$stack_pg_pid" committed
	kill -s "$how" "$(waiting)"
	wait "$client"
	stack_until 10 "$stack_pg_pid" cluster_psql postgres assay -c ""
	is "a commit in doubt is looked up ($how)" \
	    "$(jq -r '.results[0].decision | "\(.id) \(.score)"' \
	    <"$scratch/doubt")" "$(sql "select id || ' ' || score
	    from assay.verdict_log where id in (select verdict_id
	    from assay.detail where user_id = 'd-$how')")"
	is "and was no onError verdict ($how)" "$(jq \
	    '.results[0].decision.score' <"$scratch/doubt")" 0
done
sql "alter system reset synchronous_standby_names" >/dev/null
sql "select pg_reload_conf()" >/dev/null
wait_ready

# Every process of the server stops where it is.
server() {
	# shellcheck disable=SC2046 # several
	kill -s "$1" "$stack_pg_pid" $(pgrep -P "$stack_pg_pid")
}
ask "$login"
is "decided while it speaks" "$(json .score)" 0
before=$(workers)
server STOP
n=0
while [ "$n" -lt 12 ]; do
	n=$((n + 1))
	ask "$login"
	[ "$(brief)" = "200 allow -1 engine.degraded" ] ||
	    not_ok "answer $n of a frozen database: $(brief)"
done
is "a frozen database costs no decision its answer" "$(jq -r .score \
    <"$scratch/answers" | sort | uniq -c | tr -s ' \n' ' ')" " 12 -1 1 0 "
http GET /readyz
is "readyz says so" "$STATUS" 503
is "and the metrics" "$(metric engine_database_up)" 0
http GET /v1/decisions/x
is_error "what cannot be done without it is refused" 503 UNAVAILABLE
server CONT
wait_ready
wait_drained
logged_once "each answer is in the log once, word for word"
ask "$login"
is "then decisions are made again, by the same workers" \
    "$(json .score) $(workers)" "0 $before"

# Sessions alone fall silent: they are replaced, nobody else need worry.
# shellcheck disable=SC2046 # several
frozen=$(sql "select pid from pg_stat_activity
    where application_name = 'assay decide'")
# shellcheck disable=SC2086 # several
kill -STOP $frozen
ask "$login"
http POST /v1/decisions/batch "{\"events\":[$login]}"
for n in 1 2 3 4; do
	ask "$login"
done
is "silent sessions are replaced" "$(json ".score >= 0") $(metric \
    engine_database_up)" "true 1"
# shellcheck disable=SC2086 # several
kill -CONT $frozen
wait_drained

# A restart under requests.
one() {
	printf '{"type":"order.place","subject":{"userId":"r-%s"}}' "$1" |
	    curl -sS --max-time 30 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    --data-binary @- "$BASE/v1/decisions" >"$scratch/r.$1" \
	    2>>"$scratch/curl"
}
for from in 0 1 2 3; do
	n=$from
	while [ "$n" -lt 160 ]; do
		one "$n"
		n=$((n + 4))
	done &
	clients="${clients:-} $!"
done
sleep 0.3
stop_database
sleep 0.3
start_database
# shellcheck disable=SC2086 # several
wait $clients
cat "$scratch"/r.* >"$scratch/restart"
is "a restart costs no request its answer" \
    "$(jq -r .verdict <"$scratch/restart" | sort | uniq -c | tr -s ' \n' ' ')" \
    " 160 allow "
cat "$scratch/restart" >>"$scratch/answers"
wait_ready
wait_drained
jq -r '.id' <"$scratch/restart" | sort >"$scratch/want"
sql "select verdict_id from assay.detail where user_id like 'r-%'" |
    sort >"$scratch/got"
is "each is in the log once" \
    "$(sort "$scratch/want" "$scratch/got" | uniq -c | awk '$1 == 2' |
    wc -l | tr -d ' ') $(sort "$scratch/got" | uniq -d | wc -l | tr -d ' ')" \
    "160 0"
check "and some were answered while it was away" \
    sh -c "jq .score <'$scratch/restart' | grep -q -- -1"
finish
