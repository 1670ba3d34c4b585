#!/bin/sh
# SPDX-License-Identifier: ISC
# PgBouncer between the pool and the database: with pool_mode = session it works,
# with transaction the log names it.
. "$(dirname "$0")/lib.sh"

mkdir "$scratch/pooler"
stack_own "$scratch/pooler"
pooler_pid=

# start_pooler MODE SIZE: at most SIZE sessions of a role with the database.
start_pooler() {
	cat >"$scratch/pooler/pooler.ini" <<-END
		[databases]
		assay = host=$scratch/run dbname=assay
		[pgbouncer]
		listen_addr =
		listen_port = 6432
		unix_socket_dir = $scratch/pooler
		auth_type = trust
		auth_file = $scratch/pooler/users
		pool_mode = $1
		default_pool_size = $2
	END
	printf '"%s" ""\n' assay_decide assay_operator >"$scratch/pooler/users"
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig TERM pgbouncer -q \
	    "$scratch/pooler/pooler.ini") </dev/null \
	    >>"$scratch/log/pooler.log" 2>&1 8>&- 9>&- &
	pooler_pid=$!
	more_pids="$pooler_pid $more_pids"
	stack_until 20 "$pooler_pid" test -S "$scratch/pooler/.s.PGSQL.6432"
}

# logged PATTERN: how many lines of the pool have it.
logged() {
	grep -c "$1" "$scratch/log/pool.log"
}

start_database
start_pooler session 10
start_signed_in DATABASE_URL="host=$scratch/pooler port=6432 dbname=assay user=assay_decide" \
    OPERATOR_DATABASE_URL="host=$scratch/pooler port=6432 dbname=assay user=assay_operator"
http POST /v1/decisions "$(login_event u-1)"
is_json "behind a pooler of whole sessions a decision is scored" \
    '"\(.verdict) \(.degraded // false)"' "allow false"
is "the log has no failed connection" "$(logged database_connect_failed)" 0

# Two workers that share one session prepare the same statements in it.
stack_end "$pooler_pid" INT
start_pooler transaction 1
# shellcheck disable=SC2317 # stack_until calls it
send_and_look() {
	senders=
	for _ in 1 2 3; do
		(http POST /v1/decisions "$(login_event u-2)"
		http GET /v1/auth/me) &
		senders="$! $senders"
	done
	# shellcheck disable=SC2086 # process ids
	wait $senders
	[ "$(logged 'user=assay_decide kind=pooler')" -ge 1 ] &&
	    [ "$(logged 'user=assay_operator kind=pooler')" -ge 1 ]
}
check "behind a pooler that mixes sessions the log says so" \
    stack_until 60 "$stack_pool_pid" send_and_look
check "the log says which setting of the pooler helps" grep -q \
    'level=error .*event=database_connect_failed .*kind=pooler sqlstate=\(42P05\|26000\) why="[^"]*pool_mode = session' \
    "$scratch/log/pool.log"
http POST /v1/decisions "$(login_event u-3)"
is "a decision is answered all the same" "$STATUS" 200

# The setting is corrected.
stack_end "$pooler_pid" INT
start_pooler session 10
# shellcheck disable=SC2317 # the same
is_scored() {
	http POST /v1/decisions "$(login_event u-4)"
	[ "$(json '.degraded // false')" = false ]
}
check "decisions are scored again after the setting is corrected" \
    stack_until 60 "$stack_pool_pid" is_scored
finish
