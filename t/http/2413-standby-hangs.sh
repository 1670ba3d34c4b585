#!/bin/sh
# SPDX-License-Identifier: ISC
# A synchronous standby hangs: commits wait for it, also in abandoned sessions.
# The pool stays within DATABASE_POOL_MAX sessions and recovers when the standby does.
. "$(dirname "$0")/lib.sh"
use away standby

start_servers other

# DATABASE_POOL_MAX leaves room for two sessions that hang: the others are those of
# 4 workers, of retention and of the test.
start_with_key DATABASE_POOL_MAX=8
order='{"type":"order.place","subject":{"userId":"u-1"}}'
ask_decision "$order"
is "an event is scored while the standby follows" "$(json .score)" 0

# commits_waiting: print how many commits wait for the standby.  pool_sessions:
# print how many sessions the pool has.
commits_waiting() {
	sql "select count(*) from pg_stat_activity
	    where application_name like 'assay %' and wait_event = 'SyncRep'"
}
pool_sessions() {
	sql "select count(*) from pg_stat_activity
	    where application_name like 'assay %'"
}
sql "alter system set synchronous_standby_names = 'other'"
sql "select pg_reload_conf()" >/dev/null
# shellcheck disable=SC2317 # stack_until calls it
standby_is_synchronous() {
	[ "$(sql "select sync_state from pg_stat_replication")" = sync ]
}
check "commits wait for the standby" \
    stack_until 20 "$standby_pid" standby_is_synchronous

signal_processes "$standby_pid" STOP
most=0
n=0
full='level=error .*event=database_sessions_full waits=IPC:SyncRep why='
until [ "$n" -ge 400 ] || { [ "$n" -ge 40 ] &&
    grep -q "$full" "$scratch/log/pool.log"; }; do
	n=$((n + 1))
	ask_decision "{\"type\":\"order.place\",\"subject\":{\"userId\":\"u-$n\"}}"
	[ "$STATUS" = 200 ] || not_ok "answer $n with a hanging standby is $STATUS $BODY"
	open=$(pool_sessions)
	[ "$open" -le "$most" ] || most=$open
done
check "commits of abandoned sessions wait in the server" \
    test "$(commits_waiting)" -ge 3
check "the pool's sessions stay within DATABASE_POOL_MAX" test "$most" -le 8
is "while the standby hangs every decision is answered" \
    "$(jq -r 'select(.score == -1) | .verdict' \
    <"$scratch/answers" | sort | uniq -c | tr -s ' \n' ' ')" " $n allow "
check "the log says why the pool opens no more sessions" grep -q "$full" \
    "$scratch/log/pool.log"
is "other roles still reach the server" "$(sql "select 1")" 1

signal_processes "$standby_pid" CONT
check "when the standby continues events are scored again" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
wait_drained
wait_ready
# shellcheck disable=SC2317 # stack_until calls it
sessions_are_few() {
	[ "$(commits_waiting)" = 0 ] && [ "$(pool_sessions)" -le 5 ]
}
check "after the standby continues only the workers' sessions are left" \
    stack_until 20 "$stack_pool_pid" sessions_are_few
finish
