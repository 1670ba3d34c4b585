#!/bin/sh
# SPDX-License-Identifier: ISC
# A correlation id with personal data or a card number is replaced, by the pool
# and by nginx; other ids are kept.
. "$(dirname "$0")/lib.sh"

# send_payment ID CORRELATION-ID
send_payment() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"payment.authorize\",
	    \"amount\":1,\"currency\":\"EUR\",\"subject\":{\"userId\":\"u-1\"}}" \
	    -H "X-Correlation-Id: $2"
}

# logged_correlation ID: the correlation id of the event in the verdict log.
logged_correlation() {
	sql "select correlation_id from assay.verdict_log
	    where event_id = '$1'"
}

# replaces_correlation WHAT ID: the pool does not keep this correlation id.
replaces_correlation() {
	n=$((n + 1))
	send_payment "corr-$n" "$2"
	is "a correlation id that is $1 is replaced" \
	    "$STATUS $(header x-correlation-id |
	    sed 's/_.*//')" "200 cor"
	is "the verdict log has the new id instead of $1" \
	    "$(logged_correlation "corr-$n")" \
	    "$(header x-correlation-id)"
}

start_with_key

n=0
replaces_correlation "a card number" 4111111111111111
replaces_correlation "an email" ada.lovelace@mail.example
replaces_correlation "an address" "from 203.0.113.87"
replaces_correlation "an IPv6 address" "[2001:db8:77::5e]:443"
replaces_correlation "a phone number" "tel +251955667788"
send_payment corr-good 550e8400-e29b-41d4-a716-446655440000
is "the pool keeps a UUID as correlation id" \
    "$(logged_correlation corr-good)" 550e8400-e29b-41d4-a716-446655440000
for id in 4111111111111111 ada.lovelace@mail.example 203.0.113.87 \
    2001:db8:77::5e +251955667788; do
	http POST /v1/decisions "$(head -c 40000 /dev/zero | tr '\0' a)" \
	    -H "X-Correlation-Id: $id"
	is "nginx replaces the correlation id $id in its own answer" "$STATUS $(
	    header x-correlation-id | sed 's/_.*//')" "413 cor"
done
http POST /v1/decisions "$(head -c 40000 /dev/zero | tr '\0' a)" \
    -H "X-Correlation-Id: till 7 12:34:56"
is "nginx keeps another correlation id in its own answer" \
    "$(header x-correlation-id)" "till 7 12:34:56"
finish
