#!/bin/sh
# SPDX-License-Identifier: ISC
# No process has a secret in its environment, and decide workers do not know the
# connection strings of the other roles.
. "$(dirname "$0")/lib.sh"

# environment_secrets PID ...: print the variables with secrets of these processes.
environment_secrets() {
	for pid; do
		tr '\0' '\n' <"/proc/$pid/environ" |
		    grep -E '(_URL|SECRET|TOKEN)=.|assay_[a-z]|6f0b1d9a4c7e'
	done
}

# memory_holds TEXT PID: return whether the writable memory of the process has it.
memory_holds() {
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
is "all workers run" "$(worker_pids decide | wc -l) $(worker_pids operator |
    wc -l)" "2 2"
# shellcheck disable=SC2046 # process ids
is "no process of the pool has a secret in its environment" \
    "$(environment_secrets "$stack_pool_pid" $(worker_pids '[a-z]*'))" ""
is "the companion has no secret in its environment" \
    "$(environment_secrets "$stack_cron_pid")" ""
# With sanitizers the memory has a copy of the environment.
sanitized=
! grep -q __asan_init "$scratch/bin/assay-fcgi" || sanitized=yes
for pid in $(worker_pids operator); do
	is "operator worker $pid has the connection string of retention" \
	    "$(memory_holds user=assay_retain "$pid")" yes
done
for pid in $(worker_pids decide); do
	[ -z "$sanitized" ] || break
	is "decide worker $pid has its own connection string" \
	    "$(memory_holds user=assay_decide "$pid")" yes
	is "decide worker $pid has no connection string of another role" \
	    "$(memory_holds user=assay_retain "$pid") $(memory_holds user=assay_companion \
	    "$pid") $(memory_holds user=assay_operator "$pid")" "no no no"
done

# After a reload the pool still has the secrets of the first environment.
kill -s HUP "$stack_pool_pid"
check "the pool accepts the settings of a reload" \
    stack_until 10 "$stack_pool_pid" \
    grep -q event=reload_accepted "$scratch/log/pool.log"
admin_token
api_key
http POST /v1/config/retention/run
is "after a reload operators can start retention" "$STATUS" 200
http POST /v1/decisions \
    '{"id":"e1","type":"order.place","subject":{"userId":"u"}}'
is "after a reload decisions are made" "$STATUS" 200
TOKEN=a-token-of-metrics
http GET /metrics
is "after a reload /metrics accepts its token" "$STATUS" 200
stop_cron
finish
