# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Metrics that follow the database after a while.  Sourced after lib.sh and
# away.sh.
# shellcheck disable=SC2154 # stack_pool_pid is of the stack

# metric_is NAME VALUE: the metric has this value.
# shellcheck disable=SC2317 # called by stack_until
metric_is() {
	[ "$(metric "$1")" = "$2" ]
}

# await_counters: the pool has read what companions counted before it started, so it
# shows what only they count.
await_counters() {
	stack_until 20 "$stack_pool_pid" metric_is engine_alerts_throttled_total 0 ||
	    stack_die "the pool has not read the counters of companions"
}

# metric_becomes LABEL NAME VALUE: the metric has this value within 20 seconds.
metric_becomes() {
	check "$1" stack_until 20 "$stack_pool_pid" metric_is "$2" "$3"
}

# gauge_is LABEL NAME VALUE: the gauge has this value, an age in whole hours.
gauge_is() {
	gauge_value=$(metric "$2")
	case $2 in
	*_seconds*) gauge_value=$((${gauge_value%%.*} / 3600)) ;;
	esac
	is "$1" "$gauge_value" "$3"
}
