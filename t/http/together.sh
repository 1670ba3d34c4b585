# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Requests that one worker finds waiting all at once, and so decides in one
# transaction.  Needs DECIDE_WORKERS=1.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154,SC2317 # variables of lib.sh; called by name

# event_of ID USER [MEMBERS]: an event with these members of its subject.
event_of() {
	printf '{"id":"%s","type":"account.login","subject":{"userId":"%s"%s}}' \
	    "$1" "$2" "${3-}"
}

# stop_worker: the worker sees nothing until resume_worker.
stop_worker() {
	mkdir -p "$scratch/together"
	rm -f "$scratch"/together/*
	request_pids=
	kill -STOP "$worker"
}

# add_request N BODY [curl option ...]: the Nth of the waiting requests, with the
# key, type and URL in request_key, request_type and request_url if they are set.
add_request() {
	request_n=$1
	request_body=$2
	shift 2
	curl -sS --max-time 20 --unix-socket "$scratch/run/http.sock" \
	    -D "$scratch/together/$request_n.head" \
	    -o "$scratch/together/$request_n.body" \
	    -H "X-API-Key: ${request_key:-$KEY}" \
	    ${request_body:+--data-binary} ${request_body:+"$request_body"} \
	    -H "Content-Type: ${request_type:-application/json}" "$@" \
	    "${request_url:-$BASE/v1/decisions}" 8>&- &
	request_pids="$request_pids $!"
}

# connections_are COUNT: that many connections wait for the worker.  The socket
# has one line for each in /proc/net/unix, and one for itself.
connections_are() {
	[ "$(grep -c "$scratch/run/decide.sock" /proc/net/unix)" -gt "$1" ]
}

# resume_worker COUNT: when that many requests wait.
resume_worker() {
	stack_until 20 "$stack_pool_pid" connections_are "$1" ||
	    not_ok "$1 requests wait for the worker"
	kill -CONT "$worker"
}

# await_requests: until all of them are answered.
await_requests() {
	for request_pid in $request_pids; do
		wait "$request_pid"
	done
}

# request_status N; request_json N FILTER: of the Nth answer.
request_status() {
	sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$scratch/together/$1.head"
}
request_json() {
	jq -r "$2" "$scratch/together/$1.body"
}

# statuses_count STATUS: how many answers have it.
statuses_count() {
	cat "$scratch"/together/*.head | grep -c "^HTTP.* $1"
}
