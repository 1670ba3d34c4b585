#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries to receivers of every kind: what is sent and how it is signed,
# what is tried again, what is given up and what is then told and redriven.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/deliver.sh
. "$(dirname "$0")/deliver.sh"
settings=ALLOW_PRIVATE_TARGETS=true

start_stack $settings
start_receiver
admin_token

# One that is fine, from a host whose clock is not.
cp "$builddir/t/http/clock.so" "$scratch/bin/"
hook 200 fine
fine=$HOOK
queue "$fine" 1 1 case.resolved.v1 '{"caseId":"cse_1","outcome":"fraud"}'
check "a delivery" cron deliver $settings CLOCK_AHEAD=7200 \
    LD_PRELOAD="$scratch/bin/clock.so" \
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1
is "arrives, signed twice" "$(got fine | cut -d ' ' -f 1-5)" \
    "fine whd_000001 case.resolved.v1 good good"
check "from us" grep -Eq ' Assay/[0-9.]+$' "$mail/received"
is "with its body" "$(cat "$mail/body.whd_000001.1")" \
    '{"id":"whd_000001","type":"case.resolved.v1","occurredAt":"2026-01-02T03:04:05.678Z","correlationId":"cor_x","data":{"caseId":"cse_1","outcome":"fraud"}}'
is "and is done with" "$(pending whd_000001)" ""
http GET /v1/webhooks
is_json "which its endpoint shows" \
    '.endpoints[0] | "\(.lastStatus) \(.failures)"' "delivered 0"
check "and the log counts" grep -q \
    'job=deliver run=done .*events=0 throttled=0 delivered=1 failed=0 dead=0' "$scratch/log/cron.log"

# All that are not, at once, in the time of the slowest; one is that fine.
n=10
for mode in 500 410 302 redirect wait reset quiet garbage heads hang drip \
    dripbody slow huge 204 once; do
	n=$((n + 1))
	hook "$mode" "$mode"
	queue "$HOOK" $n $n
	printf '%s %s %s\n' "$mode" whd_0000$n "$HOOK" >>"$scratch/modes"
done
queue "$fine" 40 42
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
    -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
openssl s_server -accept 127.0.0.1:0 -key "$scratch/key.pem" \
    -cert "$scratch/cert.pem" -www </dev/null >"$scratch/tls" 2>&1 &
more_pids="$! $more_pids"
stack_until 10 $! grep -q ACCEPT "$scratch/tls"
tls=$(sed -n 's/^ACCEPT.*:\([0-9]*\)$/\1/p' "$scratch/tls")
http POST /v1/webhooks "{\"url\":\"https://localhost:$tls/\",
    \"events\":[\"case.resolved.v1\"]}"
queue "$(json .id)" 50 50
http POST /v1/webhooks '{"url":"http://nowhere.invalid/",
    "events":["case.resolved.v1"]}'
queue "$(json .id)" 51 51
http POST /v1/webhooks '{"url":"http://127.0.0.1:1/",
    "events":["case.resolved.v1"]}'
queue "$(json .id)" 52 52
# What fails is put off far enough that this run does not try it again.
sql "create function public.later() returns trigger language plpgsql as '
    begin new.next_attempt_at := new.next_attempt_at + ''1 hour'';
    return new; end';
    create trigger later before update of attempts on assay.delivery
    for each row execute function public.later()"
# Meanwhile the database stands still: their answers are taken all the same.
start_cron deliver $settings
stack_until 10 "$stack_cron_pid" grep -q '^hang ' "$mail/received"
postgres=$(pgrep -d ' ' -P "$stack_pg_pid")
# shellcheck disable=SC2086 # pids
kill -s STOP "$stack_pg_pid" $postgres
sleep 10.5
# shellcheck disable=SC2086
kill -s CONT "$stack_pg_pid" $postgres
check "deliver, once, to all of them" wait "$stack_cron_pid"
sql "drop trigger later on assay.delivery; update assay.delivery
    set next_attempt_at = next_attempt_at - interval '1 hour'"

# came MODE WANT: what became of the one delivery of a mode.
came() {
	is "$1: ${2:-delivered}" "$(pending "$(awk -v m="$1" \
	    '$1 == m { print $2 }' "$scratch/modes")")" "$2"
}
came 500 "1 status 500"
came 410 "1 status 410"
came 302 "1 status 302"
came redirect "1 status 307"
came wait "1 status 429"
came reset "1 the connection broke"
came quiet "1 the connection broke"
came garbage "1 no HTTP"
came heads "1 the answer is too long"
came hang "1 no answer in time"
came drip "1 no answer in time"
came dripbody "1 no answer in time"
came slow ""
came huge ""
came 204 ""
came once "1 status 500"
is "a certificate that nobody knows" "$(pending whd_000050)" \
    "1 the certificate is not trusted"
is "a name that there is not" "$(pending whd_000051)" \
    "1 the name does not resolve"
is "a port where nobody is" "$(pending whd_000052)" "1 no connection"
is "the fine one waited for none" "$(got fine | wc -l)" 4
is "no redirect was followed" "$(got redirected)" ""
is "who asks for time gets it" "$(sql "select next_attempt_at
    between clock_timestamp() + '60 s' and clock_timestamp() + '77 s'
    from assay.delivery d join assay.webhook_endpoint w
	on w.id = d.subscriber_id and w.url like '%wait'")" t
http GET /v1/webhooks/deliveries
is_json "what is pending is shown" '.pending | map(select(.lastError ==
    "status 410") | "\(.status) \(.attempts) \(.nextAttemptAt | type)")[]' \
    "pending 1 string"
http GET /v1/webhooks
is_json "a 410 ends nothing" '.endpoints[] | select(.url | endswith("/410"))
    | "\(.active) \(.lastStatus) \(.failures)"' "true failed 1"

# The eighth failure is the last; the next attempt is always later.
sql "delete from assay.delivery d using assay.webhook_endpoint w
    where w.id = d.subscriber_id and w.url !~ '/(500|once)\$'"
http POST /v1/notifications "{\"type\":\"webhook\",
    \"url\":\"http://127.0.0.1:$PORT/500/alert\",
    \"events\":[\"alert.dead_letter.v1\"]}"
channel=$(json .id)
: >"$scratch/waits"
for _ in 2 3 4 5 6 7; do
	hurry
	cron deliver $settings
	sql "select extract(epoch from next_attempt_at - clock_timestamp())
	    from assay.delivery where id = 'whd_000011'" >>"$scratch/waits"
done
is "so it backs off" "$(sort -n "$scratch/waits" | cmp - "$scratch/waits")$(
    awk 'NR == 6 { print ($1 > 50 && $1 < 71) }' "$scratch/waits")" 1
hurry
cron deliver $settings
is "after eight attempts" "$(got 500 | wc -l) $(pending whd_000011)" "8 "
is "with one body" "$(cat "$mail"/body.whd_000011.* | sha256sum)" \
    "$(for n in 1 2 3 4 5 6 7 8; do
	cat "$mail/body.whd_000011.1"
    done | sha256sum)"
is "a delivery is dead" "$(sql "select id, attempts, last_error
    from assay.dead_letter")" "whd_000011|8|status 500"
is "and its death is an event" "$(sql "select event, data, correlation_id
    from assay.delivery where id like 'ntd%'")" 'alert.dead_letter.v1|{"source" : "webhook", "ref" : "whd_000011", "name" : "case.resolved.v1", "attempts" : 8}|cor_x'
is "what came through at the second attempt has one id" \
    "$(got once | cut -d ' ' -f 1,2 | uniq -c | tr -s ' ')" \
    " 2 once whd_000026"

# An alert of a death that dies itself is the end of it.
sql "delete from assay.delivery where id like 'ntd%'"
queue "$channel" 70 70 alert.dead_letter.v1 \
    '{"source":"webhook","ref":"whd_1","name":"case.resolved.v1","attempts":8}'
queue "$channel" 71 71 alert.anomaly.v1 '{"eventId":"e","verdict":"review"}'
for _ in 1 2 3 4 5 6; do
	hurry
	cron deliver $settings
done
is "alerts are given up after six" "$(sql "select id, attempts
    from assay.dead_letter where id like 'ntd%' order by 1" | tr '\n' ' ')" \
    "ntd_000070|6 ntd_000071|6 "
is "which tells of itself, but not of its own news" "$(sql "
    select data::json ->> 'ref', data::json ->> 'source'
    from assay.delivery where id like 'ntd%'")" "ntd_000071|alert"
http GET /v1/notifications
is_json "and counts for its channel" '.channels[0].failures' 14

# The dead rise.
sql "update assay.webhook_endpoint set url = replace(url, '/500/', '/200/');
    update assay.alert_channel set url = replace(url, '/500/', '/200/')"
http POST /v1/webhooks/deliveries/redrive
is_json "redriven" .requeued 1
http POST /v1/notifications/deliveries/redrive
is_json "alerts too" .requeued 2
hurry
cron deliver $settings
is "arrive" "$(got 500 | wc -l) $(got alert | wc -l) $(sql \
    "select count(*) from assay.delivery")" "9 17 0"
http GET /v1/webhooks
is_json "and the endpoint is well" '.endpoints[] |
    select(.url | endswith("/200/500")) | "\(.lastStatus) \(.failures)"' \
    "delivered 0"

# Alerts, in the form of each type.
for type in slack telegram webhook; do
	target=
	[ $type != telegram ] || target='"target":"-100",'
	http POST /v1/notifications "{\"type\":\"$type\",$target
	    \"url\":\"http://127.0.0.1:$PORT/200/$type\",
	    \"events\":[\"alert.anomaly.v1\"]}"
	http POST "/v1/notifications/$(json .id)/test"
	is "a test of $type is queued" "$STATUS" 200
done
cron deliver $settings
# said TYPE FILTER: of the body that a channel got.
said() {
	jq -r "$2" <"$mail/body.$(got "$1" | cut -d ' ' -f 2).1"
}
is "slack" "$(said slack 'keys[0] + " " + (.text | .[:24])')" \
    "text test alert: channel ntf_"
is "telegram" "$(said telegram '(keys | join(" ")) + " " + .chat_id')" \
    "chat_id text -100"
is "webhook" "$(said webhook '(keys | join(" ")) + " " + .type')" \
    "data occurredAt text type alert.test.v1"
is "none is signed" "$(grep -cE '^(slack|telegram|webhook) .* - - Assay' \
    "$mail/received")" 3

# Revoked: nothing is sent any more, and nothing is left.
hook 200 gone
queue "$HOOK" 80 81
http POST "/v1/webhooks/$HOOK/revoke"
queue "$HOOK" 82 82
cron deliver $settings
is "what waits for a revoked endpoint is dropped" "$(got gone)$(sql \
    "select count(*) from assay.delivery")" 0

# At TERM what hangs is given back, uncounted.
hook hang hang2
queue "$HOOK" 90 90
start_cron "deliver --for 10m" $settings
stack_until 10 "$stack_cron_pid" grep -q '^hang2 ' "$mail/received"
stop_cron
is "TERM gives back what hangs" "$(sql "select attempts, claimed_until
    from assay.delivery")" "0|"

finish
