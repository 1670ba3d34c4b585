#!/bin/sh
# SPDX-License-Identifier: ISC
# The searches of the logs find what is planted: personal data and secrets that
# were sent, and lines that are not logfmt.
. "$(dirname "$0")/lib.sh"
use private

start_private
http POST /v1/decisions "$(personal_event good)" \
    -H "Idempotency-Key: order-$phone"
is "an event with personal data is decided" "$STATUS" 200
http POST /v1/decisions \
    "$(personal_event '4111 1111 1111 1111 ' | sed 's/"id"/"x"/')"
is_error "a card number in an unknown field answers 400" 400 INGEST_PAN_REJECTED
http POST /v1/decisions "$(personal_event check 203.0.113.83)" \
    -H "Idempotency-Key: invoice-$phone"
is "an event with another address is decided" "$STATUS" 200
http GET "/v1/decisions/$ip6" "" -H "X-Forwarded-For: $ip"
is_error "an address as event id answers 404" 404 NOT_FOUND
http GET /v1/apikeys "" -H 'Authorization: Bearer not-a-token-at-all'
is_error "an invalid token answers 401" 401 UNAUTHENTICATED

# Planted data is found by its kind, and nothing else is.
# find_planted LINE WANT
find_planted() {
	printf 'so far so good\nreq=cor_1 %s x\n' "$1" >"$scratch/run/planted.log"
	is "the search of '$1' finds ${2:-nothing}" "$(private_lines "$scratch"/sent/* -- \
	    "$scratch/run/planted.log")" "${2:+planted.log:2: $2}"
}
find_planted "client: $ip, server" address
find_planted "ip=[2001:DB8:77:0::5E]:443" address
find_planted "ip=::ffff:203.0.113.83" address
find_planted "phone=$phone" phone
find_planted 'phone="+251 95 566 7788"' phone
find_planted "number=4111-1111-1111-1111" card
find_planted "user=$mail" email
find_planted "X-API-Key: $KEY" key
find_planted "why=password authentication: staple battery 6" password
find_planted "url=postgresql://assay_decide:Tr0ub4dor-77@/assay" password
find_planted "host=/tmp password=c0rrect-9h0rse dbname=x" password
find_planted "Bearer not-a-token-at-all" token
find_planted "secret=77aa88bb99cc00dd11ee22ff33445566" secret
find_planted "token=b7f0a3-metrics-9921" secret
find_planted "Key (key)=(invoice-$phone) already exists" \
    "idempotency key
planted.log:2: phone"
find_planted "ip=203.0.113.8 at 2026-11-21 06:52:24 [$phone$phone]" ""
rm "$scratch/run/planted.log"

# A line that is not logfmt is found, with the reason.
# find_unreadable LINE WANT
find_unreadable() {
	printf 'level=info why="so \\u00e9 far"\n%s\n' "$1" \
	    >"$scratch/run/lines.log"
	is "the line '$1' is logfmt${2:+ but }$2" "$(perl "$srcdir/t/http/logfmt.pl" \
	    "$scratch/run/lines.log")" "${2:+lines.log:2: $2}"
}
find_unreadable '<3>level=error n=-1 path=/v1/{id}' ""
find_unreadable 'assay-fcgi: A: is wrong' ""
find_unreadable 'level=info why=two words' "a key is missing"
find_unreadable 'level=info where= why=x' "where= has an invalid value"
find_unreadable 'level=info why=""' "why= is empty"
find_unreadable 'level=info why=a=b' "no blank follows why="
find_unreadable 'level=info why="\x22"' "why= has an invalid value"
find_unreadable 'level=info why= x' "why= has an invalid value"
find_unreadable 'level=info  why=x' "a key is missing"
find_unreadable 'level=info n=1 n=2' "n= appears twice"
rm "$scratch/run/lines.log"
finish
