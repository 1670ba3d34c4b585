#!/bin/bash
# SPDX-License-Identifier: ISC
# Measure and print the figures of `make bench`, all in one run against one
# server with durable commits.  Figures are ratios to `one`: the rate of durable
# inserts of a 1 KB row with two indexes, by 8 clients, on the same server.
#
#	bench/bench.sh [PARTS [SECONDS]]
#
# PARTS is a string of these letters, default abcehf; SECONDS is the length of
# each measurement, default 10.  Run it in the build directory; it needs
# pgbench.
#	a  decisions through nginx, closed loop, one or up to 32 decisions in a
#	   transaction
#	b  the pure decision
#	c  the statements of the hot path alone
#	d  10 million stored decisions and 1 million users (BENCH_STORE,
#	   BENCH_USERS) against an empty store; takes long
#	e  one user or one ip with a tenth of the traffic
#	f  a disk whose fsync takes 2 ms longer
#	g  half of the saturation rate for 30 minutes (BENCH_SOAK)
#	h  latency at fixed rates, for several numbers of workers and caps
#	k  the companion beside decisions, with a million decisions (BENCH_STORE)
#	l  lists of a million entries against none
#	m  each scorer in its own pool, and a shadow scorer beside another
#	n  a synchronous standby, on the same disk and 0, 1 and 5 ms away
#	o  operators at the same time: backtests, many logins, exports; the ratio of
#	   p99 with and without them
#	p  retention of a million decisions (BENCH_OLD) during new ones
#	r  backtests over a million samples (BENCH_SAMPLES), 10 % labelled, with
#	   and without velocities, and the memory of the workers; redecisions of them
#	s  three webhooks for verdicts, delivered by the companion
#	w  the console in a browser beside its budgets, with a million decisions,
#	   a tenth as many cases (BENCH_VERDICTS) and a million list entries;
#	   needs chromium and tools/install-node
set -eu
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/http/past.sh
. "$srcdir/t/http/past.sh"
# shellcheck source=bench/measure.sh
. "$srcdir/bench/measure.sh"
parts=${1:-abcehf}
seconds=${2:-10}
users=2000
scratch=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
stack_pg_pid=
stack_pool_pid=
stack_nginx_pid=
stack_cron_pid=
receiver_pid=
load=$builddir/bench/load

leave() {
	stack_end "$stack_cron_pid" TERM
	stack_end "$receiver_pid" QUIT
	stack_end "$stack_nginx_pid" TERM
	stack_end "$stack_pool_pid" TERM
	stack_end "$stack_pg_pid" INT
	rm -rf "$scratch"
}
trap leave EXIT
trap 'exit 130' INT TERM HUP

# Print the rows, index entries (without BRIN, which has few) and statements
# that the server has counted.
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

# memory PID: print RssAnon in KiB of a process and its children, by program.
memory() {
	local pid
	for pid in "$1" $(pgrep -P "$1"); do
		[ ! -r "/proc/$pid/status" ] ||
		    awk '/^Name/ { n = $2 } /^RssAnon/ { print n, $2 }' \
			"/proc/$pid/status"
	done | sort | awk '
		{ if ($2 > most[$1]) most[$1] = $2; sum[$1] += $2; n[$1]++ }
		END { for (i in n) printf "  %s: %d processes, %d KiB together, " \
			"%d at most\n", i, n[i], sum[i], most[i] }'
}

part_a() {
	local connections max direct1 direct4 base
	echo "(a) through nginx, 4 decide workers, closed loop; ms"
	printf '%12s %6s %12s %8s %6s %8s %8s %8s %8s\n' connections cap \
	    decisions/s one/s ratio p50 p99 p99.9 /direct
	measure_one
	direct 4 1
	direct4=$rate
	direct 1 1
	direct1=$rate
	for connections in 1 16 64; do
		base=$direct4
		[ "$connections" -gt 1 ] || base=$direct1
		for max in 1 32; do
			start_pool 4 "$max"
			measure_one
			through "$connections"
			printf '%12s %6s %12s %8s %6s %8s %8s %8s %8s\n' \
			    "$connections" "$max" "$rate" "$one" \
			    "$(ratio "$rate" "$one")" "$p50" "$p99" "$p999" \
			    "$(ratio "$rate" "$base")"
		done
	done
	echo "memory (RssAnon):"
	memory "$stack_pool_pid"
}

part_b() {
	echo "(b) the pure decision"
	"$builddir/bench/decide"
}

part_c() {
	local n first='' before after events
	echo "(c) the hot path's statements run directly, 8 clients"

	# Idle sessions report their counts late.
	start_pool 4 32
	printf '%8s %10s %8s %10s %10s %10s %8s %8s %8s\n' N events/s /one \
	    cpu/event cpu/one /N=1 stmts rows entries
	measure_one
	for n in 1 4 16 32 100; do
		sql 'select pg_stat_statements_reset()' >/dev/null
		before=$(counted)
		events=$(sql 'select count(*) from assay.verdict_log')
		direct 8 "$n"
		after=$(counted)
		events=$(($(sql 'select count(*) from assay.verdict_log') - events))
		: "${first:=$cpu}"
		awk -v n="$n" -v rate="$rate" -v one="$one" -v cpu="$cpu" \
		    -v onecpu="$one_cpu" -v first="$first" -v b="$before" \
		    -v a="$after" -v events="$events" 'BEGIN {
			split(b, x, "|"); split(a, y, "|")
			printf "%8s %10s %8.2f %10s %10.2f %10.2f %8.2f %8.2f %8.2f\n",
			    n, rate, rate / one, cpu " us", cpu / onecpu,
			    cpu / first, y[3] / events,
			    (y[1] - x[1]) / events, (y[2] - x[2]) / events }'
	done
}

# Print one line of part d for the current store.
store_line() {
	local cpu1 rate64
	direct 4 1
	cpu1=$cpu
	direct 4 16
	through 64
	rate64=$rate
	measure_one
	printf '%12s %10s %10s %10s %12s %8s %8s\n' \
	    "$(sql 'select reltuples::bigint from pg_class
		where oid = (select inhrelid from pg_inherits
		    where inhparent = '"'assay.verdict_log'"'::regclass
		    order by pg_relation_size(inhrelid) desc limit 1)')" \
	    "$users" "$cpu1 us" "$cpu us" "$rate64" \
	    "$(ratio "$rate64" "$one")" "$p99"
}

# fill_lists SUBJECTS: a million entries of these list subjects, none if empty.
fill_lists() {
	sql "truncate assay.list_entry;
	    insert into assay.list_entry (id, kind, subject, value, created_by)
	    select 'lst_' || i, 'block', subject[1 + i %
		cardinality(subject)], (70000000 + i)::text, 'bench'
	    from generate_series(1, 1000000) i,
		string_to_array('$1', ',') subject
	    where cardinality(subject) > 0;
	    select assay.list_bump_epoch(array_agg(subject))
	    from assay.list_subject" >/dev/null
	sql 'vacuum analyze assay.list_entry'
}

part_d() {
	local small=$users store=${BENCH_STORE:-10000000}
	echo "(d) an empty store and a full one; 4 clients, 64 connections"
	printf '%12s %10s %10s %10s %12s %8s %8s\n' stored users cpu/n=1 \
	    cpu/n=16 decisions/s /one p99
	start_pool 4 32
	sql 'vacuum analyze' >/dev/null
	store_line
	users=${BENCH_USERS:-1000000}

	# Give every user a few decisions, then copy the log.
	"$builddir/bench/set" "host=$scratch/run dbname=assay user=assay_decide" \
	    4 0 100 "$users" >/dev/null
	fill_store "$store"
	sql 'vacuum analyze' >/dev/null
	sql checkpoint
	store_line
	users=$small
	store_line
}

part_e() {
	local hot base
	echo "(e) one user or ip with a tenth of the traffic, 64 connections"
	printf '%8s %12s %10s %8s %8s\n' hot decisions/s /random p50 p99
	start_pool 4 32
	base=
	for hot in none user ip none user ip; do
		through 64 0 "$hot"
		[ "$hot" != none ] || base=$rate
		printf '%8s %12s %10s %8s %8s\n' "$hot" "$rate" \
		    "$(ratio "$rate" "$base")" "$p50" "$p99"
	done
}

part_f() {
	local connections max
	echo "(f) a disk whose fsync takes 2 ms longer, 4 decide workers"
	printf '%12s %6s %12s %8s %6s %8s %8s\n' connections cap decisions/s \
	    one/s ratio p50 p99
	stack_end "$stack_pg_pid" INT
	BENCH_SLOW_SYNC=yes start_server
	for connections in 16 64; do
		for max in 1 32; do
			start_pool 4 "$max"
			measure_one
			through "$connections"
			printf '%12s %6s %12s %8s %6s %8s %8s\n' \
			    "$connections" "$max" "$rate" "$one" \
			    "$(ratio "$rate" "$one")" "$p50" "$p99"
		done
	done
	stack_end "$stack_pg_pid" INT
	start_server
}

part_g() {
	local minutes=${BENCH_SOAK:-30} minute
	echo "(g) half of the saturation rate for $minutes minutes; ms"
	start_pool 4 32
	through 64
	half=$((rate / 2))
	through 64 "$half"
	echo "memory at the start (RssAnon):"
	memory "$stack_pool_pid"
	memory "$stack_nginx_pid"
	memory "$stack_pg_pid"
	printf '%8s %12s %8s %8s %8s\n' minute decisions/s p50 p99 p99.9
	minute=0
	while [ "$minute" -lt "$minutes" ]; do
		minute=$((minute + 1))
		through 64 "$half" none 60
		printf '%8s %12s %8s %8s %8s\n' "$minute" "$rate" "$p50" \
		    "$p99" "$p999"
	done
	echo "memory at the end (RssAnon):"
	memory "$stack_pool_pid"
	memory "$stack_nginx_pid"
	memory "$stack_pg_pid"
}

part_h() {
	local workers max share top
	echo "(h) at fixed rates, 64 connections: p50 / p99 / p99.9 in ms"
	start_pool 4 1
	through 64
	top=$rate
	printf '%8s %6s %12s' workers cap saturation
	for share in 25 50 75 100; do
		printf ' %24s' "$((top * share / 100))/s"
	done
	echo
	for workers in 2 4 6; do
		for max in 1 8 32; do
			start_pool "$workers" "$max"
			through 64
			printf '%8s %6s %12s' "$workers" "$max" "$rate"
			for share in 25 50 75 100; do
				through 64 $((top * share / 100))
				printf ' %24s' "$p50 / $p99 / $p999"
			done
			echo
		done
	done
}

# The entries have values that no event has, so every probe is a miss.
part_l() {
	local lists
	echo "(l) lists: none, a million entries of one subject, and of four"
	printf '%24s %10s %10s %12s %8s\n' lists cpu/n=1 cpu/n=16 \
	    decisions/s p99
	start_pool 4 32
	for lists in "" ip user,device,ip,bin "" ip user,device,ip,bin; do
		fill_lists "$lists"
		direct 4 1
		printf '%24s %10s' "${lists:-none}" "$cpu us"
		direct 4 16
		through 64
		printf ' %10s %12s %8s\n' "$cpu us" "$rate" "$p99"
	done
	fill_lists ''
}

# Print the sum of RssAnon of all workers in KiB.
workers() {
	local pid
	for pid in $(pgrep -P "$stack_pool_pid"); do
		awk '/^RssAnon/ { print $2 }' "/proc/$pid/status"
	done 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

# backtest_line NAME MEMBERS: print one line of part r; MEMBERS of the request
# body describe the candidate.
backtest_line() {
	local before most now pid
	printf '{"eventType":"card.refund"%s}' "$2" >"$scratch/body"
	before=$(workers)
	most=$before
	curl -sS -o "$scratch/result" -H "Authorization: Bearer $token" \
	    -H 'Content-Type: application/json' --data-binary \
	    "@$scratch/body" "http://127.0.0.1:$port/v1/backtest" &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		now=$(workers)
		[ "$now" -le "$most" ] || most=$now
		sleep 0.2
	done
	wait "$pid"
	jq -r --arg what "$1" --arg memory "$before / $most" '[$what,
	    .sampleSize, .labeled, .seconds, .samplesPerSecond, $memory] |
	    @tsv' "$scratch/result" | awk -F '\t' '{
		printf "%24s %9s %9s %9s %12s %16s\n", $1, $2, $3, $4, $5, $6 }'
}

part_r() {
	local n=${BENCH_SAMPLES:-1000000} rules
	echo "(r) backtests; memory is RssAnon of all workers in KiB, before / maximum"
	start_pool 4 32
	sql "insert into assay.decision_detail (decided_at, verdict_id, event_id,
		event_type, user_id, request, sample, device, ip)
	    select decided_at - ($n / 1000 - i) * interval '10 s', verdict_id || i,
		event_id || i, 'card.refund', user_id, request, sample, device, ip
	    from (select * from assay.decision_detail where sample is not null
		order by decided_at limit 1000) d, generate_series(1, $n / 1000) i
	    order by i, decided_at;
	    insert into assay.label (event_id, analyst)
	    select event_id, case when random() < 0.3 then 'fraud'
		else 'legit' end
	    from assay.decision_detail where event_type = 'card.refund'
		and random() < 0.1 on conflict do nothing"
	sql 'vacuum analyze assay.decision_detail, assay.label'
	printf '%24s %9s %9s %9s %12s %16s\n' candidate samples labelled \
	    seconds samples/s memory
	backtest_line "recorded scores" ''
	backtest_line "a policy" ',"policy":{"onError":"fail_open","bands":[
	    {"verdict":"allow","min":0,"max":9},
	    {"verdict":"deny","min":10,"max":100}]}'
	for rules in 5 100; do
		backtest_line "$rules rules" ",\"rules\":[$(seq 1 "$rules" |
		    awk '{ printf "%s{\"dsl\":\"rule r%d { when " \
			"event.amount > %d && graph.ringSize > 1 then " \
			"score += 3, tag t%d }\"}", (NR > 1 ? "," : ""),
			$1, 10 * $1, $1 % 7 }')]"
	done
	for rules in 1 5; do
		backtest_line "$rules velocities" ",\"dsl\":\"$(head -n "$rules" <<-'END' |
			count by userId over 24h
			sum(event.amount) by userId over 7d
			distinct(userId) by deviceId over 24h
			count by ip over 1h
			max(event.amount) by deviceId over 30d
		END
		    awk '{ printf "velocity v%d = %s\\n" \
			"rule r%d { when velocity.v%d > %d then score += 3, " \
			"tag t%d }\\n", NR, $0, NR, NR, NR, NR }')\""
	done
	printf '%24s %9s %9s %12s\n' redecision decisions seconds decisions/s
	redecision_line "active rules"
	curl -sS -f -o /dev/null -H "Authorization: Bearer $token" \
	    -H 'Content-Type: application/json' --data-binary \
	    '{"eventType":"card.refund","version":"velocity","dsl":"velocity v = count
	    by userId over 24h\nrule r { when velocity.v > 1 then score += 3, tag t }"}' \
	    "http://127.0.0.1:$port/v1/rules"
	redecision_line "1 velocity"
}

# redecision_line NAME: decide all refunds again, without rest.
redecision_line() {
	local began
	curl -sS -f -o /dev/null -H "Authorization: Bearer $token" \
	    -H 'Content-Type: application/json' \
	    -d '{"since":"90d","eventTypes":["card.refund"]}' \
	    "http://127.0.0.1:$port/v1/redecisions"
	began=$(date +%s%N)
	companion redecide
	wait "$stack_cron_pid"
	stack_cron_pid=
	sql "select sum(c.decisions), w.s, round(sum(c.decisions) / w.s)
	    from assay.redecision_count c, (select round(extract(epoch from
		    clock_timestamp() - to_timestamp($began / 1e9))::numeric, 1)) w (s)
	    where c.redecision = (select max(id) from assay.redecision)
	    group by w.s" | awk -F '|' -v name="$1" \
	    '{ printf "%24s %9s %9s %12s\n", name, $1, $2, $3 }'
}

# again PATH [CURL OPTION ...]: send the request repeatedly until killed.  Senders of
# operators take only the time that nothing else wants: on a real host they are
# elsewhere.
again() {
	local path=$1
	shift
	exec chrt -i 0 curl -s -o /dev/null -H "Authorization: Bearer $token" \
	    "$@" "http://127.0.0.1:$port$path&again=[1-1000000]"
}

# flood PREFIX: send logins for accounts that do not exist, each account once.
flood() {
	seq 1 20000 | awk -v port="$port" -v who="$1" '{
		q = sprintf("%c%c", 92, 34)
		print "url = http://127.0.0.1:" port "/v1/auth/login"
		print "header = Content-Type:application/json"
		print "data = \"{" q "email" q ":" q who $1 "@example.com" q \
		    "," q "password" q ":" q "12345678" q "}\""
		print "output = /dev/null"
		print "next" }' >"$scratch/flood.$1"
	exec chrt -i 0 curl -s -K "$scratch/flood.$1"
}

# Start a day's work of operators at once: exports as fast as nginx allows one
# address, and logins without a limit.  busy gets the process ids.
operators() {
	again "/v1/backtest?" -H 'Content-Type: application/json' -d \
	    '{"eventType":"card.authorize","rules":[{"dsl":"rule r { when event.amount > 10 then score += 30, tag t }"}]}' &
	busy=$!
	again "/v1/activity?limit=200" --rate 20/s &
	busy="$busy $!"
	again "/v1/verdicts?limit=100" --rate 20/s &
	busy="$busy $!"
	flood a &
	busy="$busy $!"
	flood b &
	busy="$busy $!"
	sleep 2
}

part_o() {
	local top want turn busy
	echo "(o) decisions while operators work, 64 connections at fixed rates; ms"
	start_pool '' 32
	through 64
	top=$rate
	printf '%12s %12s %8s %8s %8s\n' decisions/s operators p50 p99 p99.9
	for want in 300 $((top / 10)) $((top / 4)); do
		rm -f "$scratch"/p99.*
		for turn in quiet busy quiet busy quiet busy; do
			busy=
			[ "$turn" = quiet ] || operators
			through 64 "$want"
			printf '%12s %12s %8s %8s %8s\n' "$rate" "$turn" \
			    "$p50" "$p99" "$p999"
			echo "$p99" >>"$scratch/p99.$turn"
			# shellcheck disable=SC2086 # several
			[ "$turn" = quiet ] || kill $busy
		done
		paste "$scratch/p99.busy" "$scratch/p99.quiet" |
		    awk '{ printf "%.2f\n", $1 / $2 }' | middle |
		    sed 's/^/  p99 busy : quiet, min median max: /'
	done
}

# standby_line NAME: latencies at rates that each of the servers keeps up with.
standby_line() {
	local rate p50 p99 p999 at
	printf '%28s' "$1"
	for at in 50 200 1000; do
		through 64 "$at"
		printf ' %20s' "$p50 / $p99"
	done
	echo
}
part_n() {
	local ms standby=$scratch/standby wire_pid
	echo "(n) a synchronous standby: p50 / p99 in ms at fixed rates"
	printf '%28s %20s %20s %20s\n' "" 50/s 200/s 1000/s
	start_pool '' 32
	standby_line "no standby"
	mkdir -p "$standby"
	stack_own "$standby"
	for ms in 0 1 5; do
		perl "$srcdir/bench/delay.pl" $((port + 1)) \
		    "$scratch/run/.s.PGSQL.5432" "$ms" &
		wire_pid=$!
		start_standby "$((port + 1))" "$standby"
		standby_line "a standby $ms ms away"
		sql "alter system reset synchronous_standby_names" >/dev/null
		sql "select pg_reload_conf()" >/dev/null
		stack_end "$standby_pid" INT
		stack_end "$wire_pid" TERM
	done
}
# start_standby PORT DIR: a copy of the server, which it asks by that port; commits wait
# for it.
start_standby() {
	rm -rf "$2/pg"
	# shellcheck disable=SC2086 # a command and its arguments
	$stack_as "$(stack_pg_bin)/pg_basebackup" -h "$scratch/run" -U postgres \
	    -c fast -D "$2/pg"
	stack_own "$2/pg"
	echo "primary_conninfo = 'host=127.0.0.1 port=$1 user=postgres application_name=standby'" \
	    >>"$2/pg/postgresql.conf"
	touch "$2/pg/standby.signal"
	stack_own "$2/pg/standby.signal"
	primary_pid=$stack_pg_pid
	stack_pg_start "$2/pg" "$2" "$scratch/log/standby.log"
	standby_pid=$stack_pg_pid
	stack_pg_pid=$primary_pid
	sql "alter system set synchronous_standby_names = standby" >/dev/null
	sql "select pg_reload_conf()" >/dev/null
	stack_until 60 "$standby_pid" is_synchronous
}
is_synchronous() {
	[ "$(sql "select sync_state from pg_stat_replication")" = sync ]
}

# Decide with each scorer in turn.  The policy allows everything, so no case
# opens.
part_m() {
	local top scorers before after turn
	echo "(m) scorers, and a shadow scorer beside another; 64 connections; CPU of"
	echo "    the pool and its decide backends"
	start_pool 4 32
	curl -sS -f -o /dev/null -H "Authorization: Bearer $token" \
	    -H 'Content-Type: application/json' -d '{"id":
		"pol_card_authorize","version":"bench","onError":"fail_open",
		"bands":[{"verdict":"allow","min":0,"max":100}]}' \
	    "http://127.0.0.1:$port/v1/policies"
	sql "insert into assay.tag_count (tag, fraud, legit)
	    select 'tag-' || i, i % 7, i % 11 from generate_series(1, 100) i"
	through 64
	top=$rate
	printf '%12s %12s %12s %8s %8s\n' scorer decisions/s us/decision p50 p99
	for turn in 1 2 3; do
		for scorers in weighted learned ml 'weighted ml'; do
			# shellcheck disable=SC2086 # one or two
			start_pool 4 32 $scorers
			before=$(path_cpu)
			through 64 $((top / 2))
			after=$(path_cpu)
			awk -v name="${scorers/ /+}" -v rate="$rate" -v p50="$p50" \
			    -v p99="$p99" -v cpu="$before $after" \
			    -v s="$seconds" 'BEGIN {
				split(cpu, c, " ")
				printf "%12s %12s %12.0f %8s %8s\n", name, rate,
				    (c[2] - c[1]) / (rate * s) * 1e6, p50, p99 }'
		done
	done
}

# start_receiver PORT: start a server that accepts every delivery.
start_receiver() {
	mkdir -p "$scratch/receiver"
	cat >"$scratch/receiver/nginx.conf" <<-CONF
		daemon off;
		pid $scratch/receiver/nginx.pid;
		error_log $scratch/log/receiver.log;
		events { }
		http {
			log_format one 1;
			access_log $scratch/receiver/log one buffer=64k flush=1s;
			client_body_temp_path $scratch/receiver/body;
			proxy_temp_path $scratch/receiver/body;
			fastcgi_temp_path $scratch/receiver/body;
			uwsgi_temp_path $scratch/receiver/body;
			scgi_temp_path $scratch/receiver/body;
			server {
				listen 127.0.0.1:$1;
				return 204;
			}
		}
	CONF
	stack_own "$scratch/receiver"
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && exec $stack_as --pdeathsig TERM nginx -p "$scratch/receiver" \
	    -e "$scratch/log/receiver.log" \
	    -c "$scratch/receiver/nginx.conf") </dev/null >/dev/null 2>&1 &
	receiver_pid=$!
	stack_until 10 "$receiver_pid" test -s "$scratch/receiver/nginx.pid"
}

# subscribe N: create N webhooks for new verdicts and start a companion.
subscribe() {
	local i
	companion "deliver --once"
	wait "$stack_cron_pid"
	for i in $(seq 1 "$1"); do
		curl -sS -f -o /dev/null -H "Authorization: Bearer $token" \
		    -H 'Content-Type: application/json' -d "{\"url\":
			\"http://127.0.0.1:$((port + 1))/$i\",
			\"events\":[\"verdict.reached.v1\"]}" \
		    "http://127.0.0.1:$port/v1/webhooks"
	done
	companion "work --for 10m"
}

# Decisions without subscribers, and with three.
part_s() {
	local top share subscribers before after base=0
	echo "(s) verdicts to webhooks, 64 connections; CPU of the pool and its"
	echo "    decide backends"
	start_receiver $((port + 1))
	start_pool 4 32
	through 64
	top=$rate
	printf '%12s %12s %12s %8s %8s %12s %12s\n' decisions/s endpoints \
	    us/decision ratio p99 delivered/s waiting
	for share in 10 25; do
		for subscribers in 0 3 0 3 0 3; do
			[ "$subscribers" -eq 0 ] || subscribe "$subscribers"
			: >"$scratch/receiver/log"
			before=$(path_cpu)
			through 64 $((top * share / 100))
			after=$(path_cpu)
			awk -v rate="$rate" -v n="$subscribers" -v b="$before" \
			    -v a="$after" -v s="$seconds" -v base="$base" \
			    -v p99="$p99" -v left="$(sql 'select count(*)
				from assay.delivery')" \
			    -v sent="$(wc -l <"$scratch/receiver/log")" 'BEGIN {
				us = (a - b) / (rate * s) * 1e6
				printf "%12s %12s %12.0f %8.2f %8s %12.0f %12s\n",
				    rate, n, us, (n > 0 ? base / us : 1),
				    p99, sent / s, left }'
			base=$(awk -v b="$before" -v a="$after" -v r="$rate" \
			    -v s="$seconds" \
			    'BEGIN { print (a - b) / (r * s) * 1e6 }')
			stack_end "$stack_cron_pid" TERM
			stack_cron_pid=
			sql 'update assay.webhook_endpoint set active = false;
			    truncate assay.delivery'
		done
	done
	stack_end "$receiver_pid" QUIT
	receiver_pid=
}

# Decisions without a companion and with one, which has no work left before.
part_k() {
	local store=${BENCH_STORE:-1000000} connections round before after
	local path_before path_after
	echo "(k) a companion beside decisions, $store stored; CPU in us a decision"
	printf '%12s %10s %12s %8s %8s %8s %12s\n' connections companion \
	    decisions/s /one p99 path companion
	fill_store "$store"
	sql 'vacuum analyze' >/dev/null
	start_pool 2 32
	for connections in 16 64; do
		for round in off on off on off on; do
			caught_up
			measure_one
			before=0 after=0
			[ "$round" = off ] || companion "work --for 10m"
			[ "$round" = off ] || before=$(role_cpu "$stack_cron_pid" 'assay cron')
			path_before=$(path_cpu)
			through "$connections"
			path_after=$(path_cpu)
			[ "$round" = off ] || after=$(role_cpu "$stack_cron_pid" 'assay cron')
			awk -v c="$connections" -v r="$round" -v rate="$rate" \
			    -v one="$one" -v p99="$p99" -v s="$seconds" \
			    -v b="$path_before" -v a="$path_after" \
			    -v cb="$before" -v ca="$after" 'BEGIN {
				n = rate * s / 1e6
				printf "%12s %10s %12d %8.2f %8s %8.0f %12.0f\n", c,
				    r, rate, rate / one, p99, (a - b) / n,
				    (ca - cb) / n }'
			stack_end "$stack_cron_pid" TERM
			stack_cron_pid=
		done
	done
}

# Decisions during a sweep of a million older ones.  The sweep removes samples
# and requests, keys, and the log itself, of the last weeks and therefore row by
# row.
part_p() {
	local n=${BENCH_OLD:-1000000} top began
	echo "(p) decisions during a retention sweep, 64 connections"
	start_pool 4 32
	add_months 1
	sql "insert into assay.verdict_log (decided_at, id, event_id,
		event_type, verdict, score, reasons, policy_id, policy_version,
		correlation_id)
	    select now() - interval '25 days' + i * interval '15 days' / $n,
		'old_' || i, 'old-' || i, 'card.refund', 'allow', 0, '[]',
		'p', '1', 'c'
	    from generate_series(1, $n) i;
	    insert into assay.decision_detail (decided_at, verdict_id, event_id,
		event_type, user_id, request, sample)
	    select l.decided_at, l.id, l.event_id, l.event_type, d.user_id,
		d.request, d.sample
	    from assay.verdict_log l, (select * from assay.decision_detail
		where sample is not null limit 1) d
	    where l.event_type = 'card.refund';
	    insert into assay.idempotency (key, verdict_id, event_id, decided_at)
	    select event_id, id, event_id, decided_at from assay.verdict_log
	    where event_type = 'card.refund'"
	sql 'vacuum analyze'
	sql 'checkpoint'
	curl -sS -f -o /dev/null -X PUT -H "Authorization: Bearer $token" \
	    -H 'Content-Type: application/json' \
	    -d '{"verdicts":9,"activity":9,"replay":9,"idempotency":9}' \
	    "http://127.0.0.1:$port/v1/config/retention"
	through 64
	top=$rate
	printf '%12s %12s %8s %8s %8s %12s\n' decisions/s sweep p50 p99 p99.9 \
	    "rows left"
	prune_line none $((top / 4))
	prune_line none $((top / 4))
	began=$(date +%s)
	companion "retain --once"
	while ! stack_gone "$stack_cron_pid"; do
		prune_line running $((top / 4))
	done
	wait "$stack_cron_pid"
	echo "the sweep took $(($(date +%s) - began)) s"
	stack_cron_pid=
	prune_line ended $((top / 4))
	sed -n 's/.*event=run_ended/  event=run_ended/p' "$scratch/log/cron.log" | tail -n 1
}

# prune_line SWEEP RATE: print one line of part p.
prune_line() {
	through 64 "$2"
	printf '%12s %12s %8s %8s %8s %12s\n' "$rate" "$1" "$p50" "$p99" \
	    "$p999" "$(sql "select (select count(*) from assay.verdict_log
		where event_type = 'card.refund') +
	    (select count(*) from assay.decision_detail
		where event_type = 'card.refund') +
	    (select count(*) from assay.idempotency where key like 'old-%')")"
}

part_w() {
	local verdicts=${BENCH_VERDICTS:-1000000}
	echo "(w) the console with $verdicts decisions, $((verdicts / 10)) cases" \
	    "and 1000000 list entries"
	start_pool 4 32
	fill_store "$verdicts"
	fill_lists user,device,ip,bin
	sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
		opened_at, event_type, amount, currency, tags)
	    select 'cse_' || md5(id), event_id, id, 'risk-ops',
		greatest(score, 0), decided_at, event_type, 10, 'EUR',
		array['amount']
	    from assay.verdict_log tablesample bernoulli (10)"
	sql 'vacuum analyze' >/dev/null
	printf '{"email":"bench@example.com","password":"correct horse"}' |
	    node "$srcdir/bench/console.mjs" \
		"${NODE_DIR:-$srcdir/build-node}" "$(stack_browser)" \
		"http://127.0.0.1:$port"
}

port=$((20000 + $$ % 20000))
mkdir "$scratch/share"
stack_docs "$srcdir" "$scratch/share"
stack_console "$srcdir" "$scratch/share"
prepare_stack wal_compression=lz4

# Make all users known before the first measurement.
direct 4 100 15
through 16
sql 'vacuum analyze' >/dev/null

echo "Assay benchmark: $(nproc) cores, PostgreSQL $(sql 'show server_version')"
echo "$users known users, $seconds s for each measurement, durable commits"
for part in $(echo "$parts" | fold -w 1); do
	echo
	"part_$part"
done
