#!/bin/sh
# SPDX-License-Identifier: ISC
# The site: what counts as one client for the limits of nginx, and from which
# addresses the operator API answers.
. "$(dirname "$0")/lib.sh"

start_stack
stack_docs "$srcdir" "$scratch"
stack_console "$srcdir" "$scratch"

# send_many N FORMAT: N requests at once, which nginx answers itself; printf makes
# X-Forwarded-For of each from FORMAT and its number.  limited is how many answers are
# 429.
send_many() {
	for n in $(seq "$1"); do
		# shellcheck disable=SC2059 # the caller passes the format
		printf "GET /docs/nowhere HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: $2\r\n\r\n" \
		    "$n"
	done >"$scratch/many"
	raw '%s\r\n\r\n' "$(cat "$scratch/many")"
	limited=$(grep -o 'HTTP/1.1 429' "$scratch/answer" | wc -l)
}
# limit_all [NAME=VALUE ...]: restart nginx, without exempt addresses.
limit_all() {
	stop_nginx
	start_nginx EXEMPT=no "$@"
}
limit_all TRUST_PROXY=1
send_many 190 '_client%d'
is "each client without an address has its own limit" "$limited" 0
for form in '1.2.3.4:%d' '[2001:db8::1]:%d'; do
	limit_all TRUST_PROXY=1
	send_many 190 "$form"
	check "all entries $form are one client" test "$limited" -gt 0
done
limit_all TRUST_PROXY=1
send_many 190 '192.0.2.%d'
is "each IPv4 address has its own limit" "$limited" 0
for form in '2001:db8:7:8:%x:b:c:d' '2001:db8:7:8::%x' '2001:db8::%x' \
    '2001:db8::%x:1:2:3' '2001:db8::5:6:7:8:%x' '2001::a:b:5:6:7:%x' \
    '2001:DB8:7::%x'; do
	limit_all TRUST_PROXY=1
	send_many 190 "$form"
	check "all addresses $form are one client" test "$limited" -gt 0
done
for form in '2001:db8:7:%x::1' '2001:db8:%x::1' '2001:db8:7:%x:1:2:3:4' \
    '2001:db8::%x:5:6:7:8' '2001::%x:b:5:6:7:8'; do
	limit_all TRUST_PROXY=1
	send_many 190 "$form"
	is "each address $form has its own limit" "$limited" 0
done
limit_all TRUST_PROXY=1 PROXIES=192.0.2.1,2001:db8::/32
send_many 190 '192.0.2.%d'
check "X-Forwarded-For of a peer outside PROXIES is ignored" \
    test "$limited" -gt 0
limit_all TRUST_PROXY=1 PROXIES=192.0.2.1,255.255.255.255
send_many 190 '192.0.2.%d'
is "X-Forwarded-For of a peer in PROXIES is believed" "$limited" 0

# send_from ADDRESS METHOD PATH: send it through a proxy.
send_from() {
	http "$2" "$3" "" -H "X-Forwarded-For: $1"
}
# The proxy itself, on a unix socket, is in OPERATORS_FROM.
limit_all TRUST_PROXY=1 OPERATORS_FROM=192.0.2.0/24,2001:db8::/32,255.255.255.255
http GET /v1/rules
is_error "a request of the proxy itself reaches the pool" 401 UNAUTHENTICATED
for entry in 198.51.100.7:51008 unknown _hidden 192.0.2.7x '192.0.2.7, ' \
    '[2001:db8::7' 255.255.255.255 0.0.0.0 198.51.100.7/24; do
	for path in /v1/rules /metrics /console/; do
		send_from "$entry" GET $path
		is_error "$path from the entry $entry answers 403" 403 FORBIDDEN
	done
done
for path in /v1/rules /v1/decisions/x/explain; do
	for address in 192.0.2.7 2001:db8::7 192.0.2.7:51008 '[2001:db8::7]:80'; do
		send_from "$address" GET $path
		is_error "GET $path reaches the pool from $address in OPERATORS_FROM" \
		    401 UNAUTHENTICATED
	done
	send_from 198.51.100.7 GET $path
	is_error "GET $path from outside OPERATORS_FROM answers 403" \
	    403 FORBIDDEN
done
for path in /metrics /docs/ /openapi.json /console/; do
	send_from 192.0.2.7 GET $path
	is "$path answers 200 from an address in OPERATORS_FROM" "$STATUS" 200
	send_from 198.51.100.7 GET $path
	is_error "$path from outside OPERATORS_FROM answers 403" 403 FORBIDDEN
done
send_from 198.51.100.7 POST /v1/auth/login
is_error "a login from outside OPERATORS_FROM answers 403" 403 FORBIDDEN
send_from 198.51.100.7 POST /v1/decisions
is_error "decisions reach the pool from every address" 401 INVALID_API_KEY
send_from 198.51.100.7 POST /v1/labels/chargeback
is_error "labels reach the pool from every address" 401 INVALID_API_KEY
send_from 198.51.100.7 GET /health
is "probes reach the pool from every address" "$STATUS" 200
send_from 198.51.100.7 GET /v1/decisions/..%2F..%2Fmetrics
is_error "a path with .. does not reach /metrics" 401 INVALID_API_KEY
send_from 198.51.100.7 GET /v1/decisions/..%2F..%2Fdocs%2F
is_error "a path with .. does not reach /docs" 401 INVALID_API_KEY
send_from 198.51.100.7 GET /v1/decisions/..%2F..%2Fconsole%2F
is_error "a path with .. does not reach /console" 401 INVALID_API_KEY
stop_nginx
# docs/openapi.json does not describe the 403 of nginx: keep no answers.
rm "$scratch/sent/answers"
finish
