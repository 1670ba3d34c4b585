#!/bin/sh
# SPDX-License-Identifier: ISC
# Redis killed, hung, restarted, full and locked: every decision is answered,
# by the windows of the host, and /readyz and one line of the log say so.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_redis
url="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"
start_stack RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_URL="$url" \
    REDIS_TIMEOUT_MS=900
start_host 2 RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_URL="$url" \
    REDIS_TIMEOUT_MS=900
admin_token
admin=$TOKEN
event='{"type":"account.login","subject":{"userId":"u-1"}}'

# A key with a fresh budget.
fresh_key() {
	TOKEN=$admin KEY=
	api_key
	TOKEN=
}

# both WANT: what /readyz says at both hosts, before long.
both() {
	for host in '' 2; do
		check "host ${host:-1} is $1" \
		    stack_until 20 "$stack_pool_pid" ready_is "$1"
	done
	host=
}
up="200 ok ok"
down="503 ok down"

# lines HOST WHAT: how many there are in its log.
lines() {
	grep -c " redis=$2" "$scratch/log/pool$1.log"
}

# calls RESULT: the counter of the first host.
calls() {
	KEY='' http GET /metrics
	printf '%s\n' "$BODY" |
	    sed -n "s/^engine_redis_calls_total{result=\"$1\"} //p"
}

# Load on both hosts while a command runs: each answer is a decision or 429.
under_load() {
	for n in '' 2; do
		seq 60 | xargs -P 3 -I{} curl -s -o /dev/null \
		    -w '%{http_code}\n' -H "X-API-Key: $KEY" \
		    --unix-socket "$scratch/run$n/http.sock" \
		    -H 'Content-Type: application/json' \
		    "$BASE/v1/decisions" -d "$event" >"$scratch/codes$n" &
		eval "load$n=$!"
	done
	sleep 0.2
	"$@"
	# shellcheck disable=SC2154 # set by eval
	wait "$load" "$load2"
	is "120 answers, all 200 or 429" \
	    "$(cat "$scratch/codes" "$scratch/codes2" |
	    grep -cxE '200|429')" 120
}

both "$up"

# Killed.
fresh_key
under_load stack_end "$redis_pid" KILL
both "$down"
is "one line says it" "$(lines '' lost) $(lines 2 lost)" "1 1"
check "and why" grep -qE 'redis=lost why="(connect|send|receive): ' \
    "$scratch/log/pool.log"
fresh_key
http POST /v1/decisions "$event"
is "decisions go on" "$STATUS $(header x-ratelimit-limit)" "200 50"
is "with no word of Redis before the next is tried" \
    "$(lines '' lost) $(lines 2 lost)" "1 1"

# Back, under load; its counts are gone, as with the process they were in.
fresh_key
under_load start_redis
both "$up"
is "one line says that it is back" "$(lines '' back) $(lines 2 back)" "1 1"
left=$((60 - $(date +%-S)))
[ "$left" -gt 5 ] || sleep "$left"
fresh_key
http POST /v1/decisions "$event"
is "the budget counts there again" "$(header x-ratelimit-remaining)" 49
on 2 POST /v1/decisions "$event"
is "for both" "$(header x-ratelimit-remaining)" 48

# Restarted between two requests: what hung up is no failure.
redis shutdown nosave >/dev/null
stack_end "$redis_pid" KILL
start_redis
for want in 200 200 200 200 200 200; do
	http POST /v1/decisions "$event"
	[ "$STATUS" = "$want" ] || break
done
is "a restart that nobody saw is no failure" "$STATUS $(lines '' lost)" "200 1"

# Hung, with the timeout that is usual: a request of each worker may wait for
# it, then one a second does.
stop_pool
start_pool RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_URL="$url"
wait_ready
fresh_key
http POST /v1/decisions "$event"
was=$(calls failed)
from=$(date +%s)
kill -s STOP "$redis_pid"
under_load true
both "$down"
took=$(($(date +%s) - from))
check "few calls waited ($(calls failed) in $took s)" \
    test $(($(calls failed) - was)) -le $((4 + took + 1))
check "the others did not try" test "$(calls skipped)" -gt 30
kill -s CONT "$redis_pid"
both "$up"

# Errors of Redis count as failures.
fresh_key
name=assay:limit:key:$(printf '%s' "$KEY" | sha256sum | cut -c 1-32)
: >"$scratch/log/pool.log"
redis del "$name" >/dev/null
redis rpush "$name" x >/dev/null
http POST /v1/decisions "$event"
is "a key of another type" "$STATUS" 200
check "is said" grep -q 'redis=lost why="EVAL was answered WRONGTYPE' \
    "$scratch/log/pool.log"
redis del "$name" >/dev/null
both "$up"
: >"$scratch/log/pool.log"
redis config set maxmemory 1 >/dev/null
both "$down"
fresh_key
http POST /v1/decisions "$event"
is "a full Redis" "$STATUS" 200
check "is said" grep -q 'redis=lost why="EVAL was answered OOM' \
    "$scratch/log/pool.log"
redis config set maxmemory 0 >/dev/null
both "$up"
stop_pool
: >"$scratch/log/pool.log"
start_pool REDIS_URL="unix://:wrong-$REDIS_PASSWORD@$scratch/run/redis.sock"
check "a wrong password" stack_until 20 "$stack_pool_pid" ready_is "$down"
http POST /v1/decisions "$event"
is "is no reason to decide nothing" "$STATUS" 200
check "is said" grep -q 'redis=lost why="AUTH was answered WRONGPASS' \
    "$scratch/log/pool.log"

# What is no Redis, and one that answers something else.
start_other() {
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
# shellcheck disable=SC2016 # the dollar is one
for answer in 'HTTP/1.1 400 Bad Request|by what is no Redis' \
    '*2|:1|$1|x||in another form' ':1||in another form' \
    '-ERR open-sesame||ERR"$'; do
	answers=$((answers + 1))
	start_other "$answers" "$(printf '%s' "${answer%|*}|" |
	    sed 's/|/\r\n/g')"
	stop_pool
	: >"$scratch/log/pool.log"
	start_pool REDIS_URL="unix://$scratch/run/other$answers"
	http POST /v1/decisions "$event"
	is "another server" "$STATUS" 200
	check "is said" grep -q "redis=lost why=\"EVAL was answered ${answer##*|}" \
	    "$scratch/log/pool.log"
done
is "no password was shown" "$(cat "$scratch"/log/* | grep -c "$REDIS_PASSWORD")" 0
finish
