# SPDX-License-Identifier: ISC
# Sends HTTP requests to a unix socket.  Each request opens a new connection.
package Request;
use strict;
use warnings;

# send(SOCKET, METHOD, PATH, BODY, HEADER ...): send a request, and return the head of
# the answer as it came, and its body.  Dies if no whole answer comes within 30
# seconds.
sub send {
	my ($socket, $method, $path, $body, @headers) = @_;
	local $SIG{PIPE} = "IGNORE"; # an early answer is read all the same
	local $SIG{ALRM} = sub { die "no answer within 30 seconds\n" };
	alarm 30;

	# A sockaddr_un: AF_UNIX is 1, as is SOCK_STREAM.
	socket my $s, 1, 1, 0 or die "socket: $!\n";
	connect $s, pack "S Z108", 1, $socket or die "connect: $!\n";
	push @headers, "Content-Length: " . length $body if $body ne "";
	my $request = join "\r\n", "$method $path HTTP/1.1", "Host: assay",
	    "Accept: */*", "Connection: close", @headers, "", $body;
	while ($request ne "") {
		my $n = syswrite $s, $request or last;
		substr($request, 0, $n) = "";
	}

	my $answer = "";
	while (1) {
		my $n = sysread $s, $answer, 1 << 16, length $answer;
		die "read: $!\n" unless defined $n;
		last if $n == 0;
	}
	alarm 0;
	my $end = index $answer, "\r\n\r\n";
	die "no answer\n" if $end == -1;
	my $head = substr $answer, 0, $end + 4, "";
	return ($head, body_of($head, $answer));
}

# The body in what follows the head.
sub body_of {
	my ($head, $answer) = @_;
	my $body = "";

	if ($head =~ /^transfer-encoding: chunked\r$/im) {
		# RFC 9112, section 7.1; nginx sends no trailers.
		while ($answer =~ /\G([0-9a-f]+)\r\n/gci && hex $1) {
			my ($size, $at) = (hex $1, pos $answer);
			die "the answer ends early\n"
			    if $at + $size + 2 > length $answer;
			$body .= substr $answer, $at, $size;
			pos($answer) = $at + $size + 2;
		}
		die "the answer ends early\n" unless $answer =~ /\G\r\n\z/;
		return $body;
	}
	return $answer unless $head =~ /^content-length: (\d+)\r$/im;
	die "the answer ends early\n" if length $answer < $1;
	return substr $answer, 0, $1;
}

1;
