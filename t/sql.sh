#!/bin/sh
# SPDX-License-Identifier: ISC
# Run each t/sql/*.sql in a fresh copy of the migrated database and compare
# what psql prints with the .out beside it.  RUN_SERVICES=1 lets it run.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/cluster.sh
. "$srcdir/t/cluster.sh"

if [ "${RUN_SERVICES:-}" != 1 ]; then
	echo "# skipped: needs PostgreSQL, RUN_SERVICES=1 runs it"
	exit 77
fi

cd "$srcdir" || exit 99
# psql starts another psql for a second session: \!
PATH=$(stack_pg_bin):$PATH
failed=0
n=0
cluster_guard

cluster_scratch
cluster_copy
stack_pg_start "$scratch/pg" "$scratch/run" "$scratch/log/postgres.log"
# The projections leave rows for later while an older transaction is open, also one
# of autovacuum.
cluster_psql postgres postgres -c "alter system set autovacuum_naptime = '1d'" \
    -c 'select pg_reload_conf()' >/dev/null

for test in "$srcdir"/t/sql/*.sql; do
	[ -e "$test" ] || break
	name=$(basename "$test" .sql)
	n=$((n + 1))
	cluster_psql postgres postgres -c 'drop database if exists try' \
	    -c 'create database try template assay strategy file_copy' 2>/dev/null
	cluster_psql postgres try -v ON_ERROR_STOP=0 -v VERBOSITY=terse -a \
	    <"$test" >"$scratch/out" 2>&1
	if diff -u "$srcdir/t/sql/$name.out" "$scratch/out" >"$scratch/diff"
	then
		echo "ok $n - $name"
	else
		failed=$((failed + 1))
		echo "not ok $n - $name"
		sed 's/^/#   /' "$scratch/diff"
	fi
done
echo "1..$n"
[ "$failed" -eq 0 ]
