#!/bin/sh
# SPDX-License-Identifier: ISC
# The database does not answer, or restarts, also during a commit: decisions are
# answered, and are in the log once afterwards.
. "$(dirname "$0")/lib.sh"
use away

start_with_key
login='{"type":"account.login","subject":{"userId":"u-1"}}'
worker_list() {
	pgrep -P "$stack_pool_pid" | sort | tr '\n' ' '
}

# The server commits but never answers, because the session ends or the server
# restarts while the commit waits for a synchronous standby that does not exist.
commit_session() {
	sql "select pid from pg_stat_activity where wait_event = 'SyncRep'"
}
# shellcheck disable=SC2317 # called by stack_until
commit_waits() {
	[ -n "$(commit_session)" ]
}
change_setting synchronous_standby_names no_such_standby
for how in TERM KILL; do
	printf '{"events":[{"type":"order.place","subject":{"userId":"d-%s"}}]}' \
	    "$how" |
	    curl -sS --max-time 30 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    --data-binary @- "$BASE/v1/decisions/batch" >"$scratch/doubt" &
	client=$!
	stack_until 10 "$stack_pg_pid" commit_waits
	kill -s "$how" "$(commit_session)"
	wait "$client"
	stack_until 10 "$stack_pg_pid" cluster_psql postgres assay -c ""
	is "an uncertain commit is looked up after $how" \
	    "$(jq -r '.results[0].decision | "\(.id) \(.score)"' \
	    <"$scratch/doubt")" "$(sql "select id || ' ' || score
	    from assay.verdict_log where id in (select verdict_id
	    from assay.decision_detail where user_id = 'd-$how')")"
	is "an uncertain commit gets no onError verdict after $how" "$(jq \
	    '.results[0].decision.score' <"$scratch/doubt")" 0
done
change_setting synchronous_standby_names ""
wait_ready

# signal_server SIGNAL: send it to every process of the server.
signal_server() {
	# shellcheck disable=SC2046 # several
	kill -s "$1" "$stack_pg_pid" $(pgrep -P "$stack_pg_pid")
}
ask_decision "$login"
is "an event is scored before the freeze" "$(json .score)" 0
before=$(worker_list)
signal_server STOP
n=0
while [ "$n" -lt 12 ]; do
	n=$((n + 1))
	ask_decision "$login"
	[ "$(brief_answer)" = "200 allow -1 engine.degraded" ] ||
	    not_ok "answer $n of a frozen database is degraded, not $(brief_answer)"
done
is "a frozen database gives every decision its onError verdict" \
    "$(jq -r .score \
    <"$scratch/answers" | sort | uniq -c | tr -s ' \n' ' ')" " 12 -1 1 0 "
http GET /readyz
is "with a frozen database /readyz answers 503" "$STATUS" 503
is "with a frozen database the metric says that it is down" \
    "$(metric engine_database_up)" 0
http GET /v1/decisions/x
is_error "with a frozen database reading a decision answers 503" 503 UNAVAILABLE
signal_server CONT
wait_ready
wait_drained
answers_logged_once "each answer is in the log once, word for word"
ask_decision "$login"
is "after the freeze the same workers score events" \
    "$(json .score) $(worker_list)" "0 $before"

# Only the sessions of the workers freeze: the workers open new ones.
# shellcheck disable=SC2046 # several
frozen=$(sql "select pid from pg_stat_activity
    where application_name = 'assay decide'")
# shellcheck disable=SC2086 # several
kill -STOP $frozen
ask_decision "$login"
http POST /v1/decisions/batch "{\"events\":[$login]}"
for n in 1 2 3 4; do
	ask_decision "$login"
done
# A worker may meet its frozen session late, and says then that the database is down.
# shellcheck disable=SC2317 # called by name
sessions_answer() {
	ask_decision "$login"
	[ "$(json ".score >= 0") $(metric engine_database_up)" = "true 1" ]
}
check "workers replace sessions that do not answer" stack_until 60 0 sessions_answer
# shellcheck disable=SC2086 # several
kill -CONT $frozen
wait_drained

# A restart of the server under load.
# send_order N: keep the answer in r.N.
send_order() {
	printf '{"type":"order.place","subject":{"userId":"r-%s"}}' "$1" |
	    curl -sS --max-time 30 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    --data-binary @- "$BASE/v1/decisions" >"$scratch/r.$1" \
	    2>>"$scratch/curl"
}
for from in 0 1 2 3; do
	n=$from
	while [ "$n" -lt 160 ]; do
		send_order "$n"
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
is "a restart of the server leaves no request without an answer" \
    "$(jq -r .verdict <"$scratch/restart" | sort | uniq -c | tr -s ' \n' ' ')" \
    " 160 allow "
cat "$scratch/restart" >>"$scratch/answers"
wait_ready
wait_drained
jq -r '.id' <"$scratch/restart" | sort >"$scratch/want"
sql "select verdict_id from assay.decision_detail where user_id like 'r-%'" |
    sort >"$scratch/got"
is "each answer during the restart is in the log once" \
    "$(sort "$scratch/want" "$scratch/got" | uniq -c | awk '$1 == 2' |
    wc -l | tr -d ' ') $(sort "$scratch/got" | uniq -d | wc -l | tr -d ' ')" \
    "160 0"
check "some requests got the onError verdict during the restart" \
    sh -c "jq .score <'$scratch/restart' | grep -q -- -1"
finish
