# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A prepared cluster for tests.  It is initialized and migrated once, archived in
# the build directory under the checksum of sql/, and unpacked for each test.
# Sourced after tools/stack.sh; reads srcdir and builddir.
# shellcheck disable=SC2154 # those two

# Stop PostgreSQL and remove the directory when the test ends, however it ends.
cluster_guard() {
	stack_pg_pid=
	scratch=/nonexistent
	trap cluster_leave EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}
cluster_leave() {
	stack_end "$stack_pg_pid" INT
	rm -rf "$scratch"
}

# The directory of each test program.  Its path is short, because a socket's path
# is limited, and the user of PostgreSQL can reach it.
cluster_scratch() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/assay-t.XXXXXX")
	mkdir -p "$scratch/log" "$scratch/run" "$scratch/bin" "$scratch/spool"
	chmod 711 "$scratch"
	chmod 700 "$scratch/spool"
	stack_own "$scratch/log" "$scratch/run" "$scratch/spool"
}

# The archive's name follows from everything that shapes the cluster.
cluster_archive() {
	cluster_sum=$(cd "$srcdir" &&
	    find sql t/cluster.sh core/signal/signals.tbl -type f |
	    LC_ALL=C sort | xargs cat | sha256sum | cut -c 1-16)
	cluster_sum=$cluster_sum-$(date -u +%Y%m) # its partitions begin in this month
	echo "$builddir/t-cluster-$cluster_sum.tar"
}

# Make the archive unless it is there; one maker at a time.  Retention believes no
# clock that is a day ahead of the migration, so an old archive is made again.
cluster_prepare() {
	cluster_tar=$(cluster_archive)
	exec 9>"$builddir/t-cluster.lock"
	flock 9
	if [ -z "$(find "$cluster_tar" -mmin -1200 2>/dev/null)" ]; then
		rm -f "$builddir"/t-cluster-*.tar
		cluster_make "$cluster_tar"
	fi
	exec 9>&-
}

cluster_make() {
	stack_pg_init "$scratch/new"
	# No durability: a test's cluster does not outlive it.  No jit, as contrib/postgresql
	# advises: to compile a query takes longer than to run it.  Each test copies all
	# files, so there is no WAL for later and, below, no template0.
	cat >>"$scratch/new/postgresql.conf" <<-'CONF'
		fsync = off
		jit = off
		full_page_writes = off
		synchronous_commit = off
		shared_buffers = 32MB
		min_wal_size = 8MB
		wal_init_zero = off
		wal_recycle = off
		max_connections = 60
		log_line_prefix = '%m [%p] %q%u '
	CONF
	stack_pg_start "$scratch/new" "$scratch/run" "$scratch/log/prepare.log"
	cluster_psql postgres postgres -c 'create database assay' >/dev/null
	cluster_psql postgres assay -f "$srcdir/sql/logging.sql"
	DATABASE_URL="host=$scratch/run dbname=assay user=postgres" \
	    "$builddir/assayctl" migrate --sql "$srcdir/sql" \
	    >>"$scratch/log/prepare.log" 2>&1 </dev/null ||
	    stack_die "migrate: $(tail -n 5 "$scratch/log/prepare.log")"
	cluster_signals
	cluster_psql postgres postgres -c "update pg_database set datistemplate = false
	    where datname = 'template0'" -c 'drop database template0'
	stack_end "$stack_pg_pid" INT
	stack_pg_pid=
	tar -C "$scratch/new" -cf "$1.tmp" .
	mv "$1.tmp" "$1"
	rm -rf "$scratch/new"
}

# Make signals(sample): the signals and attributes of a sample by their names, as
# core/decide/sample.c reads them.
cluster_signals() {
	cluster_psql postgres assay -c "create function signals(sample text)
	returns json language sql immutable return (
	with listed as (
		select v.value, sum(case json_typeof(v.value)
			when 'array' then (v.value ->> 0)::int else 1 end)
			over (order by v.n) as place
		from json_array_elements(sample::json -> 'values')
			with ordinality as v(value, n)
	), named as (
		select (array[$(sed -n "s/^SIGNAL([A-Z0-9_]*, \"\([^\"]*\)\".*/'\1'/p" \
		    "$srcdir/core/signal/signals.tbl" | paste -sd ,)])[l.place] as name,
			l.value
		from listed l where json_typeof(l.value) <> 'array'
		union all
		select a.key, a.value from json_each(sample::json -> 'signals') a
	)
	select ('{' || string_agg(to_json(name) || ':' || value, ',') || '}')::json
	from named)"
}

# Unpack a copy of the prepared cluster into $scratch/pg.
cluster_copy() {
	cluster_prepare
	mkdir "$scratch/pg"
	# The archive has the owner and the modes.
	tar -C "$scratch/pg" -xf "$cluster_tar"
}

# cluster_psql USER DATABASE ...: run psql without its settings; fail at an error.
cluster_psql() {
	cluster_user=$1
	cluster_db=$2
	shift 2
	"$(stack_pg_bin)/psql" -X -q -v ON_ERROR_STOP=1 \
	    -h "$scratch/run" -U "$cluster_user" -d "$cluster_db" "$@"
}
