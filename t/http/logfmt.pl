#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Check strictly that every line of the logs is logfmt.
#
#	logfmt.pl LOG ...
#
# A line is KEY=VALUE pairs with one blank between them.  A key is [a-z_]+ and
# appears once in a line.  A value is printable ASCII without a blank, a quote, a
# backslash or "=", or a JSON string in ASCII; only nginx writes empty ones.  In
# the journal a priority such as "<3>" comes first.  Lines that a program writes
# before it can log, "assay-fcgi: ...", are skipped.  Every other line that is
# not logfmt is printed with its fault.
use strict;
use warnings;

my $escape = qr/\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4})/;
my $quoted = qr/"((?:[ !#-\[\]-~]|$escape)*)"/;
my $bare = qr/([!#-<>-\[\]-~]+)/;

for my $path (@ARGV) {
	open my $log, '<:raw', $path or die "$path: $!\n";
	(my $name = $path) =~ s{.*/}{};
	while (my $line = <$log>) {
		my $fault = $line =~ /^assay-\w+: / ? undef :
		    fault_of($line, $name =~ /^nginx/);
		print "$name:$.: $fault\n" if defined $fault;
	}
}

# The first fault of a line, or undef.
sub fault_of {
	my ($line, $may_be_empty) = @_;
	my %seen;

	return 'it has no line end' unless $line =~ s/\n\z//;
	# LeakSanitizer says so of a thread that ends while it looks for leaks.
	return undef if $line =~ /^==\d+==Unable to get registers from thread \d+\.\z/;
	$line =~ s/^<[0-7]>//;
	return 'it is empty' if $line eq '';
	while (1) {
		$line =~ s/^([a-z_]+)=// or return 'a key is missing';
		my $key = $1;
		return "$key= appears twice" if $seen{$key}++;
		$line =~ s/^(?:$quoted|$bare)// or
		    return "$key= has an invalid value";
		return "$key= is empty"
		    if length($1 // $2) == 0 && !$may_be_empty;
		return undef if $line eq '';
		$line =~ s/^ // or return "no blank follows $key=";
	}
}
