#!/bin/sh
# SPDX-License-Identifier: ISC
# POST /v1/config/retention/run: it removes what is older than its window and
# nothing else, while decisions are served; only one run at a time.
. "$(dirname "$0")/lib.sh"
use load past

run_sweep() {
	http POST /v1/config/retention/run
}

pruned_counts() {
	json '.pruned |
	    "\(.verdicts) \(.activity) \(.replay) \(.idempotency) \(.deadLetter)"'
}

preview_counts() {
	http POST /v1/config/retention/preview "$1"
	json '.removes | "\(.verdicts.rows) \(.activity.rows) \(.replay.rows) \(
	    .idempotency.rows) \(.deadLetter.rows)"'
}

# shellcheck disable=SC2317 # called by name
is_detaching() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event_type = 'Lock' and query like '%retention_month%'")" = 1 ]
}

start_signed_in DECIDE_WORKERS=3
add_history
is "the scenario starts with 14 months of decisions" \
    "$(rows_left)" "5000|5000|4000|5000|5000|60|500"

is "a preview counts what a sweep would remove" "$(preview_counts '{}')" \
    "620 3920 3136 4916 30"
is "the body of a preview has other windows" "$(preview_counts \
    '{"verdicts":3,"activity":0,"idempotency":0,"replay":null}')" \
    "4964 0 3136 4964 30"
load_start 1
run_sweep
is "a sweep answers 200" "$STATUS" 200
is_json "the answer has the time of the sweep" \
    '.ranAt | test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$")' true
is_json "the answer counts each collection" \
    '.pruned | keys | sort | join(" ")' \
    "activity deadLetter idempotency replay verdicts"
# Twelve rows a day for 365, 90, 90, 7 and 30 days; each day's newest row survives.
is "the sweep removes what is older than the windows" "$(pruned_counts)" \
    "620 3920 3136 4916 30"
is "a preview after the sweep finds nothing to remove" "$(preview_counts '{}')" \
    "0 0 0 0 0"
is "the sweep keeps what is inside the windows" \
    "$(rows_left)" "4380|1080|864|1080|84|30|365"
is "whole months of the verdict log are dropped" "$(sql "select count(*)
    from pg_class where relkind = 'r' and relname < 'verdict_log_'
	|| to_char(now() at time zone 'UTC' - interval '365 days', 'YYYYMM')
	and relname ~ '^verdict_log_[0-9]'")" 0
run_sweep
is "a second sweep removes nothing" "$(pruned_counts)" "0 0 0 0 0"

# Request and sample of a detail row have separate windows.
http PUT /v1/config/retention '{"activity":30,"replay":60}'
run_sweep
is "a shorter activity window clears requests before samples" \
    "$(pruned_counts) $(rows_left)" \
    "0 720 288 0 0 4380|360|576|648|84|30|365"
http PUT /v1/config/retention '{"activity":30,"replay":10}'
run_sweep
is "a shorter sample window clears samples before requests" \
    "$(pruned_counts) $(rows_left)" \
    "0 0 480 0 0 4380|360|96|360|84|30|365"

# Each collection has its own window, but an idempotency key goes with its
# decision.
http PUT /v1/config/retention '{"verdicts":3,"activity":0,"idempotency":0}'
run_sweep
is "rows kept for ever outlive their verdict" "$(pruned_counts) $(rows_left)" \
    "4344 0 0 48 0 36|360|96|360|36|30|3"
is "no idempotency key remains without its decision" "$(sql "select count(*)
    from assay.idempotency i where not exists (select
	from assay.verdict_log v where v.id = i.verdict_id)")" 0

# A window of 0 days keeps rows for ever.
http PUT /v1/config/retention \
    '{"verdicts":0,"activity":0,"replay":0,"idempotency":0,"deadLetter":0}'
sql "update assay.dead_letter set dead_at = dead_at - interval '3 years'"
run_sweep
is "a sweep removes nothing when all windows are 0" \
    "$(pruned_counts)" "0 0 0 0 0"
load_stop "decisions during the sweeps"
is "no decision during the sweeps is degraded" \
    "$(sql "select count(*) from assay.verdict_log
    where score < 0")" 0

# The next run finishes one that was killed between two steps.  Settings of an
# operator's session do not disturb it.
http PUT /v1/config/retention '{"verdicts":365,"activity":90,"replay":90}'
sql "set timezone = 'UTC'; create table assay.verdict_log_202001 (like
    assay.verdict_log including all);
    insert into assay.verdict_log_202001 select '2020-01-02', 'vd_x', 'x',
	'card.authorize', 'allow', 0, '[]', 'p', '1', null, 'c'"
run_sweep
is "a month that was detached is dropped" \
    "$(pruned_counts | cut -d ' ' -f 1) $(sql \
    "select to_regclass('assay.verdict_log_202001') is null")" "1 t"
sql "set timezone = 'UTC'; create table assay.decision_detail_202001 partition of
    assay.decision_detail for values from ('2020-01-01') to ('2020-02-01');
    insert into assay.decision_detail select '2020-01-02', 'vd_x', 'x',
	'card.authorize', 'u', null, '{}', '{}'"
hold_lock "select count(*) from assay.decision_detail"
(
	stack_until 10 "$stack_pool_pid" is_detaching
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where application_name = 'assay operator'" >/dev/null
) &
run_sweep
wait $!
is "a long reader delays a month but no sweep" "$STATUS $(pruned_counts) $(sql \
    "select count(*) from pg_inherits
    where inhrelid = 'assay.decision_detail_202001'::regclass")" "200 0 0 0 0 0 1"
release_lock
run_sweep
is "the next sweep drops the delayed month" "$(pruned_counts) $(sql \
    "select to_regclass('assay.decision_detail_202001') is null")" "0 1 1 0 0 t"

# Only one sweep runs at a time over all hosts.
hold_lock "select pg_advisory_xact_lock(hashtextextended('assay.retain', 0))"
run_sweep
is_error "a sweep answers 503 while another host sweeps" 503 UNAVAILABLE
is "the refused sweep may be retried after a second" "$(header retry-after)" 1
release_lock
run_sweep
is "a sweep answers 200 when the other is done" "$STATUS" 200

http GET /v1/audit
is_json "the audit trail has each sweep that ran" '[.entries[] |
    select(.action == "POST /v1/config/retention/run") | .status] |
    "\(length) \(unique | tojson)"' "10 [200]"
http GET /metrics
is "the metrics count all removed rows" "$(printf '%s\n' "$BODY" |
    sed -n 's/^engine_retention_pruned_total{collection="\(.*\)"} /\1 /p' |
    paste -sd ' ')" \
    "verdicts 4965 activity 4641 replay 3905 idempotency 4964 deadLetter 30"
finish
