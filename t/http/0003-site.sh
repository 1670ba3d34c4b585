#!/bin/sh
# SPDX-License-Identifier: ISC
# The site: redirects never contain a host name that the caller sent, ids may
# contain "..", and in production only the configured name is served.
. "$(dirname "$0")/lib.sh"
use tls

start_signed_in
stack_docs "$srcdir" "$scratch"
stack_console "$srcdir" "$scratch"

# A location that ends with a slash has no path without it.
sed -n 's,^	location \(/.*\)/ {$,\1,p' "$srcdir/nginx/assay.conf.in" \
    >"$scratch/prefixes"
check "the template has locations that end with a slash" \
    grep -qx /v1/labels "$scratch/prefixes"
while read -r path; do
	for method in GET POST; do
		http $method "$path" "" -H 'Host: evil.example'
		is "$method $path: no redirect names the caller's host" \
		    "$(header location | grep evil)" ""
		case $path in
		/console | /docs | /v1/decisions) ;;
		*) is_error "$method $path answers 404" 404 NOT_FOUND ;;
		esac
	done
done <"$scratch/prefixes"

# An id with ".." between slashes is still an id.
for id in .. ../x ../../x a/../b ../../docs ../../docs/index.html ../../console ../../console/ ../../metrics \
    ../../v1/backtest; do
	path=$(printf %s "$id" | sed 's,/,%2F,g')
	http POST /v1/decisions "{\"id\":\"$id\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$id\"}}"
	is "the event $id is decided" "$STATUS" 200
	http GET "/v1/decisions/$path" "" --path-as-is
	is "the decision on the event $id is read" \
	    "$STATUS $(json .eventId)" "200 $id"
	http GET "/v1/decisions/$path/explain" "" --path-as-is
	is "the decision on the event $id is explained" \
	    "$STATUS $(json .eventId)" "200 $id"
	http GET "/v1/graph/user/$path" "" --path-as-is
	is "the user $id is found" "$STATUS $(json .id)" "200 $id"
done
http POST /v1/labels/chargeback '{"eventId":"../x"}'
is "an event with .. in its id is labelled" "$STATUS" 202
for id in ../../../x a/../../../../b ../../..; do
	http POST /v1/decisions "{\"id\":\"$id\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-1\"}}"
	is_error "the id $id, which no URL can carry, answers 400" \
	    400 INGEST_INVALID
done
stop_nginx

# The site in production.
mkdir -p "$scratch/acme/.well-known/acme-challenge"
echo proof >"$scratch/acme/.well-known/acme-challenge/one"
start_tls_site SERVER_NAME=Assay.example

is "a request for the configured name is served" \
    "$(fetch tls.sock https://assay.example/health)" "200 "
# shellcheck disable=SC2016 # the dollar is the inner shell's
check "a client resumes its TLS session" sh -c 'openssl s_client -tls1_2 \
    -reconnect -servername assay.example -unix "$1" </dev/null 2>/dev/null |
    grep -q "^Reused"' - "$scratch/run/tls.sock"
is "a TLS handshake for another name is refused" "$(fetch tls.sock \
    https://evil.example/health; echo " $?")" "000  35"
is "a request with another name in Host gets no answer" "$(fetch tls.sock \
    https://assay.example/health --http1.1 -H 'Host: evil.example'
    echo " $?")" "000  52"
is "without TLS a request is redirected to the configured name" \
    "$(fetch plain.sock \
    http://evil.example/health)" "308 https://assay.example/health"
is "the answer to an ACME challenge is served without TLS" "$(fetch plain.sock \
    http://assay.example/.well-known/acme-challenge/one) $(cat "$scratch/got")" \
    "200  proof"
is "an unknown ACME challenge answers 404" "$(fetch plain.sock \
    http://assay.example/.well-known/acme-challenge/two)" "404 "

# By default the rendered site listens on both address families.
"$srcdir/nginx/render" tls "$srcdir/nginx/assay.conf.in" SERVER_NAME=a \
    CERTIFICATE=b CERTIFICATE_KEY=c DECIDE_SOCKET=d OPERATOR_SOCKET=e \
    LOG_DIR=f >"$scratch/site.conf"
is "by default nginx listens on IPv4 and IPv6" \
    "$(sed -n 's/^	listen \(.*\);/\1/p' "$scratch/site.conf" |
    paste -sd ,)" "80,[::]:80,443 ssl http2 default_server,[::]:443 ssl \
http2 default_server,443 ssl http2,[::]:443 ssl http2"
is "options of a socket are rendered once per address" \
    "$("$srcdir/nginx/render" tls \
    "$srcdir/nginx/assay.conf.in" LISTEN='443 reuseport,[::]:443 ipv6only=off' \
    SERVER_NAME=a CERTIFICATE=c CERTIFICATE_KEY=k LOG_DIR=f DECIDE_SOCKET=d \
    OPERATOR_SOCKET=e | grep -cE "listen .*(reuseport|ipv6only=off)")" 2
# rendered MODE NAME=VALUE ...: the site in that mode.
rendered() {
	rendered_mode=$1
	shift
	"$srcdir/nginx/render" "$rendered_mode" "$srcdir/nginx/assay.conf.in" \
	    SERVER_NAME=a CERTIFICATE=b CERTIFICATE_KEY=c DECIDE_SOCKET=d \
	    OPERATOR_SOCKET=e LOG_DIR=f "$@" 2>"$scratch/refusal"
}
while read -r mode values; do
	# shellcheck disable=SC2086 # a list
	is "nginx/render $mode refuses $values" \
	    "$(rendered "$mode" $values >/dev/null; echo $?)" 1
done <<'END'
loopback PROXIES=192.0.2.1
loopback OPERATORS_FROM=10.0.0.0/8;
loopback TRUST_PROXY=x
loopback CONSOLE_NAME=b
loopback HSTS_SUBDOMAINS=yes
loopback CLIENT_CA=g
loopback PROXY_PROTOCOL=yes
loopback PROXY_PROTOCOL=yes PROXIES=192.0.2.1 TRUST_PROXY=1
loopback CONNECTIONS=64
loopback DECIDE_RATE=fast
tls HSTS_SUBDOMAINS=true
tls HSTS_SUBDOMAINS=yes HSTS=no
tls CONSOLE_NAME=b;c
tls OCSP=yes
END
is "DECIDE_RATE sets rate and burst of decisions" \
    "$(rendered loopback DECIDE_RATE=1000 |
    grep -oE 'assay_decide(:10m rate| burst)=[0-9]+' | sort -u | xargs)" \
    "assay_decide burst=2000 assay_decide:10m rate=1000"
finish
