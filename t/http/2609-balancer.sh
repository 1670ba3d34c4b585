#!/bin/sh
# SPDX-License-Identifier: ISC
# Two hosts behind HAProxy, as contrib/haproxy configures it: one after the other is
# stopped and started under load, and no request fails.  Without a database they answer.
. "$(dirname "$0")/lib.sh"
use balancer tls

name=assay.example.com

# start_site HOST: nginx with TLS for the pool of a host.  Sets port.
start_site() {
	host=-site$1
	free_port
	mkdir "$scratch/run$host"
	stack_own "$scratch/run$host"
	start_tls_site SERVER_NAME=$name LISTEN="127.0.0.1:$port" \
	    LISTEN_HTTP="unix:$scratch/run$host/plain.sock" \
	    DECIDE_SOCKET="$scratch/run$1/decide.sock" \
	    OPERATOR_SOCKET="$scratch/run$1/operator.sock" \
	    CERTIFICATE="$scratch/tls/$name.pem" \
	    CERTIFICATE_KEY="$scratch/tls/$name.key" \
	    TRUST_PROXY=1 PROXIES=127.0.0.1 OPERATORS_FROM=192.0.2.0/24 \
	    DECIDE_RATE=10000 CONNECTIONS=1000
	more_pids="$stack_nginx_pid $more_pids"
	host=
}

# via_balancer PATH [option ...]: status and code of an error.
via_balancer() {
	via_path=$1
	shift
	via_status=$(curl -s --max-time 20 --cacert "$scratch/tls/ca.pem" \
	    --resolve "$name:$port:127.0.0.1" -o "$scratch/got" -D "$scratch/head" \
	    -w '%{http_code}' "https://$name:$port$via_path" "$@")
	echo "$via_status $(jq -r '.code // ""' "$scratch/got" 2>/dev/null)"
}
# shellcheck disable=SC2317 # called by name
balancer_answers() { [ "$(via_balancer /readyz)" = "$1 $2" ]; }

tls_ca ca
tls_certificate ca $name "subjectAltName = DNS:$name"
cat "$scratch/tls/$name.pem" "$scratch/tls/$name.key" >"$scratch/tls/assay.pem"
cp "$scratch/tls/ca.pem" "$scratch/tls/assay-ca.pem"
start_stack TRUST_PROXY=1 STOP_DELAY_SECONDS=600
admin_token
api_key
start_host 2 TRUST_PROXY=1 STOP_DELAY_SECONDS=600
second_pid=$(echo "$more_pids" | cut -d ' ' -f 2)
start_site ""
first_port=$port
start_site 2
second_port=$port
free_port
stack_own "$scratch/tls" "$scratch"/tls/*
start_balancer -e "s,bind :443,bind 127.0.0.1:$port," \
    -e "s,bind :80,bind unix@$scratch/run/redirect.sock," \
    -e "s,10.0.0.11:443,127.0.0.1:$first_port," \
    -e "s,10.0.0.12:443,127.0.0.1:$second_port," -e "s,/etc/haproxy,$scratch/tls,"
check "the balancer finds a host that is ready" \
    stack_until 20 "$balancer_pid" balancer_answers 200 ""
is "an address that the client names is not believed" \
    "$(via_balancer /v1/rules -H 'X-Forwarded-For: 192.0.2.7')" "403 FORBIDDEN"

# Four clients, each with a connection for 20 requests.
for n in $(seq 20); do
	printf '%s\n' next silent "url = \"https://$name:$port/v1/decisions\"" \
	    "resolve = \"$name:$port:127.0.0.1\"" "cacert = \"$scratch/tls/ca.pem\"" \
	    "header = \"X-API-Key: $KEY\"" 'header = "Content-Type: application/json"' \
	    "data = \"{\\\"type\\\":\\\"account.login\\\",\\\"subject\\\":{\\\"userId\\\":\\\"u-$n\\\"}}\"" \
	    'output = "/dev/null"' 'write-out = "%{http_code}\n"'
done | sed 1d >"$scratch/load.conf"
touch "$scratch/load"
load_pids=
for n in 1 2 3 4; do
	while [ -e "$scratch/load" ]; do
		curl --max-time 20 -K "$scratch/load.conf"
	done >"$scratch/codes.$n" 2>/dev/null 8>&- &
	load_pids="$load_pids $!"
done
# shellcheck disable=SC2317 # called by name
has_answers() { [ "$(cat "$scratch"/codes.* | grep -c .)" -ge "$1" ]; }
load_goes_on() {
	has=$(cat "$scratch"/codes.* | grep -c .)
	check "$1" stack_until 20 "$balancer_pid" has_answers $((has + 200))
}

# stop_host SERVER PID: tell its pool to stop, and again when the balancer leaves it out.
stop_host() {
	kill -TERM "$2"
	check "the balancer takes out host $1, which will stop" \
	    stack_until 60 "$balancer_pid" balancer_says "$1" DOWN
	load_goes_on "the other host decides while $1 is still there"
	kill -TERM "$2"
	wait "$2"
	load_goes_on "the other host decides without $1"
}

load_goes_on "both hosts decide"
stop_host a "$stack_pool_pid"
start_pool TRUST_PROXY=1
check "the balancer takes in host a, which is ready again" \
    stack_until 60 "$balancer_pid" balancer_says a UP
stop_host b "$second_pid"
rm "$scratch/load"
# shellcheck disable=SC2086 # several
wait $load_pids
is "no request of the load failed" "$(sort -u "$scratch"/codes.* | paste -sd ' ')" 200
is "each answer of the load is stored once" \
    "$(sql "select count(*) from assay.verdict_log")" \
    "$(cat "$scratch"/codes.* | grep -c .)"

stop_database
check "without a database no host is ready" \
    stack_until 60 "$balancer_pid" balancer_says a DOWN 2
is "without a database a decision is answered" "$(via_balancer /v1/decisions \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    -d '{"id":"away","type":"account.login","subject":{"userId":"u-1"}}') $(
    jq .score "$scratch/got")" "200  -1"
start_database
check "with the database the host is ready again" \
    stack_until 60 "$balancer_pid" balancer_says a UP 2

kill -KILL "$stack_pool_pid"
wait "$stack_pool_pid" 2>/dev/null
check "without a host the balancer answers as the service does" \
    stack_until 20 "$balancer_pid" balancer_answers 503 UNAVAILABLE
check "the answer of the balancer says when to try again" \
    grep -qi '^retry-after: 1' "$scratch/head"
is "the log of the balancer names no path" \
    "$(grep -c '/v1/' "$scratch/log/balancer.log")" 0
stack_pool_pid=
finish
