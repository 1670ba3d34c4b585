#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries to receivers that fail in every way, all at once, beside one that
# answers.
. "$(dirname "$0")/lib.sh"
use deliver

start_deliveries

add_endpoint 200 fine
fine=$HOOK

# Receivers that fail, all at once, and one that answers.
n=10
for mode in 500 410 302 redirect wait reset quiet garbage heads hang drip \
    dripbody slow huge 204 once; do
	n=$((n + 1))
	add_endpoint "$mode" "$mode"
	queue_deliveries "$HOOK" $n $n
	printf '%s %s %s\n' "$mode" whd_0000$n "$HOOK" >>"$scratch/modes"
done
queue_deliveries "$fine" 40 42
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -days 1 -subj /CN=localhost \
    -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
openssl s_server -accept 127.0.0.1:0 -key "$scratch/key.pem" \
    -cert "$scratch/cert.pem" -www </dev/null >"$scratch/tls" 2>&1 &
more_pids="$! $more_pids"
stack_until 10 $! grep -q ACCEPT "$scratch/tls"
tls=$(sed -n 's/^ACCEPT.*:\([0-9]*\)$/\1/p' "$scratch/tls")
http POST /v1/webhooks "{\"url\":\"https://localhost:$tls/\",
    \"events\":[\"case.resolved.v1\"]}"
queue_deliveries "$(json .id)" 50 50
http POST /v1/webhooks '{"url":"http://nowhere.invalid/",
    "events":["case.resolved.v1"]}'
queue_deliveries "$(json .id)" 51 51
http POST /v1/webhooks '{"url":"http://127.0.0.1:1/",
    "events":["case.resolved.v1"]}'
queue_deliveries "$(json .id)" 52 52
# A trigger delays what fails, so that this run does not try it again.
sql "create function public.later() returns trigger language plpgsql as '
    begin new.next_attempt_at := new.next_attempt_at + ''1 hour'';
    return new; end';
    create trigger later before update of attempts on assay.delivery
    for each row execute function public.later()"
# PostgreSQL stops; the companion still takes the answers.
start_cron deliver "$settings"
stack_until 10 "$stack_cron_pid" grep -q '^hang ' "$mail/received"
postgres=$(pgrep -d ' ' -P "$stack_pg_pid")
# shellcheck disable=SC2086 # pids
kill -s STOP "$stack_pg_pid" $postgres
sleep 10.5
# shellcheck disable=SC2086
kill -s CONT "$stack_pg_pid" $postgres
check "the companion ends well after failures of every kind" \
    wait "$stack_cron_pid"
sql "drop trigger later on assay.delivery; update assay.delivery
    set next_attempt_at = next_attempt_at - interval '1 hour'"

# ends_with MODE [STATE]: the delivery to the receiver in this mode is in this
# state, or has arrived.
ends_with() {
	is "a delivery in the mode $1 ends with ${2:-success}" \
	    "$(pending_state "$(awk -v mode="$1" '$1 == mode { print $2 }' \
	    "$scratch/modes")")" "${2-}"
}
ends_with 500 "1 status 500: ok"
ends_with 410 ""
ends_with 302 "1 status 302: ok"
ends_with redirect "1 status 307"
ends_with wait "1 status 429"
ends_with reset "1 the connection broke"
ends_with quiet "1 the connection broke"
ends_with garbage "1 no HTTP"
ends_with heads "1 the answer is too long"
ends_with hang "1 no answer in time"
ends_with drip "1 no answer in time"
ends_with dripbody "1 no answer in time"
ends_with slow ""
ends_with huge ""
ends_with 204 ""
ends_with once "1 status 500: ok"
is "a delivery fails when the certificate is not trusted" \
    "$(pending_state whd_000050)" "1 the certificate is not trusted"
is "a delivery fails when the name does not resolve" \
    "$(pending_state whd_000051)" "1 the name does not resolve"
is "a delivery fails when no server listens" \
    "$(pending_state whd_000052)" "1 no connection"
is "an endpoint that answers waits for no other" "$(received_by fine | wc -l)" 3
is "a redirect is not followed" "$(received_by redirected)" ""
is "a Retry-After of a minute is respected" "$(sql "select next_attempt_at
    between clock_timestamp() + '20 s' and clock_timestamp() + '77 s'
    from assay.delivery d join assay.webhook_endpoint w
	on w.id = d.subscriber_id and w.url like '%wait'")" t
http GET /v1/webhooks/deliveries
is_json "a failed delivery has its error and its next attempt" \
    '.pending | map(select(.lastError ==
    "status 302: ok") | "\(.status) \(.attempts) \(.nextAttemptAt | type)")[]' \
    "pending 1 string"
is_json "a delivery that a 410 refused is dead after one attempt" \
    '.dead[] | "\(.lastError) \(.attempts)"' "status 410: ok 1"
http GET /v1/webhooks
is_json "a 410 does not deactivate the endpoint" \
    '.endpoints[] | select(.url | endswith("/410"))
    | "\(.active) \(.lastStatus) \(.failures)"' "true failed 1"
finish
