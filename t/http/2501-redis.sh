#!/bin/sh
# SPDX-License-Identifier: ISC
# Two pools with one Redis hold one budget, for keys and for logins; Redis is
# reached by unix socket, TCP and TLS, and checked before the start.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# Ports that nobody has: one for TCP, one for TLS.
ports=$(perl -MIO::Socket::INET -e '
	@s = map { IO::Socket::INET->new(Listen => 1,
	    LocalAddr => "127.0.0.1:0") or die } 1, 2;
	print join " ", map { $_->sockport } @s')
tcp=${ports% *}
tls=${ports#* }
mkdir "$scratch/tls"
(cd "$scratch/tls" &&
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-ca \
	-keyout ca.key -out ca.pem &&
    openssl req -newkey rsa:2048 -nodes -subj /CN=redis -keyout redis.key \
	-out redis.csr &&
    echo subjectAltName=DNS:localhost >extensions &&
    openssl x509 -req -days 2 -in redis.csr -CA ca.pem -CAkey ca.key \
	-CAcreateserial -extfile extensions -out redis.pem) \
    >"$scratch/log/openssl.log" 2>&1
stack_own "$scratch/tls"
start_redis --bind 127.0.0.1 --port "$tcp" --tls-port "$tls" \
    --tls-cert-file "$scratch/tls/redis.pem" \
    --tls-key-file "$scratch/tls/redis.key" \
    --tls-ca-cert-file "$scratch/tls/ca.pem" --tls-auth-clients no

# Nothing here is about speed: a busy machine has its time.
limits="RATE_LIMIT_DECISIONS_PER_MIN=20 RATE_LIMIT_LOGIN_PER_MIN=1000"
limits="$limits REDIS_TIMEOUT_MS=900"
# shellcheck disable=SC2086 # words
start_stack $limits \
    REDIS_URL="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"
http GET /readyz
is_json "ready, with Redis" '"\(.status) \(.checks.redis)"' "ready ok"
# shellcheck disable=SC2086 # words
start_host 2 $limits REDIS_URL="redis://:$REDIS_PASSWORD@localhost:$tcp"
admin_token
api_key
first=$KEY
api_key
admin=$TOKEN
TOKEN=
event='{"type":"account.login","subject":{"userId":"u-1"}}'

# Not across the end of a minute.
minute() {
	left=$((60 - $(date +%-S)))
	[ "$left" -gt 12 ] || sleep "$left"
}

minute
on "" POST /v1/decisions "$event"
is "the first tells what is left" \
    "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)" \
    "200 20 19"
on 2 POST /v1/decisions "$event"
is "the other host goes on from there" \
    "$STATUS $(header x-ratelimit-limit) $(header x-ratelimit-remaining)" \
    "200 20 18"
for n in '' 2; do
	seq 20 | xargs -P 4 -I{} curl -s -o /dev/null -w '%{http_code}\n' \
	    --unix-socket "$scratch/run$n/http.sock" -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' "$BASE/v1/decisions" \
	    -d "$event" >"$scratch/codes$n" &
	eval "load$n=$!"
done
# shellcheck disable=SC2154 # set by eval
wait "$load" "$load2"
is "both together grant exactly the budget" \
    "$(sort "$scratch/codes" "$scratch/codes2" | uniq -c | tr -s ' ' |
    tr '\n' ';')" " 18 200; 22 429;"
for n in '' 2; do
	on "$n" POST /v1/decisions "$event"
	is_error "host ${n:-1} refuses" 429 RATE_LIMITED
	is "and says what is left" "$(header x-ratelimit-limit) $(
	    header x-ratelimit-remaining)" "20 0"
	check "and when to come back" test "$(header retry-after)" -ge 1 \
	    -a "$(header retry-after)" -le 60
done

# A key that one host has not seen yet may be used up at the other.
minute
KEY=$first
while http POST /v1/decisions "$event" &&
    [ "$(header x-ratelimit-remaining)" -gt 0 ]; do
	:
done
is "one host alone grants it all" \
    "$STATUS $(header x-ratelimit-remaining)" "200 0"
on 2 POST /v1/decisions "$event"
is_error "then the other grants none, not even the first" 429 RATE_LIMITED
on 2 POST /v1/decisions '{'
is_error "the budget comes before the body" 429 RATE_LIMITED
KEY=ak_live_000000000000000000000000000000000000000000000000
on 2 POST /v1/decisions "$event"
is_error "a key that does not exist has no budget" 401 INVALID_API_KEY

# What Redis is told: hashes, for a minute at most.
http GET /readyz
http POST /v1/auth/login '{}'
is "no names but these" "$(redis --scan | sed -E \
    's/:(key|login):[0-9a-f]{32}$/:\1:hash/' | LC_ALL=C sort -u |
    tr '\n' ' ')" \
    "assay:limit:key:hash assay:limit:login:hash assay:limit:nobody "
is "and none that stays" "$(redis --scan | while read -r name; do
	ttl=$(redis ttl "$name")
	[ "$ttl" -le 60 ] && [ "$ttl" -ne -1 ] || echo "$name $ttl"
done)" ""
redis script flush >/dev/null
KEY=$first
on "" POST /v1/decisions "$event"
is_error "scripts that Redis forgot change nothing" 429 RATE_LIMITED

# Logins, with another pool on the first host: by TLS, as a user of its own.
stop_pool
redis acl setuser assay on '>pass@word/7' '~assay:*' +select +eval +get \
    +incr +pexpireat +time >/dev/null
tls_url="rediss://assay:pass%40word%2f7@localhost:$tls"
# shellcheck disable=SC2086 # words
start_pool $limits RATE_LIMIT_LOGIN_PER_MIN=5 REDIS_URL="$tls_url/0" \
    REDIS_CA_FILE="$scratch/tls/ca.pem"
wait_ready
more=$more_pids
for pid in $more; do
	stack_end "$pid" TERM
done
more_pids=
# shellcheck disable=SC2086 # words
start_host 2 $limits RATE_LIMIT_LOGIN_PER_MIN=5 \
    REDIS_URL="redis://:$REDIS_PASSWORD@127.0.0.1:$tcp/0"
minute
KEY=
redis flushall >/dev/null
for n in '' 2 '' 2 ''; do
	on "$n" POST /v1/auth/login '{}'
	is_error "a login at host ${n:-1}" 400 INVALID_REQUEST
done
on 2 POST /v1/auth/login '{}'
is_error "the next is too many at host 2" 429 RATE_LIMITED
on "" POST /v1/auth/login '{}'
is_error "and at host 1" 429 RATE_LIMITED
check "when to come back" test "$(header retry-after)" -ge 1 \
    -a "$(header retry-after)" -le 60

# Certificates that say something else.
for case in "rediss://:$REDIS_PASSWORD@127.0.0.1:$tls $scratch/tls/ca.pem" \
    "$tls_url $scratch/tls/redis.key" "$tls_url $scratch/tls/none" \
    "$tls_url"; do
	stop_pool
	: >"$scratch/log/pool.log"
	# shellcheck disable=SC2086 # words
	start_pool $limits REDIS_URL="${case% *}" REDIS_CA_FILE="$(
	    case $case in *\ *) echo "${case#* }" ;; esac)"
	check "no trust, no Redis" stack_until 20 "$stack_pool_pid" \
	    ready_is "503 ok down"
	check "and a line says why" grep -q 'redis=lost why="TLS: ' \
	    "$scratch/log/pool.log"
done
KEY=$first
http POST /v1/decisions "$event"
is "decisions go on" "$STATUS" 200
TOKEN=$admin KEY=
http GET /v1/apikeys
is "and so does the rest" "$STATUS" 200

# What cannot be a Redis is refused before it is used, and never shown.
for url in redis://cache:x "redis://:$REDIS_PASSWORD@" \
    "http://:$REDIS_PASSWORD@cache" "unix://redis.sock"; do
	REDIS_URL=$url "$scratch/bin/assay-fcgi" -n >"$scratch/out" 2>&1
	is "refused with EX_CONFIG" "$?" 78
	check "by its name" grep -q '^assay-fcgi: REDIS_URL: ' "$scratch/out"
	is "without the password" \
	    "$(grep -c "$REDIS_PASSWORD" "$scratch/out")" 0
done
is "settings are printed without it" "$(REDIS_URL="$tls_url" \
    "$scratch/bin/assay-fcgi" --print-config | grep REDIS_URL)" \
    "REDIS_URL=(set)"
is "no log holds a password" "$(cat "$scratch"/log/* |
    grep -cE "$REDIS_PASSWORD|pass@word|pass%40word")" 0
finish
