#!/bin/sh
# SPDX-License-Identifier: ISC
# No delivery reaches a private address, however it is written or named,
# through a redirect or a proxy, or after its name changes; deliveries to
# public addresses still arrive.
. "$(dirname "$0")/lib.sh"
use deliver

start_stack
start_receiver
admin_token
cp "$builddir/t/http/internet.so" "$scratch/bin/"
cat >"$scratch/names" <<-'END'
	public.example 93.184.216.34
	inside.example 127.0.0.1
	inside6.example ::1
	mapped.example ::ffff:127.0.0.1
	turns.example 93.184.216.34 127.0.0.1
	lost.example hang
END
shim="LD_PRELOAD=$scratch/bin/internet.so INTERNET=$scratch/names"
shim="$shim ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1"

# add_spelling ADDRESS: store an endpoint there, without the check of the pool.
n=0
add_spelling() {
	n=$((n + 1))
	sql "insert into assay.webhook_endpoint (id, url, events, secret,
	    created_by) values ('whk_$n', 'http://$1:$PORT/200/inside',
	    '{case.resolved.v1}', 'whsec_AAAA', 'a@b.c')"
	queue_deliveries whk_$n $n $n
	echo "$n $1" >>"$scratch/spellings"
}
for address in 127.0.0.1 2130706433 0177.0.0.1 0x7f.1 0x7f000001 127.1 127.0.1 \
    017700000001 0 0.0.0.0 10.0.0.1 169.254.169.254 100.64.0.1 \
    '[::1]' '[::]' '[::ffff:127.0.0.1]' '[::ffff:7f00:1]' \
    '[64:ff9b::7f00:1]' '[64:ff9b::127.0.0.1]' '[2002:7f00:1::]' '[fe80::1]' \
    '[fc00::1]' '[::127.0.0.1]' localhost; do
	http POST /v1/webhooks "{\"url\":\"http://$address:$PORT/\",
	    \"events\":[\"case.resolved.v1\"]}"
	is_error "an endpoint at $address answers 400" 400 INVALID_REQUEST
	add_spelling "$address"
done
certain=$n
for address in inside.example inside6.example mapped.example; do
	add_spelling "$address"
done
named=$n

# A public address gets its deliveries, so the private ones could arrive.
# queue_at HOST MODE NAME NUMBER: add an endpoint there and queue one delivery.
queue_at() {
	http POST /v1/webhooks "{\"url\":\"http://$1:$PORT/$2/$3\",
	    \"events\":[\"case.resolved.v1\"]}"
	echo "$3 $(json .secret)" >>"$mail/secrets"
	queue_deliveries "$(json .id)" "$4" "$4"
}
queue_at public.example 200 outside 100
queue_at public.example redirect away 101
queue_at turns.example once turns 102
queue_at lost.example 200 lost 103
echo "localhost 127.0.0.1" >>"$scratch/names"
# A trigger delays what fails, so that one run does not try it again.
sql "create function public.later() returns trigger language plpgsql as '
    begin new.next_attempt_at := new.next_attempt_at + ''1 hour'';
    return new; end';
    create trigger later before update of attempts on assay.delivery
    for each row execute function public.later()"
proxy="http_proxy=http://127.0.0.1:$PORT https_proxy=http://127.0.0.1:$PORT"
# shellcheck disable=SC2086 # settings
start_cron "deliver --for 10m" $shim $proxy "ALL_PROXY=http://127.0.0.1:$PORT"
# shellcheck disable=SC2317 # called by name
all_attempted() {
	[ "$(sql "select count(*) from assay.delivery where attempts = 0
	    and id <> 'whd_000103'")" -eq 0 ]
}
check "every other delivery is attempted while a name does not resolve" \
    stack_until 20 "$stack_cron_pid" all_attempted
is "a delivery whose name does not resolve is in its first attempt" \
    "$(pending_state whd_000103)" "0 -"
is "a delivery to a public address arrives with two good signatures" \
    "$(received_by outside | cut -d ' ' -f 1-5)" \
    "outside whd_000100 case.resolved.v1 good good"
is "a redirect is a failure like any other status" \
    "$(pending_state whd_000101)" "1 status 307"
# shellcheck disable=SC2317 # called by name
is_repeated() {
	[ "$(sql "select attempts from assay.delivery
	    where id = 'whd_000102'")" -ge 2 ]
}
kill -s TERM "$stack_cron_pid"
check "the companion ends without waiting for a name" \
    stack_until 10 0 stack_gone "$stack_cron_pid"
stop_cron
is "TERM releases the delivery whose name does not resolve" \
    "$(sql "select attempts, claimed_until
    from assay.delivery where id = 'whd_000103'")" "0|"
while read -r n address; do
	error=$(pending_state "$(printf 'whd_%06d' "$n")")
	is "a delivery to $address is refused" "${error#* }" \
	    "the address is not public"
done <"$scratch/spellings"
is "no delivery reaches $certain private spellings and $((named - certain)) names" \
    "$(received_by inside)$(received_by redirected)" ""
is "no delivery uses a proxy" "$(wc -l <"$mail/accepted")" \
    "$(wc -l <"$mail/received")"

# A name that was public and is private now; a new process resolves it.
echo "turns.example 127.0.0.1" >"$scratch/names"
sql "update assay.delivery set next_attempt_at = clock_timestamp()
    where id = 'whd_000102'"
# shellcheck disable=SC2086 # settings
start_cron "deliver --for 10m" $shim
check "the companion attempts a delivery after its name changed" \
    stack_until 20 "$stack_cron_pid" is_repeated
stop_cron
is "a name that changed to a private address is refused" \
    "$(pending_state whd_000102) $(received_by turns | wc -l)" \
    "2 the address is not public 1"

# For development private addresses can be allowed.
make_due
echo "inside.example 127.0.0.1" >>"$scratch/names"
# shellcheck disable=SC2086 # settings
start_cron "deliver --for 10m" $shim ALLOW_PRIVATE_TARGETS=true
# shellcheck disable=SC2317 # called by name
inside_reached() {
	received_by inside | grep -q whd_000001 &&
	    received_by inside | grep -q whd_000002 &&
	    received_by inside | grep -q whd_000004 && received_by inside |
		grep -q "$(printf 'whd_%06d' $((certain + 1)))"
}
check "ALLOW_PRIVATE_TARGETS allows private addresses and names" \
    stack_until 20 "$stack_cron_pid" inside_reached
finish
