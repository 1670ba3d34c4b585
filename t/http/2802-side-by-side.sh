#!/bin/sh
# SPDX-License-Identifier: ISC
# The release before and this one on one database, under load: first comes the new schema,
# then host after host gets the new programs, and then the old ones again.  No request
# fails and no decision is degraded.
# shellcheck disable=SC2317 # called by name
. "$(dirname "$0")/lib.sh"
use rolling
. "$srcdir/t/locks.sh"

# Until there is a release: the commit from which on pools keep this promise.
previous=c0037b049cd0
settings="DECIDE_WORKERS=2 RATE_LIMIT_DECISIONS_PER_MIN=2147483647 STOP_DELAY_SECONDS=600"
old=$scratch/previous
# shellcheck disable=SC2086 # settings
start_first() { start_pool $settings; }
# shellcheck disable=SC2086 # settings
start_second() { start_second_host $settings; }

build_previous() {
	mkdir -p "$old/build" &&
	    git -C "$srcdir" archive "$previous" | tar -C "$old" -xf - &&
	    (cd "$old" && autoreconf -fi && cd build && ../configure -q &&
		make -s -j2 all) >"$scratch/log/previous.log" 2>&1 </dev/null
}
# migrate_with PROGRAM SQL: the database gets the schema of a release.
migrate_with() {
	ADMIN_DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$1" migrate --sql "$2" >>"$scratch/log/migrate.log" 2>&1
}
both_run() {
	[ "$(readlink "/proc/$second_pool/exe")" = "$(readlink -f "$scratch/bin/assay-fcgi")" ] &&
	    [ "$(readlink "/proc/$stack_pool_pid/exe")" = "$(readlink -f "$old/build/assay-fcgi")" ]
}

if ! git -C "$srcdir" cat-file -e "$previous^{commit}" 2>/dev/null; then
	ok "both releases decide # skipped: no history with the release before"
	start_stack
	finish
fi
check "the release before is built" build_previous
start_database
cluster_psql postgres postgres -c 'drop database assay' -c 'create database assay'
cluster_psql postgres assay -f "$srcdir/sql/logging.sql"
check "the database has the schema of the release before" \
    migrate_with "$old/build/assayctl" "$old/sql"

cluster_signals

# Each new migration, on the schema of the release before and its own predecessors.
hidden_locks() {
	cluster_psql postgres postgres -c 'create database ladder template assay'
	for file in "$srcdir"/sql/migrations/*; do
		[ -e "$old/sql/migrations/${file##*/}" ] && continue
		locks_hidden "$file" ladder
		cluster_psql postgres ladder -1 -f "$file"
	done
	cluster_psql postgres postgres -c 'drop database ladder'
}
is "each migration says what it locks" "$(hidden_locks 2>&1)" ""

POOL=$old/build/assay-fcgi
start_first
start_nginx
wait_ready
admin_token
api_key
TOKEN=
start_second
start_hosts_balancer
start_load
check "the release before decides" scored_again
check "the new schema comes under load" migrate_with "$builddir/assayctl" "$srcdir/sql"
check "the release before decides on the new schema" scored_again

POOL=
check "the second host gets the new programs" restart_second
check "both releases run" both_run
check "both releases decide" scored_again
check "the first host gets the new programs" restart_first
check "the new release decides" scored_again

POOL=$old/build/assay-fcgi
check "the second host gets the old programs again" restart_second
check "the first host gets the old programs again" restart_first
check "the release before decides after the new one" scored_again
kill -TERM "$load_pid"
check "the clients end without an error" wait "$load_pid"
is "no request failed, but for events that are wrong on purpose" \
    "$(grep '"op":"answer"' "$history" | grep -vcE '"status":(200|400),') $(
	grep -oE '"code": ?"[A-Z_]*"' "$history" | grep -vc '"INGEST_')" "0 0"
is "no decision was degraded" "$(grep -c engine.degraded "$history")" 0
is "every answer is stored once and all counts agree" \
    "$(history_faults cluster_psql postgres assay -At)" ""
announce_stop
finish
