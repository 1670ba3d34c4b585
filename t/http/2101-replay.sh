#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl replay: the sample through the real stack, the mix of its verdicts,
# the budget, and what is said when things are not as they should be.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# curl needs an address, so nginx listens on a port that is free.
port=$(perl -MIO::Socket::INET -e '
	my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1");
	print $s->sockport')
BASE_URL=http://127.0.0.1:$port
export BASE_URL
start_database
start_pool
start_nginx LISTEN="127.0.0.1:$port"
# shellcheck disable=SC2317 # it is called by name
ready() { curl -sf -o /dev/null --max-time 5 "$BASE_URL/readyz"; }
stack_until 30 "$stack_pool_pid" ready ||
    { not_ok "the stack is ready"; exit 1; }
DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export DATABASE_URL
sample=$srcdir/sample/transactions.csv

# ctl ARGUMENT ...: run assayctl; its status and what it printed.
ctl() {
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	STATUS=$?
}
# shellcheck disable=SC2317
says() { grep -q -e "$1" "$scratch/out" "$scratch/err"; }
total() { tail -n 1 "$scratch/out" | jq -r ".totals.$1"; }
# shellcheck disable=SC2317
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

ctl replay "$sample"
is "without a key" "$STATUS" 78
check "says where it comes from" says 'API_KEY'
API_KEY=ak_live_0123456789 ctl replay "$sample"
is "with an unknown key" "$STATUS" 77
API_KEY=$("$builddir/assayctl" key create replay 2>/dev/null)
export API_KEY

ctl replay --json "$sample"
is "the sample" "$STATUS" 0
is "is answered whole" "$(total events) $(total errors)" "300 0"
check "mostly allowed" between "$(total allow)" 225 265
check "with challenges" between "$(total challenge)" 10 60
check "reviews" between "$(total review)" 5 40
check "and denials" between "$(total deny)" 5 40
for tag in velocity takeover ring shared_device sim_box new_device \
    amount no_3ds shared_ip; do
	check "something is tagged $tag" says "\"tag\":\"$tag\""
done
is "each id was decided once" "$(sql \
    'select count(*), count(distinct event_id) from assay.verdict_log')" \
    "300|300"

ctl replay --jobs 4 "$sample"
check "sent again, it is known" says '300 of them had been decided before'
check "the table has a head" says '^EVENT .* SCORE .* REASONS'
check "and the truth" says '^fraud .* of 72 flagged'
is "and nothing was decided twice" \
    "$(sql 'select count(*) from assay.verdict_log')" 300

# Another layout, compressed, in batches.
printf 'when,customer,terminal,amount\n1,7,9,12.50\n2,8,9,3.00\n3,,9,1\n' |
    gzip >"$scratch/other.csv.gz"
ctl replay --map userId=customer,deviceId=terminal --batch 2 --json \
    "$scratch/other.csv.gz"
is "one row of three is refused" "$STATUS $(total events) $(total errors)" \
    "65 3 1"
check "by name" says 'subject.userId'
is "ids come from the file's name" "$(sql "select string_agg(event_id, ' '
    order by event_id) from assay.verdict_log where event_id like 'other%'")" \
    "other-1 other-2"
head -c 60 "$scratch/other.csv.gz" >"$scratch/cut.csv.gz"
ctl replay --map userId=customer --quiet "$scratch/cut.csv.gz"
is "a file that was cut off" "$STATUS" 65
printf 'userId,amount\na,1\nb\n' >"$scratch/bad.csv"
ctl replay --quiet "$scratch/bad.csv"
is "a row of another length" "$STATUS" 65
check "by its line" says 'line 3 has 1 fields'
printf 'x,y\n1,2\n' >"$scratch/no.csv"
ctl replay --quiet "$scratch/no.csv"
check "a file without a user" says 'map userId=COLUMN'

# Over its budget it waits and then goes on.
stop_pool
start_pool RATE_LIMIT_DECISIONS_PER_MIN=20
stack_until 30 "$stack_pool_pid" ready || not_ok "the pool came back"
ctl replay --quiet --id-prefix again- --limit 21 "$sample"
check "it is told to wait" says 'asks for .* patience (429)'
is "and goes on" "$STATUS $(grep -c '^21 events' "$scratch/out")" "0 1"

stop_nginx
ctl replay "$sample"
is "nobody there" "$STATUS" 69
check "says so" says 'is the service running'
finish
