#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Find personal data and secrets of a scenario in its logs.
#
#	private.pl SETTINGS FILE ... -- LOG ...
#
# The FILEs hold everything that was sent and answered: requests as nginx saw
# them, arguments, bodies, scripts, settings.  The program takes addresses, phone
# and card numbers, emails, passwords, keys, tokens and the values of SETTINGS,
# "A|B|...", from them.  It prints each line of a LOG that holds one, with its
# kind but never its value.  Values under 6 bytes are ignored, because other
# words may be equal to them.
use strict;
use warnings;
use Socket qw(AF_INET6 inet_pton inet_ntop);

use constant { LEAST => 6, PIECE => 1 << 24 };

# Shapes of values, in the files and in the logs.
my $ip4 = qr/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w)/;
my $ip6 = qr/(?<![\w.:])(?=[\da-f]*:[\da-f]*:)[\da-f:.]{3,45}(?!\w)/i;
my $digits = qr/(?<!\w)\+?\(?\d(?:[ ().\/-]{0,2}\d){5,30}(?!\w)/;
my $email = qr/[\w.+-]{1,64}@[\w.-]{1,190}\w/;
my $key = qr/ak_live_\w{6,64}/;
my $token = qr/(?<![\w-])eyJ[\w-]{6,}\.[\w-]+\.[\w-]*/;
my $word = qr/(?<![\w.-])[\w.-]{5,254}\w/;

# Members of bodies, headers and parameters, with the kind of their values.
my %member = (
	ip => 'address', 'x-forwarded-for' => 'address',
	phone => 'phone', email => 'email', password => 'password',
	secret => 'secret', token => 'token', plaintext => 'key',
	'x-api-key' => 'key', authorization => 'token',
	'idempotency-key' => 'idempotency key',
);
my $members = join '|', map { quotemeta } sort keys %member;
my $settings = shift @ARGV;

my %shaped; # normal form of a value that a shape finds => its kind
my %literal; # value to search for as it is => its kind

while (@ARGV && (my $path = shift @ARGV) ne '--') {
	pieces($path, \&learn);
}
delete @shaped{qw(0.0.0.0 127.0.0.1 255.255.255.255)};
delete $shaped{'seed@v0.4'}; # a version
print "nothing to look for\n" unless %shaped || %literal;

# Longest first, because one may be the start of another.
my $literals = join '|', map { quotemeta }
    sort { length $b <=> length $a } keys %literal;
$literals = qr/(?<!\w)($literals)(?!\w)/ if length $literals;
for my $path (@ARGV) {
	open my $log, '<:raw', $path or die "$path: $!\n";
	(my $name = $path) =~ s{.*/}{};
	while (my $line = <$log>) {
		print "$name:$.: $_\n" for kinds_in($line);
	}
}

# Call a function with each piece of a file; pieces end with a line.
sub pieces {
	my ($path, $do) = @_;
	my $rest = '';
	open my $in, '<:raw', $path or die "$path: $!\n";
	while (read $in, my $piece, PIECE) {
		$rest .= $piece;
		$do->(substr $rest, 0, 1 + rindex($rest, "\n"), '');
	}
	$do->($rest);
}

# Collect the confidential values of a text.
sub learn {
	my ($text) = @_;

	while ($text =~ /\b($members)"?\s*[:=]\s*"((?:[^"\\]++|\\.){0,300})/gio) {
		named($1, $2);
	}
	named($1, $2) while $text =~ /^($members): *([^\r\n]+)/gimo;
	named($1, $2) while $text =~ /[?&]($members)=([^&\s"']+)/gio;
	shaped('phone', $1) while $text =~ /"phone"\s*:\s*(\d+)/g;
	settled($1, $2) while $text =~ /^($settings)=(.*)$/gmo;

	shaped('address', $&) while $text =~ /$ip4/g;
	shaped('address', canonical($&)) while $text =~ /$ip6/g;
	shaped('email', $&) while $text =~ /$email/g;
	shaped('key', $&) while $text =~ /$key/g;
	shaped('token', $&) while $text =~ /$token/g;
	while ($text =~ /$digits/g) {
		my $sent = $&;
		my $number = plain($sent);
		number('card', $sent) if is_card($number);
		number('phone', $sent) if $sent =~ /^\+/ && length $number > 10;
	}
}

# The value of a member.
sub named {
	my ($name, $value) = @_;
	my $kind = $member{lc $name};

	$value =~ s/^Bearer +//i;
	$value =~ s/\\(["\\\/])/$1/g;
	if ($kind eq 'phone') {
		number($kind, $value);
	} elsif ($kind eq 'address') {
		shaped($kind, $1) while $value =~ /($ip4)/g;
	} elsif ($kind eq 'idempotency key' && $value =~ /^$word$/) {
		shaped($kind, $value); # there may be very many
	} else {
		literal($kind, $value);
	}
}

# Only the password of a connection string is confidential.
sub settled {
	my ($name, $value) = @_;

	if ($name !~ /_URL$/) {
		literal('secret', $_) for split /,/, $value;
	} elsif ($value =~ /password=([^&\s'"]+)/ ||
	    $value =~ m{^\w+://[^/@:]*:([^/]*)@}) {
		literal('password', $1);
	}
}

sub literal {
	my ($kind, $value) = @_;
	$literal{$value} //= $kind if length $value >= LEAST;
}

sub shaped {
	my ($kind, $value) = @_;
	$shaped{$value} //= $kind if length $value >= LEAST;
}

# Search for a number as it was sent, and for its digits alone.
sub number {
	my ($kind, $sent) = @_;
	literal($kind, $sent) if $sent =~ /\D/;
	shaped($kind, plain($sent));
}

sub plain {
	return $_[0] =~ s/\D//gr =~ s/^00//r;
}

# An IPv6 address has many forms; a mapped one is an IPv4 address.
sub canonical {
	my ($text) = @_;
	my $bytes = inet_pton(AF_INET6, $text) //
	    inet_pton(AF_INET6, $text =~ s/[.:]+$//r) // return '';

	return join '.', unpack 'x12 C4', $bytes
	    if $bytes =~ /^\0{10}\xff\xff/;
	return inet_ntop(AF_INET6, $bytes);
}

# Prefix, length and the Luhn digit.
sub is_card {
	my ($number) = @_;
	my ($sum, $i) = (0, 0);

	return 0 if $number !~ /^[2-6]\d{12,18}$/;
	for my $digit (reverse split //, $number) {
		$digit *= 2 if $i++ % 2;
		$sum += $digit > 9 ? $digit - 9 : $digit;
	}
	return $sum % 10 == 0;
}

# The kinds of the collected values that a line of a log holds.
sub kinds_in {
	my ($line) = @_;
	my @found;

	push @found, $literal{$1} while $literals && $line =~ /$literals/g;
	for my $shape ($ip4, $email, $key, $token, $word) {
		push @found, $shaped{$&} while $line =~ /$shape/g;
	}
	push @found, $shaped{canonical($&)} while $line =~ /$ip6/g;
	while ($line =~ /$digits/g) {
		my $seen = $&;
		push @found, @shaped{plain($seen), $seen =~ /\d+/g};
	}
	my %kinds = map { $_ => 1 } grep { defined } @found;
	return sort keys %kinds;
}
