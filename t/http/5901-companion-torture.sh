#!/bin/sh
# SPDX-License-Identifier: ISC
# Two companions are killed, again and again, and PostgreSQL under them, while
# decisions, events for later and chargebacks go on: what was accepted is
# decided once, what happened is delivered at least once under one id, and
# what is counted is what a recount says.
#
# TORTURE_MINUTES makes it long.
# shellcheck disable=SC2154,SC2317 # pids by name, and what stack_until calls
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/deliver.sh
. "$(dirname "$0")/deliver.sh"
# shellcheck source=t/http/days.sh
. "$(dirname "$0")/days.sh"
rounds=$((${TORTURE_MINUTES:-0} * 12 + 2))

# companion N: one of the two, as if on a host of its own.
companion() {
	host=$1
	start_cron "work --for 1h" ALLOW_PRIVATE_TARGETS=true LOG_LEVEL=info
	host=
	eval "companion_$1=\$stack_cron_pid"
}

# slain PID: it and its children, which are stopped first so that none is
# missed, are killed.
slain() {
	kill -s STOP "$1"
	slain_all=$(pgrep -P "$1")
	# shellcheck disable=SC2086 # pids
	kill -s KILL $slain_all
	kill -s KILL "$1"
	for pid in $slain_all "$1"; do
		stack_until 15 0 stack_gone "$pid"
	done
}

# crash: the server with all of its processes, and start it again.
crash() {
	kill -s STOP "$stack_pg_pid"
	crash_all=$(pgrep -P "$stack_pg_pid")
	stack_end "$stack_pg_pid" KILL
	for pid in $crash_all; do
		stack_until 15 0 stack_gone "$pid"
	done
	start_database -c full_page_writes=on
}

# subscribe MODE NAME: an endpoint of the receiver for all that happens.
subscribe() {
	http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/$1/$2\",
	    \"events\":[\"verdict.reached.v1\",\"label.recorded.v1\"]}"
	echo "$2 $(json .secret)" >>"$mail/secrets"
}

# load: one client after another request; what it was told goes to accepted,
# "KIND ID" a line, until it is told to end.
load() {
	# shellcheck disable=SC2016 # it is perl
	API_KEY=$KEY setpriv --pdeathsig KILL perl -MIO::Socket::UNIX -e '
		my ($path, $out) = @ARGV;
		my $end;
		$SIG{TERM} = sub { $end = 1 };
		open my $told, ">>", $out or die;
		sub ask {
			my ($kind, $to, $id, $body) = @_;
			my $s = IO::Socket::UNIX->new($path) or return;
			print $s "POST /v1/$to HTTP/1.0\r\nX-API-Key: " .
			    "$ENV{API_KEY}\r\nContent-Type: application/json" .
			    "\r\nContent-Length: " . length($body) .
			    "\r\n\r\n$body";
			my $answer = <$s> // "";
			syswrite $told, "$kind $id\n" if $answer =~ / 20[02]\b/;
			1 while <$s>;
		}
		for (my $n = 1; !$end; $n++) {
			my $user = $n % 7;
			my $where = $n % 3;
			my $rest = qq("type":"payment.authorize","amount":20,
			    "currency":"EUR","subject":{"userId":"u$user",
			    "deviceId":"d$where","ip":"196.188.9.$where"});
			ask("later", "decisions/async", "later-$n",
			    qq({"id":"later-$n",$rest}));
			ask("now", "decisions", "now-$n",
			    qq({"id":"now-$n",$rest}));
			ask("label", "labels/chargeback", "now-$n",
			    qq({"eventId":"now-$n"})) if $n % 10 == 0;
		}' "$scratch/run/http.sock" "$scratch/accepted" \
	    </dev/null >"$scratch/log/load.log" 2>&1 &
	load_pid=$!
	more_pids="$load_pid $more_pids"
}

# Whether nothing is left to do for any companion.
is_idle() {
	[ "$(sql "select (select count(*) from assay.async_queue) +
	    (select count(*) from assay.outbox) +
	    (select count(*) from assay.delivery) +
	    (select count(*) from assay.analytics_change) +
	    (select count(*) from assay.label
		where credited is not null and risk is null)")" -eq 0 ] &&
	    [ "$(sql "select count(*) from assay.verdict_log" |
		tr -d ' ')" = "$(sql "select coalesce(sum(n), 0)
		from assay.analytics_count where kind = 'verdict'")" ]
}

# told KIND: the ids that were accepted so.
told() {
	sed -n "s/^$1 //p" "$scratch/accepted" | LC_ALL=C sort
}

start_database -c full_page_writes=on
start_pool ALLOW_PRIVATE_TARGETS=true
start_nginx
wait_ready
start_receiver
admin_token
api_key
subscribe 200 fine
subscribe once again
TOKEN=
companion 1
companion 2
load
i=0
while [ "$i" -lt "$rounds" ]; do
	i=$((i + 1))
	sleep 0.4
	slain "$companion_1"
	companion 1
	sleep 0.3
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where application_name = 'assay cron'" >/dev/null
	sleep 0.4
	slain "$companion_2"
	slain "$companion_1"
	companion 2
	companion 1
	sleep 0.3
	crash
	wait_ready
	sleep 0.4
done
kill -s TERM "$load_pid"
wait "$load_pid"

# Claims of the dead are over after a while; their time is taken from them.
check "all comes to an end" stack_until 60 "$stack_cron_pid" eval \
    'sql "update assay.delivery set next_attempt_at = clock_timestamp(),
	claimed_until = null where claimed_until > clock_timestamp()
	+ interval '\''1 minute'\''" && is_idle'
kill -s TERM "$companion_1" "$companion_2"
wait "$companion_1" "$companion_2"

echo "# accepted: $(cut -d ' ' -f 1 "$scratch/accepted" | sort | uniq -c |
    awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 }')"
check "of each kind some" test "$(cut -d ' ' -f 1 "$scratch/accepted" |
    sort -u | wc -l)" -eq 3
is "each event for later is decided once" "$(sql "select event_id
    from assay.verdict_log where event_id like 'later-%'
	and reasons not like '%engine.degraded%'" | LC_ALL=C sort |
    uniq -c | awk '{ print $2, $1 }' | LC_ALL=C sort >"$scratch/decided"
    told later | LC_ALL=C comm -23 - \
	"$(sed 's/ 1$//' "$scratch/decided" | LC_ALL=C sort >"$scratch/once"
	echo "$scratch/once")")" ""
is "and none of them twice" "$(grep -v ' 1$' "$scratch/decided")" ""
is "each user's state has counted them once" "$(sql "select count(*)
    from assay.detail where replay is not null")" "$(sql "select count(*)
    from assay.verdict_log where score >= 0")"

cat "$mail"/body.* | jq -r '[.type, .data.verdictId // .data.eventId] | join(" ")' |
    LC_ALL=C sort -u >"$scratch/arrived"
is "every verdict arrived" "$(sql "select 'verdict.reached.v1 ' || id
    from assay.verdict_log" | LC_ALL=C sort |
    LC_ALL=C comm -3 - "$(grep verdict "$scratch/arrived" \
	>"$scratch/arrived.verdicts"; echo "$scratch/arrived.verdicts")" |
    head -n 3)" ""
is "and every label" "$(told label | sed 's/^/label.recorded.v1 /' |
    LC_ALL=C comm -23 - "$scratch/arrived" | head -n 3)" ""
is "each under one id, at each endpoint" "$(for name in fine again; do
	got "$name" | cut -d ' ' -f 2 | sort -u | while read -r id; do
		cat "$mail/body.$id.1"
		echo
	done | jq -r '[.type, .data.verdictId // .data.eventId] | join(" ")' |
	    sort | uniq -d
done | head -n 3)" ""
is "all of them signed" "$(cut -d ' ' -f 4,5 "$mail/received" | sort -u)" \
    "good good"

is "the analytics are what a recount says" "$(sql "
    select (decided_at at time zone 'UTC')::date, verdict, count(*)
    from assay.verdict_log group by 1, 2
    except select day, name, sum(n) from assay.analytics_count
	where kind = 'verdict' group by 1, 2")" ""
is "so are the labels" "$(sql "select count(*) from assay.label")" \
    "$(sql "select n from assay.analytics_total
	where kind = 'label' and name = 'fraud'")"
is "and the days of devices and ips" "$(days_counted)" "$(days_recounted)"
check "which have some of each" [ "$(days_counted | awk -F '|' '
    $3 > 0 { n++ } $5 > 0 { l++ } END { print (n > 5 && l > 1) }')" = 1 ]
finish
