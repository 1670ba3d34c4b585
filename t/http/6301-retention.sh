#!/bin/sh
# SPDX-License-Identifier: ISC
# Retention: what is older than its window goes, and nothing else, while
# decisions go on; months whole, the edge in batches; one run at a time.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"
# shellcheck source=t/http/past.sh
. "$(dirname "$0")/past.sh"

run() {
	http POST /v1/config/retention/run
}

pruned() {
	json '.pruned |
	    "\(.verdicts) \(.activity) \(.replay) \(.idempotency) \(.deadLetter)"'
}

# shellcheck disable=SC2317 # called by name
is_detaching() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event_type = 'Lock' and query like '%retention_month%'")" = 1 ]
}

start_stack DECIDE_WORKERS=3
admin_token
api_key
history
is "there is a past" "$(left)" "5000|5000|4000|5000|5000|60|500"

load_start 1
run
is "it runs" "$STATUS" 200
is_json "at a time" '.ranAt | test("^[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z$")' true
is_json "over these collections" '.pruned | keys | sort | join(" ")' \
    "activity deadLetter idempotency replay verdicts"
# 365, 90, 90, 7 and 30 days of twelve a day; the newest of each day is in.
is "what is older than the windows is gone" "$(pruned)" \
    "620 3920 3136 4916 30"
is "and nothing else" "$(left)" "4380|1080|864|1080|84|30|365"
is "months that were over are gone whole" "$(sql "select count(*)
    from pg_class where relkind = 'r' and relname < 'verdict_log_'
	|| to_char(now() at time zone 'UTC' - interval '365 days', 'YYYYMM')
	and relname ~ '^verdict_log_[0-9]'")" 0
run
is "again there is nothing to do" "$(pruned)" "0 0 0 0 0"

# The two parts of a detail have windows of their own.
http PUT /v1/config/retention '{"activity":30,"replay":60}'
run
is "activity is blanked before samples" "$(pruned) $(left)" \
    "0 720 288 0 0 4380|360|576|648|84|30|365"
http PUT /v1/config/retention '{"activity":30,"replay":10}'
run
is "and samples before activity" "$(pruned) $(left)" \
    "0 0 480 0 0 4380|360|96|360|84|30|365"

# Each is kept as its own window says, but for keys: one whose decision is gone
# would answer nothing.
http PUT /v1/config/retention '{"verdicts":3,"activity":0,"idempotency":0}'
run
is "what is kept for ever outlives its verdict" "$(pruned) $(left)" \
    "4344 0 0 48 0 36|360|96|360|36|30|3"
is "no key is left without its decision" "$(sql "select count(*)
    from assay.idempotency i where not exists (select
	from assay.verdict_log v where v.id = i.verdict_id)")" 0

# 0 is for ever.
http PUT /v1/config/retention \
    '{"verdicts":0,"activity":0,"replay":0,"idempotency":0,"deadLetter":0}'
sql "update assay.dead_letter set dead_at = dead_at - interval '3 years'"
run
is "what is kept for ever stays" "$(pruned)" "0 0 0 0 0"
load_stop "decisions meanwhile"
is "none was degraded" "$(sql "select count(*) from assay.verdict_log
    where score < 0")" 0

# A run that was killed between its steps is taken up.  What an operator's
# connection did meanwhile is of no matter.
http PUT /v1/config/retention '{"verdicts":365,"activity":90,"replay":90}'
sql "set timezone = 'UTC'; create table assay.verdict_log_202001 (like
    assay.verdict_log including all);
    insert into assay.verdict_log_202001 select '2020-01-02', 'vd_x', 'x',
	'card.authorize', 'allow', 0, '[]', 'p', '1', null, 'c'"
run
is "a month that was detached is dropped" "$(pruned | cut -d ' ' -f 1) $(sql \
    "select to_regclass('assay.verdict_log_202001') is null")" "1 t"
sql "set timezone = 'UTC'; create table assay.detail_202001 partition of
    assay.detail for values from ('2020-01-01') to ('2020-02-01');
    insert into assay.detail select '2020-01-02', 'vd_x', 'x',
	'card.authorize', 'u', null, '{}', '{}'"
hold "select count(*) from assay.detail"
(
	stack_until 10 "$stack_pool_pid" is_detaching
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where application_name = 'assay operator'" >/dev/null
) &
run
wait $!
is "who reads for long delays a month, and no run" "$STATUS $(pruned) $(sql \
    "select count(*) from pg_inherits
    where inhrelid = 'assay.detail_202001'::regclass")" "200 0 0 0 0 0 1"
release
run
is "the next one finishes it" "$(pruned) $(sql \
    "select to_regclass('assay.detail_202001') is null")" "0 1 1 0 0 t"

# One at a time, over all hosts.
hold "select pg_advisory_xact_lock(hashtextextended('assay.retain', 0))"
run
is_error "while another host runs it" 503 UNAVAILABLE
is "it may be tried again" "$(header retry-after)" 1
release
run
is "when that is done, it runs" "$STATUS" 200

http GET /v1/audit
is_json "the trail tells of each that ran" '[.entries[] |
    select(.action == "POST /v1/config/retention/run") | .status] |
    "\(length) \(unique | tojson)"' "10 [200]"
http GET /metrics
is "the metrics count what is gone" "$(printf '%s\n' "$BODY" |
    sed -n 's/^engine_retention_pruned_total{collection="\(.*\)"} /\1 /p' |
    paste -sd ' ')" \
    "verdicts 4965 activity 4641 replay 3905 idempotency 4964 deadLetter 30"
finish
