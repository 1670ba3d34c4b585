#!/bin/sh
# SPDX-License-Identifier: ISC
# The database goes back to a moment before a mistake with pgBackRest: what was decided
# until then is there and published once, the spool follows, and a user who was erased
# later is erased again.
. "$(dirname "$0")/lib.sh"
use away deliver erase

# backrest COMMAND [ARGUMENT ...]: run pgBackRest as the user of the server.
backrest() {
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && $stack_as pgbackrest --config="$scratch/backrest.conf" \
	    --stanza=assay "$@") \
	    >>"$scratch/log/backrest.log" 2>&1
}

# shellcheck disable=SC2317 # called by name
is_primary() {
	[ "$(sql 'select pg_is_in_recovery()')" = f ]
}

# shellcheck disable=SC2317 # called by name
is_archived() {
	[ "$(sql "select last_archived_wal >= '$1' from pg_stat_archiver")" = t ]
}

decide_orders() {
	for n in 1 2 3 4; do
		decide_order "$1-$n" "u-$n" '"deviceId":"d-1"'
		[ "$STATUS" = 200 ] || not_ok "$1-$n is decided: $STATUS"
	done
}

deliver_all() {
	cron "deliver --for 3s" ALLOW_PRIVATE_TARGETS=true
	cron project
}

# with_archive: start PostgreSQL so that it archives what it writes.
with_archive() {
	start_database -c fsync=off -c max_connections=60 -c archive_mode=on \
	    -c archive_command="pgbackrest --config=$scratch/backrest.conf --stanza=assay archive-push %p"
}

for folder in repo locks logs; do
	mkdir -p "$scratch/backrest/$folder"
	stack_own "$scratch/backrest/$folder"
done
cat >"$scratch/backrest.conf" <<END
[global]
repo1-path=$scratch/backrest/repo
lock-path=$scratch/backrest/locks
log-path=$scratch/backrest/logs
log-level-console=warn
start-fast=y
[assay]
pg1-path=$scratch/pg
pg1-socket-path=$scratch/run
pg1-user=postgres
END
chmod 644 "$scratch/backrest.conf"

start_receiver
start_with_key ALLOW_PRIVATE_TARGETS=true
TOKEN=$token
http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/200/v\",
    \"events\":[\"verdict.reached.v1\"]}"
echo "v $(json .secret)" >>"$mail/secrets"
TOKEN=
stop_database
with_archive
check "pgBackRest makes its repository" backrest stanza-create
check "pgBackRest makes a full backup" backrest backup --type=full
decide_orders early
deliver_all
target=$(sql 'select clock_timestamp()')
decide_orders late
erase_user u-2
is "a user is erased after the moment" "$(detail_rows u-2)" 0
sql 'truncate assay.decision_detail'

# The mistake is noticed: the server stops, and the pool answers without it.
segment=$(sql 'select pg_walfile_name(pg_switch_wal())')
check "the archive has all that was written" \
    stack_until 30 0 is_archived "$segment"
stop_database
ask_decision '{"id":"spooled-1","type":"order.place","subject":{"userId":"u-8"}}'
ask_decision '{"id":"spooled-2","type":"order.place","subject":{"userId":"u-9"}}'
is "two decisions wait in the spool" "$(jq -c .score <"$scratch/answers" | sort -u)" -1
stop_pool
check "pgBackRest restores the moment" backrest restore --delta --type=time \
    --target="$target" --target-action=promote
with_archive
check "the server is a primary again" stack_until 30 "$stack_pg_pid" is_primary
is "the database has what was decided until then" "$(sql "select count(*),
    count(*) filter (where event_id like 'early-%') from assay.verdict_log")" "4|4"
is "the mistake is undone, and so is the erasure" "$(detail_rows u-2)" 1
DATABASE_URL="host=$scratch/run dbname=assay user=postgres" "$builddir/assayctl" \
    restored --sql "$srcdir/sql" --erased "$scratch/log/pool.log" >"$scratch/did"
is "assayctl restored erases the user again" \
    "$? $(grep '^read' "$scratch/did") $(detail_rows u-2)" \
    "0 read 1 erasures, erased 1 users again 0"

start_pool ALLOW_PRIVATE_TARGETS=true
wait_drained
answers_logged_once "the spool follows, each decision once"
decide_orders after
deliver_all
is "each decision is published once" \
    "$(received_by v | wc -l | tr -d ' ')" 10
is "each decision is counted once" "$(sql "select sum(n) from assay.analytics_total
    where kind = 'verdict'")" 10
finish
