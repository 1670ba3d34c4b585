#!/bin/sh
# SPDX-License-Identifier: ISC
# No log has personal data or secrets, even when nginx, the pool and PostgreSQL
# report errors.  The last test of every scenario searches all logs for what was
# sent.
. "$(dirname "$0")/lib.sh"
use private lock

# repeat_letter COUNT
repeat_letter() {
	head -c "$1" /dev/zero | tr '\0' a
}

# check_report WHAT PATTERN: PostgreSQL logged it.
check_report() {
	check "PostgreSQL reports $1" grep -qE "$2" "$scratch/log/postgres.log"
}

start_private

# Errors of the pool.
http POST /v1/decisions "$(personal_event good)" -H "Idempotency-Key: order-$phone"
is "an event with personal data is decided" "$STATUS" 200
http POST "/v1/decisions?ip=$ip&ip=$ip6" "$(personal_event query)"
is_error "a query of a decision answers 400" 400 INVALID_REQUEST
http POST /v1/decisions "$(personal_event '4111 1111 1111 1111 ' | sed 's/"id"/"x"/')"
is_error "a card number in an unknown field answers 400" 400 INGEST_PAN_REJECTED
http POST /v1/decisions "$(personal_event half | tr -d '}')"
is_error "an incomplete event answers 400" 400 INVALID_JSON
http POST /v1/decisions "$(personal_event bad | sed 's/113/999/')"
is_error "an invalid address answers 400" 400 INGEST_INVALID
http GET "/v1/decisions/$ip6" "" -H "X-Forwarded-For: $ip" -H "Referer: $ip"
is_error "an address as event id answers 404" 404 NOT_FOUND
http GET "/v1/graph/ip/$ip?phone=$phone"
is_error "an address in a path answers 401" 401 UNAUTHENTICATED
http GET "/v1/graphs/ip/$ip?phone=$phone"
is_error "an address in an unknown path answers 404" 404 NOT_FOUND
http GET /v1/apikeys "" -H 'Authorization: Bearer not-a-token-at-all'
is_error "an invalid token answers 401" 401 UNAUTHENTICATED
http GET /metrics "" -H 'Authorization: Bearer b7f0a3-metrics-9922'
is_error "a token of one other digit answers 401" 401 UNAUTHENTICATED

# Errors of nginx.
http POST /v1/decisions "{\"phone\":\"$phone\",\"ip\":\"$ip\",\"x\":\"$(repeat_letter 40000)\"}"
is_error "a body over the limit answers 413" 413 PAYLOAD_TOO_LARGE
raw 'GET /%s?ip=%s HTTP/1.1\r\nHost: a\r\n\r\n' "$(repeat_letter 9000)" "$ip"
is_error "a long URL answers 414" 414 INVALID_REQUEST
raw 'GET /?%s HTTP/1.1\r\nHost: %s\r\nX-Api-Key: %s\r\nX-Long: %s%s\r\n\r\n' \
    "$ip" "$ip" "$KEY" "$phone" "$(repeat_letter 9000)"
is_error "a long header answers 431" 431 INVALID_REQUEST
raw '%s %s\r\n\r\n' "$ip" "$phone"
is_error "a malformed request line answers 400" 400 INVALID_REQUEST
raw 'GET /%s%%00 HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$ip" "$ip6"
is_error "a NUL in a path answers 400" 400 INVALID_REQUEST

# Errors of PostgreSQL that have a row or a value.
# shellcheck disable=SC2016 # no variables of ours
sql 'create function assay.trouble() returns trigger language plpgsql as $f$
    begin
	if new.key like $$203.0.113.9%$$ then
	    raise exception $$trouble of ours$$ using detail = new.key,
		hint = new::text;
	end if;
	return new;
    end $f$;
    create trigger trouble before insert on assay.entity
	for each row execute function assay.trouble();
    alter table assay.entity add constraint not_these
	check (key not like $$203.0.113.8_$$) not valid'
http POST /v1/decisions "$(personal_event raise 203.0.113.91)"
is "a decision is degraded when a trigger raises" \
    "$STATUS $(json .score)" "200 -1"
http POST /v1/decisions "$(personal_event check 203.0.113.83)"
is "a decision is degraded when a constraint fails" \
    "$STATUS $(json .score)" "200 -1"
check_report "the trigger" 'ERROR:  trouble of ours$'
check_report "the constraint" 'ERROR:  .* violates check constraint "not_these"$'
sql "drop trigger trouble on assay.entity"

# Twelve requests with one key: all but one meet the unique index.
seq 12 | xargs -P 12 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: invoice-$phone" -o /dev/null "$BASE/v1/decisions" \
    -d "{\"type\":\"account.login\",\"subject\":{\"userId\":\"k-{}\",\"ip\":\"198.51.100.{}\"}}"

hold_lock "lock table assay.entity"
http POST /v1/decisions "$(personal_event slow 192.0.2.44)"
is "a decision behind a held lock is degraded" "$STATUS $(json .score)" "200 -1"
release_lock
check_report "the statement timeout" 'ERROR:  canceling statement due to statement timeout$'
is "PostgreSQL logs no detail beside its errors" "$(grep -cE \
    '(DETAIL|HINT|CONTEXT|QUERY|STATEMENT):' "$scratch/log/postgres.log")" 0

# No pool, no database.
stop_pool
http POST "/v1/decisions?ip=$ip" "$(personal_event gone)"
is_error "a request without a pool answers 503" 503 UNAVAILABLE
start_pool DATABASE_URL="postgresql://assay_decide:p%ZZ-9h0rse-44@/assay"
http GET /readyz
is "an invalid connection string answers 503" "$STATUS" 503
stop_database
http POST /v1/decisions "$(personal_event nowhere)"
is_error "a request without a database answers 503" 503 UNAVAILABLE
check "the pool logs that it is not ready" \
    grep -q 'event=pool_not_ready' "$scratch/log/pool.log"
finish
