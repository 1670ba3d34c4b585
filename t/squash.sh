#!/bin/sh
# SPDX-License-Identifier: ISC
# The nine migrations make the schema that the 36 before them made: both ways
# give the same pg_dump -s, but for the order of columns, and the same rows.
# Run it by hand in a git checkout: it reads sql/ of the commit before the
# squash.  RUN_SERVICES=1 builddir=build t/squash.sh
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/cluster.sh
. "$srcdir/t/cluster.sh"
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

squash=$(git -C "$srcdir" log -1 --diff-filter=D --format=%H -- \
    sql/migrations/0040_bounds.sql 2>/dev/null)
if [ "${RUN_SERVICES:-}" != 1 ] || [ -z "$squash" ]; then
	echo "# skipped: needs PostgreSQL and the history of git"
	exit 77
fi

stack_pg_pid=
scratch=/nonexistent
leave() {
	stack_end "$stack_pg_pid" INT
	rm -rf "$scratch"
}
trap leave EXIT

# make_schema NAME: migrate a database of this name by $scratch/NAME/sql, and
# dump it without what differs by accident: columns are sorted in each table,
# statements in the whole; no checksums, times, random keys and row orders.
make_schema() {
	cluster_psql postgres postgres -c "create database $1"
	DATABASE_URL="host=$scratch/run dbname=$1 user=postgres" \
	    "$builddir/assayctl" migrate --sql "$scratch/$1/sql" >/dev/null ||
	    stack_die "$1 cannot be migrated"
	"$(stack_pg_bin)/pg_dump" -h "$scratch/run" -U postgres -s "$1" |
	    perl -0777 -ne '
		s/^(--|\\).*\n//mg;
		for (split /(?<=;)\n+/) {
			if (/^(CREATE TABLE .*?\(\n)(.*)(\n\).*)$/s) {
				my ($head, $columns, $tail) = ($1, $2, $3);
				$_ = $head . join("\n", sort map { s/,$//r }
				    split /\n/, $columns) . $tail;
			}
			push @statements, $_;
		}
		print map { "$_\n" } sort @statements' >"$scratch/$1.schema"
	for table in $(cluster_psql postgres "$1" -At -c "select relname
	    from pg_class where relnamespace = 'assay'::regnamespace
		and relkind in ('r', 'p') and not relispartition
		and relname not in ('migration', 'hash_key') order by 1")
	do
		echo "$table"
		cluster_psql postgres "$1" -At -c "select to_jsonb(t)
		    - array['created_at', 'next', 'oldest', 'functions']
		    from assay.$table t order by 1"
	done >"$scratch/$1.rows"
}

cluster_scratch
stack_pg_init "$scratch/pg"
stack_pg_start "$scratch/pg" "$scratch/run" "$scratch/log/postgres.log"
mkdir "$scratch/old" "$scratch/new"
: >"$scratch/out"
: >"$scratch/err"
git -C "$srcdir" archive "$squash~1" sql | tar -xf - -C "$scratch/old"
# This program knows nine migrations, and the last of them by its number.
sed -i 's/values (32)/values (9)/' "$scratch/old/sql/migrations/0033_restored.sql"
cp -R "$srcdir/sql" "$scratch/new/sql"
make_schema old
make_schema new
check "both schemas are large" [ "$(wc -l <"$scratch/new.schema")" -gt 5000 ]
check "both ways make the same schema, grants and owners" \
    cmp "$scratch/old.schema" "$scratch/new.schema"
check "both ways make the same rows" cmp "$scratch/old.rows" "$scratch/new.rows"
conclude
