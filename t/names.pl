#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Names in the C files given as arguments, one fault a line: a struct or enum tag
# that two files define, a static function of one word or of a name that two
# files use, a static prototype without parameter names, a struct whose members
# share a prefix, a second nitems, and an exported function whose first word is not
# in the name of its file or folder.
use strict;
use warnings;

# First words that a file has beside those of its name: handlers are called as their
# routes.
my %family = (
	'core/decide/score.c' => 'scorer',
	'fcgi/ep/ep_async.c' => 'decision',
	'fcgi/ep/ep_try.c' => 'decision',
	'fcgi/ep/ep_verdict.c' => 'activity',
);
my (%tag, %static, $nitems);
for my $file (@ARGV) {
	open(my $in, '<', $file) or die "$file: $!\n";
	my $text = do { local $/; <$in> };
	$text =~ s{/\*.*?\*/}{}gs;
	$tag{$1}{$file} = 1 while $text =~ /\b(?:struct|enum|union)\s+(\w+)\s*\{/g;
	print "$file defines nitems again\n"
	    if $text =~ /#define nitems\b/ && $nitems++;
	while ($text =~ /\bstruct\s+(\w+)\s*\{(.*?)\n\}/gs) {
		my ($name, $body) = ($1, $2);
		my @members = $body =~ /(\w+)(?:\[[^\]]*\])*(?:\s*:\s*\d+)?;/g;
		my ($prefix) = ($members[0] // '') =~ /^([a-z]{1,3}_)/ or next;
		print "$file: all members of struct $name begin with $prefix\n"
		    if @members > 2 && !grep { index($_, $prefix) != 0 } @members;
	}
	next unless $file =~ m{^(?:core|lib|fcgi|cron|ctl)/};
	my %own = map { s/s$//r => 1 } 'main', $family{$file} // (),
	    split /_/, join '_', $file =~ m{(\w+)/(\w+)\.c$};
	while ($text =~ /^(?!static|typedef)[a-z][\w *]*\n(([a-z0-9]+)\w*)\(/gm) {
		my ($name, $word) = ($1, $2);
		print "$file: $name does not begin with a name of its file\n"
		    if !$own{ $word =~ s/s$//r };
	}
	while ($text =~ /^static [^;{}=()]*?\b(\w+)\(([^;{}]*)\)\s*(;|\n\{|__attribute__)/gm) {
		my ($name, $parameters, $end) = ($1, $2, $3);
		$static{$name}{$file} = 1 if $end eq "\n{";
		print "$file: the prototype of $name names no parameters\n"
		    if $end ne "\n{" && $parameters =~ /(?:^|,\s*)(?:const )?(?:struct \w+|int|bool|size_t|char) ?\**\s*(?:,|$)/;
	}
}
for my $name (sort keys %tag) {
	my @files = sort keys %{ $tag{$name} };
	print "the tag $name is in @files\n" if @files > 1;
}
for my $name (sort keys %static) {
	my @files = sort keys %{ $static{$name} };
	print "the static function $name is in @files\n" if @files > 1;
	print "$files[0]: the static function $name is one word\n"
	    if $name !~ /_/;
}
