#!/bin/sh
# SPDX-License-Identifier: ISC
# TERM lets what is in hand finish; operators go first, and decisions are made
# until they have gone.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"

# event ID USER
event() {
	printf '{"id":"%s","type":"account.login","subject":{"userId":"%s"}}' \
	    "$1" "$2"
}
# shellcheck disable=SC2317 # called by name
stopping() { grep -q ' pool=stopping' "$scratch/log/pool.log"; }
# shellcheck disable=SC2317
one_left() { [ "$(pids decide | grep -c .)" -eq 1 ]; }

start_stack
admin_token
api_key
TOKEN=
hold "lock table assay.operator"
later login /v1/auth/login \
    '{"email":"admin@example.com","password":"correct horse"}'
check "a login is in hand" stack_until 5 "$stack_pool_pid" waits_are 1
kill -TERM "$stack_pool_pid"
check "the pool stops" stack_until 5 "$stack_pool_pid" stopping
http POST /v1/decisions "$(event during free)"
is "decisions go on meanwhile" "$STATUS $(json .eventId)" "200 during"
http GET /v1/auth/status
is_error "operators are told to come back" 503 UNAVAILABLE
is "in a moment" "$(header retry-after)" 1
release
now login
is "the login is answered" "$STATUS $(json '.token | length > 9')" "200 true"
wait "$stack_pool_pid"
is "the pool ends well" "$?" 0

start_pool
wait_ready
hold "$(lock_of held)"
later held /v1/decisions "$(event held held)"
check "a decision is in hand" stack_until 5 "$stack_pool_pid" waits_are 1
kill -TERM "$stack_pool_pid"
check "whoever has nothing in hand goes" stack_until 5 "$stack_pool_pid" \
    one_left
release
now held
is "the decision is answered" "$STATUS $(json .eventId)" "200 held"
wait "$stack_pool_pid"
is "the pool ends well" "$?" 0
stack_pool_pid=
is "nobody was killed" "$(grep -c 'level=error' "$scratch/log/pool.log")" 0
is "what was answered is stored" "$(sql "select count(*)
    from assay.verdict_log where event_id in ('during', 'held')")" 2
finish
