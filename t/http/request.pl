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

require $0 =~ s/request\.pl$/Request.pm/r;

my ($socket, $method, $path, $body, @headers) = @ARGV;
@headers = grep { $_ ne "-H" } @headers;
if ($body =~ s/^@//) {
	open my $file, "<", $body or die "$body: $!\n";
	local $/;
	$body = <$file>;
}
print Request::send($socket, $method, $path, $body, @headers);
