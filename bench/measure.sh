# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# What bench.sh and against share: a stack with durable commits, the load, and what
# they cost.  Sourced after tools/stack.sh and t/http/past.sh; reads srcdir and
# builddir, the tree that is measured, load, the program that sends decisions, scratch,
# port, users and seconds.
# shellcheck disable=SC2034,SC2154 # variables of those that source this

sql() {
	"$(stack_pg_bin)/psql" -X -q -At -v ON_ERROR_STOP=1 \
	    -h "$scratch/run" -U postgres -d assay -c "$1"
}

# ratio A B: print A / B with two decimals.
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

# middle: minimum, median and maximum of the numbers from standard input.
middle() {
	sort -n | awk '{ v[NR] = $1 } END { print v[1], v[int((NR + 1) / 2)], v[NR] }'
}

# ms US: print microseconds as milliseconds.
ms() {
	awk -v us="$1" 'BEGIN { printf "%.1f", us / 1000 }'
}

# family PID: print the pids of a process and its children.
family() {
	echo "$1"
	pgrep -P "$1" || :
}

# backends NAME: print the pids of the backends of the sessions with this name.
backends() {
	sql "select pid from pg_stat_activity where application_name = '$1'"
}

# cpu_of PID ...: print the CPU seconds of these processes.
cpu_of() {
	local pid
	for pid; do
		sed 's/.*) //' "/proc/$pid/stat"
	done | awk -v hz="$(getconf CLK_TCK)" '{ cpu += $12 + $13 }
		END { printf "%.2f\n", cpu / hz }'
}

# role_cpu PID NAME: print the CPU seconds of a process, its children, and the
# backends of the sessions with this name.
role_cpu() {
	# shellcheck disable=SC2046 # pids
	cpu_of $(family "$1") $(backends "$2")
}

# Print the CPU seconds of the pool and of the backends of its decide workers.
path_cpu() {
	role_cpu "$stack_pool_pid" 'assay decide'
}

# Print the CPU seconds of the server, with those of ended backends.  The pause
# lets the server reap these.
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

# start_server: with BENCH_SLOW_SYNC each sync of a file takes 2 ms longer.
start_server() {
	LD_PRELOAD=${BENCH_SLOW_SYNC:+$(dirname "$load")/slowsync.so} \
	    stack_pg_start "$scratch/pg" "$scratch/run" "$scratch/log/postgres.log"
}

# start_pool WORKERS CAP [SCORER [SHADOW]]: start a pool with that number of
# decide workers, by default that of the tree, at most CAP events in a transaction,
# and a shadow scorer.
start_pool() {
	stack_end "$stack_pool_pid" TERM
	stack_pool_start "$scratch/bin/assay-fcgi" "$scratch/log/pool.log" \
	    DATABASE_URL="host=$scratch/run dbname=assay user=assay_decide" \
	    OPERATOR_DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator" \
	    DECIDE_SOCKET="$scratch/run/decide.sock" ${1:+DECIDE_WORKERS="$1"} \
	    DECIDE_SET_MAX="$2" SCORER="${3:-weighted}" \
	    ${4:+SCORER_SHADOW="$4"} \
	    OPERATOR_SOCKET="$scratch/run/operator.sock" OPERATOR_WORKERS=2 \
	    SPOOL_DIR="$scratch/spool" \
	    AUTH_SECRET=6f0b1d9a4c7e2835f19d0c6ba7e4825d31f8 \
	    RATE_LIMIT_DECISIONS_PER_MIN=100000000 \
	    RATE_LIMIT_LABELS_PER_MIN=100000000 \
	    RATE_LIMIT_LOGIN_PER_MIN=100000000 LOG_LEVEL=warn \
	    ALLOW_PRIVATE_TARGETS=true
	stack_until 20 "$stack_pool_pid" test -S "$scratch/run/operator.sock"
	sleep 0.5
}

# companion ARGUMENTS: start a companion.
companion() {
	stack_cron_start "$scratch/bin/assay-cron" "$scratch/log/cron.log" \
	    "$1" ALLOW_PRIVATE_TARGETS=true SPOOL_DIR="$scratch/spool" \
	    DATABASE_URL="host=$scratch/run dbname=assay user=assay_companion" \
	    RETAIN_DATABASE_URL="host=$scratch/run dbname=assay user=assay_retain"
}

# caught_up: let companions do what is left.
caught_up() {
	local job
	for job in project deliver; do
		companion "$job --once"
		wait "$stack_cron_pid"
	done
	stack_cron_pid=
}

# prepare_stack NAME=VALUE ...: make a server with these settings more, a pool, a site
# on port with the files of $scratch/share, an admin with the session token, and KEY, a
# key for decisions.
prepare_stack() {
	mkdir -p "$scratch/run" "$scratch/log" "$scratch/bin" "$scratch/spool" \
	    "$scratch/share"
	chmod 711 "$scratch"
	stack_own "$scratch/run" "$scratch/log" "$scratch/spool" "$scratch/share"
	cp "$builddir/assay-cron" "$builddir/assay-fcgi" "$scratch/bin/"
	stack_pg_init "$scratch/pg"
	printf '%s\n' shared_buffers=1GB max_wal_size=8GB max_connections=100 \
	    shared_preload_libraries=pg_stat_statements "$@" \
	    >>"$scratch/pg/postgresql.conf"
	start_server
	"$(stack_pg_bin)/createdb" -h "$scratch/run" -U postgres assay
	DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" migrate --sql "$srcdir/sql" >/dev/null
	sql 'create extension pg_stat_statements;
	    create table one (id bigint generated always as identity primary key,
		k bigint, body text); create index on one (k)'
	cat >"$scratch/one.sql" <<-'SQL'
		\set k random(1, 1000000000)
		insert into one (k, body) values (:k, repeat('x', 1000));
	SQL
	start_pool '' 32
	stack_nginx_start "$srcdir/nginx" "$scratch/run" "$scratch/log" \
	    LISTEN="127.0.0.1:$port" EXEMPT=yes SHARE_DIR="$scratch/share" \
	    DECIDE_SOCKET="$scratch/run/decide.sock" \
	    OPERATOR_SOCKET="$scratch/run/operator.sock"
	KEY=$(DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" key create bench --scope decisions 2>/dev/null |
	    grep -o 'ak_live_[0-9a-f]*' | head -n 1)
	token=$(curl -sS -H 'Content-Type: application/json' -d \
	    '{"email":"bench@example.com","password":"correct horse"}' \
	    "http://127.0.0.1:$port/v1/auth/register" | jq -r .token)
}

# Measure the reference: inserts per second into one, CPU per row into one_cpu.
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

# direct CLIENTS SIZE [SECONDS]: run the statements of the hot path alone, SIZE
# events in a transaction.  Set rate to the events per second and cpu to the
# server's CPU time per event in us.
direct() {
	local before after out
	before=$(server_cpu)
	out=$("$builddir/bench/set" \
	    "host=$scratch/run dbname=assay user=assay_decide" "$1" \
	    "${3:-$seconds}" "$2" "$users")
	after=$(server_cpu)
	rate=${out%% *}
	cpu=$(echo "$out" | awk -v a="$before" -v b="$after" \
	    '{ printf "%.0f", (b - a) / $3 * 1e6 }')
}

# through CONNECTIONS [RATE [HOT [SECONDS]]]: send decisions through nginx.  Set
# rate, p50, p99 and p999.
through() {
	local out
	out=$("$load" "$port" "$KEY" "$users" "$1" \
	    "${4:-$seconds}" "${2:-0}" "${3:-none}") || out="0 0 0 0 0"
	read -r rate bad p50 p99 p999 <<<"$out"
	p50=$(ms "$p50")
	p99=$(ms "$p99")
	p999=$(ms "$p999")
	[ "$bad" -eq 0 ] || echo "  $bad answers were not 200"
}

# fill_store COUNT: copy the stored decisions to the days before until there are so
# many, and store all in the order of their time, as a log grows.
fill_store() {
	local days
	days=$(sql "select $1 / count(*) from assay.verdict_log")
	add_months $((days / 28 + 1))
	sql "create temporary table copy as
	    select n, n * interval '1 day' as earlier
	    from generate_series($days, 1, -1) n;
	create temporary table verdict as select * from assay.verdict_log;
	create temporary table detail as select * from assay.decision_detail;
	truncate assay.verdict_log, assay.decision_detail;
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
		verdict, score, reasons, policy_id, policy_version,
		review_queue, correlation_id)
	    select decided_at - earlier, id || '.' || n, event_id || '.' || n,
		event_type, verdict, score, reasons, policy_id, policy_version,
		review_queue, correlation_id
	    from copy, verdict
	    order by n desc, decided_at limit $1;
	insert into assay.verdict_log select * from verdict order by decided_at;
	insert into assay.decision_detail (decided_at, verdict_id, event_id,
		event_type, user_id, idempotency_key, request, sample)
	    select decided_at - earlier, verdict_id || '.' || n,
		event_id || '.' || n, event_type, user_id, idempotency_key,
		request, sample
	    from copy, detail
	    order by n desc, decided_at limit $1;
	insert into assay.decision_detail
	    select * from detail order by decided_at;
	insert into assay.idempotency
	    select key || '.' || n, verdict_id || '.' || n,
		event_id || '.' || n, decided_at - earlier
	    from copy, assay.idempotency limit $1"
}
