# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# For scenarios in which the database fails: answers are kept, and compared
# with the log when it is back.  Sourced after lib.sh.
# shellcheck disable=SC2154 # scratch

# ask BODY [curl option ...]: send one, and keep its answer if it is one.
ask() {
	http POST /v1/decisions "$@"
	[ "$STATUS" != 200 ] || printf '%s\n' "$BODY" >>"$scratch/answers"
}

# The last answer in few words.
brief() {
	echo "$STATUS $(json '"\(.verdict) \(.score) \(.reasons[0].tag)"')"
}

# metric NAME: its value.
metric() {
	http GET /metrics
	printf '%s\n' "$BODY" | awk -v name="$1" '$1 == name { print $2 }'
}

is_drained() {
	[ "$(metric engine_spool_records)" = 0 ]
}

# As if the whole pool had been shot: its workers, and nobody says goodbye.
shoot_pool() {
	shot="$stack_pool_pid $(pgrep -P "$stack_pool_pid" | tr '\n' ' ')"
	# shellcheck disable=SC2086 # several
	kill -KILL $shot
	for pid in $shot; do
		stack_until 10 0 stack_gone "$pid"
	done
	wait "$stack_pool_pid" 2>/dev/null || :
	rm -f "$scratch/run/decide.sock" "$scratch/run/operator.sock"
}

# Wait until the spool is empty.
wait_drained() {
	stack_until 20 "$stack_pool_pid" is_drained ||
	    not_ok "the spool runs empty"
}

# logged_once WHAT: each degraded answer that was kept is a row of the log
# with its details, and the log has no other.
logged_once() {
	jq -r 'select(.score < 0) | [.id, .eventId, .verdict, .score,
	    (.reasons | tojson), .policyId, .policyVersion, .decidedAt] |
	    join("|")' <"$scratch/answers" | sort >"$scratch/want"
	sql "select v.id, v.event_id, v.verdict, v.score, v.reasons,
	    v.policy_id, v.policy_version, to_char(date_trunc('milliseconds',
	    v.decided_at) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
	    from assay.verdict_log v join assay.detail d
	    on d.verdict_id = v.id and d.event_id = v.event_id
	    and d.decided_at = v.decided_at and d.replay is null
	    where v.score < 0" | sort >"$scratch/got"
	check "$1" diff "$scratch/want" "$scratch/got"
}
