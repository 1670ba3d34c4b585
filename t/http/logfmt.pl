#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Every line that our programs and nginx log is logfmt, read strictly.
#
#	logfmt.pl LOG ...
#
# A line is pairs with one blank between them.  A key is [a-z_]+ and stands
# once on its line.  A value is printable ASCII without a blank, a quote, a
# backslash or "=", or a string as JSON has it, in double quotes and in ASCII;
# only nginx leaves one empty.  In the journal "<3>" or the like comes first.
# What a program says before it can log, "assay-fcgi: ...", is passed over.
# Each other line is named on standard output, with what is wrong in it.
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

# What keeps a line from being logfmt; undef: nothing.
sub fault_of {
	my ($line, $may_be_empty) = @_;
	my %seen;

	return 'it has no end' unless $line =~ s/\n\z//;
	$line =~ s/^<[0-7]>//;
	return 'it is empty' if $line eq '';
	while (1) {
		$line =~ s/^([a-z_]+)=// or return 'a key is missing';
		my $key = $1;
		return "$key= stands twice" if $seen{$key}++;
		$line =~ s/^(?:$quoted|$bare)// or
		    return "$key= has no value that can be read";
		return "$key= is empty"
		    if length($1 // $2) == 0 && !$may_be_empty;
		return undef if $line eq '';
		$line =~ s/^ // or return "$key= is followed by no blank";
	}
}
