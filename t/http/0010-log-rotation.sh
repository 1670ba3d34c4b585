#!/bin/sh
# SPDX-License-Identifier: ISC
# The log of nginx is rotated under load, as logrotate does with the
# configuration of Debian's nginx: rename, create, USR1.  No line is lost.
. "$(dirname "$0")/lib.sh"

start_stack
log=$scratch/log/nginx-access.log

# client NAME: send requests until the last rotation; write their ids to a file.
client() {
	n=0
	while [ ! -e "$scratch/rotated" ]; do
		for k in 0 1 2 3 4 5 6 7 8 9; do
			id=rotated-$1-$((n + k))
			echo "$id" >>"$scratch/ids-$1"
			printf '%s\n' "url = http://assay/health" \
			    "header = \"X-Correlation-Id: $id\"" \
			    "unix-socket = $scratch/run/http.sock" \
			    "output = /dev/null" next
		done | sed '$d' | curl -sS -K - >>"$scratch/log/client.log" 2>&1
		n=$((n + 10))
	done
}

# logged FILE ...: the ids of the requests in these logs.
logged() {
	sed -n 's/.* req="\(rotated-[0-9-]*\)"$/\1/p' "$@"
}
# shellcheck disable=SC2317 # called by name
has_lines() { [ "$(logged "$log" | wc -l)" -ge "$1" ]; }

for n in 1 2 3 4; do
	client "$n" &
	clients="${clients:-} $!"
done
for n in 1 2 3 4 5; do
	stack_until 30 0 has_lines 40
	mv "$log" "$log.$n"
	install -m 640 /dev/null "$log"
	stack_own "$log"
	kill -s USR1 "$stack_nginx_pid"
done
stack_until 30 0 has_lines 40
touch "$scratch/rotated"
# shellcheck disable=SC2086 # process ids
wait $clients
is "every client got its answers" "$(cat "$scratch/log/client.log")" ""
for n in 1 2 3 4 5; do
	check "rotated log $n has lines" test -s "$log.$n"
done
stop_nginx
check "the new log has lines" test -s "$log"
LC_ALL=C sort "$scratch"/ids-* >"$scratch/sent-ids"
logged "$log" "$log".? | LC_ALL=C sort >"$scratch/logged-ids"
check "hundreds of requests were sent" [ "$(wc -l <"$scratch/sent-ids")" -ge 240 ]
check "each request has exactly one line" \
    diff "$scratch/sent-ids" "$scratch/logged-ids"
finish
