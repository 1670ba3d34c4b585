# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Clients that send decisions in a closed loop, and what a scenario about load
# asks about workers.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh

# load_start CLIENTS: so many clients of four connections each, until
# load_stop; every one of 24 users waits for nobody but himself.
load_start() {
	load_pids=
	for load_n in $(seq 24); do
		cat <<-END
			next
			silent
			unix-socket = "$scratch/run/http.sock"
			url = "$BASE/v1/decisions"
			header = "X-API-Key: $KEY"
			header = "Content-Type: application/json"
			data = "{\"type\":\"account.login\",\"subject\":{\"userId\":\"load-$load_n\"}}"
			output = "$scratch/load.body"
			write-out = "%{http_code}\n"
		END
	done | sed 1d >"$scratch/load.conf"
	touch "$scratch/load"
	for load_n in $(seq "$1"); do
		while [ -e "$scratch/load" ]; do
			curl -Z --parallel-max 4 --parallel-immediate \
			    --max-time 20 -K "$scratch/load.conf"
		done >>"$scratch/load.codes" 2>/dev/null 8>&- &
		load_pids="$load_pids $!"
	done
}

# Wait until so many answers have come since the last look.
load_goes_on() {
	load_seen=$(grep -c . "$scratch/load.codes")
	stack_until 20 "$stack_pool_pid" load_has $((load_seen + ${1:-100}))
}

load_has() {
	[ "$(grep -c . "$scratch/load.codes")" -ge "$1" ]
}

# load_stop WHAT: every client has had 200 each time, and what they were told
# is what is stored.
load_stop() {
	rm -f "$scratch/load"
	# shellcheck disable=SC2086 # a list
	wait $load_pids
	is "$1: no request failed" "$(sort -u "$scratch/load.codes")" 200
	is "$1: each answer is stored once" "$(sql "
	    select count(*) from assay.detail where user_id like 'load-%'")" \
	    "$(grep -c . "$scratch/load.codes")"
}

# later NAME PATH BODY [curl option ...]: post it in the background.
later() {
	later_name=$1
	later_path=$2
	later_body=$3
	shift 3
	curl -sS --max-time 30 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    -D "$scratch/$later_name.headers" -o "$scratch/$later_name.body" \
	    -d "$later_body" "$@" "$BASE$later_path" \
	    2>"$scratch/$later_name.curl" 7>&- &
	eval "later_$later_name=$!"
}

# now NAME: wait for its answer, which is then as http() leaves one.
now() {
	eval "wait \$later_$1" ||
	    echo "$1: $(cat "$scratch/$1.curl")" >>"$scratch/outside"
	BODY=$(cat "$scratch/$1.body")
	HEADERS=$(tr -d '\r' <"$scratch/$1.headers")
	STATUS=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$scratch/$1.headers")
	cat "$scratch/$1.headers" "$scratch/$1.body" | envelope POST "$1"
}

# hold SQL: in a transaction that stays open until release.
hold() {
	mkfifo "$scratch/hold"
	cluster_psql postgres assay -At <"$scratch/hold" >"$scratch/held" &
	hold_pid=$!
	exec 7>"$scratch/hold"
	echo "begin; $1; select 'held';" >&7
	stack_until 10 "$hold_pid" grep -q held "$scratch/held"
}

release() {
	exec 7>&-
	wait "$hold_pid"
	rm -f "$scratch/hold" "$scratch/held"
}

# The statement that takes a user's lock; a decision then waits for release.
lock_of() {
	printf 'select pg_advisory_xact_lock(%s)' "$(perl -e '
		my $h = 0xcbf29ce484222325;
		use integer;
		$h = ($h ^ ord) * 0x100000001b3 for split //, shift;
		print $h' "$1")"
}

# waits_are N: so many statements wait for a lock.
waits_are() {
	[ "$(sql "select count(*) from pg_locks where not granted")" -eq "$1" ]
}

# workers GROUP: how many run, as /metrics has it; busy GROUP: how many have a
# request in hand, the one that answers this included.
workers() {
	http GET /metrics
	printf '%s\n' "$BODY" |
	    sed -n "s/^engine_workers{group=\"$1\"} //p"
}

busy() {
	http GET /metrics
	printf '%s\n' "$BODY" |
	    sed -n "s/^engine_workers_busy{group=\"$1\"} //p"
}

# metric NAME: of one line of /metrics, name and labels, its value.
metric() {
	http GET /metrics
	printf '%s\n' "$BODY" | awk -v name="$1" '$1 == name { print $2 }'
}

# pids GROUP: of its workers that run, by the log, oldest first.
pids() {
	sed -n "s/.* worker=started group=$1 worker_pid=//p" \
	    "$scratch/log/pool.log" | while read -r pids_n; do
		stack_gone "$pids_n" || echo "$pids_n"
	done
}
