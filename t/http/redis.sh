# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Redis in scenarios: with TLS, and its state as the hosts report it.  Sourced after
# lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh and of the scenarios

# "STATUS STORE REDIS", as ready_is takes it.
redis_up="200 ok ok"
redis_down="503 ok down"

# start_redis_tls: on the socket, and on the ports tcp and tls, with a certificate
# for localhost; its authority is $scratch/tls/ca.pem.
start_redis_tls() {
	free_port
	tcp=$port
	tls=$tcp
	while [ "$tls" = "$tcp" ]; do
		free_port
		tls=$port
	done
	mkdir "$scratch/tls"
	(cd "$scratch/tls" &&
	    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem &&
	    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-subj /CN=redis -keyout redis.key -out redis.csr &&
	    echo subjectAltName=DNS:localhost >extensions &&
	    openssl x509 -req -days 2 -in redis.csr -CA ca.pem -CAkey ca.key \
		-CAcreateserial -extfile extensions -out redis.pem) \
	    >"$scratch/log/openssl.log" 2>&1
	stack_own "$scratch/tls"
	start_redis --bind 127.0.0.1 --port "$tcp" --tls-port "$tls" \
	    --tls-cert-file "$scratch/tls/redis.pem" \
	    --tls-key-file "$scratch/tls/redis.key" \
	    --tls-ca-cert-file "$scratch/tls/ca.pem" --tls-auth-clients no
}

# start_redis_hosts: start two hosts with one Redis.  admin is the token of the
# admin, event a decision to send.
start_redis_hosts() {
	start_redis
	redis_url="unix://:$REDIS_PASSWORD@$scratch/run/redis.sock"
	start_stack RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_URL="$redis_url" \
	    REDIS_TIMEOUT_MS=900
	start_host 2 RATE_LIMIT_DECISIONS_PER_MIN=50 REDIS_URL="$redis_url" \
	    REDIS_TIMEOUT_MS=900
	admin_token
	admin=$TOKEN
	event='{"type":"account.login","subject":{"userId":"u-1"}}'
}

# same_minute: wait until the next 12 seconds are in one minute.
same_minute() {
	minute_left=$((60 - $(date +%-S)))
	[ "$minute_left" -gt 12 ] || sleep "$minute_left"
}

# fresh_key: KEY has its whole budget.
fresh_key() {
	TOKEN=$admin KEY=
	api_key
	TOKEN=
}

# both_hosts_are "STATUS STORE REDIS": /readyz answers this at both hosts.
states=0
both_hosts_are() {
	states=$((states + 1))
	for host in '' 2; do
		check "state $states: host ${host:-1} answers $1" \
		    stack_until 20 "$stack_pool_pid" ready_is "$1"
	done
	host=
}

# redis_lines HOST EVENT: how many the log of the host has.
redis_lines() {
	grep -c " event=redis_$2" "$scratch/log/pool$1.log"
}

# redis_calls RESULT: how many the first host has counted.
redis_calls() {
	KEY='' metric "engine_redis_calls_total{result=\"$1\"}"
}

# load_both_hosts STATE COMMAND ...: run the command during 120 decisions.
load_both_hosts() {
	load_state=$1
	shift
	load_pids=
	for load_host in '' 2; do
		seq 60 | xargs -P 3 -I{} curl -s -o /dev/null \
		    -w '%{http_code}\n' -H "X-API-Key: $KEY" \
		    --unix-socket "$scratch/run$load_host/http.sock" \
		    -H 'Content-Type: application/json' "$BASE/v1/decisions" \
		    -d "$event" >"$scratch/codes$load_host" &
		load_pids="$load_pids $!"
	done
	sleep 0.2
	"$@"
	# shellcheck disable=SC2086 # pids
	wait $load_pids
	is "with $load_state Redis 120 requests answer 200 or 429" \
	    "$(cat "$scratch/codes" "$scratch/codes2" |
	    grep -cxE '200|429')" 120
}

# start_redis_node N [OPTION ...]: start a Redis on loopback.  Its port is
# redis_port_N, its process redis_node_N.
start_redis_node() {
	node=$1
	shift
	node_port=$(eval "echo \"\${redis_port_$node-}\"")
	if [ -z "$node_port" ]; then
		free_port
		node_port=$port
	fi
	mkdir -p "$scratch/node$node"
	stack_own "$scratch/node$node"
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig KILL redis-server --bind 127.0.0.1 \
	    --port "$node_port" --requirepass "$REDIS_PASSWORD" \
	    --masterauth "$REDIS_PASSWORD" --dir "$scratch/node$node" --save '' \
	    "$@") </dev/null >>"$scratch/log/node$node.log" 2>&1 &
	eval "redis_node_$node=$! redis_port_$node=$node_port"
	more_pids="$! $more_pids"
	check "the Redis of node $node answers" \
	    stack_until 20 "$!" redis_says "$node" PONG ping
}

# redis_at NUMBER COMMAND ...: ask that Redis.
redis_at() {
	node_port=$(eval "echo \"\$redis_port_$1\"")
	shift
	REDISCLI_AUTH=$REDIS_PASSWORD redis-cli -h 127.0.0.1 -p "$node_port" "$@"
}

# redis_says NUMBER TEXT COMMAND ...: the first line of the answer is this.
redis_says() {
	node_number=$1 node_want=$2
	shift 2
	[ "$(redis_at "$node_number" "$@" 2>/dev/null | head -n 1)" = "$node_want" ]
}

# start_sentinel: watch node 1 and its replicas; promote one after a second.
start_sentinel() {
	free_port
	mkdir -p "$scratch/sentinel"
	# shellcheck disable=SC2154 # set by eval
	printf '%s\n' "port $port" "bind 127.0.0.1" "dir $scratch/sentinel" \
	    "sentinel monitor assay 127.0.0.1 $redis_port_1 1" \
	    "sentinel auth-pass assay $REDIS_PASSWORD" \
	    "sentinel down-after-milliseconds assay 1000" \
	    "sentinel failover-timeout assay 3000" >"$scratch/sentinel/sentinel.conf"
	stack_own "$scratch/sentinel"
	sentinel_port=$port
	run_sentinel
	check "the sentinel knows a replica" stack_until 30 "$sentinel_pid" \
	    sentinel_says 'replicas assay' '^name$'
}
# run_sentinel: again, with what it has written to its configuration.
run_sentinel() {
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig KILL redis-server \
	    "$scratch/sentinel/sentinel.conf" --sentinel) </dev/null \
	    >>"$scratch/log/sentinel.log" 2>&1 &
	sentinel_pid=$!
	more_pids="$! $more_pids"
}

# sentinel_says COMMAND PATTERN: its answer has a line like this.
sentinel_says() {
	# shellcheck disable=SC2086 # words
	redis-cli -p "$sentinel_port" sentinel $1 2>/dev/null | grep -q "$2"
}
