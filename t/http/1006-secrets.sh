#!/bin/sh
# SPDX-License-Identifier: ISC
# Who has which secret: none is in the environment of a running process, and
# decide workers do not have the connection strings of other roles.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# workers GROUP: their process ids.
workers() {
	sed -n "s/.*worker=started group=$1 worker_pid=\([0-9]*\).*/\1/p" \
	    "$scratch/log/pool.log"
}

# environments PID ...: the lines of these that name a secret with a value.
environments() {
	for pid; do
		tr '\0' '\n' <"/proc/$pid/environ" |
		    grep -E '(_URL|SECRET|TOKEN)=.|assay_[a-z]|6f0b1d9a4c7e'
	done
}

# holds TEXT PID: whether memory that the process may write has the text.
holds() {
	perl -e '
		my ($text, $pid) = @ARGV;
		my $found = 0;
		open my $maps, "<", "/proc/$pid/maps" or die "maps: $!\n";
		open my $mem, "<:raw", "/proc/$pid/mem" or die "mem: $!\n";
		while (<$maps>) {
			my ($from, $to) = /^(\w+)-(\w+) rw/ or next;
			no warnings "portable";
			($from, $to) = (hex $from, hex $to);
			next if $to - $from > 1 << 28;
			sysseek $mem, $from, 0 or next;
			sysread $mem, my $data, $to - $from or next;
			$found++ while $data =~ /\Q$text\E/g;
		}
		print $found ? "yes" : "no"' "$1" "$2"
}

start_stack METRICS_TOKEN=a-token-of-metrics OPERATOR_WORKERS=2
start_cron "project --for 10m"
stack_until 10 "$stack_cron_pid" test -s "$scratch/log/cron.log" ||
    stack_until 5 0 true
is "all workers are known" "$(workers decide | wc -l) $(workers operator |
    wc -l)" "2 2"
# shellcheck disable=SC2046 # process ids
is "no process of the pool has a secret in its environment" \
    "$(environments "$stack_pool_pid" $(workers '[a-z]*'))" ""
is "nor has the companion" "$(environments "$stack_cron_pid")" ""
# Of a build with sanitizers the memory has a copy of the environment.
sanitized=
! grep -q __asan_init "$scratch/bin/assay-fcgi" || sanitized=yes
for pid in $(workers operator); do
	is "an operator worker can log in for retention" \
	    "$(holds user=assay_retain "$pid")" yes
done
for pid in $(workers decide); do
	[ -z "$sanitized" ] || break
	is "a decide worker has its own connection string" \
	    "$(holds user=assay_decide "$pid")" yes
	is "but neither retention's nor the companion's nor the operators'" \
	    "$(holds user=assay_retain "$pid") $(holds user=assay_companion \
	    "$pid") $(holds user=assay_operator "$pid")" "no no no"
done

# A reload finds what the environment had.
kill -s HUP "$stack_pool_pid"
check "the settings are read again" stack_until 10 "$stack_pool_pid" \
    grep -q reload=accepted "$scratch/log/pool.log"
admin_token
api_key
http POST /v1/config/retention/run
is "operators go on, also with retention" "$STATUS" 200
http POST /v1/decisions \
    '{"id":"e1","type":"order.place","subject":{"userId":"u"}}'
is "and decisions are made" "$STATUS" 200
TOKEN=a-token-of-metrics
http GET /metrics
is "metrics still want their token" "$STATUS" 200
stop_cron
finish
