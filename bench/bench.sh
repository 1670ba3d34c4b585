#!/bin/bash
# SPDX-License-Identifier: ISC
# The figures of `make bench`: everything in one run, against one server with
# durable commits, as ratios to `one`, the rate at which the same server takes
# one durable insert of a 1 KB row with two indexes from 8 clients.
#
#	bench/bench.sh [SECONDS]	seconds of each measurement, default 10
#
# Needs wrk and pgbench; runs in the build directory.
set -eu
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
seconds=${1:-10}
users=2000
scratch=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
stack_pg_pid=
stack_pool_pid=
stack_nginx_pid=
for tool in wrk jq curl; do
	command -v "$tool" >/dev/null || stack_die "bench needs $tool"
done

leave() {
	stack_end "$stack_nginx_pid" TERM
	stack_end "$stack_pool_pid" TERM
	stack_end "$stack_pg_pid" INT
	rm -rf "$scratch"
}
trap leave EXIT
trap 'exit 130' INT TERM HUP

sql() {
	"$(stack_pg_bin)/psql" -X -q -At -v ON_ERROR_STOP=1 \
	    -h "$scratch/run" -U postgres -d assay -c "$1"
}

# ratio A B: A / B with two digits.
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

# CPU seconds of the server so far, ended backends included (once they have
# been waited for, hence the pause).
server_cpu() {
	local hz pid
	sleep 1
	hz=$(getconf CLK_TCK)
	for pid in "$stack_pg_pid" $(pgrep -P "$stack_pg_pid"); do
		[ -r "/proc/$pid/stat" ] && sed 's/.*) //' "/proc/$pid/stat"
	done | awk -v hz="$hz" '
		NR == 1 { cpu += $14 + $15 }
		{ cpu += $12 + $13 }
		END { printf "%.2f\n", cpu / hz }'
}

start_pool() {
	stack_pool_start "$scratch/bin/assay-fcgi" "$scratch/log/pool.log" \
	    DATABASE_URL="host=$scratch/run dbname=assay user=assay_decide" \
	    OPERATOR_DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator" \
	    DECIDE_SOCKET="$scratch/run/decide.sock" DECIDE_WORKERS=4 \
	    OPERATOR_SOCKET="$scratch/run/operator.sock" OPERATOR_WORKERS=2 \
	    AUTH_SECRET=6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8 \
	    RATE_LIMIT_DECISIONS_PER_MIN=100000000 LOG_LEVEL=warn
}

# The yardstick, in inserts a second; its CPU a row goes to one_cpu.
measure_one() {
	local before after
	before=$(server_cpu)
	one=$("$(stack_pg_bin)/pgbench" -n -h "$scratch/run" -U postgres -c 8 \
	    -j 2 -T "$seconds" -f "$scratch/one.sql" -M prepared assay \
	    2>/dev/null | awk '/^tps/ { print int($3) }')
	after=$(server_cpu)
	one_cpu=$(awk -v a="$before" -v b="$after" -v n="$one" \
	    -v s="$seconds" 'BEGIN { printf "%.0f", (b - a) / (n * s) * 1e6 }')
}

# direct CLIENTS SET: events a second of the hot path's statements alone; the
# server's CPU an event in us goes to cpu.
direct() {
	local before after out
	before=$(server_cpu)
	out=$("$builddir/bench/set" \
	    "host=$scratch/run dbname=assay user=assay_decide" "$1" \
	    "$seconds" "$2" "$users")
	after=$(server_cpu)
	rate=${out%% *}
	cpu=$(echo "$out" | awk -v a="$before" -v b="$after" \
	    '{ printf "%.0f", (b - a) / $3 * 1e6 }')
}

# through CONNECTIONS: the same through nginx; rate, p50 and p99 are left.
through() {
	wrk -t "$(($1 > 1 ? 2 : 1))" -c "$1" -d "${seconds}s" --latency -s "$scratch/bench.lua" \
	    "http://127.0.0.1:$port" >"$scratch/wrk.out"
	rate=$(awk '/^Requests.sec/ { print int($2) }' "$scratch/wrk.out")
	p50=$(awk '$1 == "50%" { print $2 }' "$scratch/wrk.out")
	p99=$(awk '$1 == "99%" { print $2 }' "$scratch/wrk.out")
	bad=$(awk '/Non-2xx/ { print $NF }' "$scratch/wrk.out")
}

# Rows, index entries (BRIN has none to speak of) and statements that the
# server counted so far.
counted() {
	sql "select pg_stat_force_next_flush()" >/dev/null
	sql "select sum(n_tup_ins + n_tup_upd),
	    sum(n_tup_ins * i.n + (n_tup_upd - n_tup_hot_upd) * i.n),
	    (select sum(calls) from pg_stat_statements)
	    from pg_stat_user_tables t, lateral (select count(*) n
		from pg_index x join pg_class c on c.oid = x.indexrelid
		    join pg_am a on a.oid = c.relam and a.amname <> 'brin'
		where indrelid = t.relid) i
	    where schemaname = 'assay'"
}

# Set up: a durable server, a user population that is known, a key.
mkdir -p "$scratch/run" "$scratch/log" "$scratch/bin"
chmod 711 "$scratch"
stack_own "$scratch/run" "$scratch/log"
cp "$builddir/assay-fcgi" "$scratch/bin/"
stack_pg_init "$scratch/pg"
cat >>"$scratch/pg/postgresql.conf" <<'CONF'
shared_buffers = 1GB
max_wal_size = 8GB
wal_compression = lz4
shared_preload_libraries = 'pg_stat_statements'
max_connections = 100
CONF
stack_pg_start "$scratch/pg" "$scratch/run" "$scratch/log/postgres.log"
"$(stack_pg_bin)/createdb" -h "$scratch/run" -U postgres assay
DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
    "$builddir/assayctl" migrate --sql "$srcdir/sql" >/dev/null
sql 'create extension pg_stat_statements;
    create table one (id bigint generated always as identity primary key,
	k bigint, body text); create index on one (k)'
cat >"$scratch/one.sql" <<'SQL'
\set k random(1, 1000000000)
insert into one (k, body) values (:k, repeat('x', 1000));
SQL
start_pool
stack_until 20 "$stack_pool_pid" test -S "$scratch/run/operator.sock"
port=$((20000 + $$ % 20000))
stack_nginx_start "$srcdir/nginx" "$scratch/run" "$scratch/log" \
    LISTEN="127.0.0.1:$port" EXEMPT=yes \
    DECIDE_SOCKET="$scratch/run/decide.sock" \
    OPERATOR_SOCKET="$scratch/run/operator.sock"
KEY=$(DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
    "$builddir/assayctl" key create bench --scope decisions 2>/dev/null |
    grep -o 'ak_live_[0-9a-f]*' | head -n 1)
sed -e "s/@KEY@/$KEY/" -e "s/@USERS@/$users/" "$srcdir/bench/bench.lua" \
    >"$scratch/bench.lua"

# Everybody is known before anything is measured.
seconds_asked=$seconds
seconds=15
direct 4 100
seconds=$seconds_asked
through 16
sql 'vacuum analyze' >/dev/null

echo "Assay benchmark: $(nproc) cores, PostgreSQL $(sql 'show server_version')"
echo "$users known users, $seconds s a measurement, durable commits"
echo
echo "(a) through nginx, 4 decide workers; one = a durable insert, 8 clients"
printf '%12s %10s %8s %8s %8s %8s %8s\n' connections decisions/s one/s \
    ratio p50 p99 /direct
measure_one
direct 4 1
direct4=$rate
direct 1 1
direct1=$rate
for connections in 1 16 64; do
	measure_one
	through "$connections"
	base=$direct4
	[ "$connections" -gt 1 ] || base=$direct1
	printf '%12s %10s %8s %8s %8s %8s %8s\n' "$connections" "$rate" \
	    "$one" "$(ratio "$rate" "$one")" "$p50" "$p99" \
	    "$(ratio "$rate" "$base")"
	[ -z "$bad" ] || echo "  $bad answers were not 2xx"
done
echo
echo "(b) the pure decision"
"$builddir/bench/decide"
echo
echo "(c) the hot path's statements run directly, 8 clients"
printf '%8s %10s %8s %10s %10s %10s %8s %8s %8s\n' N events/s /one \
    cpu/event cpu/one /N=1 stmts rows entries
measure_one
first=
for n in 1 10 100; do
	sql 'select pg_stat_statements_reset()' >/dev/null
	before=$(counted)
	events_before=$(sql 'select count(*) from assay.verdict_log')
	direct 8 "$n"
	after=$(counted)
	events=$(($(sql 'select count(*) from assay.verdict_log') - events_before))
	: "${first:=$cpu}"
	awk -v n="$n" -v rate="$rate" -v one="$one" -v cpu="$cpu" \
	    -v onecpu="$one_cpu" -v first="$first" -v b="$before" -v a="$after" \
	    -v events="$events" 'BEGIN {
		split(b, x, "|"); split(a, y, "|")
		printf "%8s %10s %8.2f %10s %10.2f %10.2f %8.2f %8.2f %8.2f\n",
		    n, rate, rate / one, cpu " us", cpu / onecpu, cpu / first,
		    y[3] / events, (y[1] - x[1]) / events,
		    (y[2] - x[2]) / events }'
done
echo
echo "memory of a decide worker (RssAnon): $(for pid in $(pgrep -P \
    "$stack_pool_pid"); do awk '/RssAnon/ { print $2 }' "/proc/$pid/status"
    done | sort -n | tail -n 1) KiB at most"
