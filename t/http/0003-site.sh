#!/bin/sh
# SPDX-License-Identifier: ISC
# The site: no redirect that the caller words, ids with steps up, who counts as
# one client, where operators are, and in production names and certificates.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_stack
admin_token
api_key
stack_docs "$srcdir" "$scratch"

# A location with a slash at its end answers without one as any other path.
sed -n 's,^	location \(/.*\)/ {$,\1,p' "$srcdir/nginx/assay.conf.in" \
    >"$scratch/prefixes"
check "there are such locations" grep -qx /v1/labels "$scratch/prefixes"
while read -r path; do
	for method in GET POST; do
		http $method "$path" "" -H 'Host: evil.example'
		is "$method $path: no redirect names the caller's host" \
		    "$(header location | grep evil)" ""
		[ "$path" = /docs ] || [ "$path" = /v1/decisions ] ||
		    is_error "$method $path is no path" 404 NOT_FOUND
	done
done <"$scratch/prefixes"

# An id with ".." between slashes is read where it was decided.
for id in .. ../x ../../x a/../b ../../docs ../../docs/index.html ../../metrics \
    ../../v1/backtest; do
	path=$(printf %s "$id" | sed 's,/,%2F,g')
	http POST /v1/decisions "{\"id\":\"$id\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$id\"}}"
	is "the event $id is decided" "$STATUS" 200
	http GET "/v1/decisions/$path" "" --path-as-is
	is "and read" "$STATUS $(json .eventId)" "200 $id"
	http GET "/v1/decisions/$path/explain" "" --path-as-is
	is "and explained" "$STATUS $(json .eventId)" "200 $id"
	http GET "/v1/graph/user/$path" "" --path-as-is
	is "its user is found" "$STATUS $(json .id)" "200 $id"
done
http POST /v1/labels/chargeback '{"eventId":"../x"}'
is "and labelled" "$STATUS" 202
for id in ../../../x a/../../../../b ../../..; do
	http POST /v1/decisions "{\"id\":\"$id\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-1\"}}"
	is_error "$id, which no URL can carry, is refused" 400 INGEST_INVALID
done
TOKEN=
KEY=

# many N FORMAT: so many requests at once, X-Forwarded-For made from their
# numbers; how many were over the limit is in refused.
many() {
	for n in $(seq "$1"); do
		# shellcheck disable=SC2059 # the format is the caller's
		printf "GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: $2\r\n\r\n" \
		    "$n"
	done >"$scratch/many"
	raw '%s\r\n\r\n' "$(cat "$scratch/many")"
	refused=$(grep -o 'HTTP/1.1 429' "$scratch/answer" | wc -l)
}
again() {
	stop_nginx
	start_nginx EXEMPT=no "$@"
}
again TRUST_PROXY=1
many 90 'forged-%d'
check "forged entries that are no addresses count as the peer" \
    test "$refused" -gt 0
again TRUST_PROXY=1
many 90 '1.2.3.4:%d'
check "so do those with a port" test "$refused" -gt 0
again TRUST_PROXY=1
many 90 '192.0.2.%d'
is "addresses are clients, each with its limit" "$refused" 0
for form in '2001:db8:7:8:%x:b:c:d' '2001:db8:7:8::%x' '2001:db8::%x' \
    '2001:db8::%x:1:2:3' '2001:db8::5:6:7:8:%x' '2001::a:b:5:6:7:%x' \
    '2001:DB8:7::%x'; do
	again TRUST_PROXY=1
	many 90 "$form"
	check "$form is one client" test "$refused" -gt 0
done
for form in '2001:db8:7:%x::1' '2001:db8:%x::1' '2001:db8:7:%x:1:2:3:4' \
    '2001:db8::%x:5:6:7:8' '2001::%x:b:5:6:7:8'; do
	again TRUST_PROXY=1
	many 90 "$form"
	is "$form are many" "$refused" 0
done
again TRUST_PROXY=1 PROXIES=192.0.2.1,2001:db8::/32
many 90 '192.0.2.%d'
check "who is none of the proxies is not believed" test "$refused" -gt 0
again TRUST_PROXY=1 PROXIES=192.0.2.1,255.255.255.255
many 90 '192.0.2.%d'
is "who is one is" "$refused" 0

# from ADDRESS METHOD PATH: by way of a proxy.
from() {
	http "$2" "$3" "" -H "X-Forwarded-For: $1"
}
# What nginx refuses by address is not in the description.
cp "$scratch/sent/answers" "$scratch/described"
again TRUST_PROXY=1 OPERATORS_FROM=192.0.2.0/24,2001:db8::/32
for path in /v1/rules /v1/decisions/x/explain; do
	for address in 192.0.2.7 2001:db8::7; do
		from $address GET $path
		is_error "$path is there for operators" 401 UNAUTHENTICATED
	done
	from 198.51.100.7 GET $path
	is_error "and for nobody else" 403 FORBIDDEN
done
for path in /metrics /docs/ /openapi.json; do
	from 192.0.2.7 GET $path
	is "$path is there for operators" "$STATUS" 200
	from 198.51.100.7 GET $path
	is_error "and for nobody else" 403 FORBIDDEN
done
from 198.51.100.7 POST /v1/auth/login
is_error "nobody else logs in" 403 FORBIDDEN
from 198.51.100.7 POST /v1/decisions
is_error "decisions are there for all" 401 INVALID_API_KEY
from 198.51.100.7 POST /v1/labels/chargeback
is_error "and labels" 401 INVALID_API_KEY
from 198.51.100.7 GET /health
is "and probes" "$STATUS" 200
from 198.51.100.7 GET /v1/decisions/..%2F..%2Fmetrics
is_error "a step up leads nobody around it" 401 INVALID_API_KEY
from 198.51.100.7 GET /v1/decisions/..%2F..%2Fdocs%2F
is_error "nor to the pages" 401 INVALID_API_KEY
stop_nginx
mv "$scratch/described" "$scratch/sent/answers"

# In production.
mkdir -p "$scratch/tls" "$scratch/acme/.well-known/acme-challenge"
echo proof >"$scratch/acme/.well-known/acme-challenge/one"
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=assay.example \
    -keyout "$scratch/tls/key" -out "$scratch/tls/certificate" 2>/dev/null
cp "$scratch"/nginx/*.in "$scratch/tls/"
cat >"$scratch/tls/render" <<END
#!/bin/sh
# The site is that of production.
case \$2 in
*/assay.conf.in) shift; exec "$scratch/nginx/render" tls "\$@" ;;
esac
exec "$scratch/nginx/render" "\$@"
END
chmod 755 "$scratch/tls/render" "$scratch/acme"
stack_own "$scratch/tls" "$scratch/acme"
stack_nginx_start "$scratch/tls" "$scratch/run" "$scratch/log" \
    LISTEN="unix:$scratch/run/tls.sock" SERVER_NAME=Assay.example \
    LISTEN_HTTP="unix:$scratch/run/plain.sock" ACME_ROOT="$scratch/acme" \
    CERTIFICATE="$scratch/tls/certificate" \
    CERTIFICATE_KEY="$scratch/tls/key" SHARE_DIR="$srcdir" \
    DECIDE_SOCKET="$scratch/run/decide.sock" \
    OPERATOR_SOCKET="$scratch/run/operator.sock"

# get SOCKET URL [option ...]: the status, and where to.
get() {
	get_socket=$scratch/run/$1
	shift
	curl -sk --max-time 20 --unix-socket "$get_socket" -o "$scratch/got" \
	    -w '%{http_code} %{redirect_url}' "$@"
}
is "its name is served" "$(get tls.sock https://assay.example/health)" "200 "
# shellcheck disable=SC2016 # the dollar is the inner shell's
check "a client resumes its TLS session" sh -c 'openssl s_client -tls1_2 \
    -reconnect -servername assay.example -unix "$1" </dev/null 2>/dev/null |
    grep -q "^Reused"' - "$scratch/run/tls.sock"
is "another name gets no handshake" "$(get tls.sock \
    https://evil.example/health; echo " $?")" "000  35"
is "nor does another name in Host get an answer" "$(get tls.sock \
    https://assay.example/health -H 'Host: evil.example'; echo " $?")" \
    "000  52"
is "without TLS one is sent on, to the name that is ours" "$(get plain.sock \
    http://evil.example/health)" "308 https://assay.example/health"
is "but an ACME client's answer is there" "$(get plain.sock \
    http://assay.example/.well-known/acme-challenge/one) $(cat "$scratch/got")" \
    "200  proof"
is "and no other" "$(get plain.sock \
    http://assay.example/.well-known/acme-challenge/two)" "404 "

# What is rendered without a word about it listens on both families.
"$srcdir/nginx/render" tls "$srcdir/nginx/assay.conf.in" SERVER_NAME=a \
    CERTIFICATE=b CERTIFICATE_KEY=c DECIDE_SOCKET=d OPERATOR_SOCKET=e \
    LOG_DIR=f >"$scratch/site.conf"
is "both families" "$(sed -n 's/^	listen \(.*\);/\1/p' "$scratch/site.conf" |
    paste -sd ,)" "80,[::]:80,443 ssl default_server,[::]:443 ssl \
default_server,443 ssl,[::]:443 ssl"
is "options of a socket stand once" "$("$srcdir/nginx/render" tls \
    "$srcdir/nginx/assay.conf.in" LISTEN='443 reuseport,[::]:443 ipv6only=off' \
    SERVER_NAME=a CERTIFICATE=c CERTIFICATE_KEY=k LOG_DIR=f DECIDE_SOCKET=d \
    OPERATOR_SOCKET=e | grep -cE "listen .*(reuseport|ipv6only=off)")" 2
for wrong in PROXIES=192.0.2.1 "OPERATORS_FROM=10.0.0.0/8;" TRUST_PROXY=x; do
	check "$wrong is refused" sh -c '! "$@"' - "$srcdir/nginx/render" \
	    loopback "$srcdir/nginx/assay.conf.in" LOG_DIR=f DECIDE_SOCKET=d \
	    OPERATOR_SOCKET=e "$wrong"
done
finish
