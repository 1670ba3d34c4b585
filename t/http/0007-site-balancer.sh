#!/bin/sh
# SPDX-License-Identifier: ISC
# The site behind a load balancer that speaks the PROXY protocol: which client
# address nginx and the pool believe.
. "$(dirname "$0")/lib.sh"
use tls

start_stack
stop_nginx

# The balancer of these tests has the address 127.0.0.2; 127.0.0.3 is no
# balancer.
free_port
http_port=$port
# send_via PEER HEADER METHOD PATH [FIELD]: connect to nginx from the address PEER
# and send the header of the PROXY protocol, if it is not empty, then a request.
send_via() {
	send_via_many 1 "$@"
	take_answer "$(cat "$scratch/answer")"
}
# send_via_many COUNT PEER HEADER METHOD PATH [FIELD]: as often at once, each on
# its own connection, whose number is %d in HEADER.
send_via_many() {
	perl -MIO::Socket::INET -e '
		my ($port, $count, $peer, $header, $method, $path, $field) = @ARGV;
		my @all;
		for my $n (1 .. $count) {
			my $s = IO::Socket::INET->new(LocalAddr => $peer,
			    PeerAddr => "127.0.0.1", PeerPort => $port) or
			    die "connect: $!\n";
			my $head = $header ? "PROXY $header\r\n" : "";
			$head .= "$method $path HTTP/1.1\r\nHost: a\r\n" .
			    "Connection: close\r\n" .
			    "Content-Type: application/json\r\n";
			$head .= "$field\r\n" if $field;
			my $body = $method eq "POST" ? q({"email":"ana@example.com",
			    "password":"wrong horse"}) : "";
			$head .= "Content-Length: " . length($body) . "\r\n\r\n";
			$head =~ s/%d/$n/g;
			$s->autoflush(1);
			print $s $head . $body;
			push @all, $s;
		}
		local $/;
		print <$_> for @all' "$http_port" "$@" >"$scratch/answer" 2>"$scratch/perl"
}
# The header for a client of this address.
from() { echo "TCP4 $1 127.0.0.1 4711 443"; }

start_nginx LISTEN="127.0.0.1:$http_port" EXEMPT=no PROXY_PROTOCOL=yes \
    PROXIES=127.0.0.2,::1 OPERATORS_FROM=192.0.2.0/24
send_via 127.0.0.2 "$(from 192.0.2.7)" GET /v1/rules
is_error "the balancer names a client of OPERATORS_FROM" 401 UNAUTHENTICATED
send_via 127.0.0.2 "$(from 198.51.100.7)" GET /v1/rules
is_error "the balancer names a client outside of OPERATORS_FROM" 403 FORBIDDEN
send_via 127.0.0.3 "$(from 192.0.2.7)" GET /v1/rules
is_error "another peer cannot name a client" 403 FORBIDDEN
send_via 127.0.0.2 "$(from 198.51.100.7)" GET /v1/rules \
    "X-Forwarded-For: 192.0.2.7"
is_error "X-Forwarded-For of a client is ignored" 403 FORBIDDEN
send_via 127.0.0.2 "$(from 192.0.2.7)" GET /v1/rules \
    "X-Forwarded-For: 198.51.100.7"
is_error "X-Forwarded-For does not replace the named client" \
    401 UNAUTHENTICATED
send_via 127.0.0.2 "" GET /health
is "a connection without the header gets no answer" "$STATUS" ""
send_via 127.0.0.2 UNKNOWN GET /health
is "a balancer that names no client is the client" "$STATUS" 200
stop_nginx

# The pool and the limits use the same address.
start_nginx LISTEN="127.0.0.1:$http_port" PROXY_PROTOCOL=yes \
    PROXIES=127.0.0.2 EXEMPT=no
for peer in 127.0.0.2 127.0.0.3; do
	for client in 192.0.2.1 192.0.2.2; do
		send_via $peer "$(from $client)" POST /v1/auth/login \
		    "X-Forwarded-For: 192.0.2.9"
		is_error "a wrong login of $client through $peer answers 401" \
		    401 INVALID_CREDENTIALS
	done
done
is "the pool sees two clients of the balancer, and one other peer" \
    "$(grep -o 'event=login_refused .* client=[0-9a-f]*' \
    "$scratch/log/pool.log" | sed 's/.* //' | sort | uniq -c |
    awk '{ print $1 }' | sort | xargs)" "1 1 2"
# limited PEER: how many of 190 requests at once through this peer, each of another
# client, answer 429.
limited() {
	send_via_many 190 "$1" "$(from 203.0.113.%d)" GET /nowhere
	grep -ao 'HTTP/1.1 429' "$scratch/answer" | wc -l
}
is "each client that the balancer names has its own limit" \
    "$(limited 127.0.0.2)" 0
check "clients that another peer names count as this peer" \
    test "$(limited 127.0.0.3)" -gt 0
stop_nginx

# With TLS the header comes before the handshake.
start_tls_site LISTEN="127.0.0.1:$http_port" SERVER_NAME=assay.example \
    PROXY_PROTOCOL=yes PROXIES=127.0.0.2 OPERATORS_FROM=127.0.0.2
# over_tls ADDRESS [option ...]: curl is balancer and client.
over_tls() {
	curl -sk --max-time 20 --interface "$1" -o "$scratch/got" \
	    -w '%{http_code}' --resolve "assay.example:$http_port:127.0.0.1" \
	    "https://assay.example:$http_port/v1/rules" "$2"
}
is "the balancer names a client before a TLS handshake" \
    "$(over_tls 127.0.0.2 --haproxy-protocol)" 401
is "another peer is refused over TLS" \
    "$(over_tls 127.0.0.3 --haproxy-protocol)" 403
is "a TLS handshake without the header is refused" "$(over_tls 127.0.0.2 -s)" 000
finish
