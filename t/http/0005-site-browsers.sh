#!/bin/sh
# SPDX-License-Identifier: ISC
# The site in production for browsers: HTTP/2, Strict-Transport-Security, and
# a separate name for the console.
. "$(dirname "$0")/lib.sh"
use tls

start_signed_in
stack_docs "$srcdir" "$scratch"
stack_console "$srcdir" "$scratch"
stop_nginx
start_tls_site SERVER_NAME=Assay.example

# Each version of HTTP has its own way to a body.
for version in 1.1 2; do
	is "HTTP/$version: an event is decided" "$(fetch tls.sock \
	    https://assay.example/v1/decisions "--http$version" \
	    -H "x-api-key: $KEY" -H 'Content-Type: application/json' \
	    -d "{\"id\":\"h$version\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-1\"}}" -D "$scratch/headers") \
$(grep -o "^HTTP/$version" "$scratch/headers")" "200  HTTP/$version"
	is "HTTP/$version: a body that is too large answers 413" "$(head -c 40000 \
	    /dev/zero | fetch tls.sock https://assay.example/v1/decisions \
	    "--http$version" -H "x-api-key: $KEY" --data-binary @-)" "413 "
	is "HTTP/$version: another name gets no answer" "$(fetch tls.sock \
	    https://assay.example/health "--http$version" \
	    -H 'Host: evil.example')" "000 "
done
# hsts: for how long, and where, browsers use only TLS.
hsts() {
	curl -skI --max-time 20 --unix-socket "$scratch/run/tls.sock" \
	    https://assay.example/health |
	    sed -n 's/\r$//; s/^strict-transport-security: //p'
}
is "browsers use only TLS for a year" "$(hsts)" "max-age=31536000"
# The first frame of nginx has 18 bytes of settings, of which 3 is this limit.
is "an HTTP/2 connection has at most 64 streams" "$({
    printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0'
    sleep 2
} | openssl s_client -quiet -no_ign_eof -alpn h2 -servername assay.example \
    -unix "$scratch/run/tls.sock" 2>/dev/null | od -An -v -tx1 -N 15 |
    tr -d ' \n')" 000012040000000000000300000040
stop_nginx
start_tls_site SERVER_NAME=Assay.example HSTS=no CONSOLE_NAME=assay.example \
    SHARE_DIR="$scratch"
is "with HSTS=no browsers remember nothing" "$(hsts)" ""
is "a console of the same name leaves /docs" \
    "$(fetch tls.sock https://assay.example/docs/)" "200 "

# A separate name for the console.
stop_nginx
start_tls_site SERVER_NAME=Assay.example SHARE_DIR="$scratch" \
    CONSOLE_NAME=Console.example HSTS_SUBDOMAINS=yes
is "with HSTS_SUBDOMAINS also for subdomains" "$(hsts)" \
    "max-age=31536000; includeSubDomains"
while read -r url status target; do
	is "$url answers $status" "$(fetch tls.sock "https://$url")" \
	    "$status $target"
done <<'END'
console.example/console/ 200
console.example/v1/auth/status 200
console.example/docs/icon.svg 200
console.example/docs/ 404
console.example/docs/index.html 404
assay.example/docs/ 200
assay.example/v1/auth/status 200
assay.example/console/ 308 https://console.example/console/
assay.example/v1/verdicts/..%2F..%2F..%2Fconsole%2F 400
END
is "without TLS the console's name is redirected to itself" \
    "$(fetch plain.sock http://console.example/console/)" \
    "308 https://console.example/console/"
finish
