#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Run the tests that standard input names, and report them:
#
#	suite.pl JOBS LIMIT <LIST
#
# A line of LIST has a build folder, its source folder and a program (t/TestRun.pm).
# JOBS programs run at once, in this order, each for LIMIT seconds at most.  Programs
# after an empty line start when all programs before it have ended.
#
# A program that fails runs once more, alone.  If it passes then, it is FLAKY: the
# report shows why it failed, and the run passes, unless more than three programs are
# flaky.  The last line is "N passed, N failed", with the number of skipped tests.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use TestRun;

use constant { FLAKY_MAX => 3, SLOWEST => 20 };

my ($jobs, $limit) = @ARGV;
my @stages = ([]);
while (<STDIN>) {
	if (my ($build, $source, $name) = /^(\S+) (\S+) (\S+)$/) {
		push @{ $stages[-1] },
		    { build => $build, source => $source, name => $name };
	} else {
		push @stages, [];
	}
}
$SIG{$_} = sub { TestRun::stop_all(); exit 130 } for qw(INT TERM HUP);
$| = 1;

my $n = 0;
my $all = map { @$_ } @stages;
sub show {
	my ($result) = @_;
	printf "%3d/%d %s %5.1f s %s\n", ++$n, $all, $result->{status},
	    $result->{seconds}, $result->{name};
}

my (@results, @flaky, @failed);
for my $stage (@stages) {
	for my $result (TestRun::run($jobs, $limit, \&show, @$stage)) {
		if ($result->{status} eq 'FAIL') {
			my @why = TestRun::why($result);
			TestRun::keep_logs($result);
			print "FAIL $result->{name} runs again, alone\n";
			my ($again) = TestRun::run(1, $limit, sub { }, $result);
			if ($again->{status} eq 'PASS') {
				push @flaky, { %$again, why => \@why };
			} else {
				push @failed, $again;
			}
			$result = $again;
		}
		push @results, $result;
	}
}

print "\nThe slowest programs, each with its time and its processor time:\n";
my @slowest = sort { $b->{seconds} <=> $a->{seconds} } @results;
$#slowest = SLOWEST - 1 if @slowest > SLOWEST;
printf "%5.1f s %5.1f s %s\n", @$_{qw(seconds cpu name)} for @slowest;

for my $result (@results) {
	print "SKIP $result->{name}: $_\n" for TestRun::skips($result);
}
for my $result (@failed) {
	print "\nFAIL $result->{name}, its logs are in $result->{build}/t:\n",
	    map { "    $_\n" } TestRun::why($result);
}
for my $result (@flaky) {
	print "\nFLAKY $result->{name} failed, and passed alone; the logs of the failure",
	    " are *.first.log* in $result->{build}/t:\n",
	    map { "    $_\n" } @{ $result->{why} };
}

my %sum = (passed => 0, failed => 0, skipped => 0);
for my $result (@results) {
	$sum{$_} += $result->{$_} for keys %sum;
}
if (@flaky > FLAKY_MAX) {
	print "\nFAIL more than ", FLAKY_MAX, " programs are flaky\n";
	$sum{failed} += @flaky;
}
print "\n$sum{passed} passed, $sum{failed} failed",
    $sum{skipped} ? ", $sum{skipped} skipped" : "", "\n";
exit($sum{failed} ? 1 : 0);
