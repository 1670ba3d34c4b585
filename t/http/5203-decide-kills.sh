#!/bin/sh
# SPDX-License-Identifier: ISC
# Two companions, as if on two hosts, decide one queue, while each of them,
# and the server under them, is killed again and again: every event that was
# accepted is decided once, each user's in their order.
# shellcheck disable=SC2086,SC2154 # pids, which companion() sets
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# Torn pages are what full_page_writes mends, and kill -9 may tear one.
start_again() {
	start_database -c full_page_writes=on
}

start_again
start_pool
start_nginx
wait_ready
admin_token
api_key
http POST /v1/policies '{"id":"pol_order_place","version":"all","onError":
    "fail_open","bands":[{"verdict":"review","min":0,"max":100}]}'
is "all is reviewed" "$STATUS" 200
TOKEN=

# accept FIRST LAST USER ...: these numbers of each user, in their order, over
# one connection; prints the statuses.
accept() {
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
	accept 1 10 $users
	accept 1 150 u-hot
} >"$scratch/statuses"
is "550 events are accepted" "$(sort "$scratch/statuses" | uniq -c |
    tr -s ' ')" " 550 202"

# Each set lasts, so that it is in its middle that it is killed.
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

# companion HOST: start one; its pid is in pid_HOST.
companion() {
	host=$1
	start_cron "decide --for 10m"
	host=
	eval "pid_$1=\$stack_cron_pid"
}
# slain HOST: it was in the middle of something, or not.
slain() {
	eval "kill -KILL \$pid_$1"
	companion "$1"
}
left() {
	sql "select count(*) from assay.async_queue"
}

companion 2
companion 3
for round in 1 2 3 4 5 6; do
	slain $((round % 2 + 2))
	sleep "0.1$round"
done
check "some are left when the server is killed" test "$(left)" -gt 0
stack_end "$stack_pg_pid" QUIT
slain 2
start_again
for round in 1 2 3 4; do
	sleep "0.1$round"
	slain $((round % 2 + 2))
	kill -KILL "$(sql "select pid from pg_stat_activity
	    where application_name = 'assay cron' limit 1")" 2>/dev/null
	stack_until 20 "$stack_pg_pid" left
done
wait_ready

# More of the same, and some that others decide at the same time.
accept 11 12 $users >"$scratch/statuses"
is "more are accepted" "$(sort "$scratch/statuses" | uniq -c | tr -s ' ')" \
    " 80 202"
for n in 1 2 3 4 5 6 7 8; do
	http POST /v1/decisions/async "{\"id\":\"both-$n\",
	    \"type\":\"order.place\",\"subject\":{\"userId\":\"u-both\"}}"
	http POST /v1/decisions "{\"id\":\"both-$n\",
	    \"type\":\"order.place\",\"subject\":{\"userId\":\"u-both\"}}"
	is "sync and async, $n" "$STATUS $(json '.score >= 0')" "200 true"
done
# shellcheck disable=SC2317 # called by stack_until
empty() {
	[ "$(left)" = 0 ]
}
check "the queue is emptied" stack_until 60 "$pid_2" empty
for pid in $pid_2 $pid_3; do
	stack_end "$pid" TERM
done

is "each is decided once, and none was degraded" "$(sql "select count(*),
    count(distinct event_id), min(score) >= 0 from assay.verdict_log")" \
    "638|638|t"
is "each has its key, its sample and its case" "$(sql "select
    (select count(*) from assay.idempotency),
    (select count(distinct event_id) from assay.detail),
    (select count(distinct event_id) from assay.review_case),
    (select count(*) from assay.review_case)")" "638|638|638|638"
is "each user's in their order, each counted once" "$(sql "select event_id,
    replay::json->'signals'->>'velocity.attemptsLast24h' from assay.detail
    where event_id like '%:%' and
    (replay::json->'signals'->>'velocity.attemptsLast24h')::int + 1 <>
    split_part(event_id, ':', 2)::int")" ""
is "both companions had their part" "$(grep -l decision=async \
    "$scratch"/log/cron[23].log | wc -l)" 2
finish
