#!/bin/sh
# SPDX-License-Identifier: ISC
# With sslmode=verify-full the programs use a database only with TLS, and only the
# server whose certificate has the name and is signed by the CA of sslrootcert.
. "$(dirname "$0")/lib.sh"
use away ctl tls

free_port
PGPORT=$port      # of all programs
HOME=/nonexistent # where libpq looks for a certificate of the program
export PGPORT HOME
trusted=$scratch/tls/trusted.pem

# start_server [option ...]: it listens on 127.0.0.1, with TLS.
start_server() {
	start_database -c listen_addresses=127.0.0.1 -c ssl=on \
	    -c ssl_cert_file="$scratch/tls/server.pem" \
	    -c ssl_key_file="$scratch/tls/server.key" "$@"
}

# certify CA NAME: the certificate that the server shows after its next start or reload.
certify() {
	tls_certificate "$1" server "subjectAltName = DNS:$2"
	stack_own "$scratch/tls/server.key" "$scratch/tls/server.pem"
}

# verified_url ROLE: the server, by a name that needs no resolver.
verified_url() {
	echo "host=db.example hostaddr=127.0.0.1 dbname=assay user=$1" \
	    "sslmode=verify-full sslrootcert=$trusted"
}

# encrypted ROLE ...: each of them has sessions, and only sessions with TLS.
# shellcheck disable=SC2317 # stack_until calls it
encrypted() {
	for role; do
		[ "$(sql "select bool_and(ssl) from pg_stat_activity
		    join pg_stat_ssl using (pid) where usename = '$role'")" = t ] ||
		    return 1
	done
}

# refused_for_tls: an operator's command gets no session, and says why.
# shellcheck disable=SC2317 # called by name
refused_for_tls() {
	ADMIN_DATABASE_URL="$(verified_url assay_operator)" ctl key list
	[ "$STATUS" = 69 ] && prints 'TLS failed; see sslmode'
}

tls_ca first
tls_ca second
cp "$scratch/tls/first.pem" "$trusted"
certify first db.example
order='{"type":"order.place","subject":{"userId":"u-1"}}'

start_server
with_urls verified_url start_pool
start_nginx
wait_ready
with_urls verified_url start_cron "work --for 10m"
admin_token
api_key
ask_decision "$order"
is "a decision is scored" "$(json '.score >= 0')" true
check "the pool and the companion have only sessions with TLS" \
    stack_until 20 "$stack_cron_pid" \
    encrypted assay_decide assay_operator assay_companion
ADMIN_DATABASE_URL="$(verified_url assay_operator)" ctl key list
is "assayctl reaches the server, too" "$STATUS" 0

# The server's next certificate is of another CA.
cat "$scratch/tls/second.pem" >>"$trusted"
certify second db.example
sql "select pg_reload_conf()" >/dev/null
sql "select pg_terminate_backend(pid) from pg_stat_activity
    where usename like 'assay%'" >/dev/null
check "with both CAs in the file a server changes its CA without a restart" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
stop_cron

# no_session WHY [option ...]: the server starts with these options, and the pool is
# not served by it.
no_session() {
	label=$1
	shift
	stop_database
	start_server "$@"
	ask_decision "$order"
	is "$label: decisions are degraded" "$(brief_answer)" \
	    "200 allow -1 engine.degraded"
	check "$label: assayctl says that TLS failed" refused_for_tls
}
cp "$scratch/tls/first.pem" "$trusted"
no_session "a server of another CA"
check "the log of the pool says that TLS failed" grep -q \
    "event=database_connect_failed host=db.example .* kind=tls " \
    "$scratch/log/pool.log"
certify first other.example
no_session "a server of another name"
certify first db.example
no_session "a server without TLS" -c ssl=off
is "no session was without TLS" "$(sql "select count(*) from pg_stat_activity
    where usename like 'assay%'")" 0
stop_database
start_server
check "the server that is verified is used again" \
    stack_until 20 "$stack_pool_pid" decision_is_scored "$order"
wait_drained
finish
