#!/bin/sh
# SPDX-License-Identifier: ISC
# The pool shows what companions count: each count once, with and without a
# database, and since its start.
. "$(dirname "$0")/lib.sh"
use away metrics

start_stack
await_counters

# leave_partial_line FILE: put a partial line, which a drain counts, into a spool of
# the companion alone, at once, so that no drain finds the file empty.
mkdir "$scratch/spool-cron"
stack_own "$scratch/spool-cron"
leave_partial_line() {
	echo half >"$scratch/spool-cron/half"
	stack_own "$scratch/spool-cron"
	mv "$scratch/spool-cron/half" "$scratch/spool-cron/$1.drain"
}
# shellcheck disable=SC2317 # called by stack_until
is_drained_away() {
	[ ! -e "$scratch/spool-cron/$1.drain" ]
}
# stored_count METRIC: the count in the database.
stored_count() {
	sql "select n from assay.counter where metric = '$1'"
}
counted=engine_spool_partial_total
leave_partial_line one
cron drain SPOOL_DIR="$scratch/spool-cron"
is "a run that ends stores its counts" "$(stored_count "$counted")" 1
metric_becomes "the pool shows the counts of a run" $counted 1
start_host 2
host=2
await_counters
host=
start_cron "drain --for 10m" SPOOL_DIR="$scratch/spool-cron"
leave_partial_line two
metric_becomes "the pool shows the counts of a companion that runs on" $counted 2
is "the database has the sum of the counts" "$(stored_count "$counted")" 2
host=2
metric_becomes "another pool shows the counts since its start" $counted 1
host=

# What only companions count is shown when the pool has read it: a count must
# not jump from 0.
persisted=engine_alerts_throttled_total
sql "insert into assay.counter values ('$persisted', 0, 0, 7)"
metric_becomes "a pool shows what only companions count" $persisted 7

# Counts that cannot be stored now are stored later.
sql "revoke execute on function assay.counter_add from assay_companion"
leave_partial_line three
check "a companion counts on while it cannot store its counts" \
    stack_until 10 "$stack_cron_pid" is_drained_away three
check "a companion logs that it cannot store its counts" \
    stack_until 10 "$stack_cron_pid" \
    grep -q "event=counters_save_failed" "$scratch/log/cron.log"
stop_database
is "the pool shows the last values without a database" \
    "$(metric $counted) $(metric engine_partition_months_ahead)" "2 24"
stop_pool
start_pool
check "a pool that starts without a database answers" stack_until 10 \
    "$stack_pool_pid" metric_is engine_database_up 0
is "a pool that starts without a database shows its own counts" \
    "$(metric $counted)$(metric engine_partition_months_ahead)$(metric $persisted)" 0
start_database
sql "grant execute on function assay.counter_add to assay_companion"
# shellcheck disable=SC2317 # called by stack_until
is_stored() {
	[ "$(stored_count "$counted")" = 3 ]
}
check "counts that were not stored are stored later" \
    stack_until 20 "$stack_cron_pid" is_stored
metric_becomes "a restarted pool shows the gauges when the database is back" \
    engine_partition_months_ahead 24
is "a restarted pool shows all that only companions count" \
    "$(metric $persisted)" 7
shown=$(metric $counted)
leave_partial_line four
metric_becomes "a restarted pool shows a new count" $counted "$((shown + 1))"
is "each count is stored once" "$(stored_count "$counted")" 4
stop_cron
finish
