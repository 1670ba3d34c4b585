#!/bin/sh
# SPDX-License-Identifier: ISC
# Workers, sessions and a backend are killed under load, and clients send an
# event again until they have an answer: what was answered is what is stored.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_database

# The other scenarios do without; here a commit must outlive its backend.
start_pool DECIDE_WORKERS=4
start_nginx
wait_ready
admin_token
api_key
TOKEN=

cat >"$scratch/client" <<'END'
use strict;
use IO::Socket::UNIX;
my ($n, $path, $key, $out) = @ARGV;
local $/;
open my $answers, '>', "$out.$n" or die;
for my $i (1 .. 250) {
	my $body = sprintf '{"id":"k-%d-%d","type":"account.login","subject":' .
	    '{"userId":"k-%d","deviceId":"kd-%d","ip":"10.7.0.%d"}}', $n, $i,
	    ($n + $i) % 5, $n * $i % 7, $i % 9;
	my $answer = '';
	until ($answer =~ m{^HTTP/1.1 200}) {
		my $s = IO::Socket::UNIX->new($path) or die;
		print $s "POST /v1/decisions HTTP/1.1\r\nHost: assay\r\n" .
		    "Connection: close\r\nX-API-Key: $key\r\n" .
		    "Content-Type: application/json\r\nContent-Length: " .
		    length($body) . "\r\n\r\n$body";
		$answer = <$s> // '';
	}
	print $answers $answer =~ s/.*\r\n\r\n//sr, "\n";
}
END
seq 10 | xargs -P 10 -I{} timeout 30 perl "$scratch/client" {} \
    "$scratch/run/http.sock" "$KEY" "$scratch/answers" &
clients=$!
sleep 0.3
backend() {
	sql "select pid from pg_stat_activity
	    where application_name = 'assay decide' limit 1"
}
kill -KILL "$(pgrep -P "$stack_pool_pid" | head -n 1)"
sleep 0.2
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'assay decide'" >/dev/null
sleep 0.2
check "a backend is killed" kill -KILL "$(backend)"
wait "$clients"

cat "$scratch"/answers.* >"$scratch/all"
is "every event has its answer" "$(jq -r .eventId <"$scratch/all" | sort -u |
    grep -c .)" 2500
jq -r 'select(.score >= 0) | "\(.eventId)|\(.id)|\(.verdict)|\(.score)"' \
    <"$scratch/all" | sort >"$scratch/answered"
stack_until 10 "$stack_pg_pid" cluster_psql postgres assay -c "" 2>/dev/null
sql "select event_id, id, verdict, score from assay.verdict_log
    where event_id like 'k-%' and score >= 0" | sort >"$scratch/stored"
check "the scored ones are those of the log, each once" \
    diff "$scratch/answered" "$scratch/stored"
is "each counted the events of its user before it" "$(sql "
    select count(*) from (select replay::json #>>
	'{signals,velocity.attemptsLast24h}' as seen, row_number() over (
	    partition by user_id order by decided_at) - 1 as before
	from assay.detail where replay is not null and user_id like 'k-%') d
    where seen::int <> before")" 0
finish
