#!/bin/sh
# SPDX-License-Identifier: ISC
# Another process holds the sockets, as systemd does: a restart under load fails no
# request.
. "$(dirname "$0")/lib.sh"
use load

# Holds the sockets and starts the pool.  At USR1 it starts another pool with the
# same sockets and sends TERM to the first one.
POOL=$scratch/bin/activate
cat >"$POOL" <<END
#!/usr/bin/perl
use strict;
use IO::Socket::UNIX;
\$^F = 9;
my @sockets = map { IO::Socket::UNIX->new(Listen => 1024,
    Local => "$scratch/run/\$_.sock") // die } "decide", "operator";
die if fileno(\$sockets[0]) != 3 || fileno(\$sockets[1]) != 4;
my \$pool = start();
\$SIG{USR1} = sub { my \$old = \$pool; \$pool = start(); finish(\$old); };
\$SIG{TERM} = sub { finish(\$pool); exit; };
sleep 60 while 1;
sub start {
	my \$pid = fork() // die;
	return \$pid if \$pid;
	\$ENV{LISTEN_PID} = \$\$;
	\$ENV{LISTEN_FDS} = 2;
	\$ENV{LISTEN_FDNAMES} = "decide:operator";
	exec "$scratch/bin/assay-fcgi" or die;
}
sub finish {
	kill TERM => \$_[0];
	waitpid \$_[0], 0;
	open my \$log, ">>", "$scratch/log/ends" or die;
	print \$log "\$?\n";
}
END
chmod +x "$POOL"
# shellcheck disable=SC2317 # called by name
pool_ends_are() { [ "$(grep -c . "$scratch/log/ends")" -ge "$1" ]; }

start_with_key
load_start 4
for i in 1 2 3; do
	check "the load runs before restart $i" load_progresses
	kill -USR1 "$stack_pool_pid"
	check "the new pool of restart $i replaces the old one" \
	    stack_until 20 "$stack_pool_pid" \
	    pool_ends_are "$i"
done
check "the load runs after the restarts" load_progresses
load_stop restart
stop_pool
is "each pool ended with status 0" "$(sort -u "$scratch/log/ends")" 0
is "no pool had a worker that did not stop" \
    "$(grep -c 'event=worker_killed' "$scratch/log/pool.log")" 0
finish
