# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Companions and a PostgreSQL that are killed while requests arrive.  Sourced
# after lib.sh.
# shellcheck disable=SC2034,SC2154 # companion_pid is set by name

# start_companion HOST ARGUMENTS [NAME=VALUE ...]: start a companion, as if on
# a host of its own.
start_companion() {
	host=$1
	shift
	start_cron "$@"
	eval "companion_$host=\$stack_cron_pid"
	host=
}

# kill_companion HOST: kill it and its children, which are stopped first so
# that it starts no other.
kill_companion() {
	eval "companion_pid=\$companion_$1"
	kill -s STOP "$companion_pid"
	companion_pids="$(pgrep -P "$companion_pid") $companion_pid"
	# shellcheck disable=SC2086 # pids
	kill -s KILL $companion_pids
	for pid in $companion_pids; do
		stack_until 15 0 stack_gone "$pid"
	done
}

# Start PostgreSQL so that it repairs pages that a crash tore.
start_durable_database() {
	start_database -c full_page_writes=on
}

# Kill PostgreSQL with all of its processes and start it again.
crash_database() {
	kill_database
	start_durable_database
}

# Send one request after the other until load_pid gets TERM.  What was accepted
# is in $scratch/accepted, "KIND ID" a line.
send_load() {
	# shellcheck disable=SC2016 # it is perl
	API_KEY=$KEY setpriv --pdeathsig KILL perl -MIO::Socket::UNIX -e '
		my ($path, $out) = @ARGV;
		my $end;
		$SIG{TERM} = sub { $end = 1 };
		open my $accepted, ">>", $out or die;
		sub ask {
			my ($kind, $to, $id, $body) = @_;
			my $s = IO::Socket::UNIX->new($path) or return;
			print $s "POST /v1/$to HTTP/1.0\r\nX-API-Key: " .
			    "$ENV{API_KEY}\r\nContent-Type: application/json" .
			    "\r\nContent-Length: " . length($body) .
			    "\r\n\r\n$body";
			my $answer = <$s> // "";
			syswrite $accepted, "$kind $id\n" if $answer =~ / 20[02]\b/;
			1 while <$s>;
		}
		for (my $n = 1; !$end; $n++) {
			my $user = $n % 7;
			my $where = $n % 3;
			my $rest = qq("type":"payment.authorize","amount":20,
			    "currency":"EUR","subject":{"userId":"u$user",
			    "deviceId":"d$where","ip":"196.188.9.$where"});
			ask("later", "decisions/async", "later-$n",
			    qq({"id":"later-$n",$rest}));
			ask("now", "decisions", "now-$n",
			    qq({"id":"now-$n",$rest}));
			ask("label", "labels/chargeback", "now-$n",
			    qq({"eventId":"now-$n"})) if $n % 10 == 0;
		}' "$scratch/run/http.sock" "$scratch/accepted" \
	    </dev/null >"$scratch/log/load.log" 2>&1 &
	load_pid=$!
	more_pids="$load_pid $more_pids"
}
