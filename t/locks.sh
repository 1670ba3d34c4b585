# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Whether migrations lock what they say.  Sourced after t/cluster.sh.
# shellcheck disable=SC2154 # srcdir

# locks_of FILE DATABASE: what a migration locks, as lines of its file.
locks_of() {
	cluster_psql postgres "$2" -At -v file="$1" -f "$srcdir/t/migration_locks.sql" 2>&1
}

# locks_hidden FILE DATABASE: what it locks without saying so.  It may say more.
locks_hidden() {
	locks_of "$1" "$2" | grep -vxF -e "$(grep '^-- locks: ' "$1")" | sed "s|^|${1##*/}: |"
}
