#!/bin/sh
# SPDX-License-Identifier: ISC
# Certificates of the site: nginx takes a renewed one without a failed request,
# staples the answer of the CA, and asks API callers for one of theirs.
# shellcheck disable=SC2317 # checks are called by their names

. "$(dirname "$0")/lib.sh"
use tls

start_signed_in
stack_console "$srcdir" "$scratch"
stop_nginx
tls_ca ca
tls_ca other
cp "$srcdir/nginx/renewed" "$scratch/tls/"
start_tls_site SERVER_NAME=assay.example

# A certificate is renewed under load, each request on a new connection.
decide() {
	site_code /v1/decisions -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' \
	    -d '{"type":"account.login","subject":{"userId":"u-1"}}' "$@"
}
served() {
	openssl s_client -servername assay.example -status \
	    -unix "$scratch/run/tls.sock" </dev/null 2>/dev/null
}
# serves NAME: nginx serves the certificate of this subject.
serves() {
	served | openssl x509 -noout -subject | grep -qx "subject=CN = $1"
}
# renewed: run the hook as certbot does.
renewed() {
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && $stack_as "$scratch/tls/renewed" -p "$scratch/run" \
	    -e "$scratch/log/nginx-error.log" -c "$scratch/run/nginx.conf")
}
hook_fails() { ! renewed; }
# An old worker of nginx may close a connection before it reads its first request,
# which curl reports as 16; a client sends such a request again (RFC 9113, 6.8).
load() {
	curl -sk --max-time 20 --unix-socket "$scratch/run/tls.sock" \
	    -o /dev/null -w '%{http_code}\n' -H "X-API-Key: $KEY" \
	    -H 'Content-Type: application/json' \
	    -d '{"type":"account.login","subject":{"userId":"u-'"$1"'"}}' \
	    https://assay.example/v1/decisions
}
touch "$scratch/load"
load_pids=
for n in 1 2 3; do
	while [ -e "$scratch/load" ]; do
		code=$(load "$n")
		[ $? -ne 16 ] || code=$(load "$n")
		echo "$code"
	done >"$scratch/codes.$n" &
	load_pids="$load_pids $!"
done
# more_answers COUNT: as many requests of the load are answered.
more_answers() { [ "$(cat "$scratch"/codes.* | grep -c .)" -ge "$1" ]; }
for n in 1 2 3; do
	tls_certificate ca "renewed-$n"
	cp "$scratch/tls/renewed-$n.pem" "$scratch/tls/certificate"
	cp "$scratch/tls/renewed-$n.key" "$scratch/tls/key"
	check "the hook succeeds with certificate $n" renewed
	check "nginx serves certificate $n" \
	    stack_until 20 "$stack_nginx_pid" serves "renewed-$n"
	more=$(($(cat "$scratch"/codes.* | grep -c .) + 20))
	check "requests go on after certificate $n" \
	    stack_until 20 "$stack_nginx_pid" more_answers $more
done
cp "$scratch/tls/renewed-1.key" "$scratch/tls/key"
check "the hook fails if the key is that of another certificate" \
    hook_fails
check "nginx serves the certificate of before after a failed hook" \
    serves renewed-3
rm "$scratch/load"
# shellcheck disable=SC2086 # a list
wait $load_pids
is "no request fails while certificates are renewed" \
    "$(cat "$scratch"/codes.* | sort -u)" 200
check "the load is at least fifty requests" more_answers 50

is "by default nginx staples no answer of a CA" \
    "$(served | grep -c '^OCSP response: no response sent')" 1
stop_nginx

# OCSP: a CA that answers on its own port.
free_port
tls_certificate ca stapled "authorityInfoAccess = OCSP;URI:http://127.0.0.1:$port"
cat "$scratch/tls/stapled.pem" "$scratch/tls/ca.pem" >"$scratch/tls/chain.pem"
printf 'V\t%s\t\t%s\tunknown\t/CN=stapled\n' "$(date -ud tomorrow +%y%m%d%H%M%SZ)" \
    "$(openssl x509 -in "$scratch/tls/stapled.pem" -noout -serial |
    cut -d = -f 2)" >"$scratch/tls/index"
openssl ocsp -index "$scratch/tls/index" -port "$port" \
    -rsigner "$scratch/tls/ca.pem" -rkey "$scratch/tls/ca.key" \
    -CA "$scratch/tls/ca.pem" -nmin 5 >"$scratch/ocsp" 2>&1 &
ocsp_pid=$!
start_tls_site SERVER_NAME=assay.example OCSP=yes RESOLVER=127.0.0.1 \
    CERTIFICATE="$scratch/tls/chain.pem" \
    CERTIFICATE_KEY="$scratch/tls/stapled.key"
staples() { served | grep -q 'Cert Status: good'; }
check "with OCSP nginx staples the answer of the CA" \
    stack_until 20 "$ocsp_pid" staples
stack_end "$ocsp_pid" TERM
stop_nginx

# Callers with a certificate of their own.
tls_certificate ca caller
tls_certificate other stranger
start_tls_site SERVER_NAME=assay.example CLIENT_CA="$scratch/tls/ca.pem" \
    SHARE_DIR="$scratch"
caller="--cert $scratch/tls/caller.pem --key $scratch/tls/caller.key"
stranger="--cert $scratch/tls/stranger.pem --key $scratch/tls/stranger.key"
for version in 1.1 2; do
	# shellcheck disable=SC2086 # options
	is "HTTP/$version: a caller with a certificate is served" \
	    "$(decide "--http$version" $caller)" "200 "
	is "HTTP/$version: a caller without a certificate is refused" \
	    "$(decide "--http$version")" "401 CERTIFICATE_REQUIRED"
	# shellcheck disable=SC2086 # options
	is "HTTP/$version: a certificate of another CA is refused" \
	    "$(decide "--http$version" $stranger)" "401 CERTIFICATE_REQUIRED"
done
# shellcheck disable=SC2086 # options
is "a certificate does not replace the API key" \
    "$(KEY='' decide $caller)" "401 INVALID_API_KEY"
# shellcheck disable=SC2086 # options
is "a certificate of another CA is refused on every path" \
    "$(site_code /health $stranger)" "401 CERTIFICATE_REQUIRED"
while read -r path want; do
	is "without a certificate $path answers $want" \
	    "$(site_code "$path" --path-as-is)" "$want"
done <<'END'
/v1/decisions/x 401 CERTIFICATE_REQUIRED
/v1/decisions/..%2F..%2Fhealth 401 CERTIFICATE_REQUIRED
/v1/decisions/x/explain 401 UNAUTHENTICATED
/v1/labels/chargeback 401 CERTIFICATE_REQUIRED
/v1/verdicts/..%2F..%2Fv1%2Fdecisions 404 NOT_FOUND
END
for path in /health /metrics /v1/auth/status /console/; do
	is "without a certificate $path is served" "$(site_code "$path")" "200 "
done
finish
