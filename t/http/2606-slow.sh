#!/bin/sh
# SPDX-License-Identifier: ISC
# Slow clients, which send headers or bodies in pieces or do not read the answer,
# hold connections of nginx but never a worker.
. "$(dirname "$0")/lib.sh"
use load

free_port
# shellcheck disable=SC2317 # these are called by name
connection_count() {
	awk -v port="$(printf ':%04X' "$port")" '
		substr($2, length($2) - 4) == port && $4 == "01"' /proc/net/tcp |
	    grep -c .
}
# shellcheck disable=SC2317
connections_exceed() { [ "$(connection_count)" -ge "$1" ]; }
# shellcheck disable=SC2317
no_worker_is_held() { [ "$(workers_busy decide) $(workers_busy operator)" = "1 0" ]; }

start_database
start_pool
start_nginx LISTEN="unix:$scratch/run/http.sock default_server;
	listen 127.0.0.1:$port"
wait_ready
admin_token
api_key
TOKEN=

# slow_clients OPTION ...: start a hundred slow clients that end after some seconds.
slow_clients() {
	slowhttptest -c 100 -r 100 -l 20 -i 1 -p 3 "$@" >/dev/null 2>&1 &
	slow_pids="${slow_pids-} $!"
}
load_start 2
slow_clients -H -u "http://127.0.0.1:$port/v1/decisions"
slow_clients -B -u "http://127.0.0.1:$port/v1/auth/login" -f application/json
slow_clients -X -u "http://127.0.0.1:$port/metrics" -k 10 -w 10 -y 20 -n 2 -z 10
check "two hundred slow clients are connected" \
    stack_until 5 "$stack_nginx_pid" \
    connections_exceed 200
check "decisions are made beside slow clients" load_progresses
load_stop "beside slow clients"
check "no worker waits for a slow client" stack_until 5 "$stack_pool_pid" \
    no_worker_is_held
check "many slow clients are still connected" connections_exceed 80
# shellcheck disable=SC2086 # a list
{ kill $slow_pids; wait $slow_pids; } 2>/dev/null

# A client does not read an answer of megabytes.
sql "insert into assay.ruleset select 'account.login', 'big', string_agg(
	format('rule r%s { when velocity.attemptsLast24h >= 0
	then score += 1, tag \"%s\" }', i, lpad(i::text, 60, 'x')), e'\\n')
	from generate_series(1, 300) i;
    update assay.ruleset_active set version = 'big'
	where event_type = 'account.login';
    update assay.epoch set rules = rules + 1"
jq -cn '{events: [range(100) |
    {type: "account.login", subject: {userId: "big-\(.)"}}]}' >"$scratch/batch"
perl -MIO::Socket::UNIX -e '
	my ($path, $key, $batch, $begun, $go) = @ARGV;
	local $/;
	open my $in, "<", $batch or die;
	my $body = <$in>;
	my $s = IO::Socket::UNIX->new($path) or die;
	print $s "POST /v1/decisions/batch HTTP/1.1\r\nHost: a\r\n" .
	    "Connection: close\r\nX-API-Key: $key\r\n" .
	    "Content-Type: application/json\r\nContent-Length: " .
	    length($body) . "\r\n\r\n$body";
	$s->flush;
	sysread $s, my $answer, 100;
	open my $out, ">", $begun or die;
	select undef, undef, undef, 0.05 until -e $go;
	1 while sysread $s, $answer, 1 << 16, length $answer;
	print $answer' "$scratch/run/http.sock" "$KEY" "$scratch/batch" \
    "$scratch/begun" "$scratch/go" >"$scratch/answer" &
reader=$!
check "a large answer begins to arrive" \
    stack_until 10 "$reader" test -e "$scratch/begun"
check "no worker waits until the large answer is read" \
    stack_until 2 "$stack_pool_pid" \
    no_worker_is_held
touch "$scratch/go"
wait "$reader"
envelope raw /v1/decisions/batch <"$scratch/answer"
is "the large answer arrives whole" \
    "$(tr -d '\r' <"$scratch/answer" | sed '1,/^$/d' |
    jq -r '[.results[] | .decision.reasons | length] |
    "\(length) \(min) \(max)"')" "100 300 300"
check "the large answer is over 2 MB" \
    test "$(wc -c <"$scratch/answer")" -gt 2000000
finish
