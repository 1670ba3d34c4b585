#!/bin/sh
# SPDX-License-Identifier: ISC
# Redis answers with errors, or is another server: decisions are made with the
# budgets of the host, and the log says why.
. "$(dirname "$0")/lib.sh"
use redis

start_redis_hosts
both_hosts_are "$redis_up"

fresh_key
counter=assay:limit:key:$(printf '%s' "$KEY" | sha256sum | cut -c 1-32)
: >"$scratch/log/pool.log"
redis del "$counter" >/dev/null
redis rpush "$counter" x >/dev/null
http POST /v1/decisions "$event"
is "a decision is made when Redis has a key of another type" "$STATUS" 200
check "the log has Redis' error about the key of another type" \
    grep -q 'event=redis_lost why="EVAL failed with WRONGTYPE' \
    "$scratch/log/pool.log"
redis del "$counter" >/dev/null
both_hosts_are "$redis_up"
: >"$scratch/log/pool.log"
redis config set maxmemory 1 >/dev/null
both_hosts_are "$redis_down"
fresh_key
http POST /v1/decisions "$event"
is "a decision is made when Redis is full" "$STATUS" 200
check "the log has Redis' error about its memory" \
    grep -q 'event=redis_lost why="EVAL failed with OOM' \
    "$scratch/log/pool.log"
redis config set maxmemory 0 >/dev/null
both_hosts_are "$redis_up"
stop_pool
: >"$scratch/log/pool.log"
start_pool REDIS_URL="unix://:wrong-$REDIS_PASSWORD@$scratch/run/redis.sock"
check "with a wrong password of Redis the pool is not ready" \
    stack_until 20 "$stack_pool_pid" ready_is "$redis_down"
http POST /v1/decisions "$event"
is "with a wrong password of Redis decisions are made" "$STATUS" 200
check "the log has Redis' error about the password" \
    grep -q 'event=redis_lost why="AUTH failed with WRONGPASS' \
    "$scratch/log/pool.log"

# Servers that are not Redis, and answers that Redis never gives.
# start_fake N ANSWER: a server that sends this to every request.
start_fake() {
	# shellcheck disable=SC2016,SC2086 # Perl; a command and its arguments
	$stack_as --pdeathsig KILL perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Listen => 5,
		    Local => $ARGV[0]) or die "listen: $!";
		while (my $c = $s->accept) {
			sysread $c, my $question, 4096;
			syswrite $c, $ARGV[1];
			push @kept, $c;
		}' "$scratch/run/other$1" "$2" 2>>"$scratch/log/other.log" &
	more_pids="$more_pids $!"
	stack_until 10 $! test -S "$scratch/run/other$1"
}
answers=0
other='got an answer that Redis does not give'
# shellcheck disable=SC2016 # the dollar is one
for answer in "HTTP/1.1 400 Bad Request||$other" \
    '*2|:1|$1|x||'"$other" \
    "*3|:1|:9|:1||$other" \
    ":1||$other" \
    "*2|:1|:1x||$other" \
    "*2|:-1|:-1||$other" \
    "*2|:1|:0||$other" \
    "*2|:1|:61||$other" \
    "*2|:2147483648|:9||$other" \
    "*2|:99999999999999999999|:9||$other" \
    "+$(printf '%02100d' 0)|$other" \
    "-DENIED $(printf '%01060d' 0)||failed with DENIED\"\$" \
    '-ERR Error running script: @user_script: 6: -READONLY x||failed with READONLY"$' \
    '-ERR open-sesame||failed with ERR"$'; do
	answers=$((answers + 1))
	start_fake "$answers" "$(printf '%s' "${answer%|*}|" |
	    sed 's/|/\r\n/g')"
	stop_pool
	: >"$scratch/log/pool.log"
	start_pool REDIS_URL="unix://$scratch/run/other$answers"
	http POST /v1/decisions "$event"
	is "a decision is made beside fake server $answers" "$STATUS" 200
	check "the log has the answer of fake server $answers" \
	    grep -q "event=redis_lost why=\"EVAL ${answer##*|}" \
	    "$scratch/log/pool.log"
done
is "no log holds the password of Redis" \
    "$(cat "$scratch"/log/* | grep -c "$REDIS_PASSWORD")" 0
finish
