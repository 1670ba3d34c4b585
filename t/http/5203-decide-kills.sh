#!/bin/sh
# SPDX-License-Identifier: ISC
# Two companions, as if on two hosts, decide one queue while they and
# PostgreSQL are killed again and again: each accepted event is decided once,
# each user's in their order.
# shellcheck disable=SC2086,SC2154 # users, companion_2
. "$(dirname "$0")/lib.sh"
use companions

start_durable_database
start_signed_in
http POST /v1/policies '{"id":"pol_order_place","version":"all","onError":
    "fail_open","bands":[{"verdict":"review","min":0,"max":100}]}'
is "a policy that reviews every order is published" "$STATUS" 200
TOKEN=

# queue_events FIRST LAST USER ...: queue the events with these numbers of each
# user, in their order over one connection; prints the statuses.
queue_events() {
	perl -e '
		my ($socket, $base, $key, $from, $to, @users) = @ARGV;
		my $next = "";
		for my $n ($from .. $to) {
			for my $user (@users) {
				print $next, "url = \"$base/v1/decisions/async\"\n",
				    "unix-socket = \"$socket\"\nsilent\n",
				    "output = \"/dev/null\"\n",
				    "write-out = \"%{http_code}\\n\"\n",
				    "header = \"X-API-Key: $key\"\n",
				    "header = \"Content-Type: application/json\"\n",
				    "data = \"{\\\"id\\\":\\\"$user:$n\\\",",
				    "\\\"type\\\":\\\"order.place\\\",\\\"subject\\\":",
				    "{\\\"userId\\\":\\\"$user\\\",\\\"deviceId\\\":",
				    "\\\"d-", $n % 7, "\\\"}}\"\n";
				$next = "next\n";
			}
		}' "$scratch/run/http.sock" "$BASE" "$KEY" "$@" >"$scratch/curlrc"
	curl -K "$scratch/curlrc"
}

users=$(seq -f 'u-%g' 40)
{
	queue_events 1 10 $users
	queue_events 1 150 u-hot
} >"$scratch/statuses"
is "all 550 events are accepted" "$(sort "$scratch/statuses" | uniq -c |
    tr -s ' ')" " 550 202"

# Transactions last, so that a kill finds them open.
cluster_psql postgres assay <<'END'
create function assay.slow() returns trigger language plpgsql as $$
begin
	perform pg_sleep(0.03);
	return null;
end $$;
grant execute on function assay.slow() to assay_companion;
create trigger slow after insert or update on assay.user_state
    for each statement execute function assay.slow();
END

# restart_companion HOST: kill the companion of that host and start it again.
restart_companion() {
	kill_companion "$1"
	start_companion "$1" "decide --for 10m"
}
queue_size() {
	sql "select count(*) from assay.async_queue"
}

start_companion 2 "decide --for 10m"
start_companion 3 "decide --for 10m"
for round in 1 2 3 4 5 6; do
	restart_companion $((round % 2 + 2))
	sleep "0.1$round"
done
check "events are queued when PostgreSQL is killed" test "$(queue_size)" -gt 0
stack_end "$stack_pg_pid" QUIT
restart_companion 2
start_durable_database
for round in 1 2 3 4; do
	sleep "0.1$round"
	restart_companion $((round % 2 + 2))
	kill -KILL "$(sql "select pid from pg_stat_activity
	    where application_name = 'assay cron' limit 1")" 2>/dev/null
	stack_until 20 "$stack_pg_pid" queue_size
done
wait_ready

# More events, of which the pool decides some at the same time.
queue_events 11 12 $users >"$scratch/statuses"
is "another 80 events are accepted" \
    "$(sort "$scratch/statuses" | uniq -c | tr -s ' ')" " 80 202"
for n in 1 2 3 4 5 6 7 8; do
	http POST /v1/decisions/async "{\"id\":\"both-$n\",
	    \"type\":\"order.place\",\"subject\":{\"userId\":\"u-both\"}}"
	http POST /v1/decisions "{\"id\":\"both-$n\",
	    \"type\":\"order.place\",\"subject\":{\"userId\":\"u-both\"}}"
	is "event $n is decided by the pool while it is queued" \
	    "$STATUS $(json '.score >= 0')" "200 true"
done
# shellcheck disable=SC2317 # called by stack_until
is_empty() {
	[ "$(queue_size)" = 0 ]
}
check "the companions empty the queue" stack_until 60 "$companion_2" is_empty
for pid in $companion_2 $companion_3; do
	stack_end "$pid" TERM
done

is "each event is decided once and none is degraded" "$(sql "select count(*),
    count(distinct event_id), min(score) >= 0 from assay.verdict_log")" \
    "638|638|t"
is "each event has a key, a sample and a case" "$(sql "select
    (select count(*) from assay.idempotency),
    (select count(distinct event_id) from assay.decision_detail),
    (select count(distinct event_id) from assay.review_case),
    (select count(*) from assay.review_case)")" "638|638|638|638"
is "each event of a user sees those before it" "$(sql "select event_id,
    signals(sample)->>'velocity.attemptsLast24h' from assay.decision_detail
    where event_id like '%:%' and
    (signals(sample)->>'velocity.attemptsLast24h')::int + 1 <>
    split_part(event_id, ':', 2)::int")" ""
is "both companions decided events" "$(grep -l event=queued_event_decided \
    "$scratch"/log/cron[23].log | wc -l)" 2
finish
