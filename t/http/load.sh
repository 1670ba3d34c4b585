# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Clients that send decisions in a closed loop, requests in the background and
# the numbers of workers.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh
use lock

# login_of USER: an event whose id is the user's.
login_of() {
	printf '{"id":"%s","type":"account.login","subject":{"userId":"%s"}}' \
	    "$1" "$1"
}

# load_start CLIENTS: start that many clients of four connections each, until
# load_stop.  They send events of 24 users, so decisions seldom wait for the
# lock of a user.
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
			write-out = "%{http_code} %header{retry-after}\n"
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

# load_progresses [COUNT]: wait until that many more requests are answered.
load_progresses() {
	load_seen=$(grep -c . "$scratch/load.codes")
	stack_until 20 "$stack_pool_pid" load_count_is $((load_seen + ${1:-100}))
}

load_count_is() {
	[ "$(grep -c . "$scratch/load.codes")" -ge "$1" ]
}

# load_stop WHEN: every request was answered 200, and each answer is stored.
load_stop() {
	rm -f "$scratch/load"
	# shellcheck disable=SC2086 # a list
	wait $load_pids
	is "$1: every request of the load is answered 200" \
	    "$(sort -u "$scratch/load.codes")" "200 "
	is "$1: each answer of the load is stored once" "$(sql "
	    select count(*) from assay.decision_detail where user_id like 'load-%'")" \
	    "$(grep -c '^200' "$scratch/load.codes")"
}

# post_later NAME PATH BODY [curl option ...]: post it in the background.
post_later() {
	later_name=$1
	later_path=$2
	later_body=$3
	shift 3
	curl -sS --max-time 30 --unix-socket "$scratch/run/http.sock" \
	    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
	    -D "$scratch/$later_name.headers" -o "$scratch/$later_name.body" \
	    -d "$later_body" "$@" "$BASE$later_path" \
	    2>"$scratch/$later_name.curl" 8>&- &
	eval "later_$later_name=$!"
}

# await_answer NAME: wait for the answer to post_later; it is in STATUS, BODY and
# HEADERS as after http().
await_answer() {
	eval "wait \$later_$1" ||
	    echo "$1: $(cat "$scratch/$1.curl")" >>"$scratch/outside"
	cat "$scratch/$1.headers" "$scratch/$1.body" >"$scratch/answer"
	envelope POST "$1" <"$scratch/answer"
	take_answer "$(cat "$scratch/answer")"
}

# workers_running GROUP: the number of its workers, from /metrics.
workers_running() {
	metric "engine_workers{group=\"$1\"}"
}

# workers_busy GROUP: the number of its workers with a request; the worker that
# answers /metrics counts itself.
workers_busy() {
	metric "engine_workers_busy{group=\"$1\"}"
}
