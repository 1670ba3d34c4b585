#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# A long wire: forwards each connection to 127.0.0.1:PORT to a unix socket, and each byte
# so much later that a question and its answer take MS milliseconds more.
#
#	delay.pl PORT SOCKET MS
use strict;
use warnings;
use IO::Poll qw(POLLIN);
use IO::Socket::INET;
use IO::Socket::UNIX;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my ($port, $socket, $ms) = @ARGV;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port,
    Listen => 5, ReuseAddr => 1) or die "delay.pl: port $port: $!\n";
my $poll = IO::Poll->new;
my %peer;       # of each end of a connection
my @waiting;    # [when, end, bytes], in the order of time

sub now { clock_gettime(CLOCK_MONOTONIC) }

sub plug_in {
	my $caller = $listener->accept or return;
	my $server = IO::Socket::UNIX->new(Peer => $socket) or return;
	$caller->setsockopt(6, 1, 1);    # TCP_NODELAY
	@peer{$caller, $server} = ($server, $caller);
	$poll->mask($_ => POLLIN) for $caller, $server;
}

sub take {
	my ($end) = @_;
	if (sysread $end, my $bytes, 1 << 16) {
		push @waiting, [now() + $ms / 2000, $peer{$end}, $bytes];
		return;
	}
	$poll->remove($_), close $_ for $end, $peer{$end};
}

$poll->mask($listener => POLLIN);
$SIG{PIPE} = 'IGNORE';
while (1) {
	my $pause = @waiting ? $waiting[0][0] - now() : -1;
	$poll->poll(@waiting && $pause < 0 ? 0 : $pause);
	for my $end ($poll->handles(POLLIN)) {
		$end == $listener ? plug_in() : take($end);
	}
	while (@waiting && $waiting[0][0] <= now()) {
		my (undef, $end, $bytes) = @{ shift @waiting };
		while (length $bytes && $end->opened) {
			my $sent = syswrite $end, $bytes or last;
			substr $bytes, 0, $sent, '';
		}
	}
}
