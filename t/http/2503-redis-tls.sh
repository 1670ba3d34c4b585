#!/bin/sh
# SPDX-License-Identifier: ISC
# Two pools share the login budget, one over TLS as its own Redis user.  Redis with
# a wrong certificate is refused, a wrong REDIS_URL before the start.
. "$(dirname "$0")/lib.sh"
use redis doctor

start_redis_tls
limits="RATE_LIMIT_DECISIONS_PER_MIN=20 REDIS_TIMEOUT_MS=900"
event='{"type":"account.login","subject":{"userId":"u-1"}}'

# As a Redis user with only the commands that it needs.
redis acl setuser assay on '>pass@word/7' '~assay:limit:*' +select +eval +get \
    +incr +pexpireat +time >/dev/null
tls_url="rediss://assay:pass%40word%2f7@localhost:$tls"
start_database
# shellcheck disable=SC2086 # words
start_signed_in $limits REDIS_URL="$tls_url/0" REDIS_CA_FILE="$scratch/tls/ca.pem"
first=$KEY
admin=$TOKEN
TOKEN=

stop_pool
# shellcheck disable=SC2086 # words
start_pool $limits RATE_LIMIT_LOGIN_PER_MIN=5 REDIS_URL="$tls_url/0" \
    REDIS_CA_FILE="$scratch/tls/ca.pem"
wait_ready
# shellcheck disable=SC2086 # words
start_host 2 $limits RATE_LIMIT_LOGIN_PER_MIN=5 \
    REDIS_URL="redis://:$REDIS_PASSWORD@127.0.0.1:$tcp/0"
same_minute
KEY=
redis flushall >/dev/null
for n in 1 2 3 4 5; do
	at=2
	[ $((n % 2)) -eq 0 ] || at=
	on "$at" POST /v1/auth/login '{}'
	is_error "login $n of a budget of 5 over two hosts is not limited" \
	    400 INVALID_REQUEST
done
on 2 POST /v1/auth/login '{}'
is_error "the sixth login answers 429 at host 2" 429 RATE_LIMITED
on "" POST /v1/auth/login '{}'
is_error "the sixth login answers 429 at host 1" 429 RATE_LIMITED
check "a limited login says when to try again" \
    test "$(header retry-after)" -ge 1 \
    -a "$(header retry-after)" -le 60

# Redis with a certificate that the pool must not trust.
attempt=0
for case in "rediss://:$REDIS_PASSWORD@127.0.0.1:$tls $scratch/tls/ca.pem" \
    "$tls_url $scratch/tls/redis.key" "$tls_url $scratch/tls/none" \
    "$tls_url"; do
	attempt=$((attempt + 1))
	stop_pool
	: >"$scratch/log/pool.log"
	# shellcheck disable=SC2086 # words
	start_pool $limits REDIS_URL="${case% *}" REDIS_CA_FILE="$(
	    case $case in *\ *) echo "${case#* }" ;; esac)"
	check "a pool is not ready with untrusted Redis $attempt" \
	    stack_until 20 "$stack_pool_pid" \
	    ready_is "503 ok down"
	check "the log names the TLS error of untrusted Redis $attempt" \
	    grep -q 'event=redis_lost host=[^ ]* port=[0-9]* why="TLS: ' \
	    "$scratch/log/pool.log"
done
KEY=$first
http POST /v1/decisions "$event"
is "decisions are made without a trusted Redis" "$STATUS" 200
TOKEN=$admin KEY=
http GET /v1/apikeys
is "operators are answered without a trusted Redis" "$STATUS" 200

# What assayctl doctor says of the same.
: >"$scratch/conf"
doctor REDIS_URL="$tls_url" REDIS_CA_FILE="$scratch/tls/ca.pem"
check "the doctor speaks TLS as the pool does" finds redis ok answers
doctor REDIS_URL="$tls_url"
check "the doctor warns of an untrusted certificate" finds redis warn 'TLS: '
doctor REDIS_URL="rediss://assay:other@localhost:$tls" \
    REDIS_CA_FILE="$scratch/tls/ca.pem"
check "the doctor warns of a wrong password" finds redis warn 'AUTH failed with'
doctor REDIS_URL="redis://127.0.0.1:$tcp"
check "the doctor warns of a missing password" finds redis warn NOAUTH

# A wrong REDIS_URL is refused before the start, without printing it.
attempt=0
for url in redis://cache:x "redis://:$REDIS_PASSWORD@" \
    "http://:$REDIS_PASSWORD@cache" "unix://redis.sock"; do
	attempt=$((attempt + 1))
	REDIS_URL=$url "$scratch/bin/assay-fcgi" -n >"$scratch/out" 2>&1
	is "wrong REDIS_URL $attempt ends with EX_CONFIG" "$?" 78
	check "the error of wrong REDIS_URL $attempt names the setting" \
	    grep -q '^assay-fcgi: REDIS_URL: ' "$scratch/out"
	is "the error of wrong REDIS_URL $attempt has no password" \
	    "$(grep -c "$REDIS_PASSWORD" "$scratch/out")" 0
done
is "--print-config does not print REDIS_URL" "$(REDIS_URL="$tls_url" \
    "$scratch/bin/assay-fcgi" --print-config | grep REDIS_URL)" \
    "REDIS_URL=(set)"
is "no log holds a password of Redis" "$(cat "$scratch"/log/* |
    grep -cE "$REDIS_PASSWORD|pass@word|pass%40word")" 0
finish
