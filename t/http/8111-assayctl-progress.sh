#!/bin/sh
# SPDX-License-Identifier: ISC
# The progress of assayctl backtest on a terminal.
. "$(dirname "$0")/lib.sh"
use ctl

start_ctl_admin
esc=$(printf '\033')

is "a payment leaves a sample" "$(pay_verdict first 5000)" allow

# The progress of a backtest.
sql "insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, sample)
    select decided_at, verdict_id || i, event_id || '-' || i, 'card.refund',
	user_id, sample
    from (select * from assay.decision_detail where sample is not null limit 1) d,
	generate_series(1, 100000) i"
awk 'BEGIN { while (n++ < 1000)
	printf "rule r%d { when !(event.amount < %d || graph.ringSize > %d) " \
	    "then score += 1, tag t }\n", n, 1e9 + n, n }' >"$scratch/slow.rule"
# shellcheck disable=SC2317
tty_shows() { tr '\r' '\n' <"$scratch/tty" | grep -q "$1"; }
# watch_backtest OPTIONS PATTERN WHAT: wait until the terminal shows the pattern.
watch_backtest() {
	: >"$scratch/tty"
	NO_COLOR=1 script -qfc "exec $builddir/assayctl backtest $1 \
	    --rules $scratch/slow.rule card.refund" "$scratch/tty" \
	    </dev/null >/dev/null 2>&1 &
	tty_pid=$!
	check "$3" stack_until 20 "$tty_pid" tty_shows "$2"
	kill "$tty_pid" 2>/dev/null
	wait "$tty_pid" 2>/dev/null
}
watch_backtest --json '^[-|/\\] waiting, [1-9]' "backtest --json shows that it waits"
is "backtest --json does not poll the progress" \
    "$(grep -c 'GET route=/v1/backtest' \
    "$scratch/log/pool.log")" 0
stack_until 20 0 grep -q 'route=/v1/backtest status=503' "$scratch/log/pool.log"
watch_backtest '' "^\[=* *\] [0-9]* %, [1-9][0-9]* of [0-9]* samples, [0-9]*/s$esc" \
    "backtest shows a progress bar"
is "NO_COLOR applies to the progress bar" \
    "$(grep -c "$esc\[[0-9]*m" "$scratch/tty")" 0
finish
