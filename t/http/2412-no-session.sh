#!/bin/sh
# SPDX-License-Identifier: ISC
# Without a session with the database each program logs the server, the role, the
# reason and what to do, but never the password.
. "$(dirname "$0")/lib.sh"

start_database
sql "alter role assay_operator connection limit 0"

# url_of ROLE [DATABASE]: a connection string with a password.
url_of() {
	echo "host=$scratch/run dbname=${2:-assay} user=$1 password=sesame-4711"
}

# logged_once LOG KIND SQLSTATE ROLE [DATABASE]: the log has this line once.
# shellcheck disable=SC2317 # stack_until calls it
logged_once() {
	[ "$(grep -c "level=error .*event=database_connect_failed host=$scratch/run port=5432 dbname=${5:-assay} user=$4 kind=$2 sqlstate=$3 why=" \
	    "$scratch/log/$1.log")" = 1 ]
}

start_pool DATABASE_URL="$(url_of nobody)" OPERATOR_DATABASE_URL="$(url_of \
    assay_operator)"
start_nginx
stack_until 20 "$stack_pool_pid" ready_is "503 down skipped" || :
http GET /readyz
is "a pool without sessions is not ready" "$STATUS" 503
http GET /v1/auth/status
is_error "an operator's request without a session answers 503" 503 UNAVAILABLE
http GET /v1/auth/status
is_json "the message of the 503 names neither server nor role" ".message" \
    "the database cannot be reached; try again"
check "the log names an unknown role once for all workers" \
    stack_until 20 "$stack_pool_pid" logged_once pool auth 28000 nobody
check "the log names a role without free connections" \
    logged_once pool full 53300 assay_operator
stop_pool

cron "deliver --once" COMPANION_DATABASE_URL="$(url_of assay_companion absent)"
is "a companion without its database ends with EX_TEMPFAIL" "$?" 75
check "the log names a missing database" \
    logged_once cron database 3D000 assay_companion absent

# role_ctl COMMAND ROLE [DATABASE]: run assayctl with that role.
# shellcheck disable=SC2086 # a command and its arguments
role_ctl() {
	ADMIN_DATABASE_URL=$(url_of "$2" "${3:-assay}") \
	    "$scratch/bin/assayctl" $1 2>&1
}
is "assayctl prints the server's error and what to check" \
    "$(role_ctl "key list" nobody)" \
    "assayctl: database: host=$scratch/run port=5432 dbname=assay user=nobody: the server refuses the role or its authentication: 28000: role \"nobody\" does not exist; see pg_hba.conf, pg_ident.conf and the password"
is "assayctl migrate prints the server's error and what to do" \
    "$(role_ctl "migrate --sql $srcdir/sql" postgres absent)" \
    "assayctl: migrate: host=$scratch/run port=5432 dbname=absent user=postgres: the server has no such database: 3D000: database \"absent\" does not exist; create the database, or correct dbname"
stop_database
check "assayctl says that nothing listens at the server" \
    sh -c "printf '%s' \"\$1\" | grep -q 'no server listens there'" - \
    "$(role_ctl "key list" postgres)"
check "no log holds the password of the role" sh -c "
    ! grep -r sesame-4711 '$scratch/log'"
finish
