#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Find the errors of a scenario that are not exactly our envelope.
#
#	envelope.pl FILE
#
# FILE has, for each connection, RS METHOD US PATH US and all bytes of its answers;
# one newline may follow them.
# The program prints each error that is not an envelope (except the body of
# /readyz) and each answer that ends early.
use strict;
use warnings;

my $message = qr/(?:[^"\\[:cntrl:]]|\\(?:["\\\/bfnrt]|u[0-9a-f]{4}))+/;
my $envelope = qr/^\{"error":true,"code":"[A-Z_]+","message":"$message"\}$/;

# fault METHOD PATH STATUS HEAD BODY: why this answer is wrong, or "".
sub fault {
	my ($method, $path, $status, $head, $body) = @_;
	my ($size) = $head =~ /^content-length: *(\d+)/mi;
	return "ends early"
	    if $method ne "HEAD" && defined $size && length $body < $size;
	return "" if $status < 400;
	return "is no JSON" if $head !~ m{^content-type: application/json\r?$}mi;
	return "" if $method eq "HEAD" || $body =~ $envelope;
	return "" if $status == 503 && $path eq "/readyz" &&
	    $body =~ /^\{"status":"not_ready","version":/;
	return "is no envelope";
}

open my $in, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $all = do { local $/; <$in> };
for (split /\036/, $all) {
	next if $_ eq "";
	my ($method, $path, $left) = split /\037/, $_, 3;
	while ($left =~ s/^HTTP\S+ (\d+)[^\n]*\n((?:.*?\r\n)??)\r\n//s) {
		my ($status, $head) = ($1, $2);
		next if $status < 200;
		my ($size) = $head =~ /^content-length: *(\d+)/mi;
		my $body = $method eq "HEAD" ? "" :
		    substr $left, 0, $size // length $left, "";
		my $why = fault($method, $path, $status, $head, $body);
		printf "%s %s: %d %s: %.200s\n", $method, $path, $status, $why,
		    $body if $why;
	}
	printf "%s %s: %.200s\n", $method, $path, $left if $left !~ /^\n?\z/;
}
