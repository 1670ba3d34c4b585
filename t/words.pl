#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Words that a reader stumbles over, in comments, manuals, descriptions and
# labels of scenarios: each hides who does what.  Standard input names the
# files; a line of output names a file, a line, the words and a replacement.
use strict;
use warnings;

# A pattern, in which a blank is any white space, and what to write instead.
my @words = (
	['\btold\b(?! apart)', 'reported, logged, returned, configured'],
	['\btells? of\b', 'reports, logs, publishes'],
	['\bin hand\b', 'current, in progress, pending'],
	['\banew\b', 'again, from zero'],
	['\b(?:no|some|any)body\b(?!@)|\bwho(?:so)?ever\b', 'the process or person'],
	['\b(?:is|are) none\b', 'is not a ..., does not exist'],
	['\bwhat (?:is|are|has|was) no\b', 'the thing itself'],
	['\bha(?:s|ve) a say\b', 'decides, counts'],
	['\bby (?:now|then)\b', 'the moment, or nothing'],
	['\bin (?:its|their) turn\b', 'then, after that'],
	['\bthe ones? before\b', 'the previous one'],
	['\bgoes? before\b', 'takes precedence over'],
	['\bbesides\b', 'also, in addition to'],
	['\bfor good\b', 'permanently'],
	['\bgiven up\b', 'abandoned, failed for the last time'],
	['\b(?:lessons?|probation)\b', 'tag weight, shadow'],
	['\btorn\b', 'partial'],
	['\breplay samples?\b', 'sample'],
	['\bin the making\b', 'unfinished'],
	['\bwho comes\b', 'the next process'],
	['\bput(?:s|ting)?(?: \w+){0,2} off\b', 'snooze'],
	['\btrials?\b', 'backtest, shadow'],
);
my $gap = '(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|--|\#|//)?[ \t]*)';
s/ /$gap/g for map { $_->[0] } @words;

# Where a phrase stays: part of the file's name, the phrase, and why.
my @kept = (
	['t/http/faults.sh', 'Torn', "PostgreSQL's own word for such a page"],
	['bench/load.c', 'is none', 'the value of an argument'],
	['man/assay-rules.5', 'trial', 'the text of an attribute'],
);

# The parts of a text that people read as prose; the others become blanks.
my %prose = (
	c => qr{/\*.*?\*/}s,
	sql => qr{--[^\n]*},
	json => qr{"(?:description|summary)":\s*"(?:[^"\\]|\\.)*"},
	mjs => qr{^\s*//[^\n]*}m,
	js => qr{^\s*//[^\n]*|"(?:[^"\\]|\\.)*"}m,
	tbl => qr{/\*.*?\*/|"(?:[^"\\]|\\.)*"}s,
	sh => qr{^\s*\#[^\n]*
	    |(?:\b(?:ok|not_ok|check|is(?:_json|_error)?)[ ])"(?:[^"\\]|\\.)*"}mx,
	text => qr{.+}s,
);
my %kind = (h => 'c', md => 'text', map { $_ => 'text' } 1 .. 9);

while (my $file = <STDIN>) {
	chomp $file;
	open my $in, '<', $file or die "$file: $!\n";
	my $text = do { local $/; <$in> };
	my ($end) = $file =~ /\.([^.\/]+?)(?:\.in)?$/;
	my $kind = $file eq 'CHANGES' ? 'text' : $kind{$end // ''} // $end // '';
	my $prose = $prose{$kind} // $prose{sh};
	my ($masked, $from) = ('', 0);
	while ($text =~ /$prose/g) {
		my ($begin, $after) = ($-[0], $+[0]);
		$masked .= substr($text, $from, $begin - $from) =~
		    s/[^\n]/ /gr;
		$masked .= substr($text, $begin, $after - $begin);
		$from = $after;
	}
	for my $word (@words) {
		while ($masked =~ /$word->[0]/gi) {
			my ($at, $phrase) = ($-[0], $&);
			next if $phrase =~ /none$/i &&
			    substr($masked, 0, $at) =~ /\bthere$gap$/i;
			next if grep { index($file, $_->[0]) >= 0 &&
			    $phrase =~ /^(?:$_->[1])$/ } @kept;
			my $line = 1 + (substr($masked, 0, $at) =~ tr/\n//);
			print "$file:$line: \"", $phrase =~ s/\s+/ /gr,
			    "\": write $word->[1]\n";
		}
	}
}
