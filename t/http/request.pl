# SPDX-License-Identifier: ISC
# Send one HTTP request to a unix socket and print the answer: its head as it came,
# and its body.  lib.sh uses this instead of curl, whose start costs more than the
# request.
#
#	perl request.pl SOCKET METHOD PATH BODY [-H HEADER ...]
#
# A BODY that begins with "@" names a file, as for curl.
use strict;
use warnings;

my ($socket, $method, $path, $body, @headers) = @ARGV;
@headers = grep { $_ ne "-H" } @headers;
if ($body =~ s/^@//) {
	open my $file, "<", $body or die "$body: $!\n";
	local $/;
	$body = <$file>;
}
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
my $end = index $answer, "\r\n\r\n";
die "no answer\n" if $end == -1;
my $head = substr $answer, 0, $end + 4, "";
print $head;
if ($head =~ /^transfer-encoding: chunked\r$/im) {
	# RFC 9112, section 7.1; nginx sends no trailers.
	while ($answer =~ /\G([0-9a-f]+)\r\n/gci && hex $1) {
		my ($size, $at) = (hex $1, pos $answer);
		die "the answer ends early\n" if $at + $size + 2 > length $answer;
		print substr $answer, $at, $size;
		pos($answer) = $at + $size + 2;
	}
	die "the answer ends early\n" unless $answer =~ /\G\r\n\z/;
} elsif ($head =~ /^content-length: (\d+)\r$/im) {
	die "the answer ends early\n" if length $answer < $1;
	print substr $answer, 0, $1;
} else {
	print $answer;
}
