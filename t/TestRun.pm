# SPDX-License-Identifier: ISC
# Runs test programs, several at once, and reads their logs.  ./runtests and
# tools/repeat-tests use it.
#
# A program is { name, build, source }: a script NAME.sh of the folder source, or
# an executable NAME of the folder build, in which both run.  Its log is
# BUILD/NAME.log, as that of make check.
#
# A result is a program with seconds, processor seconds (cpu), status (PASS, FAIL or
# SKIP), and the numbers of its tests: passed, failed, skipped.
package TestRun;
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use POSIX qw(:sys_wait_h setpgid);
use Time::HiRes qw(sleep time);

my %running; # the programs by process id

# run(JOBS, LIMIT, ENDED, PROGRAM ...): run the programs in this order, JOBS at once.
# A program that runs for LIMIT seconds is ended and has failed.  ENDED is called with
# each result.  Returns the results.
sub run {
	my ($jobs, $limit, $ended, @waiting) = @_;
	my @results;

	while (@waiting || %running) {
		start(shift @waiting) while @waiting && keys %running < $jobs;
		my $before = cpu_of_children();
		my $pid = waitpid(-1, WNOHANG);
		if ($pid > 0 && $running{$pid}) {
			my $result = finish(delete $running{$pid}, $?);
			$result->{cpu} = cpu_of_children() - $before;
			push @results, $result;
			$ended->($result);
			next;
		}
		stop($_, $limit) for keys %running;
		sleep 0.02;
	}
	return @results;
}

# The processor seconds of the programs that have ended, with those of their children
# that they waited for: not of the processes of a browser.
sub cpu_of_children {
	my (undef, undef, $user, $system) = times;
	return $user + $system;
}

sub start {
	my ($program) = @_;
	my $log = log_of($program);

	make_path(dirname($log));
	$program = { began => time, map { $_ => $program->{$_} } qw(name build source) };
	my $pid = fork // die "fork: $!\n";
	if ($pid) {
		$running{$pid} = $program;
		return;
	}
	setpgid(0, 0);
	open(STDIN, '<', '/dev/null');
	open(STDOUT, '>', $log) or die "$log: $!\n";
	open(STDERR, '>&', \*STDOUT);
	chdir $program->{build} or die "$program->{build}: $!\n";
	@ENV{qw(builddir srcdir)} = @$program{qw(build source)};
	my @command = $program->{name} =~ /\.sh$/
	    ? ('/bin/sh', "$program->{source}/$program->{name}")
	    : "./$program->{name}";
	exec @command or POSIX::_exit(127);
}

# End a program that runs too long, with its processes; kill it if it does not end.
sub stop {
	my ($pid, $limit) = @_;
	my $program = $running{$pid};
	my $late = time - $program->{began} - $limit;

	return if $late < 0 || $late < 60 && $program->{late};
	$program->{late} = $limit;
	kill($late < 60 ? 'TERM' : 'KILL', -$pid);
}

# stop_all(): end every program that runs, for a caller that is interrupted.
sub stop_all {
	kill('TERM', map { -$_ } keys %running);
	waitpid($_, 0) for keys %running;
}

sub finish {
	my ($program, $status) = @_;
	my $result = { %$program, seconds => time - $program->{began} };
	my $code = $status >> 8;

	if ($program->{late}) {
		open(my $out, '>>', log_of($program));
		print $out "not ok - it was ended after $program->{late} seconds\n";
	}
	count($result, read_log($result));
	$result->{status} = $status == 0 && !$program->{late} ? 'PASS'
	    : $status == 77 << 8 ? 'SKIP' : 'FAIL';
	# A program without counts is one test.
	my $counted = $result->{passed} + $result->{failed} + $result->{skipped};
	$result->{failed} ||= 1 if $result->{status} eq 'FAIL';
	$result->{skipped}++ if $result->{status} eq 'SKIP';
	$result->{passed} = 1 if $result->{status} eq 'PASS' && !$counted;
	$result->{status} = 'FAIL' if $result->{failed};
	return $result;
}

sub log_of {
	my ($program) = @_;
	return "$program->{build}/" . $program->{name} =~ s/\.sh$//r . '.log';
}

# keep_logs(RESULT): rename its logs, which another run would write over.
sub keep_logs {
	my ($result) = @_;
	my $log = log_of($result);

	for my $kept ($log, $log . 's') {
		my $name = $kept =~ s/\.(?=logs?$)/.first./r;
		rename $kept, $name if -e $kept;
	}
}

sub read_log {
	open(my $in, '<', log_of(@_)) or return ();
	return <$in>;
}

# The numbers in a log: of TAP, or of Check, which has a line for each suite.
sub count {
	my ($result, @lines) = @_;
	@$result{qw(passed failed skipped)} = (0, 0, 0);

	for (@lines) {
		if (/^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$/) {
			$result->{passed} += $1 - $2 - $3;
			$result->{failed} += $2 + $3;
		} elsif (/^ok .*# skip/) {
			$result->{skipped}++;
		} elsif (/^(not )?ok /) {
			$result->{$1 ? 'failed' : 'passed'}++;
		}
	}
}

# skips(RESULT): the reasons of what was skipped.
sub skips {
	my ($result) = @_;
	my $pattern = $result->{status} eq 'SKIP' ? qr/^# skipped/ : qr/^ok .*# skip/;
	return map { s/\n//r } grep { /$pattern/ } read_log($result);
}

# why(RESULT): why it failed, in ten lines at most: each failed label with its line in
# the script and with got and want, then what the logs of the programs say.
sub why {
	my ($result) = @_;
	my @lines = map { s/\n//r } read_log($result);
	my (@faults, $details);

	for (@lines) {
		if (/^not ok (?:\d+ )?- (.*)/) {
			push @faults, 'not ok - ' . $1 . place($result, $1);
			$details = 2;
		} elsif (/^#   / && $details) {
			push @faults, "    " . s/^#\s+//r;
			$details--;
		} elsif (/:[FE]:.*:|Sanitizer: |runtime error: |Assertion .* failed/) {
			push @faults, $_;
		} elsif (!/^#   /) {
			$details = 0;
		}
	}
	my @said = grep { /^# [\w.-]+\.log: / } @lines;
	@faults = @lines[-min(6, scalar @lines) .. -1] if !@faults && @lines;
	my @why = (@faults[0 .. min(7, $#faults)],
	    map { s/^# //r } @said[-min(3, scalar @said) .. -1]);
	splice @why, 10;
	return map { length > 220 ? substr($_, 0, 217) . '...' : $_ } @why;
}

sub min {
	return $_[0] < $_[1] ? $_[0] : $_[1];
}

# The line of the script that has this label, in which a variable is any text.
sub place {
	my ($result, $label) = @_;
	my $script = "$result->{source}/$result->{name}";

	open(my $in, '<', $script) or return '';
	while (my $line = <$in>) {
		while ($line =~ /"([^"]{8,})"/g) {
			my @words = split /\$\{[^}]*\}|\$\w+|\$\(.*?\)/, $1, -1;
			my $pattern = join '.*', map { quotemeta } @words;
			return " ($result->{name}:$.)"
			    if length join('', @words) > 8 && $label =~ /^$pattern$/;
		}
	}
	return '';
}

1;
