#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion's job retain: it sweeps when a sweep is due, only one host at a
# time, and makes the months ahead.
. "$(dirname "$0")/lib.sh"
use load metrics past retain

start_signed_in
add_history
await_counters
check "the first sweep is due" cron retain
is "the sweep removes what is older than the windows" "$(rows_left)" "$want"
is "the log counts what the sweep removed" \
    "$(sweep_counts)" "620 3920 3136 4916 30 0"
check "the metrics count what the sweep removed" stack_until 15 0 metric_is \
    'engine_retention_pruned_total{collection="idempotency"}' 4916
http PUT /v1/config/retention '{"activity":30}'
cron retain
is "a second sweep is not due at once" \
    "$(sweep_counts) $(rows_left)" "0 0 0 0 0 0 $want"
sql "update assay.retention_sweep set started_at = started_at - interval '61 min'"
cron retain
is "a sweep is due after an hour and uses the changed windows" \
    "$(sweep_counts)" "0 720 0 0 0 0"
http PUT /v1/config/retention '{"activity":20}'
http POST /v1/config/retention/run
is_json "an operator starts a sweep" .pruned.activity 120
http PUT /v1/config/retention '{"activity":10}'
cron retain
is "the companion's sweep is not due after an operator's" \
    "$(sweep_counts)" "0 0 0 0 0 0"
cron retain RETENTION_SWEEP_MINUTES=1
is "the sweep is not due with another interval either" \
    "$(sweep_counts)" "0 0 0 0 0 0"
sql "update assay.retention_sweep set finished_at = null"
cron retain
is "an incomplete sweep is due at once" "$(sweep_counts)" "0 120 0 0 0 0"
sql "update assay.retention_sweep set started_at = now() + interval '1 year'"
http PUT /v1/config/retention '{"activity":5}'
cron retain
is "a sweep is due when the clock was set back" "$(sweep_counts)" "0 60 0 0 0 0"
http PUT /v1/config/retention '{"activity":null}'

# Only one host sweeps at a time.
hold_lock "select pg_advisory_xact_lock(hashtextextended('assay.retain', 0))"
sql "update assay.retention_sweep set finished_at = null"
check "the companion exits 0 while another host sweeps" cron retain
http POST /v1/config/retention/run
is_error "an operator's sweep answers 503 while another host sweeps" \
    503 UNAVAILABLE
release_lock
start_cron "retain --for 2s"
first=$stack_cron_pid
cron "retain --for 2s"
wait "$first"
is "of two companions only one sweeps" "$(grep -c event=sweep_ended \
    "$scratch/log/cron.log")" 5

# The sweep makes partitions ahead.
sql "do \$\$ begin
	execute 'drop table ' || (select string_agg(oid::regclass::text, ',')
	    from pg_class where relname in (
		to_char(now() + '24 months', '\"verdict_log_\"YYYYMM'),
		to_char(now() + '23 months', '\"decision_detail_\"YYYYMM'),
		to_char(now() + '24 months', '\"decision_detail_\"YYYYMM')));
    end \$\$"
check "a metric shows how many months are left" stack_until 15 0 metric_is \
    engine_partition_months_ahead 22
cron retain
is "the sweep makes the missing months" \
    "$(sweep_counts) $(sql "select assay.partitions_left()")" \
    "0 0 0 0 0 3 24"
finish
