#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl replay: the sample is decided by the real stack with the expected
# verdicts, within the budget, and errors are explained.
. "$(dirname "$0")/lib.sh"

# curl reads the address from BASE_URL, so nginx listens on a free port.
free_port
BASE_URL=http://127.0.0.1:$port
export BASE_URL
start_database
start_pool
start_nginx LISTEN="127.0.0.1:$port"
# shellcheck disable=SC2317 # called by name
port_is_ready() { curl -sf -o /dev/null --max-time 5 "$BASE_URL/readyz"; }
stack_until 30 "$stack_pool_pid" port_is_ready ||
    { not_ok "the stack is ready"; exit 1; }
DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export DATABASE_URL
sample=$srcdir/sample/transactions.csv

# ctl ARGUMENT ...: run assayctl; the exit status is in STATUS.
ctl() {
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	STATUS=$?
}
# ctl_says PATTERN: check that assayctl printed it.
# shellcheck disable=SC2317 # called by name
ctl_says() { grep -q -e "$1" "$scratch/out" "$scratch/err"; }
# total_of NAME: print this total of the output of --json.
total_of() { tail -n 1 "$scratch/out" | jq -r ".totals.$1"; }
# shellcheck disable=SC2317 # called by name
is_between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

ctl replay "$sample"
is "replay without a key ends with EX_CONFIG" "$STATUS" 78
check "replay without a key names API_KEY" ctl_says 'API_KEY'
API_KEY=ak_live_0123456789 ctl replay "$sample"
is "replay with an unknown key ends with EX_NOPERM" "$STATUS" 77
API_KEY=$("$builddir/assayctl" key create replay 2>/dev/null)
export API_KEY

ctl replay --json "$sample"
is "replay of the sample succeeds" "$STATUS" 0
is "replay decides every event of the sample" \
    "$(total_of events) $(total_of errors)" "300 0"
check "most events of the sample are allowed" \
    is_between "$(total_of allow)" 225 265
check "some events of the sample are challenged" \
    is_between "$(total_of challenge)" 10 60
check "some events of the sample are reviewed" \
    is_between "$(total_of review)" 5 40
check "some events of the sample are denied" is_between "$(total_of deny)" 5 40
for tag in velocity takeover ring shared_device sim_box new_device \
    amount no_3ds shared_ip; do
	check "an event of the sample is tagged $tag" \
	    ctl_says "\"tag\":\"$tag\""
done
is "each event of the sample is decided once" "$(sql \
    'select count(*), count(distinct event_id) from assay.verdict_log')" \
    "300|300"

ctl replay --jobs 4 "$sample"
check "a second replay says how many were decided before" \
    ctl_says '300 of them had been decided before'
check "the table of a replay has a head" ctl_says '^EVENT .* SCORE .* REASONS'
check "the table of a replay shows how much fraud was flagged" \
    ctl_says '^fraud .* of 72 flagged'
is "a second replay decides nothing again" \
    "$(sql 'select count(*) from assay.verdict_log')" 300

# Other columns, compressed, in batches.
printf 'when,customer,terminal,amount\n1,7,9,12.50\n2,8,9,3.00\n3,,9,1\n' |
    gzip >"$scratch/other.csv.gz"
ctl replay --map userId=customer,deviceId=terminal --batch 2 --json \
    "$scratch/other.csv.gz"
is "replay of other columns fails one row of three" \
    "$STATUS $(total_of events) $(total_of errors)" \
    "65 3 1"
check "replay names the missing field of the row" ctl_says 'subject.userId'
is "ids of events come from the name of the file" \
    "$(sql "select string_agg(event_id, ' '
    order by event_id) from assay.verdict_log where event_id like 'other%'")" \
    "other-1 other-2"
head -c 60 "$scratch/other.csv.gz" >"$scratch/cut.csv.gz"
ctl replay --map userId=customer --quiet "$scratch/cut.csv.gz"
is "replay of a truncated file ends with EX_DATAERR" "$STATUS" 65
printf 'userId,amount\na,1\nb\n' >"$scratch/bad.csv"
ctl replay --quiet "$scratch/bad.csv"
is "replay of a row with too few fields ends with EX_DATAERR" "$STATUS" 65
check "replay names the line of the bad row" ctl_says 'line 3 has 1 fields'
printf 'x,y\n1,2\n' >"$scratch/no.csv"
ctl replay --quiet "$scratch/no.csv"
check "replay of a file without users names the option --map" \
    ctl_says 'map userId=COLUMN'

# A replay over its budget waits and continues.  By the clock of the pool, a minute ends
# 20 seconds after the start.
cp "$builddir/t/http/clock.so" "$scratch/bin/"
stop_pool
start_pool RATE_LIMIT_DECISIONS_PER_MIN=20 CLOCK_AHEAD="$(((100 - $(date +%-S)) % 60))" \
    LD_PRELOAD="$scratch/bin/clock.so" \
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1
stack_until 30 "$stack_pool_pid" port_is_ready || not_ok "the pool is ready again"
ctl replay --quiet --id-prefix again- --limit 21 "$sample"
check "replay says that the service asks it to wait" \
    ctl_says 'waiting .* s, as the service asks (429)'
is "replay continues after the wait" \
    "$STATUS $(grep -c '^21 events' "$scratch/out")" "0 1"

stop_nginx
ctl replay "$sample"
is "replay without a service ends with EX_UNAVAILABLE" "$STATUS" 69
check "replay asks whether the service is running" \
    ctl_says 'that the service is running'
finish
