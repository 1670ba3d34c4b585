#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl and other servers: closed ports, strange answers, redirects,
# certificates.
. "$(dirname "$0")/lib.sh"
use ctl

start_stack
admin_token
TOKEN=
login admin@example.com 'correct horse'

# Other services.
ctl keys list --url http://127.0.0.1:1
is "a token is not sent to another address" "$STATUS" 77
login_at "unix:$scratch/run/other.sock"
is "a closed port exits 69" "$STATUS" 69
check "the error about a closed port asks for the address" \
    prints 'check the address, and that the service is running'

# answer_once ANSWER: a server on $port gives one connection this answer.
answer_once() {
	rm -f "$scratch/port"
	perl -MIO::Socket::INET -e '
		my $l = IO::Socket::INET->new(Listen => 1,
		    LocalAddr => "127.0.0.1");
		open my $f, ">", "$ARGV[1].new"; print $f $l->sockport;
		close $f; rename "$ARGV[1].new", $ARGV[1];
		alarm 20;
		my $s = $l->accept;
		sysread $s, my $request, 65536;
		print $s $ARGV[0]' "$1" "$scratch/port" &
	more_pids="$! $more_pids"
	stack_until 10 $! test -s "$scratch/port"
	port=$(cat "$scratch/port")
}
crlf=$(printf '\r\n.')
crlf=${crlf%.}
answer_once "HTTP/1.1 200 OK${crlf}Content-Length: 5$crlf${crlf}hello"
login_at "http://127.0.0.1:$port"
is "an answer that is not Assay's exits 76" "$STATUS" 76
check "the error says that it is not an Assay service" \
    prints 'not like an Assay service'
body='{"error":true,"code":"RATE_LIMITED","message":"too\u001b[2J\u202e"}'
answer_once "HTTP/1.1 429 X${crlf}Retry-After: 17${crlf}Content-Length: \
${#body}$crlf$crlf$body"
login_at "http://127.0.0.1:$port"
is "a rate limit exits 75" "$STATUS" 75
check "the error about the rate limit has its seconds" prints 'try again in 17 s'
check "control characters of an answer are not printed" \
    prints 'too?\[2J? (429 RATE_LIMITED)'
answer_once "HTTP/1.1 308 X${crlf}Location: $ASSAY_URL/${crlf}Content-Length: \
0$crlf$crlf"
login_at "http://127.0.0.1:$port"
is "a redirect is not followed" "$STATUS" 76

# TLS.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=DNS:localhost' -keyout "$scratch/nginx/key" \
    -out "$scratch/cert" 2>/dev/null
free_port
openssl s_server -accept "127.0.0.1:$port" -cert "$scratch/cert" \
    -key "$scratch/nginx/key" -www -quiet >/dev/null 2>&1 &
more_pids="$! $more_pids"
# shellcheck disable=SC2317 # called by name
listens() { echo | openssl s_client -connect "127.0.0.1:$port" -brief; }
stack_until 10 $! listens >/dev/null 2>&1
ASSAY_TOKEN=kept-to-myself
export ASSAY_TOKEN
ctl keys list --url "https://localhost:$port"
is "an untrusted certificate exits 69" "$STATUS" 69
check "the error names the certificate" prints 'certificate'
ASSAY_CA_FILE=$scratch/cert
export ASSAY_CA_FILE
ctl keys list --url "https://localhost:$port"
is "a certificate of ASSAY_CA_FILE is trusted" "$STATUS" 76
ctl keys list --url "https://127.0.0.1:$port"
is "a certificate of another name exits 69" "$STATUS" 69
finish
