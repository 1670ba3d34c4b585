#!/bin/sh
# SPDX-License-Identifier: ISC
# There is no session with the database: each program says with which server,
# as whom and why, and what to do, but no password.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

start_database
sql "alter role assay_operator connection limit 0"

# url ROLE [DATABASE]
url() {
	echo "host=$scratch/run dbname=${2:-assay} user=$1 password=sesame-4711"
}

# said LOG KIND SQLSTATE ROLE [DATABASE]: the line is there, once.
# shellcheck disable=SC2317 # stack_until calls it
said() {
	[ "$(grep -c "level=error .*database=away host=$scratch/run port=5432 dbname=${5:-assay} user=$4 kind=$2 sqlstate=$3 why=" \
	    "$scratch/log/$1.log")" = 1 ]
}

start_pool DATABASE_URL="$(url nobody)" OPERATOR_DATABASE_URL="$(url \
    assay_operator)"
start_nginx
stack_until 20 "$stack_pool_pid" ready_is "503 down skipped" || :
http GET /readyz
is "a pool without a session is not ready" "$STATUS" 503
http GET /v1/auth/status
is_error "operators are told no more than that" 503 UNAVAILABLE
http GET /v1/auth/status
is_json "neither server nor role" ".message" \
    "the database cannot be reached; try again"
check "a role that is not there is called so, once for all workers" \
    stack_until 20 "$stack_pool_pid" said pool auth 28000 nobody
check "a role that may have no session more is called so" \
    said pool full 53300 assay_operator
stop_pool

cron "deliver --once" COMPANION_DATABASE_URL="$(url assay_companion absent)"
is "a companion without its database ends with a status of its own" "$?" 75
check "a database that is not there is called so" \
    said cron database 3D000 assay_companion absent

# ctl COMMAND ROLE [DATABASE]
# shellcheck disable=SC2086 # a command and its arguments
ctl() {
	ADMIN_DATABASE_URL=$(url "$2" "${3:-assay}") \
	    "$scratch/bin/assayctl" $1 2>&1
}
is "assayctl says it with the words of the server, and what to look at" \
    "$(ctl "key list" nobody)" \
    "assayctl: database: host=$scratch/run port=5432 dbname=assay user=nobody: the server refuses the role or its authentication: 28000: role \"nobody\" does not exist; see pg_hba.conf, pg_ident.conf and the password"
is "so does its migrate" "$(ctl "migrate --sql $srcdir/sql" postgres absent)" \
    "assayctl: migrate: host=$scratch/run port=5432 dbname=absent user=postgres: the server has no such database: 3D000: database \"absent\" does not exist; create the database, or correct dbname"
stop_database
check "a server that is not there is called so" \
    sh -c "printf '%s' \"\$1\" | grep -q 'no server listens there'" - \
    "$(ctl "key list" postgres)"
check "no log holds the password" sh -c "
    ! grep -r sesame-4711 '$scratch/log'"
finish
