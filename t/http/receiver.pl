#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# A receiver of deliveries; the path of a request says how it behaves.
#
#	receiver.pl DIR
#
# Listens on the loopback addresses for POST /MODE/NAME and writes its port to
# DIR/port.  For each request it adds a line to DIR/received:
#
#	NAME ID EVENT PLAIN STANDARD AGENT
#
# PLAIN and STANDARD are the results of checking the two signatures with the
# secret in the line "NAME SECRET" of DIR/secrets; "-" means no secret and no
# signature.  The body is kept as DIR/body.ID.N.  Each connection adds a line to
# DIR/accepted.  The modes are below; a number is the status of the answer.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex);
use IO::Handle;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::IP;
use MIME::Base64 qw(decode_base64 encode_base64);
use Socket qw(SOL_SOCKET SO_LINGER TCP_NODELAY IPPROTO_TCP);
use Time::HiRes qw(time);

use constant DRIP => 0.5; # seconds between two bytes

$| = 1;
$SIG{PIPE} = 'IGNORE';
my ($dir) = @ARGV;
my $first = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 512,
    ReuseAddr => 1) or die "listen: $!\n";
my $port = $first->sockport;
my $second = IO::Socket::IP->new(LocalHost => '::1', LocalPort => $port,
    Listen => 64, V6Only => 1);
my %listening = map { fileno($_) => 1 } grep { defined } $first, $second;
my $select = IO::Select->new(grep { defined } $first, $second);
my (%in, %drip, %later, %count, $kept);
open my $received, '>>', "$dir/received" or die "$dir: $!\n";
open my $accepted, '>>', "$dir/accepted" or die "$dir: $!\n";
$_->autoflush(1) for $received, $accepted;
keep('port', "$port\n");

# What each mode does with a connection after the request.  Any other word is a
# status.
my %mode = (
	hang => sub { },
	drip => sub { $drip{fileno $_[0]} = [$_[0], reply(200), time] },
	dripbody => sub {
		my ($s) = @_;
		send_all($s, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n");
		$drip{fileno $s} = [$s, 'x' x 999, time];
	},
	slow => sub { $later{fileno $_[0]} = [$_[0], reply(200), time + 1] },
	reset => sub {
		my ($s) = @_;
		setsockopt $s, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
		forget($s);
	},
	quiet => sub { forget($_[0]) },
	garbage => sub { send_all($_[0], "hello\r\n\r\n"); forget($_[0]) },
	huge => sub {
		my ($s) = @_;
		send_all($s, "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n");
		$s->blocking(0);
		syswrite $s, 'x' x 1000000;
	},
	heads => sub {
		my ($s) = @_;
		send_all($s, "HTTP/1.1 200 OK\r\n");
		$s->blocking(0);
		syswrite $s, ('X-Much: ' . 'x' x 990 . "\r\n") x 1000;
	},
	redirect => sub {
		send_all($_[0], "HTTP/1.1 307 Away\r\nContent-Length: 0\r\n" .
		    "Location: http://127.0.0.1:$port/200/redirected\r\n\r\n");
	},
	wait => sub {
		send_all($_[0], "HTTP/1.1 429 Wait\r\nContent-Length: 0\r\n" .
		    "Retry-After: 77\r\n\r\n");
	},
	# Telegram without the chat; the path stands for a token.
	chat => sub {
		my $body = '{"ok":false,"error_code":400,"description":' .
		    "\"Bad Request:\tchat $_[2] not found\"}";
		send_all($_[0], "HTTP/1.1 400 Bad\r\nContent-Length: " .
		    length($body) . "\r\n\r\n$body");
	},
	# 500 for the first attempt of a delivery, then 200.
	once => sub {
		send_all($_[0], reply($count{$_[1]} == 1 ? 500 : 200));
	},
);

while (1) {
	for my $s ($select->can_read(%drip || %later ? 0.1 : undef)) {
		if ($listening{fileno $s}) {
			my $new = $s->accept or next;
			setsockopt $new, IPPROTO_TCP, TCP_NODELAY, 1;
			print $accepted "1\n";
			$select->add($new);
			next;
		}
		my $n = sysread $s, $in{fileno $s}, 65536,
		    length($in{fileno $s} // '');
		$n ? answer($s) : forget($s);
	}
	for my $at (values %drip) {
		my ($s, $rest, $when) = @$at;
		next if time < $when;
		send_all($s, substr $rest, 0, 1, '');
		@$at[1, 2] = ($rest, time + DRIP);
	}
	for my $fd (keys %later) {
		my ($s, $text, $when) = @{$later{$fd}};
		next if time < $when;
		delete $later{$fd};
		send_all($s, $text);
	}
}

# Answer the request of a connection once it is complete.
sub answer {
	my ($s) = @_;
	my $text = \$in{fileno $s};

	return unless $$text =~ /\A(.*?\r\n)\r\n/s;
	my ($head, $begin) = ($1, $+[0]);
	my ($size) = $head =~ /^content-length: *(\d+)/mi;
	return if length($$text) < $begin + ($size // 0);
	my $body = substr $$text, $begin, $size // 0;
	$$text = substr $$text, $begin + ($size // 0);
	my %h;
	$h{lc $1} = $2 while $head =~ /^([^:\r\n]+): *([^\r\n]*)/mg;
	my ($mode, $name) = $head =~ m{\APOST /([a-z0-9]+)/(\S*) HTTP};
	return forget($s) unless defined $mode;
	record_request($name, \%h, $body);
	$mode{$mode} ? $mode{$mode}->($s, $h{'x-engine-delivery'}, $name)
	    : send_all($s, reply($mode));
}

sub record_request {
	my ($name, $h, $body) = @_;
	my $id = $h->{'x-engine-delivery'} // '-';

	printf $received "%s %s %s %s %s %s\n", $name, $id,
	    $h->{'x-engine-event'} // '-', plain($name, $h, $body),
	    standard($name, $h, $body), $h->{'user-agent'} // '-';
	keep("body.$id." . ++$count{$id}, $body);
}

sub plain {
	my ($name, $h, $body) = @_;
	my $secret = secret($name);
	my $got = $h->{'x-engine-signature'};

	return defined $got ? 'unasked' : '-' unless defined $secret;
	return 'missing' unless defined $got;
	return $got eq 'sha256=' . hmac_sha256_hex($body, $secret) ?
	    'good' : 'bad';
}

# As https://www.standardwebhooks.com/ defines it, with its tolerance in time.
sub standard {
	my ($name, $h, $body) = @_;
	my $secret = secret($name);
	my ($id, $time, $got) = map { $h->{"webhook-$_"} }
	    qw(id timestamp signature);

	return defined $got ? 'unasked' : '-' unless defined $secret;
	return 'missing' unless defined $id && defined $time && defined $got;
	return 'other' if $id ne $h->{'x-engine-delivery'};
	return 'old' if abs(time - $time) > 300;
	my $key = decode_base64($secret =~ s/^whsec_//r);
	return $got eq 'v1,' . encode_base64(hmac_sha256("$id.$time.$body",
	    $key), '') ? 'good' : 'bad';
}

sub secret {
	my ($name) = @_;

	return $kept->{$name} if exists $kept->{$name};
	if (open my $in, '<', "$dir/secrets") {
		while (<$in>) {
			$kept->{$1} = $2 if /^(\S+) (\S+)$/;
		}
	}
	return $kept->{$name};
}

sub reply {
	return "HTTP/1.1 $_[0] Said\r\nContent-Length: 2\r\n\r\nok";
}

sub send_all {
	my ($s, $text) = @_;
	syswrite $s, $text;
}

sub forget {
	my ($s) = @_;
	my $fd = fileno $s;

	delete $_->{$fd} for \%in, \%drip, \%later;
	$select->remove($s);
	close $s;
}

sub keep {
	my ($name, $text) = @_;
	open my $out, '>', "$dir/$name.new" or die "$dir/$name: $!\n";
	print $out $text;
	close $out;
	rename "$dir/$name.new", "$dir/$name";
}
