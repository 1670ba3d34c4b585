#!/bin/sh
# SPDX-License-Identifier: ISC
# A primary with a synchronous standby is killed under load, and the standby promoted:
# each decision that was answered as scored is there, once and as it was answered.
. "$(dirname "$0")/lib.sh"
use away standby

start_servers standby -c max_connections=200
# shellcheck disable=SC2317 # stack_until calls it
standby_is_synchronous() {
	[ "$(sql "select sync_state from pg_stat_replication")" = sync ]
}
change_setting synchronous_standby_names standby
check "commits wait for the standby" \
    stack_until 20 "$standby_pid" standby_is_synchronous

with_urls servers_url start_pool DECIDE_WORKERS=4
start_nginx
wait_ready
admin_token
api_key

# Four clients, each with its own users: an answer has one line.
touch "$scratch/load"
load_pids=
for n in 1 2 3 4; do
	i=0
	while [ -e "$scratch/load" ]; do
		i=$((i + 1))
		curl -s --max-time 20 --unix-socket "$scratch/run/http.sock" \
		    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
		    -w '\n' -d '{"id":"e-'"$n-$i"'","type":"order.place","amount":5000,
			"currency":"EUR","subject":{"userId":"u-'"$n-$((i % 5))"'"}}' \
		    "$BASE/v1/decisions"
	done >"$scratch/answers.$n" 2>/dev/null 8>&- &
	load_pids="$load_pids $!"
done
# more_scored COUNT: the clients get so many more scored answers.
# shellcheck disable=SC2317 # called by name
has_scored() { [ "$(cat "$scratch"/answers.* | grep -c '"score" *: *[0-9]')" -ge "$1" ]; }
more_scored() {
	scored=$(cat "$scratch"/answers.* | grep -c '"score" *: *[0-9]')
	stack_until 60 "$stack_pool_pid" has_scored $((scored + $1))
}
check "decisions are scored by the primary" more_scored 100
signal_processes "$primary_pid" KILL
# shellcheck disable=SC2317 # called by name
has_degraded() { cat "$scratch"/answers.* | grep -q '"score" *: *-1'; }
check "without a primary decisions are degraded" \
    stack_until 20 "$stack_pool_pid" has_degraded
standby_sql "select pg_promote()" >/dev/null
check "decisions are scored by the standby that was promoted" more_scored 100
rm "$scratch/load"
# shellcheck disable=SC2086 # several
wait $load_pids
wait_drained

cat "$scratch"/answers.* >"$scratch/answers"
is "every answer is a decision" "$(jq -r .decidedAt <"$scratch/answers" |
    grep -vc '^20')" 0
# The id, event, verdict and score of each answer, and of each decision in the log.
jq -r '[.id, .eventId, .verdict, .score] | join("|")' <"$scratch/answers" |
    sort >"$scratch/want"
standby_sql "select id, event_id, verdict, score from assay.verdict_log" |
    sort >"$scratch/got"
check "each answer is in the log, once and as it was answered" \
    test -z "$(comm -23 "$scratch/want" "$scratch/got")"
is "no decision of the log has two rows" "$(cut -d '|' -f 1 "$scratch/got" |
    uniq -d | grep -c .)" 0
is "what is stored without an answer is at most one decision of each client" \
    "$(test "$(comm -13 "$scratch/want" "$scratch/got" | grep -c .)" -le 4 && echo yes)" yes
finish
