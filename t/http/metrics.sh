# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Metrics that follow the database after a while.  Sourced after lib.sh and
# shellcheck disable=SC2154 # variables of lib.sh
# away.sh.

# metric_is NAME VALUE: the metric has this value.
# shellcheck disable=SC2317 # called by stack_until
metric_is() {
	[ "$(metric "$1")" = "$2" ]
}

# metric_becomes LABEL NAME VALUE: the metric has this value within 20 seconds.
metric_becomes() {
	check "$1" stack_until 20 "$stack_pool_pid" metric_is "$2" "$3"
}
