# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# For scenarios in which the database fails: keep the answers and compare them
# with the verdict log afterwards.  Sourced after lib.sh.
# shellcheck disable=SC2154 # scratch

# ask_decision BODY [curl option ...]: send an event and keep its decision.
ask_decision() {
	http POST /v1/decisions "$@"
	[ "$STATUS" != 200 ] || printf '%s\n' "$BODY" >>"$scratch/answers"
}

# brief_answer: status, verdict, score and first tag of the last answer.
brief_answer() {
	echo "$STATUS $(json '"\(.verdict) \(.score) \(.reasons[0].tag)"')"
}

is_drained() {
	[ "$(metric engine_spool_records)" = 0 ]
}

# Kill the master and all its workers at once.
kill_pool() {
	kill_pids="$stack_pool_pid $(pgrep -P "$stack_pool_pid" | tr '\n' ' ')"
	# shellcheck disable=SC2086 # several
	kill -KILL $kill_pids
	for kill_pid in $kill_pids; do
		stack_until 10 0 stack_gone "$kill_pid"
	done
	wait "$stack_pool_pid" 2>/dev/null || :
	rm -f "$scratch/run/decide.sock" "$scratch/run/operator.sock"
}

# Wait until the spool is empty.
wait_drained() {
	stack_until 20 "$stack_pool_pid" is_drained ||
	    not_ok "the spool is drained"
}

# answers_logged_once LABEL: the log has exactly one row, with its details, for
# each degraded answer that was kept, and no other degraded one.
answers_logged_once() {
	jq -r 'select(.score < 0) | [.id, .eventId, .verdict, .score,
	    (.reasons | tojson), .policyId, .policyVersion, .decidedAt] |
	    join("|")' <"$scratch/answers" | sort >"$scratch/want"
	sql "select v.id, v.event_id, v.verdict, v.score, v.reasons,
	    v.policy_id, v.policy_version, to_char(date_trunc('milliseconds',
	    v.decided_at) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
	    from assay.verdict_log v join assay.decision_detail d
	    on d.verdict_id = v.id and d.event_id = v.event_id
	    and d.decided_at = v.decided_at and d.sample is null
	    where v.score < 0" | sort >"$scratch/got"
	check "$1" diff "$scratch/want" "$scratch/got"
}

# decision_is_scored BODY: the decision is not degraded.
# shellcheck disable=SC2317 # stack_until calls it
decision_is_scored() {
	ask_decision "$1"
	[ "$(json '.score >= 0')" = true ]
}
