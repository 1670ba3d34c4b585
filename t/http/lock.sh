# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A session of PostgreSQL that holds locks while the scenario continues, one at
# a time.  Sourced after lib.sh.
# shellcheck disable=SC2154 # scratch is lib.sh's

# user_lock USER: the number of the user's advisory lock, FNV-1a of the id.
user_lock() {
	perl -e 'use integer; my $h = -3750763034362895579;
	    $h = ($h ^ ord) * 1099511628211 for split //, $ARGV[0];
	    print $h' "$1"
}

# hold_lock SQL: run it in a transaction, which stays open until release_lock.
hold_lock() {
	rm -f "$scratch/lock"
	mkfifo "$scratch/lock"
	cluster_psql postgres assay -At <"$scratch/lock" >/dev/null &
	lock_pid=$!
	exec 8>"$scratch/lock"
	# The session is idle in its transaction before the lock, too: its name is given last.
	echo "begin; $1; set application_name = 'lock_holder';" >&8
	stack_until 20 "$lock_pid" session_is \
	    "application_name = 'lock_holder' and state = 'idle in transaction'"
}

# lock_waits CONDITION: one lock of that kind is awaited.
# shellcheck disable=SC2317 # called by name
lock_waits() {
	[ "$(sql "select count(*) from pg_locks where not granted
	    and $1")" = 1 ]
}

# Commit the transaction and end its session.  Closing the pipe is not enough:
# programs that were started in between have it open, too.
release_lock() {
	(printf 'commit;\n\\q\n' >&8) 2>/dev/null || :
	exec 8>&-
	wait "$lock_pid"
}

# hold_lock_until SQL CONDITION: run it in a transaction, which commits as soon as
# there is such a session, before a statement of that one times out.  It fails without one.
hold_lock_until() {
	PGAPPNAME=lock_holder cluster_psql postgres assay -c "begin; $1;
	    do \$\$ begin for i in 1 .. 400 loop
		perform pg_sleep(0.05), pg_stat_clear_snapshot();
		if exists (select from pg_stat_activity where $2) then
			return;
		end if;
	    end loop; raise exception 'there is no such session'; end \$\$; commit" >/dev/null &
	lock_pid=$!
	stack_until 20 "$lock_pid" session_is \
	    "application_name = 'lock_holder' and wait_event = 'PgSleep'"
}

# lock_until_waited SQL: the same, until another session waits for a lock.
lock_until_waited() {
	hold_lock_until "$1" "wait_event_type = 'Lock'"
}

# lock_waiters_are COUNT: that many statements wait for a lock.
# shellcheck disable=SC2317 # stack_until calls it
lock_waiters_are() {
	[ "$(sql "select count(*) from pg_locks where not granted")" -eq "$1" ]
}

# session_is CONDITION: pg_stat_activity has exactly one such session.
# shellcheck disable=SC2317 # stack_until calls it
session_is() {
	[ "$(sql "select count(*) from pg_stat_activity where $1")" = 1 ]
}
