#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliveries reach no private address, however it is written, named, reached
# through a redirect or a proxy, or comes to stand behind a name later; and
# those to public ones go on meanwhile.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/deliver.sh
. "$(dirname "$0")/deliver.sh"

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

# spelling HOST: an endpoint there, past the check of registration.
n=0
spelling() {
	n=$((n + 1))
	sql "insert into assay.webhook_endpoint (id, url, events, secret,
	    created_by) values ('whk_$n', 'http://$1:$PORT/200/inside',
	    '{case.resolved.v1}', 'whsec_AAAA', 'a@b.c')"
	queue whk_$n $n $n
	echo "$n $1" >>"$scratch/spellings"
}
for place in 127.0.0.1 2130706433 0177.0.0.1 0x7f.1 0x7f000001 127.1 127.0.1 \
    017700000001 0 0.0.0.0 10.0.0.1 169.254.169.254 100.64.0.1 \
    '[::1]' '[::]' '[::ffff:127.0.0.1]' '[::ffff:7f00:1]' \
    '[64:ff9b::7f00:1]' '[64:ff9b::127.0.0.1]' '[2002:7f00:1::]' '[fe80::1]' \
    '[fc00::1]' '[::127.0.0.1]' localhost; do
	http POST /v1/webhooks "{\"url\":\"http://$place:$PORT/\",
	    \"events\":[\"case.resolved.v1\"]}"
	is_error "$place is not registered" 400 INVALID_REQUEST
	spelling "$place"
done
certain=$n
for place in inside.example inside6.example mapped.example; do
	spelling "$place"
done
named=$n

# What is public arrives, which shows that all this could.
hook_at() {
	http POST /v1/webhooks "{\"url\":\"http://$1:$PORT/$2/$3\",
	    \"events\":[\"case.resolved.v1\"]}"
	echo "$3 $(json .secret)" >>"$mail/secrets"
	queue "$(json .id)" "$4" "$4"
}
hook_at public.example 200 outside 100
hook_at public.example redirect away 101
hook_at turns.example once turns 102
hook_at lost.example 200 lost 103
echo "localhost 127.0.0.1" >>"$scratch/names"
proxy="http_proxy=http://127.0.0.1:$PORT https_proxy=http://127.0.0.1:$PORT"
# shellcheck disable=SC2086 # settings
start_cron "deliver --for 10m" $shim $proxy "ALL_PROXY=http://127.0.0.1:$PORT"
# shellcheck disable=SC2317 # called by name
settled() {
	[ "$(sql "select count(*) from assay.delivery where attempts = 0
	    and id <> 'whd_000103'")" -eq 0 ]
}
check "all are tried, while a name hangs" stack_until 20 "$stack_cron_pid" \
    settled
is "which one is at it" "$(pending whd_000103)" "0 -"
is "what is public arrives" "$(got outside | cut -d ' ' -f 1-5)" \
    "outside whd_000100 case.resolved.v1 good good"
is "a redirect is an answer like any other" "$(pending whd_000101)" \
    "1 status 307"
sql "update assay.delivery set next_attempt_at = clock_timestamp()
    where id = 'whd_000102'"
# shellcheck disable=SC2317 # called by name
again() {
	[ "$(sql "select attempts from assay.delivery
	    where id = 'whd_000102'")" -ge 2 ]
}
kill -s TERM "$stack_cron_pid"
check "the end waits for no name" stack_until 10 0 stack_gone "$stack_cron_pid"
stop_cron
is "and gives it back" "$(sql "select attempts, claimed_until
    from assay.delivery where id = 'whd_000103'")" "0|"
while read -r n place; do
	error=$(pending "$(printf 'whd_%06d' "$n")")
	case ${error#* } in
	"the address is not public") ok "$place: $error" ;;
	*) not_ok "$place is refused: $error" ;;
	esac
done <"$scratch/spellings"
is "of $certain spellings and $((named - certain)) names none arrived" \
    "$(got inside)$(got redirected)" ""
is "nor did a proxy get anything" "$(wc -l <"$mail/accepted")" \
    "$(wc -l <"$mail/received")"

# A name that stood for something public, and no more: a new process looks.
echo "turns.example 127.0.0.1" >"$scratch/names"
# shellcheck disable=SC2086 # settings
start_cron "deliver --for 10m" $shim
check "the answer that changed" stack_until 20 "$stack_cron_pid" again
stop_cron
is "is refused" "$(pending whd_000102) $(got turns | wc -l)" \
    "2 the address is not public 1"

# For development all of them may be reached.
hurry
echo "inside.example 127.0.0.1" >>"$scratch/names"
# shellcheck disable=SC2086 # settings
start_cron "deliver --for 10m" $shim ALLOW_PRIVATE_TARGETS=true
# shellcheck disable=SC2317 # called by name
reached() {
	got inside | grep -q whd_000001 && got inside | grep -q whd_000002 &&
	    got inside | grep -q whd_000004 && got inside |
		grep -q "$(printf 'whd_%06d' $((certain + 1)))"
}
check "unless that is wanted" stack_until 20 "$stack_cron_pid" reached
finish
